// SPDX-License-Identifier: GPL-3.0-or-later
// The rate of one direction of one link (clause 6.3.17): from the CINR, by the thresholds of the burst profiles,
// corrected by the success of bursts on this channel. A subscriber station adapts its downlink, the base station adapts
// the uplinks.
//
// Down: where the CINR is heading below the exit threshold, or lies below it in three frames in a row; over as many
// steps as it takes. Up: when the running mean of clause 8.3.9, the trend and, but for noise, each of the last
// measurements reach an entry threshold.
//
// Both thresholds lie higher by a margin that starts at 0 (an outer loop). A burst that fails above the thresholds adds
// kMarginStepDb. A delivered burst subtracts the amount that balances this at the target loss. A rate that fails
// several times in a row is left regardless of the CINR, and tried again after growing times.
#pragma once

#include "mac/burst_profiles.h"
#include "mac/cinr_trend.h"
#include "mac/rate_thresholds.h"
#include "mac/station_config.h"

#include <gnuradio/wimax/phy/base/channel_quality.h>

#include <cstdint>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

struct RateAdaptationCounters {
    uint64_t falls = 0, rises = 0;
};

class RateAdaptation {
public:
    struct Config {
        float averaging = 0.25F;       ///< parameter alpha of the running mean, of one frame's measurement
        float target_loss = 0.01F;     ///< of bursts; 0: no outer loop
        float most_margin_db = 12;     ///< of the outer loop
        Samples reaction_samples = 0;  ///< from a decision to bursts in the new rate
        float most_drop_db = 1.2F;     ///< of the CINR in that time, that is taken into account
        Samples patience_samples = 0;  ///< first wait until a rate that failed in spite of its CINR is retried
    };
    /// `thresholds` outlive the object and may change at any time.
    RateAdaptation(const Config& config, const RateThresholds& thresholds);

    /// Pre: lowest <= highest; equal: the rate is fixed. The rate is moved in between.
    void set_limits(ProfileId lowest, ProfileId highest);
    void set_averaging(float alpha) { mean_.set_averaging(alpha); }
    /// Nothing has been measured yet; the rate is the highest that the CINR allows.
    void start(float cinr_db);

    /// CINR of a burst, by the power density of all carriers.
    void measured(float cinr_db, Samples now);
    /// The fate of a burst in `profile`, of that CINR. Only those in the present rate count.
    void burst(ProfileId profile, bool delivered, float cinr_db, Samples now);
    /// The present rate fails, and no other remedy is left.
    void give_up(Samples now);

    /// The rate that should be used from now on.
    ProfileId wanted(Samples now) const;
    /// The rate that is used from now on.
    void adopt(ProfileId profile, Samples now);

    ProfileId id() const { return id_; }
    ProfileId lowest() const { return lowest_; }
    ProfileId highest() const { return highest_; }
    float margin_db() const { return margin_db_; }
    const RateAdaptationCounters& counters() const { return counters_; }

private:
    bool tells_of_margin(float cinr_db) const;

    const Config config_;
    const RateThresholds& thresholds_;
    ProfileId lowest_{}, highest_ = profile_in_row(kRateCount - 1), id_{};
    CinrTrend trend_;
    phy::RunningPower mean_;
    Samples measured_at_ = INT64_MIN;
    float margin_db_ = 0;
    int failed_in_a_row_ = 0;
    Samples next_step_ = INT64_MIN;  ///< earlier failures have the same cause as the last
    bool given_up_ = false;
    Samples rise_after_ = INT64_MIN, patience_ = 0, risen_at_ = INT64_MIN;
    RateAdaptationCounters counters_;
};

/// REP-REQ's averaging parameter for the running mean, in 32nds.
uint8_t averaging_code(const LinkAdaptationConfig& config, Samples frame_samples, int64_t sample_rate_hz);
RateAdaptation::Config adaptation_config(const LinkAdaptationConfig& config, Samples frame_samples,
                                         int64_t sample_rate_hz);

}  // namespace wimax::mac
