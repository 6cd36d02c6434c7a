// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a result as comma-separated values (RFC 4180): a line with the names of the columns, and one for each
// flow.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace wimax::sim {

/// `result`: of Simulation::result(). A figure inside another has both names, for instance delay_ms.p99.
std::string result_csv(const nlohmann::ordered_json& result);

}  // namespace wimax::sim
