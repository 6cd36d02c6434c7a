// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/provisioning.h"
#include "common/printable.h"
#include "macd/bs_schema.h"
#include "macd/text_values.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace wimax::macd {
namespace {

using config::LocatedFaults;
using config::Schema;

constexpr size_t kMostStations = 1000, kMostNames = 1000;

std::string indexed(const char* list, size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

bool is_name(std::string_view text) { return !text.empty() && text.size() <= mac::kMaxFlowName && is_printable(text); }

/// Names of list entries defined elsewhere in this file. If an entry itself is written here, the fault names its place.
void declare_names(Schema& s, const std::string& key, std::vector<std::string>& names, const char* of,
                   const std::string& help, size_t most) {
    const std::string allowed = std::string("a name of bs.") + of + ", where what it names is written";
    s.list(
        key, names,
        [allowed](Schema& i, std::string& name) {
            i.value(
                "",
                [&name](std::string_view text) {
                    name = text;
                    return is_name(text);
                },
                [&name] { return config::quote(name); }, allowed, "", "");
        },
        help, 0, most);
}

config::Key declare_name(Schema& s, std::string& name, const char* help) {
    return s.value(
        "name",
        [&name](std::string_view text) {
            name = text;
            return is_name(text);
        },
        [&name] { return config::quote(name); }, "1..126 bytes without control characters", "", help);
}

}  // namespace

void declare_provisioned_station(Schema& s, const std::string& prefix, ProvisionedStation& station) {
    s.value(
        prefix + "name",
        [&name = station.station.name](std::string_view text) {
            name = text;
            return text.empty() || is_name(text);
        },
        [&name = station.station.name] { return config::quote(name); }, "at most 126 bytes without control characters",
        "", "name of the station in logs and lists");
    declare_station(s, prefix, station.station);
    declare_names(s, prefix + "flows", station.flows, "service_flows",
                  "names of service flows; empty: one best effort flow in each direction", mac::kMaxStationFlows);
}

namespace {

/// Position of a name in a list; each stands there once.
template <class List, class Name>
std::optional<size_t> position(const List& list, const std::string& name, Name name_of) {
    for (size_t i = 0; i < list.size(); ++i)
        if (name_of(list[i]) == name) return i;
    return std::nullopt;
}
const std::string& name_of_rule(const ProvisionedRule& rule) { return rule.name; }
const std::string& name_of_flow(const ProvisionedFlow& flow) { return flow.flow.name; }

template <class List, class Name> std::string names_of(const List& list, Name name_of, const char* key) {
    std::string names;
    for (const auto& item : list) names += (names.empty() ? "" : ", ") + name_of(item);
    return names.empty() ? "a name of " + std::string(key) + ", which is empty" : names;
}

template <class List, class Name>
void check_once(const char* key, const List& list, Name name_of, LocatedFaults& faults) {
    std::set<std::string> seen;
    for (size_t i = 0; i < list.size(); ++i)
        if (!seen.insert(name_of(list[i])).second)
            faults.add(indexed(key, i) + ".name", name_of(list[i]), "each name once");
}

mac::ServiceFlowConfig with_rules(const Provisioning& p, size_t index, LocatedFaults& faults) {
    auto flow = p.flows[index].flow;
    for (size_t i = 0; i < p.flows[index].rules.size(); ++i) {
        const auto& name = p.flows[index].rules[i];
        if (const auto rule = position(p.rules, name, name_of_rule)) flow.classifiers.push_back(p.rules[*rule].rule);
        else
            faults.add(indexed("bs.service_flows", index) + "." + indexed("rules", i), name,
                       names_of(p.rules, name_of_rule, "bs.classifier_rules"));
    }
    return flow;
}

mac::StationConfig with_flows(const Provisioning& p, const std::vector<mac::ServiceFlowConfig>& flows,
                              const ProvisionedStation& from, const std::string& key, LocatedFaults& faults) {
    auto station = from.station;
    std::set<std::string> seen;
    for (size_t i = 0; i < from.flows.size(); ++i) {
        const auto& name = from.flows[i];
        const auto at = position(p.flows, name, name_of_flow);
        if (at) station.flows.push_back(flows[*at]);
        else faults.add(key + "." + indexed("flows", i), name, names_of(p.flows, name_of_flow, "bs.service_flows"));
        if (!seen.insert(name).second) faults.add(key + "." + indexed("flows", i), name, "each flow once");
    }
    return station;
}

/// An entry of a station's ip_addresses.
struct Claim {
    size_t station = 0, entry = 0;
    mac::AddressMask where;
    /// IPv4, IPv6 or MAC: ::/0 has no IPv4 addresses, though the bits of their mapped form are among its own.
    int kind() const { return where.is_ipv4() ? 4 : where.is_mac() ? 2 : 6; }
};

std::vector<Claim> claims_of(const Provisioning& p) {
    std::vector<Claim> claims;
    for (size_t s = 0; s < p.stations.size(); ++s)
        for (size_t e = 0; e < p.stations[s].station.ip_addresses.size(); ++e)
            claims.push_back({s, e, p.stations[s].station.ip_addresses[e]});
    return claims;
}

std::string key_of(const Claim& claim) {
    return indexed("bs.stations", claim.station) + "." + indexed("ip_addresses", claim.entry);
}

struct AddressOrder {
    bool operator()(mac::IpAddress a, mac::IpAddress b) const {
        return a.high != b.high ? a.high < b.high : a.low < b.low;
    }
};

using Overlaps = std::map<std::string, const Claim*>;  ///< by key: an entry's first conflict

void tell_overlaps(const std::vector<const Claim*>& ones, const std::vector<const Claim*>& others,
                   mac::IpAddress common, Overlaps& told) {
    std::map<mac::IpAddress, const Claim*, AddressOrder> first;
    for (const Claim* one : ones) first.try_emplace(one->where.address & common, one);
    for (const Claim* other : others) {
        const auto found = first.find(other->where.address & common);
        if (found != first.end() && found->second->station < other->station)
            told.try_emplace(key_of(*other), found->second);
    }
}

/// Two entries overlap if their addresses are equal in the bits of both masks. Comparing pairs of masks, of which a
/// file has few, avoids comparing pairs of entries.
void check_overlaps(const std::vector<Claim>& claims, LocatedFaults& faults) {
    std::map<int, std::map<mac::IpAddress, std::vector<const Claim*>, AddressOrder>> by_kind;
    for (const auto& claim : claims) by_kind[claim.kind()][claim.where.mask].push_back(&claim);
    Overlaps told;
    for (const auto& [kind, by_mask] : by_kind)
        for (const auto& [mask, ones] : by_mask)
            for (const auto& [other_mask, others] : by_mask) tell_overlaps(ones, others, mask & other_mask, told);
    for (const auto& claim : claims)
        if (const auto found = told.find(key_of(claim)); found != told.end())
            faults.add(key_of(claim), print_network(claim.where),
                       "addresses of one station alone; " + print_network(found->second->where) + " is in " +
                           key_of(*found->second));
}

void check_addresses(const Provisioning& p, const std::vector<mac::IpAddress>& own, LocatedFaults& faults) {
    const auto claims = claims_of(p);
    check_overlaps(claims, faults);
    for (const auto& claim : claims) {
        const auto taken = std::ranges::find_if(own, [&](mac::IpAddress address) {
            return address.is_ipv4() == claim.where.is_ipv4() &&
                   ((address ^ claim.where.address) & claim.where.mask) == mac::IpAddress(0, 0);
        });
        if (taken != own.end())
            faults.add(key_of(claim), print_network(claim.where),
                       "addresses without the base station's own (tun.address) and its subnet's broadcast address: " +
                           print_network({*taken, mac::IpAddress(UINT64_MAX, UINT64_MAX)}));
        const mac::IpAddress full(UINT64_MAX, UINT64_MAX);
        if (claim.where.mask == full && !claim.where.address.is_unicast())
            faults.add(key_of(claim), print_network(claim.where), "addresses of hosts, and subnets");
    }
}

}  // namespace

void declare_provisioning(Schema& s, Provisioning& p) {
    s.list(
        "bs.classifier_rules", p.rules,
        [](Schema& i, ProvisionedRule& rule) {
            declare_name(i, rule.name, "name of the rule, which service flows refer to").required();
            declare_classifier(i, rule.rule);
        },
        "classifier rules, which assign packets to service flows", 0, kMostNames);
    s.list(
        "bs.service_flows", p.flows,
        [](Schema& i, ProvisionedFlow& flow) {
            declare_name(i, flow.flow.name,
                         "name of the flow, which stations refer to; service class name in DSA messages")
                .required();
            declare_flow(i, flow.flow);
            declare_names(i, "rules", flow.rules, "classifier_rules",
                          "names of classifier rules; empty: the flow carries packets that no other flow matches",
                          kMostNames);
            i.renamed("classifiers", "rules (names of bs.classifier_rules, where rules are written)");
        },
        "service flows; each has one direction", 0, kMostNames);
    s.list(
        "bs.stations", p.stations,
        [](Schema& i, ProvisionedStation& station) {
            mac_address(i, "mac", station.station.mac, "MAC address of the subscriber station").required();
            declare_provisioned_station(i, "", station);
        },
        "provisioned subscriber stations", 0, kMostStations);
    s.flag("bs.accept_unknown", p.accept_unknown,
           "allow stations that are not in bs.stations to enter; required if bs.stations is not given");
    s.group("bs.unknown_station", "Provisioning of stations that are not in bs.stations");
    declare_provisioned_station(s, "bs.unknown_station.", p.unknown_station);
}

void provide(const Provisioning& p, mac::BaseStationConfig& bs, LocatedFaults& faults) {
    const bool of_unknown = faults.given("bs.unknown_station");
    if (!faults.given("bs.accept_unknown") && (of_unknown || !p.lists_stations))
        faults.add("bs.accept_unknown", "(missing)",
                   of_unknown ? "true or false, with bs.unknown_station"
                              : "true or false; required without bs.stations, because the file may have been cut");
    check_once("bs.classifier_rules", p.rules, name_of_rule, faults);
    check_once("bs.service_flows", p.flows, name_of_flow, faults);
    std::vector<mac::ServiceFlowConfig> flows;
    for (size_t i = 0; i < p.flows.size(); ++i) flows.push_back(with_rules(p, i, faults));
    bs.service_classes = flows;
    bs.stations.clear();
    for (size_t i = 0; i < p.stations.size(); ++i) {
        const auto key = indexed("bs.stations", i);
        bs.stations.push_back(with_flows(p, flows, p.stations[i], key, faults));
    }
    check_addresses(p, bs.own_addresses, faults);
    bs.unknown_station = with_flows(p, flows, p.unknown_station, "bs.unknown_station", faults);
    if (!p.accept_unknown) bs.unknown_station.reset();
}

std::string provisioned_key(const Provisioning& p, const std::string& member) {
    if (member.starts_with("service_classes[")) return "service_flows" + member.substr(member.find('['));
    constexpr std::string_view kFlows = ".flows[";
    const size_t at = member.find(kFlows);
    if (at == std::string::npos) return member;
    const auto number = [&](size_t from) {
        size_t value = SIZE_MAX;
        std::from_chars(member.data() + from, member.data() + member.size(), value);
        return value;
    };
    const ProvisionedStation* station = &p.unknown_station;
    if (member.starts_with("stations[")) {
        const size_t index = number(std::string_view("stations[").size());
        if (index >= p.stations.size()) return member;
        station = &p.stations[index];
    }
    const size_t flow = number(at + kFlows.size());
    const auto known =
        flow < station->flows.size() ? position(p.flows, station->flows[flow], name_of_flow) : std::nullopt;
    return known ? indexed("service_flows", *known) + member.substr(member.find(']', at) + 1) : member;
}

}  // namespace wimax::macd
