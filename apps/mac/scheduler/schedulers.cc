// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/scheduler/schedulers.h"

#include "mac/scheduler/downlink_scheduler.h"
#include "mac/scheduler/policy_guard.h"

namespace wimax::mac {

std::unique_ptr<DownlinkPolicy> Schedulers::downlink() {
    auto builtin = std::make_unique<DownlinkScheduler>(cell_.grid, config_.dl_scheduler);
    if (!config_.policies || !config_.policies->downlink) return builtin;
    return std::make_unique<GuardedDownlink>(config_.policies->downlink(cell_), std::move(builtin), downlink_);
}

std::unique_ptr<UplinkPolicy> Schedulers::uplink(const UplinkSchedulerConfig& config) {
    auto builtin = std::make_unique<UplinkScheduler>(cell_.grid, config);
    if (!config_.policies || !config_.policies->uplink) return builtin;
    return std::make_unique<GuardedUplink>(config_.policies->uplink(cell_), std::move(builtin), cell_.grid,
                                           config.max_elements, uplink_);
}

void Schedulers::start(bool time_waits) const {
    if (config_.policies && config_.policies->on_start) config_.policies->on_start(time_waits);
}

SchedulerFigures Schedulers::figures() const {
    SchedulerFigures s;
    if (!config_.policies) return s;
    if (config_.policies->downlink) s.dl_scheduler = downlink_.counters();
    if (config_.policies->uplink) s.ul_scheduler = uplink_.counters();
    return s;
}

}  // namespace wimax::mac
