// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/lateness.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace wimax::phyd {

void Lateness::response(sap::FrameNumber frame, int64_t late_us) {
    ++responses_;
    worst_us_ = std::max(worst_us_, late_us);
    note(frame, late_us, 1);
}

void Lateness::restart_radio() { radio_events_ = gate_events_ = 0; }

bool Lateness::radio(sap::FrameNumber frame, const gr::wimax::RadioCounters& counters, int64_t sample_rate_hz) {
    const uint64_t all = counters.late + counters.underflows;
    const int64_t last_us = lateness_at_gate(counters, sample_rate_hz);
    const uint64_t before = std::exchange(radio_events_, all);
    if (all <= before) return false;
    note(frame, last_us, all - before);
    return true;
}

/// Lateness of the last burst that a gate in the radio discarded; 0: it discarded none since the last look.
int64_t Lateness::lateness_at_gate(const gr::wimax::RadioCounters& counters, int64_t sample_rate_hz) {
    if (!counters.gate || counters.gate->late == std::exchange(gate_events_, counters.gate->late)) return 0;
    return counters.gate->last_late.by_samples * 1'000'000 / sample_rate_hz;
}

void Lateness::note(sap::FrameNumber frame, int64_t late_us, uint64_t count) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    last_[noted_++ % last_.size()] = {frame, late_us, std::chrono::duration<double>(now).count(), count};
}

std::vector<LateFrame> Lateness::last() const {
    std::vector<LateFrame> all;
    for (size_t i = noted_ - std::min(noted_, last_.size()); i < noted_; ++i) all.push_back(last_[i % last_.size()]);
    return all;
}

}  // namespace wimax::phyd
