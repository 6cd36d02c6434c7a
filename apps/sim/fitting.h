// SPDX-License-Identifier: GPL-3.0-or-later
// Derives values that a scenario does not give: connection identifiers for its stations, maps as robust as its data.
// The MAC derives everything else that many stations need (bs.profile.scale, which many stations turn on).
#pragma once

#include "sim/scenario.h"

#include <functional>
#include <string_view>

namespace wimax::sim {

/// `given`: true if the scenario has this key of the base or subscriber station.
void fit(Scenario& scenario, const std::function<bool(std::string_view key)>& given);

/// Longest that all stations may take to enter.
double enter_limit_s(const Scenario& scenario);

}  // namespace wimax::sim
