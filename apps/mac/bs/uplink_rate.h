// SPDX-License-Identifier: GPL-3.0-or-later
// The rate of one station's uplink grants (clause 6.3.17). Fixed, unless a lower one is allowed: then it follows the
// CINR of the station's bursts (rate_adaptation.h), once its power cannot.
#pragma once

#include "mac/rate_adaptation.h"

#include <algorithm>

namespace wimax::mac {

class UplinkRate {
public:
    /// `lowest`: limited to `highest`; if equal, the rate is fixed. `thresholds`: the base station's, which outlive its
    /// stations.
    UplinkRate(ProfileId highest, ProfileId lowest, const RateAdaptation::Config& config,
               const RateThresholds& thresholds)
        : adaptation_(config, thresholds) {
        adaptation_.set_limits(std::min(lowest, highest), highest);
        adaptation_.start(kAnyRateDb);
    }

    /// Pre: lowest <= highest. Moves the rate into the range.
    void set_limits(ProfileId lowest, ProfileId highest) { adaptation_.set_limits(lowest, highest); }
    ProfileId id() const { return adaptation_.id(); }
    ProfileId lowest() const { return adaptation_.lowest(); }
    bool adapts() const { return adaptation_.lowest() < adaptation_.highest(); }
    float margin_db() const { return adaptation_.margin_db(); }
    const RateAdaptationCounters& counters() const { return adaptation_.counters(); }
    /// Whether any burst would be received at the lowest rate.
    bool possible(float cinr_db) const { return cinr_db >= needed_db(adaptation_.lowest(), kHopelessError); }
    /// Network entry: the highest rate that is likely to work.
    void start(float cinr_db) { adaptation_.start(cinr_db); }
    void set_goal(LinkGoal goal) { adaptation_.set_goal(goal); }
    /// A burst in `profile` was heard. `power_left_db`: the rise of the station's power that is under way.
    /// `exhausted`: several in a row have failed with nothing left to correct.
    void on_burst(ProfileId profile, const BurstFate& fate, float cinr_db, float power_left_db, bool exhausted,
                  Samples now);

private:
    static constexpr float kAnyRateDb = 100;
    static constexpr float kHopelessError = 0.05F;  // of blocks

    RateAdaptation adaptation_;
};

}  // namespace wimax::mac
