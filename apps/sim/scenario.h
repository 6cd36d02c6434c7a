/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is simulated: a base station with the keys of its daemon, groups of stations with their way to it, their service
 * flows and their traffic, and how long.
 */
#pragma once

#include "common/config.h"
#include "macd/provisioning.h"
#include "sim/cell.h"
#include "sim/traffic_flow.h"

namespace wimax::sim {

/// Stations that are alike.
struct GroupConfig {
    std::string name;
    uint32_t stations = 1;
    PathConfig path;
    macd::ProvisionedStation service;  ///< rates, weight and names of flows; addresses are the simulator's
    std::vector<TrafficConfig> traffic;
};

struct Scenario {
    uint32_t stations = 1;  ///< of the group `station`
    double seconds = 60;    ///< measured
    uint64_t seed = 1;
    double dl_kbps = 0, ul_kbps = 0;  ///< beside the traffic of each station: packets at even intervals
    uint32_t packet_bytes = 1500;     ///< of these
    double warmup_s = 2, drain_s = 1, enter_limit_s = 120, interval_s = 1;
    GroupConfig station;
    std::vector<GroupConfig> groups;
    PhyConfig phy;
    DropConfig drop;
    mac::BaseStationConfig bs;  ///< `stations`: one for each group, as it is provisioned
    macd::Provisioning provisioning;
    mac::SubscriberConfig ss;
    uint32_t bandwidth_hz = 5'000'000;
    uint64_t frequency_hz = 3'500'000'000;
    double tx_gain_db = 0, rx_gain_db = 0;
    std::string json = "-", plot;
    bool events = false, flows = true;

    /// All groups, the one of `station` first.
    std::vector<const GroupConfig*> all_groups() const;
    size_t station_count() const;
    /// Of each station of a group.
    std::vector<TrafficConfig> traffic_of(const GroupConfig& group) const;
    /// The cell with its stations provisioned.
    CellConfig cell() const;
};

void declare(config::Schema& schema, Scenario& scenario);

}  // namespace wimax::sim
