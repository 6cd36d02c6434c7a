// SPDX-License-Identifier: GPL-3.0-or-later
// Divides the data part of a downlink subframe among stations: management and the octets owed to flows first, by
// deadline if they exceed the frame, then by the chosen policy.
#pragma once

#include "mac/scheduler/scheduler_policy.h"
#include "mac/scheduler/share_rule.h"

#include <vector>

namespace wimax::mac {

class DownlinkScheduler final : public DownlinkPolicy {
public:
    /// `grid` outlives the object.
    explicit DownlinkScheduler(const ResourceGrid& grid, SchedulerPolicy policy = SchedulerPolicy::fair)
        : grid_(grid), rule_(grid, policy) {}
    /// Uses no heap once it has seen as many claims.
    PolicyOutcome schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double units) override;
    void served(const DownlinkClaim& claim, double units) override { rule_.served(claim, units); }

private:
    struct Owed {
        Samples deadline = kNoDeadline;
        size_t claim = 0;
        double units = 0;
    };
    struct Turn {
        double turn = 0;
        ShareRule::Share* share = nullptr;
    };
    void leave_out(std::span<const FlowClaim> flows, double units);
    double in_units(size_t octets, const StationClaim& claim) const;
    double wanted_units(const DownlinkClaim& claim, std::span<const FlowClaim> flows) const;
    double owed(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double units);

    const ResourceGrid& grid_;
    ShareRule rule_;
    std::vector<ServiceHistory*> busy_;
    std::vector<Owed> owed_;
    std::vector<ShareRule::Share> shares_;
    std::vector<Turn> turns_;
};

}  // namespace wimax::mac
