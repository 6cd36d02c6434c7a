// SPDX-License-Identifier: GPL-3.0-or-later
// What a radio is, and which rate it would run at for each bandwidth: opened, asked, closed; nothing streams.
#pragma once

#include "common/faults.h"

#include <nlohmann/json.hpp>

#include <string>

namespace wimax::radio {

struct ProbeDepth {
    bool rates = true;  ///< false: what it is, only
};

/// Result in the format of `wimax radio probe`: model, serial, ranges, sensors, whether FDD is possible, rates.
tl::expected<nlohmann::ordered_json, Fault> probe_radio(const std::string& device, ProbeDepth depth = {});
/// The same for people.
std::string probe_table(const nlohmann::ordered_json& found);

}  // namespace wimax::radio
