// SPDX-License-Identifier: GPL-3.0-or-later
// Policy "thresholds" (rate_policy.h): the running mean of the CINR (clause 8.3.9) against the thresholds of the burst
// profiles (clause 11.4.2), as the standard describes it. It learns nothing from losses, except that five lost bursts
// in a row end a rate for a while.
#pragma once

#include "mac/rate_policy.h"

#include <gnuradio/wimax/phy/base/channel_quality.h>

#include <cstdint>

namespace wimax::mac {

class ThresholdPolicy final : public RatePolicy {
public:
    /// `averaging`: 1/32..15/32. `patience_samples`: after a rate that was given up no higher one is used for this
    /// time. `limits` outlive the object and may change at any time.
    ThresholdPolicy(float averaging, Samples patience_samples, const RateThresholds& limits)
        : limits_(limits), patience_samples_(patience_samples), mean_(averaging) {}

    void set_averaging(float alpha) override { mean_.set_averaging(alpha); }
    void measured(float cinr_db, Samples now) override;
    void burst(ProfileId profile, const BurstFate& fate, float cinr_db, Samples now) override;
    void give_up(Samples now) override;
    ProfileId wanted(Samples now) override;

private:
    ProfileId first(float cinr_db) override;
    void adopted(ProfileId id, Samples now) override;
    bool may_stay(ProfileId profile, float cinr_db) const { return cinr_db > limits_.exit_db[row_of(profile)]; }

    const RateThresholds& limits_;
    const Samples patience_samples_;
    phy::RunningPower mean_;
    Samples measured_at_ = INT64_MIN, rise_after_ = INT64_MIN;
    int failed_in_a_row_ = 0;
    bool given_up_ = false;
};

}  // namespace wimax::mac
