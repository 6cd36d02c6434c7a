/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Divides the data part of a downlink subframe among stations: management and what flows are owed first, by deadline
 * where there is too much of it, then by the policy that was chosen.
 */
#pragma once

#include "mac/scheduler/share_rule.h"

#include <vector>

namespace wimax::mac {

class DownlinkScheduler {
public:
    explicit DownlinkScheduler(SchedulerPolicy policy = SchedulerPolicy::fair) : rule_(policy) {}
    /// Sets the symbols of each claim; their sum is at most `symbols`. Uses no heap once it has seen as many claims.
    void schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double symbols);
    /// What a station has used of its symbols.
    void served(const DownlinkClaim& claim, double symbols) { rule_.served(claim, symbols); }

private:
    struct Owed {
        Samples deadline = kNoDeadline;
        size_t claim = 0;
        double symbols = 0;
    };
    struct Turn {
        double turn = 0;
        ShareRule::Share* share = nullptr;
    };
    void leave_out(std::span<const FlowClaim> flows, double symbols);
    double owed(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double symbols);

    ShareRule rule_;
    std::vector<ServiceHistory*> busy_;
    std::vector<Owed> owed_;
    std::vector<ShareRule::Share> shares_;
    std::vector<Turn> turns_;
};
static_assert(DownlinkPolicy<DownlinkScheduler>);

}  // namespace wimax::mac
