// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of a loaded policy, by kind. A fault costs the policy one frame, and the third one its place.
#pragma once

#include "mac/clock.h"
#include "mac/policy/policy_outcome.h"

#include <functional>
#include <string>

namespace wimax::mac {

struct PolicyCounters {
    uint64_t calls = 0;
    uint64_t late = 0, failed = 0, nonsense = 0;  ///< faults
    uint64_t busy = 0;                            ///< frames without a call, because an earlier call has not ended
    uint64_t spent_us = 0;                        ///< processor time of all calls
    uint32_t longest_us = 0;                      ///< wall-clock time of a call
    bool replaced = false;                        ///< by the built-in policy, for good
};

class PolicyAccount {
public:
    /// Number of faults after which the built-in policy replaces a loaded one.
    static constexpr uint64_t kMostFaults = 3;
    /// Busy frames in a row after which it is replaced: its call hangs.
    static constexpr uint32_t kMostBusyFrames = 100;
    /// `replaced`: the line is about the replacement, and not about a fault.
    using Report = std::function<void(const std::string& line, bool replaced)>;
    /// `key`: of the configuration. `report` gets a line for each fault, and one for the replacement.
    /// `clock`: guards that share this account are busy in the same frame, which counts once. It outlives the object.
    PolicyAccount(std::string key, Report report, const FrameClock* clock = nullptr)
        : key_(std::move(key)), report_(std::move(report)), clock_(clock) {}

    /// A call has ended, or could not be made.
    void count(const PolicyOutcome& outcome, const std::string& reason);
    bool replaced() const { return counters_.replaced; }
    const PolicyCounters& counters() const { return counters_; }

private:
    void replace(const std::string& why);

    const std::string key_;
    const Report report_;
    const FrameClock* const clock_;
    PolicyCounters counters_;
    Samples busy_at_ = INT64_MIN;
    uint32_t busy_in_a_row_ = 0;
};

template <class V> void visit(V& v, const PolicyCounters& c) {
    v("calls", c.calls);
    v("late", c.late);
    v("failed", c.failed);
    v("nonsense", c.nonsense);
    v("busy", c.busy);
    v("spent_us", c.spent_us);
    v("longest_us", c.longest_us);
    v("replaced", c.replaced);
}

}  // namespace wimax::mac
