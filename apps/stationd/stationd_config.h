// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration of wimax-stationd: a list of stations, each with the two files that wimax-macd and wimax-phyd would
// read.
#pragma once

#include "common/daemon.h"
#include "macd/macd_config.h"
#include "phyd/phyd_config.h"

#include <memory>
#include <string>
#include <vector>

namespace wimax::stationd {

inline constexpr size_t kMostStations = 64;

/// The files of a station, as read. Stays where it is: the schemas refer to it.
struct SharedStationConfig {
    std::string name;
    macd::MacdConfig mac;
    phyd::PhydConfig phy;
    config::Schema mac_schema{"wimax-macd"};
};

struct StationFiles {
    std::string name, mac, phy;
};

struct StationdConfig {
    std::vector<StationFiles> files;
    std::vector<std::shared_ptr<SharedStationConfig>> stations;  ///< in the order of `files`
    DaemonOptions daemon;
};

/// The files of the stations are read with the configuration, and their faults are faults of it.
void declare(config::Schema& schema, StationdConfig& config);

}  // namespace wimax::stationd
