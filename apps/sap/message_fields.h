// SPDX-License-Identifier: GPL-3.0-or-later
// The description of every message: its fields with their names in phy_sap.proto, each with its range. codec.cc walks
// it with an encoding and a decoding visitor, validate.cc with one that checks; test_sap_fields.cc compares it with the
// structures and to the schema.
//
//   v(key, member)                 any value of the member's type
//   v(key, member, low, high)      both ends included
//   v(key, member, values)         one of an array
//   v.each(key, array, low, high)  a list of fixed length
//   v.list(key, vector, most)      texts, or structures with a description
//   v.list(key, array, count)      the first `count` elements
//   v.list(key, vector, most, low, high)   slots
//   v.text(key, string)
//   v.payload(octets, most)        sent as a separate part
//
// Session numbers travel once, in the envelope. Bursts and frame prefixes are described where they are defined.
#pragma once

#include "sap/codec.h"

#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>

namespace wimax::sap {

using gr::wimax::phy::kMaxSlot;
inline constexpr uint32_t kMaxFrameSamples = gr::wimax::phy::Slot(kMaxSlot).samples();
inline constexpr uint32_t kMaxSampleRateHz = 1'000'000'000;
inline constexpr double kMaxOffsetHz = 1e12;
inline constexpr double kMaxLevelDb = 1000;
inline constexpr std::array<uint8_t, 4> kCyclicPrefixes{4, 8, 16, 32};
inline constexpr int kMaxRate = gr::wimax::phy::kRates - 1;

using gr::wimax::phy::Is;

/// The name of a message in the schema, in faults and in logs.
inline const char* name_of(const ConfigRequest&) { return "ConfigRequest"; }
inline const char* name_of(const ConfigConfirm&) { return "ConfigConfirm"; }
inline const char* name_of(const ProfilesRequest&) { return "ProfilesRequest"; }
inline const char* name_of(const FrameTick&) { return "FrameTick"; }
inline const char* name_of(const TxFrame&) { return "TxFrame"; }
inline const char* name_of(const RxExpect&) { return "RxExpect"; }
inline const char* name_of(const RxBurst&) { return "RxBurst"; }
inline const char* name_of(const ErrorIndication&) { return "ErrorIndication"; }
inline const char* name_of(const RxContention&) { return "RxContention"; }

template <class V> void visit(V& v, Is<ConfigRequest> auto& m) {
    v("role", m.role, Role::base_station, Role::subscriber_station);
    v("phy", m.phy);
    v("bandwidth_hz", m.bandwidth_hz, gr::wimax::phy::kMinBandwidthHz, gr::wimax::phy::kMaxBandwidthHz);
    v("frequency_hz", m.carriers.downlink_hz, kMinFrequencyHz, kMaxFrequencyHz);
    v("duplex_spacing_hz", m.carriers.duplex_spacing_hz, spacing_to(kMinFrequencyHz, m.carriers),
      spacing_to(kMaxFrequencyHz, m.carriers));
    v("tx_gain_db", m.tx_gain_db, -kMaxGainDb, kMaxGainDb);
    v("rx_gain_db", m.rx_gain_db, -kMaxGainDb, kMaxGainDb);
    v("cp_denominator", m.cp_denominator, kCyclicPrefixes);
    v("frame_duration_code", m.frame_duration_code, 0, 6);
    v("bsid", m.bsid, 0, kMaxBsid);
    v("first_frame_number", m.first_frame_number);
}

template <class V> void visit(V& v, Is<ConfigConfirm> auto& m) {
    v.list("faults", m.faults, kMaxTexts);
    v("sample_rate_hz", m.sample_rate_hz, 0, kMaxSampleRateHz);
    v("rx_reference_dbm", m.rx_reference_dbm, -400, 400);
    v("tx_reference_dbm", m.tx_reference_dbm, -400, 400);
    v("lock_step", m.lock_step);
    v("superseded", m.superseded);
    v("tx_antennas", m.tx_antennas, 1, gr::wimax::phy::kStcAntennas);
    v.text("version", m.version);
}

template <class V> void visit(V& v, Is<ProfilesRequest> auto& m) {
    v("dcd_count", m.dcd_count);
    v.each("diuc_rates", m.diuc_rates, -1, kMaxRate);
}

template <class V> void visit(V& v, Is<FrameTick> auto& m) {
    v("frame_number", m.frame_number);
    v("frame_start_sample", m.frame_start_sample);
    v("sample_rate_hz", m.sample_rate_hz, 1, kMaxSampleRateHz);
    v("deadline_sample", m.deadline_sample);
    v("synchronised", m.synchronised);
    v("cp_denominator", m.cp_denominator, kCyclicPrefixes);
    v("frame_samples", m.frame_samples, 0, kMaxFrameSamples);
    v("rssi_dbm", m.rssi_dbm, -kMaxLevelDb, kMaxLevelDb);
    v("cinr_db", m.cinr_db, -kMaxLevelDb, kMaxLevelDb);
    v("frequency_offset_hz", m.frequency_offset_hz, -kMaxOffsetHz, kMaxOffsetHz);
    v("clock_offset_ppm", m.clock_offset_ppm, -1e6, 1e6);
    v("rx_reference_dbm", m.rx_reference_dbm, kNoReferenceDbm, 400);
    v("tx_reference_dbm", m.tx_reference_dbm, kNoReferenceDbm, 400);
}

template <class V> void visit(V& v, Is<TxFrame> auto& m) {
    v("frame_number", m.frame_number);
    v("dcd_count", m.dcd_count);
    v("timing_advance_samples", m.timing_advance_samples, -1'000'000, 1'000'000);
    v("frequency_adjust_hz", m.frequency_adjust_hz, -1e6, 1e6);
    v("power_dbm", m.power_dbm, -400, 400);
    v.list("bursts", m.bursts, kMaxBursts);
    v.list("codes", m.codes, kMaxBursts);
}

template <class V> void visit(V& v, Is<RxExpect> auto& m) {
    v("frame_number", m.frame_number);
    v("first_uplink_slot", m.first_uplink_slot, 0, kMaxSlot);
    v("next_uplink_slot", m.next_uplink_slot, 0, kMaxSlot);
    v("want_prefix_bursts", m.want_prefix_bursts);
    v.list("allocations", m.allocations, kMaxBursts);
    v.list("contention_slots", m.contention_slots, kMaxBursts, 0, kMaxSlot);
    v.list("stc_zone_slots", m.stc_zone_slots, kMaxBursts, 0, kMaxSlot);
}

template <class V> void visit(V& v, Is<RxMeasurement> auto& m) {
    v("rssi_dbm", m.rssi_dbm, -kMaxLevelDb, kMaxLevelDb);
    v("cinr_db", m.cinr_db, -kMaxLevelDb, kMaxLevelDb);
    v("evm_db", m.evm_db, -kMaxLevelDb, kMaxLevelDb);
    v("timing_offset_samples", m.timing_offset_samples, -1e6, 1e6);
    v("frequency_offset_hz", m.frequency_offset_hz, -kMaxOffsetHz, kMaxOffsetHz);
}

template <class V> void visit(V& v, Is<RxBurst> auto& m) {
    v("frame_number", m.frame_number);
    v("kind", m.kind, BurstKind::data, BurstKind::contention);
    v("index", m.index);
    v("start_slot", m.start_slot, 0, kMaxSlot);
    v("rate_id", m.rate_id, 0, kMaxRate);
    v("iuc", m.iuc, 0, 15);
    v("cid", m.cid);
    v("detected", m.detected);
    v("fec_ok", m.fec_ok);
    v("failed_blocks", m.failed_blocks);
    v("corrected_bytes", m.corrected_bytes);
    visit(v, m.measured);
    v("frame_start_sample", m.frame_start_sample);
    visit(v, m.prefix);
    v("cp_denominator", m.cp_denominator, kCyclicPrefixes);
    v("frame_samples", m.frame_samples, 0, kMaxFrameSamples);
    v.payload(m.payload, gr::wimax::phy::burst_capacity_bytes(kMaxRate, gr::wimax::phy::kMaxFrameSymbols));
}

template <class V> void visit(V& v, Is<RxCode> auto& c) {
    visit(v, c.what);
    v("snr_db", c.snr_db, -kMaxLevelDb, kMaxLevelDb);
    v("rssi_dbm", c.rssi_dbm, -kMaxLevelDb, kMaxLevelDb);
    v("certainty", c.certainty, 0, 1);
}

template <class V> void visit(V& v, Is<RxContention> auto& m) {
    v("frame_number", m.frame_number);
    v("start_slot", m.start_slot, 0, kMaxSlot);
    v.list("codes", m.codes, kMaxBursts);
}

template <class V> void visit(V& v, Is<ErrorIndication> auto& m) {
    v("kind", m.kind, ErrorKind::late, ErrorKind::another_cell);
    v("frame_number", m.frame_number);
    v("microseconds", m.microseconds);
    v.text("detail", m.detail);
}

}  // namespace wimax::sap
