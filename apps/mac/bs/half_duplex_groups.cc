// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/half_duplex_groups.h"

#include <array>
#include <cmath>

namespace wimax::mac {

void HalfDuplexGroups::begin_frame() {
    if (to_.stations.size() == 0) return;
    keep_promises();
    share_load();
    listen();
}

/// Each group has room for the promises to its stations.
void HalfDuplexGroups::keep_promises() {
    if (to_.clock.now < next_promises_) return;
    next_promises_ = to_.clock.now + to_.clock.from_ms(kPromisesMs);
    to_.reservations.divide(division_);
    if (!division_.fits() && division_.fit())
        for (const auto& member : division_.members())
            to_.stations.at(member.basic_cid).half_duplex.late = member.turn.late;
    spare_ = static_cast<uint32_t>(division_.later_uplink());
}

/// Units that the connection's packets need, if both groups have to hear them. Adds stations of the later group that
/// are to listen.
HalfDuplexGroups::Units HalfDuplexGroups::units_for_both(const MulticastConnection& connection) {
    const size_t octets = connection.flow.transmitter->demand(), before = listeners_.size();
    if (octets == 0 || !connection.heard()) return {};
    bool early = false;
    for (const auto* member : connection.members()) {
        const Subscriber& station = member->station();
        if (!member->flow().active || !station.capabilities.half_duplex) continue;
        early = early || !station.half_duplex.late;
        if (station.half_duplex.late) listeners_.push_back(station.basic_cid);
    }
    if (!early) listeners_.resize(before);
    if (listeners_.size() == before) return {};
    const auto units = [&](size_t of) {
        return of == 0 ? 0 : to_.air.grid().units_for({connection.profile()}, of) + 1;
    };
    return {units(octets), units(connection.flow.owed_octets())};
}

/// Grants that are planned now begin in the next frame. Packets for which the present frame has room need none. Those
/// without a promise have what is not promised to stations that are to listen.
void HalfDuplexGroups::listen() {
    for (const uint16_t cid : listeners_)
        if (Subscriber* station = to_.stations.find_basic(cid)) station->half_duplex.listens = 0;
    listeners_.clear();
    Units waiting;
    for (const auto& [cid, connection] : to_.multicast.all()) {
        const Units more = units_for_both(*connection);
        waiting.all += more.all;
        waiting.owed += more.owed;
    }
    const auto beyond = [this](uint32_t units) { return units - std::min(units, listens_); };
    const uint32_t most = std::max(beyond(waiting.owed), spare_ - std::min(spare_, kRounding));
    listens_ = std::min(beyond(waiting.all), most);
    if (listens_ == 0) return;
    for (const uint16_t cid : listeners_) to_.stations.at(cid).half_duplex.listens = listens_ + kRounding;
}

void HalfDuplexGroups::share_load() {
    if (to_.clock.now < next_) return;
    next_ = to_.clock.now + to_.clock.from_ms(kIntervalMs);
    members_.clear();
    for (const auto& [cid, station] : to_.stations.stations())
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
    to_.reservations.divide(division_);
    const bool promised = division_.fits();
    for (Subscriber* station : members_) {
        if (station->half_duplex.late != from) continue;
        if (promised && !division_.fits_with(station->basic_cid, !from)) continue;
        const double then = std::abs(difference - 2 * station->half_duplex.load);
        if (then >= left) continue;
        left = then;
        best = station;
    }
    if (!best) return;
    best->half_duplex.late = !from;
    next_promises_ = to_.clock.now;
}

}  // namespace wimax::mac
