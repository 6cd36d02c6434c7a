// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/convert.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace wimax::phyd {
namespace {

namespace phy = gr::wimax::phy;

template <typename To> To clamped(int v) {
    return static_cast<To>(std::clamp<int>(v, 0, std::numeric_limits<To>::max()));
}

sap::ErrorKind to_sap(gr::wimax::ErrorKind kind) {
    using gr::wimax::ErrorKind;
    switch (kind) {
        case ErrorKind::late: return sap::ErrorKind::late;
        case ErrorKind::underflow: return sap::ErrorKind::underflow;
        case ErrorKind::overflow: return sap::ErrorKind::overflow;
        case ErrorKind::sync_lost: return sap::ErrorKind::sync_lost;
        case ErrorKind::invalid: return sap::ErrorKind::invalid;
        case ErrorKind::time_jump: return sap::ErrorKind::time_jump;
    }
    return sap::ErrorKind::invalid;
}

}  // namespace

sap::FrameTick to_sap(const gr::wimax::Tick& t, const AirContext& air) {
    sap::FrameTick m;
    m.frame_number = t.frame_number;
    m.frame_start_sample = t.frame_start_sample;
    m.sample_rate_hz = static_cast<uint32_t>(t.sample_rate_hz);
    m.deadline_sample = t.deadline_sample;
    m.synchronised = t.synchronised;
    m.cp_denominator = static_cast<uint8_t>(t.cp);
    m.frame_samples = static_cast<uint32_t>(t.frame_samples);
    m.rssi_dbm = t.rssi_dbfs + static_cast<float>(air.rx_reference_dbm);
    m.cinr_db = t.cinr_db;
    m.frequency_offset_hz = t.frequency_offset_hz;
    m.clock_offset_ppm = t.clock_offset_ppm;
    m.rx_reference_dbm = static_cast<float>(air.rx_reference_dbm);
    m.tx_reference_dbm = static_cast<float>(air.tx_reference_dbm);
    return m;
}

sap::RxBurst to_sap(gr::wimax::BurstReport&& r, const AirContext& air) {
    sap::RxBurst m;
    m.frame_number = r.frame_number;
    m.kind = r.kind;
    m.index = clamped<uint8_t>(r.burst.index);
    m.start_slot = r.start_slot;
    m.rate_id = r.burst.format.rate_id;
    m.iuc = r.burst.format.iuc;
    m.cid = r.cid;
    m.detected = r.burst.detected;
    m.fec_ok = r.burst.fec_ok;
    m.failed_blocks = clamped<uint16_t>(r.burst.failed_blocks);
    m.corrected_bytes = clamped<uint16_t>(r.burst.corrected_bytes);
    const auto& measured = r.burst.measured;
    m.measured = {.rssi_dbm = measured.rssi_dbfs + static_cast<float>(air.rx_reference_dbm),
                  .cinr_db = measured.cinr_db,
                  .evm_db = measured.evm_db,
                  .timing_offset_samples = measured.timing_offset_samples,
                  .frequency_offset_hz = measured.frequency_offset_hz};
    m.frame_start_sample = r.frame_start_sample;
    m.prefix = r.prefix;
    m.cp_denominator = static_cast<uint8_t>(r.cp);
    m.frame_samples = static_cast<uint32_t>(r.frame_samples);
    m.payload = std::move(r.burst.payload);
    return m;
}

sap::RxContention to_sap(const gr::wimax::ContentionReport& r, const AirContext& air) {
    sap::RxContention m;
    m.frame_number = r.frame_number;
    m.start_slot = r.start_slot;
    for (const auto& c : r.codes)
        m.codes.push_back(
            {c.what, c.snr_db, c.rssi_dbfs + static_cast<float>(air.rx_reference_dbm), c.certainty});
    return m;
}

sap::ErrorIndication to_sap(const gr::wimax::ErrorReport& r) {
    sap::ErrorIndication m;
    m.kind = to_sap(r.kind);
    m.frame_number = r.frame_number;
    m.microseconds = r.microseconds;
    m.detail = r.detail;
    return m;
}

gr::wimax::TransmitFrame to_blocks(sap::TxFrame&& tx, const gr::wimax::Tick& tick, const AirContext& air) {
    const bool downlink = air.role == sap::Role::base_station;
    gr::wimax::TransmitFrame m;
    m.direction = downlink ? phy::Direction::downlink : phy::Direction::uplink;
    m.frame_number = tx.frame_number;
    m.frame_start_sample = tick.frame_start_sample;
    m.deadline_sample = tick.deadline_sample;
    m.cp = tick.cp;
    m.bsid_lsb = air.bsid_lsb;
    m.change_count_lsb = tx.dcd_count & 0xF;
    if (!downlink) {
        m.timing_advance_samples = tx.timing_advance_samples;
        // A base station seen f too high sits f above our carrier: what we send has to move up by as much to meet it,
        // in proportion to the carriers: the base station derives both from one reference.
        m.frequency_hz = tick.frequency_offset_hz * air.uplink_per_downlink + tx.frequency_adjust_hz;
        m.power_dbfs = static_cast<float>(tx.power_dbm - air.tx_reference_dbm);
    }
    m.bursts = std::move(tx.bursts);
    for (auto& b : m.bursts) {
        b.format.seed(air.bsid_lsb, downlink ? std::optional(tx.frame_number.lsb()) : std::nullopt);
    }
    m.codes = std::move(tx.codes);
    return m;
}

gr::wimax::Expectation to_blocks(sap::RxExpect&& e, const AirContext& air) {
    gr::wimax::Expectation m;
    m.frame_number = e.frame_number;
    m.first_uplink_slot = e.first_uplink_slot;
    m.next_uplink_slot = e.next_uplink_slot;
    m.want_prefix_bursts = e.want_prefix_bursts;
    m.contention_slots = std::move(e.contention_slots);
    m.stc_zone_slots = std::move(e.stc_zone_slots);
    m.bursts = std::move(e.allocations);
    for (auto& b : m.bursts) {
        const bool downlink = air.role == sap::Role::subscriber_station;
        b.format.seed(air.bsid_lsb, downlink ? std::optional(air.frame_lsb) : std::nullopt);
    }
    return m;
}

}  // namespace wimax::phyd
