/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What follows from a scenario that does not say it: connection identifiers for its stations, maps as robust as its
 * data. All else that many stations need is the MAC's own business (bs.profile.scale, which many stations turn on).
 */
#pragma once

#include "sim/scenario.h"

#include <functional>
#include <string_view>

namespace wimax::sim {

/// `given`: did the scenario say this key of the base or subscriber station?
void fit(Scenario& scenario, const std::function<bool(std::string_view key)>& given);

/// Longest that all stations may take to enter.
double enter_limit_s(const Scenario& scenario);

}  // namespace wimax::sim
