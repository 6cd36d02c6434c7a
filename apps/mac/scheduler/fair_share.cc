// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/scheduler/fair_share.h"

#include <algorithm>
#include <limits>

namespace wimax::mac {

void share_out(std::span<Claim> claims, double capacity) {
    double wanted = 0, low = 0, high = 0;
    bool first = true;
    for (auto& claim : claims) {
        wanted += claim.demand;
        const double full = claim.served + claim.demand / claim.weight;
        low = first ? claim.served : std::min(low, claim.served);
        high = first ? full : std::max(high, full);
        first = false;
    }
    if (wanted <= capacity) {
        for (auto& claim : claims) claim.share = claim.demand;
        return;
    }
    const auto at_level = [](const Claim& claim, double level) {
        return std::clamp((level - claim.served) * claim.weight, 0.0, claim.demand);
    };
    // The sum of shares grows with the level: bisection, exact to far below a unit.
    for (int step = 0; step < 60; ++step) {
        const double level = (low + high) / 2;
        if (level == low) break;  // neighbours: no further step changes `low`
        double sum = 0;
        for (const auto& claim : claims) sum += at_level(claim, level);
        if (sum > capacity) high = level;
        else low = level;
    }
    for (auto& claim : claims) claim.share = at_level(claim, low);
}

void level_histories(std::vector<ServiceHistory*>& busy, double limit, uint32_t frame) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    double highest = 0, lowest = kNone;  // the lowest: of those that were busy before
    for (const auto* history : busy) {
        highest = std::max(highest, history->served);
        if (history->busy_frame + 1 == frame) lowest = std::min(lowest, history->served);
    }
    for (auto* history : busy) {
        const bool was_busy = history->busy_frame + 1 == frame;
        history->catch_up(was_busy ? highest - limit : std::min(lowest, highest));
        history->busy_frame = frame;
    }
}

}  // namespace wimax::mac
