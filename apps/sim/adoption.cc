// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a scenario while it runs.
#include "sim/scenario_flows.h"
#include "sim/simulation.h"

namespace wimax::sim {
namespace {

/// Without what may change in a run.
TrafficEntry fixed_part(TrafficEntry entry) {
    const TrafficEntry usual;
    entry.trace.reset();  // it has the same packets as trace_points
    entry.rate_bps = usual.rate_bps;
    entry.packet_bytes = usual.packet_bytes;
    entry.service = usual.service;
    entry.max_rate_bps = entry.min_rate_bps = entry.max_burst_bytes = entry.weight = 0;
    entry.arq = usual.arq;
    entry.removed = false;
    return entry;
}

/// The part of the packets that differs.
TrafficChange change_of(const TrafficEntry& was, const TrafficEntry& is) {
    TrafficChange change;
    if (was.rate_bps != is.rate_bps) change.rate_bps = is.rate_bps;
    if (was.packet_bytes != is.packet_bytes) change.packet_bytes = is.packet_bytes;
    if (is.removed && !was.removed) change.on = false;
    return change;
}

/// Key of the scenario for a member of the base station's configuration.
std::string scenario_key(const std::string& member) {
    const std::string profile = "profile.";
    return "base_station." + (member.starts_with(profile) ? member.substr(profile.size()) : member);
}

}  // namespace

Faults Simulation::check_adoption(const Scenario& fresh) const {
    Faults faults;
    if (fresh.stations != scenario_.stations)
        faults.add("stations", std::to_string(fresh.stations), std::to_string(scenario_.stations) + ", as it runs");
    if (fresh.traffic.size() < scenario_.traffic.size())
        faults.add("traffic", std::to_string(fresh.traffic.size()) + " entries",
                   "at least " + std::to_string(scenario_.traffic.size()) + ", as it runs");
    for (size_t e = 0; e < std::min(fresh.traffic.size(), scenario_.traffic.size()); ++e)
        if (fixed_part(fresh.traffic[e]) != fixed_part(scenario_.traffic[e]))
            faults.add("traffic[" + std::to_string(e) + "]", "another",
                       "changes of rate_bps, packet_bytes, service, max_rate_bps, min_rate_bps, max_burst_bytes, "
                       "weight and arq while it runs");
    return faults;
}

tl::expected<std::vector<std::string>, Faults> Simulation::adopt(const Scenario& fresh) {
    if (auto faults = check_adoption(fresh); !faults.empty()) return tl::unexpected(std::move(faults));
    auto fixed = cell_.base_station().reprovision(fresh.bs);
    if (!fixed) return fixed;
    for (auto& member : *fixed) member = scenario_key(member);
    adopt_paths(fresh);
    adopt_traffic(fresh);
    cell_.set_drop({fresh.pdu_loss, fresh.pdu_loss});
    scenario_.pdu_loss = fresh.pdu_loss;
    scenario_.rate = fresh.rate;
    scenario_.arq = fresh.arq;
    auto policies = std::move(scenario_.bs.policies);
    scenario_.bs = fresh.bs;
    scenario_.bs.policies = std::move(policies);  // the base station keeps its policies
    return fixed;
}

void Simulation::adopt_paths(const Scenario& fresh) {
    for (size_t n = 0; n < cell_.stations(); ++n) {
        if (fresh.snr_db_of(n) != scenario_.snr_db_of(n)) cell_.path(n).set_snr_db(fresh.snr_db_of(n));
        cell_.path(n).set_offsets(fresh.path);
    }
    scenario_.snr_db = fresh.snr_db;
    scenario_.path = fresh.path;
}

void Simulation::adopt_traffic(const Scenario& fresh) {
    const size_t before = scenario_.traffic.size();
    for (size_t e = 0; e < before; ++e)
        traffic_.change(e, std::nullopt, change_of(scenario_.traffic[e], fresh.traffic[e]), cell_.now());
    scenario_.traffic = fresh.traffic;
    if (phase_ == Phase::entry) return;
    for (size_t e = before; e < scenario_.traffic.size(); ++e) {
        for (size_t n = 0; n < cell_.stations(); ++n)
            if (scenario_.traffic[e].serves(n)) traffic_.add(scenario_.traffic[e], n, e, scenario_.seed);
        // Its times are made from now on, not from the begin of the traffic.
        traffic_.change(e, std::nullopt, {.rate_bps = scenario_.traffic[e].rate_bps}, cell_.now());
    }
}

}  // namespace wimax::sim
