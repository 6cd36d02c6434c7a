// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/foreign_schedulers.h"

#include "mac/scheduler/uplink_scheduler.h"

#include <cmath>
#include <limits>

namespace wimax::policy {
namespace {

using mac::PolicyResult;

wimax_policy_flow flow_of(const mac::FlowClaim& claim, const mac::FrameClock& clock) {
    wimax_policy_flow flow{};
    if (const auto* parameters = claim.parameters) {
        flow.scheduling = static_cast<uint32_t>(parameters->scheduling);
        flow.priority = parameters->traffic_priority;
        flow.min_rate_bps = parameters->min_reserved_rate_bps;
        flow.max_rate_bps = parameters->max_sustained_rate_bps;
        flow.max_latency_ms = parameters->max_latency_ms;
    }
    flow.backlog_octets = claim.backlog_octets;
    flow.reserved_octets = claim.reserved_octets;
    flow.unasked_octets = claim.unasked_octets;
    flow.poll = claim.poll ? 1 : 0;
    flow.deadline_s = claim.deadline == mac::kNoDeadline
                          ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(claim.deadline) / static_cast<double>(clock.sample_rate_hz);
    return flow;
}

/// Empty: units that a frame can have.
std::string fault_in(const ScheduleCall& instance) {
    for (size_t i = 0; i < instance.stations.size(); ++i)
        if (const double units = instance.units[i]; !std::isfinite(units) || units < 0)
            return "station " + std::to_string(instance.stations[i].cid) + " gets " + std::to_string(units) + " units";
    return {};
}

}  // namespace

int ScheduleCall::run(const wimax_policy_api& api, void* self) {
    frame.station_count = static_cast<uint32_t>(stations.size());
    frame.flow_count = static_cast<uint32_t>(flows.size());
    frame.stations = stations.data();
    frame.flows = flows.data();
    units.assign(stations.size(), 0);
    return api.schedule(self, &frame, units.data(), &error);
}

wimax_policy_frame& ForeignScheduler::begin(double units) {
    calls_->stations.clear();
    calls_->flows.clear();
    auto& frame = calls_->frame;
    frame = {};
    frame.number = cell_.clock.frame.value();
    frame.time_s = static_cast<double>(cell_.clock.now) / static_cast<double>(cell_.clock.sample_rate_hz);
    frame.units = units;
    return frame;
}

void ForeignScheduler::add(const wimax_policy_station& station, std::span<const mac::FlowClaim> flows) {
    auto& added = calls_->stations.emplace_back(station);
    added.first_flow = static_cast<uint32_t>(calls_->flows.size());
    added.flow_count = static_cast<uint32_t>(flows.size());
    if (const auto used = served_.find(station.cid); used != served_.end()) added.served_units = used->second;
    for (const auto& flow : flows) calls_->flows.push_back(flow_of(flow, cell_.clock));
}

mac::PolicyOutcome ForeignScheduler::call() {
    served_.clear();
    const auto outcome = calls_.call();
    if (outcome.result != PolicyResult::done) return outcome;
    if (auto reason = fault_in(*calls_); !reason.empty()) return calls_.nonsense(std::move(reason));
    return outcome;
}

mac::PolicyOutcome ForeignDownlink::schedule(std::vector<mac::DownlinkClaim>& claims,
                                             std::span<const mac::FlowClaim> flows, double units) {
    if (const auto ready = foreign_.ready(); ready != PolicyResult::done) return {ready};
    foreign_.begin(units);
    for (const auto& claim : claims) {
        wimax_policy_station station{};
        station.cid = claim.cid;
        station.rate_id = static_cast<uint32_t>(mac::row_of(claim.shape.profile));
        station.octets_per_unit = foreign_.grid().octets_per_unit(claim.shape.profile);
        station.weight = claim.weight;
        size_t owed = claim.management_octets, all = claim.management_octets;
        for (const auto& flow : claim.flows(flows)) {
            owed += flow.reserved_octets;
            all += flow.backlog_octets;
        }
        station.owed_units = static_cast<double>(owed) / station.octets_per_unit;
        // One more octet, because the last unit is rarely full.
        station.wanted_units = static_cast<double>(all + 1) / station.octets_per_unit;
        foreign_.add(station, claim.flows(flows));
    }
    const auto outcome = foreign_.call();
    if (outcome.result != PolicyResult::done) return outcome;
    for (size_t i = 0; i < claims.size(); ++i) claims[i].units = foreign_.units(i);
    return outcome;
}

/// `claim`: a copy, to which the flows' claims are added.
wimax_policy_station ForeignUplink::station_of(mac::UplinkClaim claim, std::span<const mac::FlowClaim> flows) const {
    const auto& grid = foreign_.grid();
    mac::add_flows(claim, flows);
    wimax_policy_station station{};
    station.cid = claim.cid;
    station.rate_id = static_cast<uint32_t>(mac::row_of(claim.shape.profile));
    station.octets_per_unit = grid.octets_per_unit(claim.shape.profile) * claim.shape.width / mac::kWholeBand;
    station.weight = claim.weight;
    const size_t owed = claim.guaranteed_octets + (claim.poll ? mac::kHeaderOctets : 0);
    const size_t all = owed + claim.requested_octets;
    station.owed_units = owed == 0 ? 0 : grid.units_for(claim.shape, owed);
    station.wanted_units = all == 0 ? 0 : grid.units_for(claim.shape, all);
    station.used_units = claim.used_units;
    station.frames_waiting = claim.frames_waiting;
    station.active = claim.active ? 1 : 0;
    station.entering = claim.entering ? 1 : 0;
    return station;
}

mac::PolicyOutcome ForeignUplink::schedule(std::vector<mac::UplinkClaim>& claims, std::span<const mac::FlowClaim> flows,
                                           uint32_t units, uint32_t max_elements) {
    if (const auto ready = foreign_.ready(); ready != PolicyResult::done) return {ready};
    auto& frame = foreign_.begin(units);
    frame.map_elements = max_elements;
    frame.burst_overhead_units = foreign_.grid().grant().overhead_units;
    frame.burst_most_units = foreign_.grid().grant().most_units;
    for (const auto& claim : claims) foreign_.add(station_of(claim, flows), claim.flows(flows));
    const auto outcome = foreign_.call();
    if (outcome.result != PolicyResult::done) return outcome;
    for (size_t i = 0; i < claims.size(); ++i) {
        const double most = std::numeric_limits<uint32_t>::max();
        claims[i].units = static_cast<uint32_t>(std::min(foreign_.units(i), most));
        claims[i].deadline = mac::kNoDeadline;
        for (const auto& flow : claims[i].flows(flows))
            claims[i].deadline = std::min(claims[i].deadline, flow.deadline);
        foreign_.served(claims[i].cid, claims[i].units);
    }
    return outcome;
}

}  // namespace wimax::policy
