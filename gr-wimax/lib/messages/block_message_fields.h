// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and ranges of every message of the blocks, shared by the code that writes and reads PDUs (block_messages.cc).
//
//   v(key, member)                a boolean, real number, symbol, direction, cyclic prefix or frame number, or a whole
//                                 number of any size
//   v(key, member, low, high)     a whole number or a slot, both ends included
//   v.maybe(key, member)          a std::optional; absent when empty
//   v.maybe(key, member, usual)   absent if it has the usual value or is an empty list
//   v.list(key, vector)           structures with their own description
//   v.list(key, array, count)     `count` elements
//   v.payload(octets)             the second half of the PDU
//   v.burst_payloads()            the second half are the payloads of the bursts described before
//
// Bursts and frame prefixes are described where they are defined.
#pragma once

#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/phy/stc/stc.h>

namespace gr::wimax {

inline constexpr int64_t kMaxFrameSamples = int64_t{1} << 32;
inline constexpr int64_t kMaxCount = int64_t{1} << 24;

using phy::Is;

template <class V> void visit(V& v, Is<TransmitFrame> auto& m) {
    v(key::direction, m.direction);
    v(key::frame_number, m.frame_number);
    v(key::frame_start_sample, m.frame_start_sample);
    v.maybe(key::deadline_sample, m.deadline_sample, kNoDeadline);
    v(key::cp_denominator, m.cp);
    v(key::bsid_lsb, m.bsid_lsb, 0, 15);
    v(key::change_count_lsb, m.change_count_lsb, 0, 15);
    v(key::timing_advance_samples, m.timing_advance_samples, std::numeric_limits<int32_t>::min() / 2,
      std::numeric_limits<int32_t>::max() / 2);
    v(key::frequency_hz, m.frequency_hz);
    v(key::power_dbfs, m.power_dbfs);
    v.list(key::bursts, m.bursts);
    v.maybe(key::codes, m.codes, {});
    v.burst_payloads();
}

template <class V> void visit(V& v, Is<Expectation> auto& m) {
    v(key::frame_number, m.frame_number);
    v(key::first_uplink_slot, m.first_uplink_slot, 0, phy::kMaxSlot);
    v(key::next_uplink_slot, m.next_uplink_slot, 0, phy::kMaxSlot);
    v(key::want_prefix_bursts, m.want_prefix_bursts);
    v.maybe(key::contention_slots, m.contention_slots, {});
    v.maybe(key::stc_zone_slots, m.stc_zone_slots, {});
    v.list(key::bursts, m.bursts);
}

template <class V> void visit(V& v, Is<phy::BurstMeasurement> auto& m) {
    v(key::rssi_dbfs, m.rssi_dbfs);
    v(key::cinr_db, m.cinr_db);
    v(key::evm_db, m.evm_db);
    v(key::timing_offset_samples, m.timing_offset_samples);
    v(key::frequency_offset_hz, m.frequency_offset_hz);
}

template <class V> void visit(V& v, Is<BurstReport> auto& m) {
    v(key::direction, m.direction);
    v(key::frame_number, m.frame_number);
    v(key::kind, m.kind, BurstKind::data, BurstKind::contention);
    v(key::cid, m.cid, 0, 65535);
    v(key::start_slot, m.start_slot, 0, phy::kMaxSlot);
    visit(v, m.burst.format);
    v(key::index, m.burst.index, 0, int64_t{phy::kStcZoneIndex} * phy::kMaxFrameSymbols);
    v(key::start_sample, m.burst.start_sample);
    v(key::detected, m.burst.detected);
    v(key::fec_ok, m.burst.fec_ok);
    v(key::failed_blocks, m.burst.failed_blocks, 0, kMaxCount);
    v(key::corrected_bytes, m.burst.corrected_bytes, 0, kMaxCount);
    visit(v, m.burst.measured);
    v(key::attached, m.attached);
    v(key::frame_start_sample, m.frame_start_sample);
    visit(v, m.prefix);
    v(key::cp_denominator, m.cp);
    v(key::frame_samples, m.frame_samples, 0, kMaxFrameSamples);
    v.payload(m.burst.payload);
}

template <class V> void visit(V& v, Is<phy::ContentionDetection> auto& c) {
    visit(v, c.what);
    v(key::snr_db, c.snr_db);
    v(key::rssi_dbfs, c.rssi_dbfs);
    v(key::certainty, c.certainty);
}

template <class V> void visit(V& v, Is<ContentionReport> auto& m) {
    v(key::frame_number, m.frame_number);
    v(key::start_slot, m.start_slot, 0, phy::kMaxSlot);
    v(key::attached, m.attached);
    v.list(key::codes, m.codes);
}

template <class V> void visit(V& v, Is<Tick> auto& m) {
    v(key::frame_number, m.frame_number);
    v(key::frame_start_sample, m.frame_start_sample);
    v(key::deadline_sample, m.deadline_sample);
    v(key::sample_rate_hz, m.sample_rate_hz, 0, int64_t{1} << 32);
    v(key::attached, m.attached);
    v(key::synchronised, m.synchronised);
    v(key::cp_denominator, m.cp);
    v(key::frame_samples, m.frame_samples, 0, kMaxFrameSamples);
    v(key::bsid_lsb, m.bsid_lsb, 0, 15);
    v(key::rssi_dbfs, m.rssi_dbfs);
    v(key::cinr_db, m.cinr_db);
    v(key::frequency_offset_hz, m.frequency_offset_hz);
    v(key::clock_offset_ppm, m.clock_offset_ppm);
}

template <class V> void visit(V& v, Is<Done> auto& m) { v(key::frame_number, m.frame_number); }

template <class V> void visit(V& v, Is<ErrorReport> auto& m) {
    v(key::kind, m.kind);
    v(key::frame_number, m.frame_number);
    v(key::microseconds, m.microseconds);
    v.payload(m.detail);  // a symbol that differs each time would stay interned forever
}

template <class V> void visit(V& v, Is<Control> auto& m) {
    v.maybe(key::attached, m.attached);
    v.maybe(key::first_frame_number, m.first_frame_number);
    v.maybe(key::diuc_rates, m.diuc_rates, -1, phy::kRates - 1);
    v.maybe(key::forget_front_end, m.forget_front_end);
}

}  // namespace gr::wimax
