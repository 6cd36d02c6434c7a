// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/uplink_stations.h"

namespace wimax::mac {

UplinkUsers::Summary UplinkStations::count() {
    Summary summary;
    summary.stations = to_.stations.size();
    summary.registered = static_cast<uint32_t>(to_.stations.resting());
    summary.knows_codes = to_.stations.resting_without_codes() == 0;
    for (const Subscriber* station : to_.stations.awake()) {
        summary.idle = summary.idle && station->requests.octets() == 0;
        summary.knows_codes = summary.knows_codes && (station->capabilities.knows_codes || !station->registered());
        summary.registered += station->registered() ? 1 : 0;
    }
    count_groups();
    return summary;
}

/// Resting stations are members, too.
void UplinkStations::count_groups() {
    to_.polling.begin();
    if (!groups_) return;
    for (const auto& [cid, station] : to_.stations.stations()) {
        to_.polling.count(*station);
        if (!station->management.empty()) to_.stations.wake(cid);
    }
}

/// The station that asked last is invited first: in a flood of requests most are outdated when served.
std::optional<UplinkUsers::Invitation> UplinkStations::next_invitation() {
    const Subscriber* next = nullptr;
    for (const Subscriber* station : to_.stations.awake())
        if (station->invitations.owed() && (!next || station->invitations.asked_at() > next->invitations.asked_at()))
            next = station;
    if (!next) return std::nullopt;
    return Invitation{next->basic_cid, next->invitations.count() % 2 == 1, next->established()};
}

void UplinkStations::poll_after(uint32_t idle_ms, uint32_t active_ms) {
    if (idle_ms != to_.demand.t27_idle_ms()) to_.stations.wake_all();
    to_.demand.poll_after(idle_ms, active_ms);
}

UplinkUsers::Claims UplinkStations::claims() {
    to_.demand.collect(to_.stations);
    return {to_.demand.claims(), to_.demand.flows()};
}

UplinkUsers::Terms UplinkStations::terms(uint16_t basic_cid) {
    const Subscriber& station = to_.stations.at(basic_cid);
    // Missing bursts of a station that is not established prove nothing: it is tried at either end.
    const bool last = !station.established() && station.health.misses() % 2 == 1;
    return {last && !station.capabilities.half_duplex, station.turn()};
}

void UplinkStations::granted(const Grant& grant) {
    Subscriber& station = to_.stations.at(grant.basic_cid);
    station.counters.ul_units += grant.units;
    ++station.counters.grants;
    station.requests.granted(grant.frame, to_.demand.spend(station, grant.octets), to_.clock.now);
}

}  // namespace wimax::mac
