/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes of focused contention (clause 8.3.7.3) that were heard and are owed an answer: an element of the UL-MAP that
 * names frame, opportunity, channel and code, where the code's sender sends its request. Nobody knows who that is.
 */
#pragma once

#include "mac/bs/uplink_plan.h"

#include <vector>

namespace wimax::mac {

struct FocusedContentionCounters {
    uint64_t codes = 0, answers = 0, dropped = 0;  ///< dropped: too late for an answer, or too many
};

class FocusedContentionService {
public:
    /// All outlive the object.
    struct Dependencies {
        UplinkPlan& plan;
    };
    explicit FocusedContentionService(const Dependencies& dependencies) : plan_(dependencies.plan) {}

    void restart() { waiting_.clear(); }
    void heard(const sap::RxContention& contention);
    size_t waiting() const { return waiting_.size(); }
    /// Answers into the map that is being planned, `most` at most, oldest first. Returns how many.
    uint32_t answer(uint32_t most);

    const FocusedContentionCounters& counters() const { return counters_; }

private:
    struct Heard {
        phy::FrameNumber frame;
        FocusedContention code;
    };

    UplinkPlan& plan_;
    std::vector<Heard> waiting_;
    FocusedContentionCounters counters_;
};

}  // namespace wimax::mac
