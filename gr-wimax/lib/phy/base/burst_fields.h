// SPDX-License-Identifier: GPL-3.0-or-later
// Names and ranges of the fields of bursts and frame prefixes, shared by the wire between MAC and PHY and the PDUs
// between blocks.
//
//   v(key, member, low, high)     both ends included
//   v.maybe(key, member, usual)   may be absent if it has the usual value
//   v.of_phy(key, member, low, high)   filled in by the PHY: not on the wire from the MAC
//   v.payload(octets, most)
//   v.list(key, array, count)     `count` elements
#pragma once

#include "phy/base/description.h"

#include <gnuradio/wimax/phy/base/burst_requests.h>

#include <algorithm>

namespace gr::wimax::phy {

/// 2047 symbols of 80 slots (cyclic prefix 1/4) is the longest frame that the maps can describe.
inline constexpr uint32_t kMaxSlot = kMaxFrameSymbols * 80;

template <class V> void visit(V& v, Is<BurstFormat> auto& f) {
    v("rate_id", f.rate_id, 0, kRates - 1);
    v("iuc", f.iuc, 0, 15);
    v.of_phy("bsid_lsb", f.bsid_lsb, 0, 15);
    v("frame_lsb", f.frame_lsb, 0, 15);
    v("preamble_symbols", f.preamble, 0, 2);
    v("data_symbols", f.data_symbols, 0, kMaxFrameSymbols);
    v("midamble_interval", f.midamble_interval, 0, 3);
    v("subchannel_index", f.subchannel_index, 1, 31);
    v.maybe("stc", f.stc, false);
}

template <class V> void visit(V& v, Is<TransmitBurst> auto& b) {
    v("start_slot", b.start_slot, 0, kMaxSlot);
    visit(v, b.format);
    const int rate = std::min<int>(b.format.rate_id, kRates - 1);
    v.payload(b.payload, std::max(burst_capacity_bytes(rate, b.format.data_symbols), 0));
}

template <class V> void visit(V& v, Is<ExpectedBurst> auto& b) {
    v("start_slot", b.start_slot, 0, kMaxSlot);
    visit(v, b.format);
    v("kind", b.kind, BurstKind::data, BurstKind::contention);
    v("search_slots", b.search_slots, 0, 65535);
    v("cid", b.cid, 0, 65535);
}

template <class V> void visit(V& v, Is<TransmitCode> auto& c) {
    v("start_slot", c.start_slot, 0, kMaxSlot);
    v("channel", c.what.channel, 0, kContentionChannels - 1);
    v("code", c.what.code, 0, kContentionCodeCount - 1);
    v("boost_db", c.boost_db, 0, kMaxContentionBoostDb);
}

template <class V> void visit(V& v, Is<FramePrefixEntry> auto& e) {
    v("rate_id_or_diuc", e.rate_id_or_diuc, 0, 15);
    v("preamble_present", e.preamble_present);
    v("length", e.length, 0, 0xFFF);
}

template <class V> void visit(V& v, Is<FramePrefix> auto& p) {
    v("prefix_bsid_lsb", p.bsid_lsb, 0, 15);
    v("prefix_frame_lsb", p.frame_lsb, 0, 15);
    v("change_count_lsb", p.change_count_lsb, 0, 15);
    v.list("prefix_entries", p.entries, p.entry_count);
}

}  // namespace gr::wimax::phy
