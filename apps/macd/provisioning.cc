/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macd/provisioning.h"
#include "macd/bs_schema.h"
#include "macd/text_values.h"

#include <charconv>
#include <set>

namespace wimax::macd {
namespace {

using config::LocatedFaults;
using config::Schema;

constexpr size_t kMostStations = 1000, kMostNames = 1000;

std::string indexed(const char* list, size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= mac::kMaxFlowName && text.find_first_of("\n\r\t") == std::string_view::npos;
}

/// Names of something else of this file; where such a thing itself is written, the fault says where it belongs now.
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
        [&name] { return config::quote(name); }, "1..126 characters", "", help);
}

}  // namespace

void declare_provisioned_station(Schema& s, const std::string& prefix, ProvisionedStation& station) {
    declare_station(s, prefix, station.station);
    declare_names(s, prefix + "flows", station.flows, "service_flows",
                  "names of service flows; none: one best effort flow each way", mac::kMaxStationFlows);
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

template <class List, class Name>
std::string names_of(const List& list, Name name_of, const char* key) {
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
        if (const auto rule = position(p.rules, name, name_of_rule))
            flow.classifiers.push_back(p.rules[*rule].rule);
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
        if (at)
            station.flows.push_back(flows[*at]);
        else
            faults.add(key + "." + indexed("flows", i), name, names_of(p.flows, name_of_flow, "bs.service_flows"));
        if (!seen.insert(name).second) faults.add(key + "." + indexed("flows", i), name, "each flow once");
    }
    return station;
}

}  // namespace

void declare_provisioning(Schema& s, Provisioning& p) {
    s.list(
        "bs.classifier_rules", p.rules,
        [](Schema& i, ProvisionedRule& rule) {
            declare_name(i, rule.name, "by which service flows refer to the rule").required();
            declare_classifier(i, rule.rule);
        },
        "rules that say which packets go to a service flow", 0, kMostNames);
    s.list(
        "bs.service_flows", p.flows,
        [](Schema& i, ProvisionedFlow& flow) {
            declare_name(i, flow.flow.name, "by which stations refer to the flow; service class name in DSA messages")
                .required();
            declare_flow(i, flow.flow);
            declare_names(i, "rules", flow.rules, "classifier_rules",
                          "names of classifier rules; none: takes what no other flow takes", kMostNames);
            i.renamed("classifiers", "rules (names of bs.classifier_rules, where rules are written)");
        },
        "service flows, of one direction each", 0, kMostNames);
    s.list(
        "bs.stations", p.stations,
        [](Schema& i, ProvisionedStation& station) {
            mac_address(i, "mac", station.station.mac, "MAC address of the subscriber station").required();
            declare_provisioned_station(i, "", station);
        },
        "provisioned subscriber stations", 0, kMostStations);
    s.flag("bs.accept_unknown", p.accept_unknown, "let stations in that are not in bs.stations");
    s.group("bs.unknown_station", "What such a station is provisioned with");
    declare_provisioned_station(s, "bs.unknown_station.", p.unknown_station);
}

void provide(const Provisioning& p, mac::BaseStationConfig& bs, LocatedFaults& faults) {
    check_once("bs.classifier_rules", p.rules, name_of_rule, faults);
    check_once("bs.service_flows", p.flows, name_of_flow, faults);
    std::vector<mac::ServiceFlowConfig> flows;
    for (size_t i = 0; i < p.flows.size(); ++i) flows.push_back(with_rules(p, i, faults));
    bs.service_classes = flows;
    std::set<mac::MacAddress> seen;
    bs.stations.clear();
    for (size_t i = 0; i < p.stations.size(); ++i) {
        const auto key = indexed("bs.stations", i);
        bs.stations.push_back(with_flows(p, flows, p.stations[i], key, faults));
        if (const auto& address = bs.stations.back().mac; !seen.insert(address).second)
            faults.add(key + ".mac", print_mac(address), "each address once");
    }
    bs.unknown_station.reset();
    if (p.accept_unknown) bs.unknown_station = with_flows(p, flows, p.unknown_station, "bs.unknown_station", faults);
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
