// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/admission_control.h"

#include <algorithm>

namespace wimax::mac {

AdmissionControl::AdmissionControl(const BaseStationConfig& config, const Dependencies& dependencies)
    : config_(config),
      stations_(dependencies.stations),
      reservations_(dependencies.reservations),
      policy_(make_admission_policy(dependencies.policies)) {}

AdmissionRequest AdmissionControl::request(AdmissionRequest::Kind kind, const MacAddress& mac, float cinr_db) const {
    AdmissionRequest r;
    r.kind = kind;
    r.station = mac;
    r.known = std::ranges::any_of(config_.stations, [&](const auto& station) { return station.mac == mac; });
    for (const auto& [cid, station] : stations_.stations()) r.stations += station->registered() ? 1 : 0;
    r.most_stations = config_.max_stations;
    r.cinr_db = cinr_db;
    return r;
}

/// The reason of a policy is a text of the user's, and may be empty.
Outcome AdmissionControl::ask(const AdmissionRequest& request) {
    Outcome admitted = policy_->admit(request).admitted;
    if (admitted || !admitted.error().allowed.empty()) return admitted;
    return failure("", "the admission policy refuses it");
}

Outcome AdmissionControl::station(const MacAddress& mac, float cinr_db) {
    return ask(request(AdmissionRequest::Kind::station, mac, cinr_db));
}

Outcome AdmissionControl::flow(const Subscriber& station, const ServiceFlowConfig& wanted, const FlowContext* instead) {
    using Kind = AdmissionRequest::Kind;
    AdmissionRequest r =
        request(instead ? Kind::changed_flow : Kind::new_flow, station.mac, station.uplink.last.cinr_db);
    r.basic_cid = station.basic_cid;
    r.builtin = reservations_.check(station, wanted, instead);
    r.flow = &wanted;
    const bool up = wanted.direction == FlowDirection::uplink;
    r.rate = up ? station.grant_profile() : station.dl_rate.profile();
    r.weight = station.config.weight;
    const Reservations::Load load = reservations_.load(station, wanted, instead);
    r.cost_units = load.cost;
    r.reserved_units = load.held;
    r.units = load.room;
    return ask(r);
}

}  // namespace wimax::mac
