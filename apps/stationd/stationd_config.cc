// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/stationd_config.h"

#include <gnuradio/wimax/device_arguments.h>

#include <filesystem>
#include <set>
#include <utility>

namespace wimax::stationd {
namespace {

constexpr const char* kOneThread = "empty: this program has no access point to record or replay";

/// A path in the list is relative to the list's file.
std::string path_from(const std::string& list, const std::string& file) {
    return (std::filesystem::path(list).parent_path() / file).string();
}

/// Reads one of a station's files, which the key `where` names from the folder of `list`; false: it has faults.
bool read_into(config::Schema& schema, const std::string& list, const std::string& file, const std::string& where,
               config::LocatedFaults& faults) {
    const auto found = config::read(schema, {path_from(list, file), {}});
    for (auto fault : found.list()) {
        if (fault.file.empty()) {
            fault.key = where;
            fault.value = file;
        }
        faults.add(std::move(fault));
    }
    return found.empty();
}

void check_station(const SharedStationConfig& station, const std::string& where, const StationFiles& files,
                   config::LocatedFaults& faults) {
    const auto subscriber = sap::Role::subscriber_station;
    if (station.mac.role != subscriber) faults.add(where + "mac", files.mac, "a file with role: ss");
    if (station.phy.role != subscriber) faults.add(where + "phy", files.phy, "a file with role: ss");
    if (const auto& device = station.phy.radio.device_args; gr::wimax::device_type(device) != "vrf")
        faults.add(where + "phy", device, "a virtual radio (radio.device: type=vrf)");
    for (const auto& path : {station.mac.sap_record, station.mac.sap_replay})
        if (!path.empty()) faults.add(where + "mac", path, kOneThread);
}

void read_stations(const std::string& list, StationdConfig& c, config::LocatedFaults& faults) {
    c.stations.clear();
    std::set<std::string> names;
    for (size_t i = 0; i < c.files.size(); ++i) {
        const auto& files = c.files[i];
        const std::string where = "stations[" + std::to_string(i) + "].";
        if (!names.insert(files.name).second)
            faults.add(where + "name", files.name, "a name that no other station has");
        auto station = std::make_shared<SharedStationConfig>();
        station->name = files.name;
        config::Schema phy_schema("wimax-phyd");
        macd::declare(station->mac_schema, station->mac);
        phyd::declare(phy_schema, station->phy);
        const bool mac = read_into(station->mac_schema, list, files.mac, where + "mac", faults);
        const bool phy = read_into(phy_schema, list, files.phy, where + "phy", faults);
        if (mac && phy) check_station(*station, where, files, faults);
        c.stations.push_back(std::move(station));
    }
}

}  // namespace

void declare(config::Schema& s, StationdConfig& c) {
    s.list(
         "stations", c.files,
         [](config::Schema& item, StationFiles& files) {
             item.text("name", files.name, "begins the station's lines of the log").required();
             item.text("mac", files.mac, "configuration file of wimax-macd, from this file's folder").required();
             item.text("phy", files.phy, "configuration file of wimax-phyd, from this file's folder").required();
         },
         "subscriber stations with virtual radios. Of their files sap.endpoint, log, realtime and status.console have "
         "no effect",
         1, kMostStations)
        .required();
    wimax::declare(s, c.daemon, {"mac", "phy", "sap", "cs", "ctl", "phyd", "radio"});
    s.check([&s, &c](config::LocatedFaults& faults) { read_stations(s.source().file, c, faults); });
}

}  // namespace wimax::stationd
