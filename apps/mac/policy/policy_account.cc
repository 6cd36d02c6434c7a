// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/policy/policy_account.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {

void PolicyAccount::replace(const std::string& why) {
    counters_.replaced = true;
    report_(key_ + ": the built-in policy replaces the loaded one " + why, true);
}

void PolicyAccount::count(const PolicyOutcome& outcome, const std::string& reason) {
    if (outcome.result == PolicyResult::busy) {
        if (clock_ != nullptr && std::exchange(busy_at_, clock_->now) == clock_->now) return;
        ++counters_.busy;
        if (++busy_in_a_row_ >= kMostBusyFrames && !replaced())
            replace("because its last call has not ended for " + std::to_string(kMostBusyFrames) + " frames");
        return;
    }
    busy_in_a_row_ = 0;
    ++counters_.calls;
    counters_.spent_us += outcome.spent_us;
    counters_.longest_us = std::max(counters_.longest_us, outcome.waited_us);
    const char* kind = nullptr;
    switch (outcome.result) {
        case PolicyResult::late: ++counters_.late, kind = "late"; break;
        case PolicyResult::failed: ++counters_.failed, kind = "failed"; break;
        case PolicyResult::nonsense: ++counters_.nonsense, kind = "nonsense"; break;
        default: return;
    }
    const uint64_t faults = counters_.late + counters_.failed + counters_.nonsense;
    report_(key_ + ": fault " + std::to_string(faults) + " of " + std::to_string(kMostFaults) +
                " of the loaded policy, " + kind + ": " + reason,
            false);
    if (faults >= kMostFaults && !replaced()) replace("after " + std::to_string(faults) + " faults");
}

}  // namespace wimax::mac
