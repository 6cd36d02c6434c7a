// SPDX-License-Identifier: GPL-3.0-or-later
// What the flows that are received on a link want of its rate, at either end.
#pragma once

#include "mac/rate_policy.h"

namespace wimax::mac {

/// `Flows`: a station's, each with its configuration and a reassembler, which is null at the sender. `otherwise`:
/// target of flows without their own. The smallest target of flows without ARQ holds; 0 is none.
template <class Flows> LinkAim link_aim(const Flows& flows, float otherwise) {
    bool received = false;
    float least = 0;
    bool all_with_arq = true;
    for (const auto& flow : flows) {
        if (!flow->reassembler) continue;
        received = true;
        if (flow->reassembler->arq()) continue;
        all_with_arq = false;
        const float target = flow->config.target_loss.value_or(otherwise);
        if (target > 0 && (least <= 0 || target < least)) least = target;
    }
    if (!received) return {LinkGoal::few_losses, otherwise};
    return all_with_arq ? LinkAim{LinkGoal::goodput, otherwise} : LinkAim{LinkGoal::few_losses, least};
}

}  // namespace wimax::mac
