// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the PHY daemon, its port and its air. The keys are the description's (common/json_object.h).
#pragma once

#include "phyd/lateness.h"
#include "phyd/outages.h"
#include "phyd/transceiver.h"
#include "sap/port.h"

#include <optional>
#include <string>
#include <vector>

namespace wimax::phyd {

struct ServiceCounters {
    uint64_t late = 0, errors = 0, mac_losses = 0, sessions = 0;
    uint64_t radio_losses = 0;  ///< devices that were lost while in use
    int64_t worst_late_us = 0;
};

struct AirFigures {
    Transceiver::Radio radio;
    Transceiver::Status status;
    double rx_reference_dbm = 0;
    Transceiver::Gains gains, gains_now{};
    bool signal_watched = false;
    std::optional<Heard> heard{};  ///< before transmission
    gr::wimax::AnswerTimes answers{};
};

/// Transmit limits set by the operator.
struct TransmitterFigures {
    gr::wimax::TransmitLimits limits;
};

struct ServiceFigures {
    sap::Role role = sap::Role::base_station;
    bool mac_attached = false;
    sap::FrameNumber frame;
    ServiceCounters counters;
    OutageFigures outages;
    sap::PortCounters sap;
    TransmitterFigures transmitter;
    std::vector<LateFrame> lates;   ///< the last ones
    std::optional<AirFigures> air;  ///< of an open radio
};

template <class V> void visit(V& v, const TransmitterFigures& t) {
    v("enabled", t.limits.enable);
    v("allowed_bands", gr::wimax::describe(t.limits.allowed_bands));
    if (t.limits.max_power_dbm) v("max_power_dbm", *t.limits.max_power_dbm);
}

/// Front-end impairments that a receiver compensates; unknown levels are left out.
template <class V> void visit_front_end(V& v, const gr::wimax::phy::FrontEndLevels& f) {
    constexpr float kNothing = -200;
    if (f.dc_dbfs > kNothing) v("dc_dbfs", f.dc_dbfs);
    if (f.image_dbc > kNothing) v("image_dbc", f.image_dbc);
    if (f.sender_dbc > kNothing) v("sender_image_dbc", f.sender_dbc);
    if (f.tone_dbfs <= kNothing) return;
    v("tone_dbfs", f.tone_dbfs);
    v("tone_hz", f.tone_hz);
}

template <class V> void visit(V& v, const LateFrame& l) {
    v("frame", l.frame.value());
    v("late_us", l.late_us);
    v("at_s", l.at_s);
    v("count", l.count);
}

template <class V> void visit(V& v, const gr::wimax::AnswerTimes& t) {
    v("count", t.count());
    v("sum_us", t.sum_us);
    v("p50_us", t.quantile_us(0.5));
    v("p99_us", t.quantile_us(0.99));
    v("p999_us", t.quantile_us(0.999));
    v("longest_us", t.longest_us);
    v.object("within_us", [&](auto& own) {
        for (const int us : {250, 500, 750, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 10'000})
            own(std::to_string(us).c_str(), t.within_us(us));
    });
}

template <class V> void visit(V& v, const gr::wimax::GateCounters& g) {
    v("bursts", g.bursts);
    v("late", g.late);
    v("too_long", g.too_long);
    v("too_often", g.too_often);
    v("silenced", g.silenced);
    v("underflows", g.underflows);
    if (g.late == 0) return;
    v("last_late_sample", g.last_late.sample);
    v("last_late_by_samples", g.last_late.by_samples);
}

template <class V> void visit(V& v, const AirFigures& a) {
    const auto& s = a.status;
    v("lock_step", a.radio.lock_step);
    v("sample_rate_hz", a.radio.sample_rate_hz);
    v("position_sample", s.position);
    v("frames", s.frames);
    v("synchronised", s.synchronised);
    v("sync_losses", s.sync_losses);
    v("detected_preambles", s.detected_preambles);
    v("transformed_symbols", s.transformed_symbols);
    v("bursts", s.bursts);
    v("undetected_bursts", s.undetected);
    v("fec_failures", s.fec_failures);
    v("retried_blocks", s.retried.tried);
    v("saved_blocks", s.retried.saved);
    v("refused_blocks", s.retried.refused);
    v("rssi_dbm", s.rssi_dbfs + a.rx_reference_dbm);
    v("cinr_db", s.cinr_db);
    if (s.peak_dbfs > gr::wimax::kNoPeakDbfs) v("headroom_db", -s.peak_dbfs);
    v("frequency_offset_hz", s.frequency_offset_hz);
    v("clock_offset_ppm", s.clock_offset_ppm);
    v.object("front_end", [&](auto& own) { visit_front_end(own, s.front_end); });
    v("tx_frames", s.tx.frames);
    v("tx_empty", s.tx.empty);
    v("signal_watched", a.signal_watched);
    if (!a.radio.lock_step) v.object("answers", [&](auto& own) { visit(own, a.answers); });
    if (a.heard)
        v.object("heard_before", [&](auto& own) {
            own("mean_dbm", a.heard->mean_dbfs + a.rx_reference_dbm);
            own("highest_dbm", a.heard->highest_dbfs + a.rx_reference_dbm);
            own("another_cell", a.heard->cell.has_value());
            if (!a.heard->cell) return;
            own("bsid", bsid_text(*a.heard->cell));
            own("rssi_dbm", a.heard->cell->rssi_dbfs + a.rx_reference_dbm);
            own("cinr_db", a.heard->cell->snr_db);
        });
    v.object("radio", [&](auto& own) {
        own("pieces", s.radio.pieces);
        own("late", s.radio.late);
        own("underflows", s.radio.underflows);
        own("overflows", s.radio.overflows);
        own("sequence_errors", s.radio.sequence_errors);
        own("clipped_samples", s.radio.clipped_samples);
        own("tx_gain_db", a.gains.tx_db);
        own("rx_gain_db", a.gains.rx_db);
        own("tx_gain_now_db", a.gains_now.tx_db);
        own("rx_gain_now_db", a.gains_now.rx_db);
        own("lost_samples", s.radio.lost_samples);
        own.object("refused", [&](auto& refused) {
            refused("switched_off", s.radio.refused.switched_off);
            refused("too_long", s.radio.refused.too_long);
            refused("too_often", s.radio.refused.too_often);
            refused("too_strong", s.radio.refused.too_strong);
        });
        if (s.radio.gate) own.object("gate", [&](auto& gate) { visit(gate, *s.radio.gate); });
        if (s.radio.least_slack_samples != INT64_MAX) own("least_slack_samples", s.radio.least_slack_samples);
    });
}

template <class V> void visit(V& v, const ServiceFigures& s) {
    v("program", "wimax-phyd");
    v("role", s.role == sap::Role::base_station ? "bs" : "ss");
    v("mac_attached", s.mac_attached);
    v("mac_sessions", s.counters.sessions);
    v("mac_losses", s.counters.mac_losses);
    v("radio_open", s.air.has_value());
    v("radio_losses", s.counters.radio_losses);
    v("frame", s.frame.value());
    v("late", s.counters.late);
    v("worst_late_us", s.counters.worst_late_us);
    v("errors", s.counters.errors);
    v.list("late_frames", s.lates);
    v("reception", s.outages);
    v("sap", s.sap);
    v("transmitter", s.transmitter);
    if (s.air) visit(v, *s.air);
}

}  // namespace wimax::phyd
