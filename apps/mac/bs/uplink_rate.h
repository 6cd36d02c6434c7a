// SPDX-License-Identifier: GPL-3.0-or-later
// The rate of one station's uplink grants (clause 6.3.17). Fixed, unless a lower one is allowed: then it follows the
// CINR of the station's bursts (rate_policy.h), once its power cannot.
#pragma once

#include "mac/rate_policy.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace wimax::mac {

class UplinkRate {
public:
    /// `lowest`: limited to `highest`; if equal, the rate is fixed. `policy`: not null.
    UplinkRate(ProfileId highest, ProfileId lowest, std::unique_ptr<RatePolicy> policy) : policy_(std::move(policy)) {
        policy_->set_limits(std::min(lowest, highest), highest);
        policy_->start(kAnyRateDb);
    }

    /// Pre: lowest <= highest. Moves the rate into the range.
    void set_limits(ProfileId lowest, ProfileId highest) { policy_->set_limits(lowest, highest); }
    ProfileId id() const { return policy_->id(); }
    ProfileId lowest() const { return policy_->lowest(); }
    bool adapts() const { return policy_->lowest() < policy_->highest(); }
    float margin_db() const { return policy_->margin_db(); }
    const RateChanges& changes() const { return policy_->changes(); }
    /// Whether any burst would be received at the lowest rate.
    bool possible(float cinr_db) const { return cinr_db >= needed_db(policy_->lowest(), kHopelessError); }
    /// Network entry: the highest rate that is likely to work.
    void start(float cinr_db) { policy_->start(cinr_db); }
    void set_aim(const LinkAim& aim) { policy_->set_aim(aim); }
    /// A burst in `profile` was heard. `power_left_db`: the rise of the station's power that is under way.
    /// `exhausted`: several in a row have failed with nothing left to correct.
    void on_burst(ProfileId profile, const BurstFate& fate, float cinr_db, float power_left_db, bool exhausted,
                  Samples now);

private:
    static constexpr float kAnyRateDb = 100;
    static constexpr float kHopelessError = 0.05F;  // of blocks

    std::unique_ptr<RatePolicy> policy_;
};

}  // namespace wimax::mac
