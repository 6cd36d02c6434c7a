/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What has to grow with the number of stations and a scenario does not say: connection identifiers, polls, contention.
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
