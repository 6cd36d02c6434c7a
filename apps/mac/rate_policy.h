// SPDX-License-Identifier: GPL-3.0-or-later
// The rate of one direction of one link (clause 6.3.17) as a policy that the configuration names
// (LinkAdaptationConfig::policy). A subscriber station has one for its downlink, the base station one for each uplink;
// the simulator runs the same objects. Another built-in policy is a class that implements RatePolicy and a
// line in make_rate_policy(); a loaded one is called by GuardedRate (policy/guarded_rate.h).
#pragma once

#include "mac/clock.h"
#include "mac/link_margin.h"
#include "mac/rate_thresholds.h"
#include "mac/station_config.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace wimax::mac {

struct RateChanges {
    uint64_t falls = 0, rises = 0;
};

/// What is wanted of a link.
enum class LinkGoal : uint8_t {
    few_losses,  ///< no more of packets than the target
    goodput,     ///< ARQ repeats all that is lost
};
struct LinkAim {
    LinkGoal goal = LinkGoal::few_losses;
    float target_loss = LinkAdaptationConfig{}
                            .target_loss;  ///< allowed share of lost packets (1500 octets); 0: losses change no margin
    bool operator==(const LinkAim&) const = default;
};

/// Lost bursts in a row that end a rate, whatever the CINR is.
inline constexpr int kFailedToGiveUp = 5;

class RatePolicy {
public:
    virtual ~RatePolicy() = default;

    /// Pre: lowest <= highest; equal: the rate is fixed. The rate is moved in between.
    void set_limits(ProfileId lowest, ProfileId highest) {
        lowest_ = lowest;
        highest_ = highest;
        id_ = std::clamp(id_, lowest, highest);
    }
    /// Parameter alpha of the running mean (REP-REQ), of one frame's measurement: 1/32..15/32.
    virtual void set_averaging(float alpha) = 0;
    virtual void set_aim(const LinkAim&) {}
    /// Nothing has been measured yet; the rate is the highest that the CINR allows.
    void start(float cinr_db) { id_ = first(cinr_db); }

    /// CINR in dB of a burst, by the power density of all carriers.
    virtual void measured(float cinr_db, Samples now) = 0;
    /// The fate of a burst in `profile`, of that CINR in dB.
    virtual void burst(ProfileId profile, const BurstFate& fate, float cinr_db, Samples now) = 0;
    /// The present rate fails, and no other remedy is left.
    virtual void give_up(Samples now) = 0;

    /// The rate that should be used from now on, lowest()..highest().
    virtual ProfileId wanted(Samples now) = 0;
    /// The rate that is used from now on.
    void adopt(ProfileId profile, Samples now) {
        const ProfileId before = id_, id = std::clamp(profile, lowest_, highest_);
        if (id == before) return;
        auto& count = id < before ? changes_.falls : changes_.rises;
        ++count;
        adopted(id, now);
        id_ = id;
    }

    ProfileId id() const { return id_; }
    ProfileId lowest() const { return lowest_; }
    ProfileId highest() const { return highest_; }
    /// What this link needs in addition to the receivers' needs in white noise, in dB.
    virtual float margin_db() const { return 0; }
    const RateChanges& changes() const { return changes_; }

protected:
    /// Forgets what was measured. Returns the rate to begin with, lowest()..highest().
    virtual ProfileId first(float cinr_db) = 0;
    /// `id`, which is not id(), is used from now on.
    virtual void adopted(ProfileId id, Samples now) = 0;

private:
    ProfileId lowest_{}, highest_ = profile_in_row(kRateCount - 1), id_{};
    RateChanges changes_;
};

/// REP-REQ's averaging parameter for the running mean, in 32nds.
uint8_t averaging_code(const LinkAdaptationConfig& config, Samples frame_samples, int64_t sample_rate_hz);
/// The policy of the configuration. `limits` outlive the object and may change at any time. `frame_samples`: 1 or more.
std::unique_ptr<RatePolicy> make_rate_policy(const LinkAdaptationConfig& config, Samples frame_samples,
                                             int64_t sample_rate_hz, const RateThresholds& limits);

}  // namespace wimax::mac
