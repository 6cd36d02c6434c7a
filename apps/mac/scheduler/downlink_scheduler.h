/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Divides the data part of a downlink subframe among stations: management and what flows are guaranteed first, then
 * max-min fair in symbols over time.
 */
#pragma once

#include "mac/scheduler/claims.h"

#include <vector>

namespace wimax::mac {

class DownlinkScheduler {
public:
    /// Sets the symbols of each claim; their sum is at most `symbols`. Uses no heap once it has seen as many claims.
    void schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double symbols);

private:
    std::vector<ServiceHistory*> busy_;
    std::vector<Claim> shares_;
};
static_assert(DownlinkPolicy<DownlinkScheduler>);

}  // namespace wimax::mac
