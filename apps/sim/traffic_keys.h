// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of an entry of `traffic`, and of what changes in its packets while a simulation runs.
#pragma once

#include "sim/scenario.h"

namespace wimax::sim {

/// Of times in a scenario.
inline constexpr config::Range kSeconds{0, 1e6};

/// `all`, which is an empty list, or numbers of stations.
void declare_station_numbers(config::Schema& schema, const std::string& key, std::vector<uint32_t>& numbers,
                             const std::string& help);
void declare_entry(config::Schema& schema, TrafficEntry& entry);
void declare_change(config::Schema& schema, TrafficChange& change);

}  // namespace wimax::sim
