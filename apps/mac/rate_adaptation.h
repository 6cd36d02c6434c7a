// SPDX-License-Identifier: GPL-3.0-or-later
// Policy "outcome" (rate_policy.h): the highest rate that serves the link's goal at its CINR, by the measured error
// rates of the receivers (rate_thresholds.h) and what bursts on this link have shown (link_margin.h). The base
// station's thresholds limit it.
//
// A constant CINR is known to hundredths of a decibel, and decides alone. While it changes, the rate falls where the
// CINR is heading below what the rate needs, or lies below it in three frames in a row, over as many steps as it takes;
// it rises where the running mean of clause 8.3.9, the trend and, but for noise, each of the last measurements reach
// what the next rate needs, and more.
//
// A rate that fails in spite of a constant CINR is left, and tried again after growing times. With ARQ, the next rate
// is also tried where the CINR is slightly below its need.
#pragma once

#include "mac/link_level.h"
#include "mac/rate_policy.h"

#include <gnuradio/wimax/phy/base/channel_quality.h>

#include <cstdint>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

using RateNeeds = std::array<float, kRateCount>;
/// CINR in dB in white noise from which on each rate serves the goal: no more than `target_loss` of packets of 1500
/// octets are lost (0: one block in ten thousand), or more is carried than at the next lower rate.
RateNeeds needs_db(LinkGoal goal, float target_loss);

class RateAdaptation final : public RatePolicy {
public:
    struct Config {
        float averaging = 0.25F;                    ///< parameter alpha of the running mean, of one frame's measurement
        float target_loss = LinkAim{}.target_loss;  ///< until set_aim()
        float most_margin_db = 12;                  ///< largest margin that losses add
        Samples reaction_samples = 0;               ///< from a decision to bursts in the new rate
        float most_drop_db = 1.2F;                  ///< of the CINR in that time, that is taken into account
        Samples patience_samples = 0;  ///< first wait until a rate that failed in spite of its CINR is retried
        Samples restless_samples = 0;  ///< a link whose CINR changes twice in this time is fading
        int memory_frames = 300;       ///< length of the mean while the CINR is constant
    };
    /// `limits` outlive the object and may change at any time.
    RateAdaptation(const Config& config, const RateThresholds& limits);

    void set_averaging(float alpha) override { mean_.set_averaging(alpha); }
    void set_aim(const LinkAim& aim) override;
    void measured(float cinr_db, Samples now) override;
    /// Only bursts in the present rate count.
    void burst(ProfileId profile, const BurstFate& fate, float cinr_db, Samples now) override;
    void give_up(Samples now) override;
    ProfileId wanted(Samples now) override;
    float margin_db() const override { return margin_.db(); }

private:
    ProfileId first(float cinr_db) override;
    void adopted(ProfileId id, Samples now) override;
    float need_db(ProfileId profile) const {
        return (aim_.goal == LinkGoal::goodput ? goodput_needs_db_ : few_losses_needs_db_)[row_of(profile)];
    }
    bool may_stay(ProfileId profile, float falling_db) const;
    bool may_enter(ProfileId profile, float rising_db) const;
    float reserve_db() const;
    float heading_db(Samples now) const;
    float falling_db(Samples now) const;
    float rising_db(Samples now) const;
    void burst_while_fading(const BurstFate& fate, float level_db, Samples now);
    void burst_while_steady(const BurstFate& fate, Samples now);
    float fading_loss() const;
    bool fails_repeatedly();
    bool fails_at_its_cinr(Samples now) const;
    void hold(Samples now);
    float most_missing_db() const;
    void try_next_rate(Samples now);

    const Config config_;
    const RateThresholds& limits_;
    const RateNeeds goodput_needs_db_;
    RateNeeds few_losses_needs_db_;
    LinkAim aim_;
    LinkLevel level_;
    LinkMargin margin_;
    phy::RunningPower mean_;
    Samples measured_at_ = INT64_MIN;
    int failed_in_a_row_ = 0;
    Samples next_step_ = INT64_MIN;  ///< earlier failures have the same cause as the last
    bool given_up_ = false;
    // A rate failed in spite of a constant CINR:
    Samples held_at_ = INT64_MIN, patience_ = 0;  ///< when, and how long no higher rate is used then
    float held_db_ = 0;                           ///< the CINR
    Samples rise_after_ = INT64_MIN, try_after_ = INT64_MIN, risen_at_ = INT64_MIN;
};

RateAdaptation::Config adaptation_config(const LinkAdaptationConfig& config, Samples frame_samples,
                                         int64_t sample_rate_hz);

}  // namespace wimax::mac
