// SPDX-License-Identifier: GPL-3.0-or-later
// Requests to send or to expect a burst. The MAC, the service access point below it and the blocks use these
// structures unchanged. burst_types.h describes the bursts themselves.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/base/slot.h>

namespace gr::wimax::phy {

/// A burst to send. The transmitter completes the format: the BSID's low bits, and in the downlink
/// the frame number's.
struct TransmitBurst {
    Slot start_slot;  ///< start of the preamble, or of the first symbol without preamble
    BurstFormat format;
    std::vector<uint8_t> payload;  ///< at most the capacity; padded with 0xFF
};

/// Purpose of an uplink allocation of the MAC; the PHY returns it.
enum class BurstKind : uint8_t {
    data,
    ranging,     ///< long preamble; may arrive late by the round trip
    contention,  ///< REQ Region-Full opportunity
};

/// A burst to receive.
struct ExpectedBurst {
    Slot start_slot;  ///< as in TransmitBurst
    BurstFormat format;
    uint16_t search_slots = 0;  ///< largest delay of the burst
    BurstKind kind = BurstKind::data;
    uint16_t cid = 0;  ///< kind and CID belong to the MAC and are returned with the burst
};

/// Focused contention (clause 8.3.7.3): channels and codes of an opportunity, and the highest accepted boost. The
/// UCD's octet allows values far beyond any transmitter.
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
    float boost_db = 0;  ///< from the UCD's burst profile
};

}  // namespace gr::wimax::phy
