// SPDX-License-Identifier: GPL-3.0-or-later
// The rate of a link by a loaded policy. It collects what was measured, asks the policy at most once per frame, and
// checks the result. After a fault the built-in policy, which has all measurements too, decides in this frame; after
// the third fault, in all frames.
#pragma once

#include "mac/policy/link_policy.h"
#include "mac/policy/loaded_policies.h"

#include <gnuradio/wimax/phy/base/channel_quality.h>

#include <memory>

namespace wimax::mac {

class GuardedRate final : public RatePolicy {
public:
    /// Shared by all links of a station; outlive them.
    struct Shared {
        std::unique_ptr<LinkPolicy> loaded;  ///< null: the built-in policy is configured
        PolicyAccount* account = nullptr;    ///< null with `loaded`
        uint64_t links = 0;                  ///< numbers given so far
    };
    /// Pre: shared.loaded is not null. `limits` outlive the object and may change at any time.
    GuardedRate(Shared& shared, const LinkEnds& ends, std::unique_ptr<RatePolicy> builtin, float averaging,
                const RateThresholds& limits);

    void set_averaging(float alpha) override;
    void set_aim(const LinkAim& aim) override;
    void measured(float cinr_db, Samples now) override;
    void burst(ProfileId profile, const BurstFate& fate, float cinr_db, Samples now) override;
    void give_up(Samples now) override;
    ProfileId wanted(Samples now) override;
    float margin_db() const override { return builtin_->margin_db(); }

private:
    ProfileId first(float cinr_db) override;
    void adopted(ProfileId id, Samples now) override { builtin_->adopt(id, now); }
    void sync() { builtin_->set_limits(lowest(), highest()); }
    void ask(Samples now);

    Shared& shared_;
    const std::unique_ptr<RatePolicy> builtin_;
    const RateThresholds& limits_;
    LinkReport report_;
    phy::RunningPower mean_;
    bool news_ = false;  ///< something was measured since the last call
    Samples measured_at_ = INT64_MIN, mean_at_ = INT64_MIN, asked_at_ = INT64_MIN;
    std::optional<ProfileId> decision_;  ///< nullopt: the built-in policy decides
};

/// Makes the rate policies of a station: built-in ones as configured, or loaded ones.
class LinkAdaptation {
public:
    /// `policies` outlive the object, and the object outlives the policies it makes.
    LinkAdaptation(const LinkAdaptationConfig& config, LoadedPolicies& policies);
    /// As make_rate_policy().
    std::unique_ptr<RatePolicy> make(const LinkEnds& ends, Samples frame_samples, int64_t sample_rate_hz,
                                     const RateThresholds& limits);

private:
    const LinkAdaptationConfig config_;
    GuardedRate::Shared shared_;
};

}  // namespace wimax::mac
