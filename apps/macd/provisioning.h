// SPDX-License-Identifier: GPL-3.0-or-later
// Stations and their services, as the operators of the field networks wrote them: classifier rules and flows have names,
// each is written once, and names bind upwards: rules to flows, flows to subscriber stations, stations and a profile to
// the base station.
//
//     bs:
//       classifier_rules: [{name: sip, priority: 9, protocols: [17], destination_ports: [{low: 5060, high: 5061}]}]
//       service_flows:    [{name: voice-up, direction: uplink, scheduling: ugs, ..., rules: [sip]}, ...]
//       stations:         [{mac: "02:00:00:00:00:01", flows: [voice-up, data-up, data-down]}]
//       profile:          {name: Lab}
#pragma once

#include "common/config.h"
#include "mac/station_config.h"

#include <string>
#include <vector>

namespace wimax::macd {

struct ProvisionedRule {
    std::string name;
    mac::ClassifierConfig rule;
};
/// The flow's name is that of its service class in DSA messages, too.
struct ProvisionedFlow {
    mac::ServiceFlowConfig flow;
    std::vector<std::string> rules;
};
struct ProvisionedStation {
    mac::StationConfig station;
    std::vector<std::string> flows;
};

struct Provisioning {
    std::vector<ProvisionedRule> rules;
    std::vector<ProvisionedFlow> flows;
    std::vector<ProvisionedStation> stations;
    bool lists_stations = false;  ///< `stations` is written, if only as an empty list
    bool accept_unknown = false;
    ProvisionedStation unknown_station;  ///< for stations that are not in `stations`
};

/// Keys of a station below `prefix`, the names of its flows among them.
void declare_provisioned_station(config::Schema& schema, const std::string& prefix, ProvisionedStation& station);
/// Keys below "bs.".
void declare_provisioning(config::Schema& schema, Provisioning& provisioning);
/// The MAC's stations, with names resolved. Unknown and ambiguous names are faults.
void provide(const Provisioning& provisioning, mac::BaseStationConfig& bs, config::LocatedFaults& faults);
/// Key of the file for a member of a station's configuration as the MAC's validate() names it:
/// "stations[1].flows[0].crc" is "service_flows[4].crc" where that flow is the fifth of the file.
std::string provisioned_key(const Provisioning& provisioning, const std::string& member);

}  // namespace wimax::macd
