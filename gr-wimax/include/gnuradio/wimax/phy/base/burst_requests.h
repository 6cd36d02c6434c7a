/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A burst as it is asked for, sent or expected: the MAC, the service access point below it and the blocks use these
 * structures as they are. What is sent and received is in burst_types.h.
 */
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/base/slot.h>

namespace gr::wimax::phy {

/// A burst to send. Who transmits fills in what of the format only he knows: the BSID's low bits, and in the downlink
/// the frame's.
struct TransmitBurst {
    Slot start_slot;  ///< of the preamble, or of the first symbol if there is none
    BurstFormat format;
    std::vector<uint8_t> payload;  ///< at most the capacity; padded with 0xFF
};

/// What the MAC opened an uplink allocation for; the PHY hands it back.
enum class BurstKind : uint8_t {
    data,
    ranging,     ///< long preamble; may arrive late by the round trip
    contention,  ///< REQ Region-Full opportunity
};

/// A burst to receive.
struct ExpectedBurst {
    Slot start_slot;  ///< as above
    BurstFormat format;
    uint16_t search_slots = 0;  ///< may arrive up to this much late
    BurstKind kind = BurstKind::data;
    uint16_t cid = 0;  ///< kind and CID are the MAC's own, returned with the burst
};

/// Focused contention (clause 8.3.7.3): channels and codes of an opportunity, and the highest boost that is taken; what
/// a UCD can ask for in its one octet is far beyond any transmitter.
inline constexpr int kContentionChannels = 48, kContentionCodeCount = 8;
inline constexpr float kMaxContentionBoostDb = 30.0F;

struct ContentionCode {
    uint8_t channel = 0;  ///< 0..47
    uint8_t code = 0;     ///< 0..7
    bool operator==(const ContentionCode&) const = default;
};

/// A focused contention code (clause 8.3.7.3) for the opportunity that begins at `start_slot`.
struct TransmitCode {
    Slot start_slot;
    ContentionCode what;
    float boost_db = 0;  ///< as the UCD's burst profile asks for
};

}  // namespace gr::wimax::phy
