// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/scheduler/schedulers.h"

#include "mac/scheduler/downlink_scheduler.h"
#include "mac/scheduler/policy_guard.h"

namespace wimax::mac {

std::unique_ptr<DownlinkPolicy> Schedulers::downlink() {
    auto builtin = std::make_unique<DownlinkScheduler>(policies_.cell().grid, config_.dl_scheduler);
    auto loaded = policies_.make(&Policies::downlink);
    if (!loaded) return builtin;
    return std::make_unique<GuardedDownlink>(std::move(loaded), std::move(builtin),
                                             policies_.account(PolicyRole::downlink));
}

std::unique_ptr<UplinkPolicy> Schedulers::uplink(const UplinkSchedulerConfig& config) {
    const ResourceGrid& grid = policies_.cell().grid;
    auto builtin = std::make_unique<UplinkScheduler>(grid, config);
    auto loaded = policies_.make(&Policies::uplink);
    if (!loaded) return builtin;
    return std::make_unique<GuardedUplink>(std::move(loaded), std::move(builtin), grid, config.max_elements,
                                           policies_.account(PolicyRole::uplink));
}

}  // namespace wimax::mac
