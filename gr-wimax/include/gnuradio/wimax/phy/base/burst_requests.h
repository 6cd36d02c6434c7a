// SPDX-License-Identifier: GPL-3.0-or-later
// Requests to send or to expect a burst. The MAC, the service access point below it and the blocks use these
// structures unchanged. burst_types.h describes the bursts themselves. visit() has keys and ranges of the fields in
// messages (description.h).
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/base/slot.h>

#include <algorithm>

namespace gr::wimax::phy {

/// 2047 symbols of 80 slots (cyclic prefix 1/4) is the longest frame that the maps can describe.
inline constexpr uint32_t kMaxSlot = kMaxFrameSymbols * 80;

/// A burst to send. The transmitter completes the format: the BSID's low bits, and in the downlink
/// the frame number's.
struct TransmitBurst {
    Slot start_slot;  ///< start of the preamble, or of the first symbol without preamble
    BurstFormat format;
    std::vector<uint8_t> payload;  ///< at most the capacity; padded with 0xFF
};

template <class V> void visit(V& v, Is<TransmitBurst> auto& b) {
    v("start_slot", b.start_slot, 0, kMaxSlot);
    visit(v, b.format);
    const int rate = std::min<int>(b.format.rate_id, kRates - 1);
    const int symbols = std::clamp(b.format.data_symbols, 0, kMaxFrameSymbols);
    v.payload(b.payload, std::max(burst_capacity_bytes(rate, symbols), 0));
}

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

template <class V> void visit(V& v, Is<ExpectedBurst> auto& b) {
    v("start_slot", b.start_slot, 0, kMaxSlot);
    visit(v, b.format);
    v("kind", b.kind, BurstKind::data, BurstKind::contention);
    v("search_slots", b.search_slots, 0, 65535);
    v("cid", b.cid, 0, 65535);
}

/// A focused contention code (clause 8.3.7.3) for the opportunity that begins at `start_slot`.
struct TransmitCode {
    Slot start_slot;
    ContentionCode what;
    float boost_db = 0;  ///< from the UCD's burst profile
};

template <class V> void visit(V& v, Is<TransmitCode> auto& c) {
    v("start_slot", c.start_slot, 0, kMaxSlot);
    visit(v, c.what);
    v("boost_db", c.boost_db, 0, kMaxContentionBoostDb);
}

}  // namespace gr::wimax::phy
