// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/fitting.h"

#include <algorithm>
#include <utility>

namespace wimax::sim {
namespace {

/// Contexts for stations that range, in addition to those that are registered.
constexpr uint32_t kEntering = 64;

using Given = std::function<bool(std::string_view)>;

void identifiers(Scenario& scenario, const Given& given) {
    auto& bs = scenario.bs;
    if (!given("base_station.max_stations")) bs.max_stations = std::max(bs.max_stations, scenario.stations);
    if (!given("base_station.basic_cids")) bs.basic_cids = std::max(bs.basic_cids, bs.max_stations + kEntering);
}

/// All stations begin to range at once. The imitated profiles have fixed windows for few stations.
void contention(Scenario& scenario, const Given& given) {
    constexpr uint32_t kFew = 16;
    if (scenario.stations > kFew && !given("base_station.scale")) scenario.bs.profile.scale = true;
}

/// Maps and descriptors reach as far as the data.
void maps(Scenario& scenario, const Given& given) {
    if (scenario.rate.value_or(0) != 0 || given("base_station.broadcast_rate_id")) return;
    auto& rate_id = scenario.bs.profile.broadcast_rate_id;
    const auto before = std::exchange(rate_id, 0);
    const auto wrong = mac::validate(scenario.bs);
    if (std::ranges::any_of(wrong.list(), [](const auto& f) { return f.key == "profile.broadcast_rate_id"; }))
        rate_id = before;
}

}  // namespace

void fit(Scenario& scenario, const Given& given) {
    identifiers(scenario, given);
    contention(scenario, given);
    maps(scenario, given);
}

double enter_limit_s(const Scenario& scenario) {
    constexpr double kFew = 120, kEach = 0.5;
    return scenario.enter_limit_s > 0 ? scenario.enter_limit_s : kFew + kEach * scenario.stations;
}

}  // namespace wimax::sim
