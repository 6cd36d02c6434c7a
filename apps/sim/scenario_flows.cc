// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario_flows.h"

#include "mac/flow/flow_command.h"
#include "mac/flow_limits.h"
#include "sim/traffic_mix.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace wimax::sim {
namespace {

constexpr const char* kEntryName = "entry-";

std::string entry_key(size_t entry) { return "traffic[" + std::to_string(entry) + "]"; }

/// Key of an entry for a member of the library's structure.
std::string key_of(const std::string& member) {
    static const std::map<std::string, std::string> kOthers{{"max_sustained_rate_bps", "max_rate_bps"},
                                                            {"min_reserved_rate_bps", "min_rate_bps"}};
    const auto other = kOthers.find(member);
    return other == kOthers.end() ? member : other->second;
}
std::string with_keys_of_entries(std::string text) {
    for (const auto& [member, key] :
         {std::pair("max_sustained_rate_bps", "max_rate_bps"), std::pair("min_reserved_rate_bps", "min_rate_bps")})
        if (const size_t at = text.find(member); at != std::string::npos)
            text.replace(at, std::string(member).size(), key);
    return text;
}

bool has_reply(TrafficKind kind) { return kind == TrafficKind::tcp || kind == TrafficKind::ping; }

/// An entry's packets, by the port that only they have in this direction; `multicast`: and by their group.
mac::ClassifierConfig rule_for(const TrafficEntry& entry, size_t number, bool multicast) {
    mac::ClassifierConfig rule;
    rule.protocols = {entry.kind == TrafficKind::tcp ? kTcp : kUdp};
    rule.destination_ports = {{port_of(number), port_of(number)}};
    if (multicast) rule.destination = {{group_of(number), UINT32_MAX}};
    return rule;
}

mac::FlowDirection direction_of(const TrafficEntry& entry) {
    return entry.direction == Direction::uplink ? mac::FlowDirection::uplink : mac::FlowDirection::downlink;
}

class Check {
public:
    Check(const Scenario& scenario, config::LocatedFaults& faults) : s_(scenario), faults_(faults) {}

    bool run() {
        for (size_t e = 0; e < s_.traffic.size(); ++e) {
            const size_t before = found_;
            numbers(e);
            if (s_.traffic[e].multicast && has_reply(s_.traffic[e].kind))
                add(entry_key(e) + ".kind", "one with answers", "all kinds but tcp and ping, with multicast");
            if (s_.traffic[e].same_flow_as != 0) shared(e);
            else if (found_ == before) flow(e);
        }
        if (found_ > 0) return false;
        for (const auto direction : {Direction::downlink, Direction::uplink}) count(direction);
        weights();
        const size_t all = flows();
        if (all > TrafficMix::kMostFlows)
            add("traffic", std::to_string(all) + " flows of all stations together",
                "at most " + std::to_string(TrafficMix::kMostFlows));
        return found_ == 0;
    }

private:
    void add(const std::string& key, const std::string& value, const std::string& allowed) {
        faults_.add(key, value, allowed);
        ++found_;
    }
    void numbers(size_t e) {
        std::set<uint32_t> seen;
        const auto& stations = s_.traffic[e].stations;
        for (size_t i = 0; i < stations.size(); ++i) {
            const auto key = entry_key(e) + ".stations[" + std::to_string(i) + "]";
            if (stations[i] > s_.stations)
                add(key, std::to_string(stations[i]), "1.." + std::to_string(s_.stations) + ", numbers of stations");
            else if (!seen.insert(stations[i]).second) add(key, std::to_string(stations[i]), "each number once");
        }
    }
    void shared(size_t e) {
        const auto& entry = s_.traffic[e];
        const auto key = entry_key(e) + ".same_flow_as";
        if (entry.same_flow_as > e)
            return add(key, std::to_string(entry.same_flow_as), "the number of an entry before this, from 1");
        const auto& owner = s_.traffic[flow_owner(s_, e)];
        if (owner.direction != entry.direction)
            add(key, std::to_string(entry.same_flow_as), "an entry of the same direction");
        if (owner.multicast != entry.multicast)
            add(key, std::to_string(entry.same_flow_as), "an entry that is multicast as this is");
        for (size_t n = 0; n < s_.stations; ++n)
            if (entry.is_of(n) && !owner.is_of(n))
                return add(key, std::to_string(entry.same_flow_as),
                           "an entry of the same stations, it is none of " + std::to_string(n + 1));
    }
    void flow(size_t e) {
        using Type = mac::SchedulingType;
        const auto flow = service_flow(s_, e);
        if ((flow.scheduling == Type::ugs || flow.scheduling == Type::ertps) && flow.max_sustained_rate_bps == 0)
            return add(entry_key(e) + ".max_rate_bps", "0",
                       "1..4294967295, as the service needs a rate and the kind has none");
        mac::FlowCommand command;
        command.flow = flow;
        const auto wrong = mac::validate(command);
        for (const auto& fault : wrong.list()) {
            if (fault.key.starts_with("arq.")) continue;  // a key of the scenario, whose reader reports it
            add(entry_key(e) + "." + key_of(fault.key), fault.value, with_keys_of_entries(fault.allowed));
        }
    }
    /// Checks the number of service flows per station, the one without an entry included.
    void count(Direction direction) {
        for (size_t n = 0; n < s_.stations; ++n) {
            size_t flows = 0;
            for (size_t e = 0; e < s_.traffic.size(); ++e) {
                const auto& entry = s_.traffic[e];
                if (!entry.serves(n) || entry.direction != direction || flow_owner(s_, e) != e) continue;
                if (++flows < mac::kMaxFlowsEachWay) continue;
                return add(entry_key(e),
                           "entry " + std::to_string(flows) + " of one direction for station " + std::to_string(n + 1),
                           "at most " + std::to_string(mac::kMaxFlowsEachWay - 1));
            }
        }
    }
    void weights() {
        std::vector<uint32_t> weights(s_.stations);
        for (size_t e = 0; e < s_.traffic.size(); ++e)
            for (size_t n = 0; n < s_.stations; ++n) {
                const auto& entry = s_.traffic[e];
                if (entry.weight == 0 || !entry.serves(n)) continue;
                if (weights[n] != 0 && weights[n] != entry.weight)
                    return add(entry_key(e) + ".weight", std::to_string(entry.weight),
                               std::to_string(weights[n]) + " as before: a weight is the whole station's, here of " +
                                   std::to_string(n + 1));
                weights[n] = entry.weight;
            }
    }
    size_t flows() const {
        size_t all = 0;
        for (const auto& entry : s_.traffic) all += entry.stations.empty() ? s_.stations : entry.stations.size();
        return all;
    }

    const Scenario& s_;
    config::LocatedFaults& faults_;
    size_t found_ = 0;
};

/// Adds best effort for packets that match no entry, in a direction without an entry or with replies.
void add_rest(const Scenario& s, size_t station, mac::FlowDirection direction, mac::StationConfig& config) {
    bool needed = true;
    for (const auto& entry : s.traffic)
        if (entry.serves(station) && direction_of(entry) == direction) needed = false;
    for (const auto& entry : s.traffic)
        if (entry.serves(station) && direction_of(entry) != direction && has_reply(entry.kind)) needed = true;
    if (!needed) return;
    auto& flow = config.flows.emplace_back();
    flow.name = direction == mac::FlowDirection::uplink ? "rest-up" : "rest-down";
    flow.direction = direction;
    flow.arq = s.arq;
}

}  // namespace

std::string flow_name(size_t entry) { return kEntryName + std::to_string(entry + 1); }

size_t entry_of(std::string_view flow_name) {
    const std::string_view begin(kEntryName);
    if (!flow_name.starts_with(begin)) return 0;
    size_t entry = 0;
    std::from_chars(flow_name.data() + begin.size(), flow_name.data() + flow_name.size(), entry);
    return entry;
}

size_t flow_owner(const Scenario& scenario, size_t entry) {
    while (scenario.traffic[entry].same_flow_as != 0 && scenario.traffic[entry].same_flow_as <= entry)
        entry = scenario.traffic[entry].same_flow_as - 1;
    return entry;
}

mac::ServiceFlowConfig service_flow(const Scenario& scenario, size_t number) {
    const auto& entry = scenario.traffic[number];
    mac::ServiceFlowConfig flow;
    flow.name = flow_name(number);
    flow.direction = direction_of(entry);
    flow.scheduling = entry.service;
    flow.max_sustained_rate_bps = entry.max_rate_bps;
    flow.max_burst_bytes = entry.max_burst_bytes;
    flow.min_reserved_rate_bps = entry.min_rate_bps;
    flow.max_latency_ms = entry.max_latency_ms;
    flow.multicast = entry.multicast;
    if (!entry.multicast && entry.arq) flow.arq = scenario.arq;
    const auto offered = static_cast<uint32_t>(
        std::min(std::ceil(entry.offered_bps()), static_cast<double>(std::numeric_limits<uint32_t>::max())));
    using Type = mac::SchedulingType;
    if ((entry.service == Type::ugs || entry.service == Type::ertps) && flow.max_sustained_rate_bps == 0)
        flow.max_sustained_rate_bps = std::max(offered, entry.min_rate_bps);
    if (entry.service == Type::rtps && flow.max_sustained_rate_bps == 0 && flow.min_reserved_rate_bps == 0)
        flow.min_reserved_rate_bps = offered;
    for (size_t e = number; e < scenario.traffic.size(); ++e)
        if (!scenario.traffic[e].removed && flow_owner(scenario, e) == number)
            flow.classifiers.push_back(rule_for(scenario.traffic[e], e, entry.multicast));
    return flow;
}

Faults remove_entries(Scenario& scenario, std::span<const size_t> entries) {
    for (const size_t e : entries)
        if (e < scenario.traffic.size()) scenario.traffic[e].removed = true;
    Faults faults;
    for (size_t e = 0; e < scenario.traffic.size(); ++e)
        if (const size_t owner = flow_owner(scenario, e);
            !scenario.traffic[e].removed && scenario.traffic[owner].removed)
            faults.add(
                "entry", std::to_string(owner + 1),
                "an entry whose service flow no other entry uses; remove entry " + std::to_string(e + 1) + " first");
    if (faults.empty() && !entries.empty()) provision(scenario);
    return faults;
}

bool check_traffic(const Scenario& scenario, config::LocatedFaults& faults) { return Check(scenario, faults).run(); }

void provision(Scenario& s) {
    std::vector<mac::ServiceFlowConfig> flows;
    for (size_t e = 0; e < s.traffic.size(); ++e) flows.push_back(service_flow(s, e));
    s.bs.unknown_station.reset();
    s.bs.stations.assign(s.stations, {});
    for (size_t n = 0; n < s.stations; ++n) {
        auto& station = s.bs.stations[n];
        station.mac = mac_of(n);
        station.ip_addresses = {{address_of(n), kStationMask}};
        for (size_t e = 0; e < s.traffic.size(); ++e) {
            if (!s.traffic[e].serves(n)) continue;
            if (s.traffic[e].weight != 0) station.weight = s.traffic[e].weight;
            if (flow_owner(s, e) == e) station.flows.push_back(flows[e]);
        }
        for (const auto direction : {mac::FlowDirection::downlink, mac::FlowDirection::uplink})
            add_rest(s, n, direction, station);
    }
}

}  // namespace wimax::sim
