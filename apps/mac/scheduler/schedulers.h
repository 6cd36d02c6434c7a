// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the schedulers of a base station: the built-in ones that the configuration names, or the loaded ones of its
// Policies, each below a guard.
#pragma once

#include "mac/scheduler/policy_account.h"
#include "mac/scheduler/uplink_scheduler.h"

#include <memory>
#include <optional>

namespace wimax::mac {

/// Of loaded policies; nullopt: the built-in one is configured.
struct SchedulerFigures {
    std::optional<PolicyCounters> dl_scheduler, ul_scheduler;
    bool any() const { return dl_scheduler || ul_scheduler; }
};

class Schedulers {
public:
    /// `config` and `grid` outlive the object, and the object outlives the schedulers.
    Schedulers(const BaseStationConfig& config, const Policies::Cell& cell, const PolicyAccount::Report& report)
        : config_(config),
          cell_(cell),
          downlink_("dl_scheduler", report, &cell.clock),
          uplink_("ul_scheduler", report, &cell.clock) {}

    std::unique_ptr<DownlinkPolicy> downlink();
    std::unique_ptr<UplinkPolicy> uplink(const UplinkSchedulerConfig& config);
    /// A PHY has started. `time_waits`: simulated time waits for the station (lock-step).
    void start(bool time_waits) const;
    SchedulerFigures figures() const;

private:
    const BaseStationConfig& config_;
    const Policies::Cell cell_;
    PolicyAccount downlink_, uplink_;
};

template <class V> void visit(V& v, const SchedulerFigures& s) {
    v.maybe("dl_scheduler", s.dl_scheduler);
    v.maybe("ul_scheduler", s.ul_scheduler);
}

}  // namespace wimax::mac
