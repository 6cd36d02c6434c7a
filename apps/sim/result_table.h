// SPDX-License-Identifier: GPL-3.0-or-later
// A result of wimax-sim as a table for a terminal: a row for each entry of the traffic.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace wimax::sim {

/// `result`: as Simulation::result() returns it.
std::string result_table(const nlohmann::ordered_json& result);

}  // namespace wimax::sim
