// SPDX-License-Identifier: GPL-3.0-or-later
// Policies from the files that a configuration names (docs/policies.md).
#pragma once

#include "common/faults.h"
#include "mac/station_config.h"

#include <chrono>

namespace wimax::policy {

/// Where simulated time waits for a policy, only a call that hangs is late.
inline constexpr std::chrono::microseconds kHangLimit = std::chrono::seconds(2);

/// Sets config.policies if it names files. Each policy is made once, to find faults. Keys of faults are relative to
/// those of the station: "dl_scheduler.python". `limit`: wall-clock time of a call where time does not wait; else it
/// is kHangLimit.
Faults load_policies(mac::BaseStationConfig& config, std::chrono::microseconds limit);
Faults load_policies(mac::SubscriberConfig& config, std::chrono::microseconds limit);

}  // namespace wimax::policy
