// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the schedulers of a base station: the built-in ones that the configuration names, or loaded ones,
// each below a guard.
#pragma once

#include "mac/policy/loaded_policies.h"
#include "mac/scheduler/uplink_scheduler.h"

#include <memory>

namespace wimax::mac {

class Schedulers {
public:
    /// Both outlive the object and the schedulers.
    Schedulers(const BaseStationConfig& config, LoadedPolicies& policies) : config_(config), policies_(policies) {}

    std::unique_ptr<DownlinkPolicy> downlink();
    std::unique_ptr<UplinkPolicy> uplink(const UplinkSchedulerConfig& config);

private:
    const BaseStationConfig& config_;
    LoadedPolicies& policies_;
};

}  // namespace wimax::mac
