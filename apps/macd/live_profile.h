// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the base station profile that the control socket changes while stations are served:
//
//     {"set": {"profile": {"request_backoff_end": 8, "exit_db": [2, 5.75, 8.5, 11.25, 14.75, 18.5, 20.25]}}}
//
// Keys and ranges are those of bs.profile in the configuration: thresholds, backoff windows, reservation timeout.
#pragma once

#include "common/faults.h"
#include "mac/station_config.h"

#include <nlohmann/json_fwd.hpp>

namespace wimax::macd {

/// Puts the given values into `profile`. Faults: no object, unknown keys, wrong types or lengths, numbers that do not
/// fit the member. The station checks ranges.
Faults read_live_profile(const nlohmann::json& value, mac::BaseStationProfile& profile);

}  // namespace wimax::macd
