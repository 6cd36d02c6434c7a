// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/half_duplex_groups.h"

#include <array>
#include <cmath>

namespace wimax::mac {

void HalfDuplexGroups::begin_frame() {
    if (clock_.now < next_) return;
    next_ = clock_.now + clock_.from_ms(kIntervalMs);
    members_.clear();
    for (const auto& [cid, station] : stations_.stations())
        if (station->capabilities.half_duplex) members_.push_back(station.get());
    if (members_.empty()) return;
    for (Subscriber* station : members_) measure(*station);
    balance();
}

/// Units of both directions since the last look; at least one, so that idle stations are divided, too.
void HalfDuplexGroups::measure(Subscriber& station) {
    const uint64_t units = station.counters.dl_units + station.counters.ul_units;
    auto& half = station.half_duplex;
    half.load = 1 + static_cast<double>(units - std::min(half.units_before, units));
    half.units_before = units;
}

/// Moves the station that makes the loads most equal, if that is worth it.
void HalfDuplexGroups::balance() {
    std::array<double, 2> load{};
    for (const Subscriber* station : members_) load[station->half_duplex.late] += station->half_duplex.load;
    const double difference = std::abs(load[0] - load[1]);
    if (difference <= kTolerance * (load[0] + load[1])) return;
    const bool from = load[1] > load[0];
    Subscriber* best = nullptr;
    double left = difference;
    for (Subscriber* station : members_) {
        if (station->half_duplex.late != from) continue;
        const double then = std::abs(difference - 2 * station->half_duplex.load);
        if (then >= left) continue;
        left = then;
        best = station;
    }
    if (best) best->half_duplex.late = !from;
}

}  // namespace wimax::mac
