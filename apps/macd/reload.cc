// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/reload.h"

#include "macd/bs_schema.h"
#include "macd/macd_config.h"

#include <algorithm>
#include <set>

namespace wimax::macd {
namespace {

/// Keys that the station applies: reprovision() returns those it cannot change.
bool is_base_stations(const std::string& key) { return key.starts_with("bs.") || key.starts_with("air."); }

}  // namespace

Faults Reload::again() {
    MacdConfig config;
    config.loads_policies = false;
    config::Schema fresh(running_.program(), running_.summary());
    declare(fresh, config);
    Faults faults = config::read(fresh, running_.source());
    const auto was = running_.values(), is = fresh.values();
    if (faults.empty() && (!cell_ || config.role != sap::Role::base_station || was.at("role") != is.at("role")))
        faults.add("role", is.at("role"), "bs, as it runs: a subscriber station has nothing to read again");
    if (!stations_) stations_ = was.at("bs.stations");
    if (faults.empty() && !config.provisioning.lists_stations && *stations_ != is.at("bs.stations"))
        faults.add({"bs.stations", "(missing)", "a list; [] deletes all stations that are served now",
                    running_.source().file, 0});
    if (!faults.empty()) {
        ++refused_;
        return faults;
    }
    const auto fixed = cell_->reprovision(config.bs);
    if (!fixed) {
        ++refused_;
        return fixed.error();
    }
    std::set<std::string> keys;
    for (const auto& key : *fixed) keys.insert(file_key("bs", key));
    for (const auto& [key, value] : is)
        if (!is_base_stations(key) && was.at(key) != value) keys.insert(key);
    unchanged_.assign(keys.begin(), keys.end());
    stations_ = is.at("bs.stations");
    ++done_;
    return Faults();
}

}  // namespace wimax::macd
