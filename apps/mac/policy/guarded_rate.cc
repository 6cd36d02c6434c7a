// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/policy/guarded_rate.h"

#include <algorithm>

namespace wimax::mac {

GuardedRate::GuardedRate(Shared& shared, const LinkEnds& ends, std::unique_ptr<RatePolicy> builtin, float averaging,
                         const RateThresholds& limits)
    : shared_(shared), builtin_(std::move(builtin)), limits_(limits), mean_(averaging) {
    report_.ends = ends;
    report_.needs_db = needs_db(report_.aim.goal, report_.aim.target_loss);
}

void GuardedRate::set_averaging(float alpha) {
    mean_.set_averaging(alpha);
    builtin_->set_averaging(alpha);
}

void GuardedRate::set_aim(const LinkAim& aim) {
    builtin_->set_aim(aim);
    if (aim == report_.aim) return;
    report_.aim = aim;
    report_.needs_db = needs_db(aim.goal, aim.target_loss);
}

ProfileId GuardedRate::first(float cinr_db) {
    report_.number = shared_.links++;
    mean_.reset();
    news_ = false;
    measured_at_ = mean_at_ = asked_at_ = INT64_MIN;
    decision_.reset();
    sync();
    builtin_->start(cinr_db);
    return builtin_->id();
}

void GuardedRate::measured(float cinr_db, Samples now) {
    sync();
    builtin_->measured(cinr_db, now);
    if (mean_at_ != now) mean_.add_db(cinr_db);  // the mean takes one per frame
    measured_at_ = mean_at_ = now;
    report_.lowest_cinr_db = report_.measurements == 0 ? cinr_db : std::min(report_.lowest_cinr_db, cinr_db);
    report_.highest_cinr_db = report_.measurements == 0 ? cinr_db : std::max(report_.highest_cinr_db, cinr_db);
    report_.cinr_db = cinr_db;
    ++report_.measurements;
    news_ = true;
}

void GuardedRate::burst(ProfileId profile, const BurstFate& fate, float cinr_db, Samples now) {
    sync();
    builtin_->burst(profile, fate, cinr_db, now);
    auto& of_rate = report_.bursts[row_of(profile)];
    ++of_rate.bursts;
    of_rate.lost_bursts += fate.failed > 0 ? 1 : 0;
    of_rate.blocks += static_cast<uint32_t>(fate.blocks);
    of_rate.lost_blocks += static_cast<uint32_t>(fate.failed);
    measured_at_ = now;
    news_ = true;
}

void GuardedRate::give_up(Samples now) {
    sync();
    builtin_->give_up(now);
    report_.give_up = true;
    measured_at_ = now;
    news_ = true;
}

/// Sets decision_.
void GuardedRate::ask(Samples now) {
    asked_at_ = now;
    report_.at = measured_at_;
    report_.rate = id();
    report_.lowest = lowest();
    report_.highest = highest();
    report_.mean_cinr_db = mean_.measured() ? mean_.mean_db() : 0;
    report_.limits = limits_;
    ProfileId rate = id();
    PolicyOutcome outcome = shared_.loaded->adapt(report_, rate);
    std::string reason;
    if (outcome.result != PolicyResult::done) {
        reason = shared_.loaded->reason();
    } else if (rate < lowest() || rate > highest()) {
        outcome.result = PolicyResult::nonsense;
        reason = "Rate_ID " + std::to_string(row_of(rate)) + ", allowed: " + std::to_string(row_of(lowest())) + ".." +
                 std::to_string(row_of(highest()));
    }
    shared_.account->count(outcome, reason);
    decision_.reset();
    if (outcome.result == PolicyResult::done) decision_ = rate;
    if (outcome.result == PolicyResult::busy) return;  // the next call has what this one would have had
    report_.measurements = 0;
    report_.give_up = false;
    report_.bursts = {};
    news_ = false;
}

ProfileId GuardedRate::wanted(Samples now) {
    sync();
    if (shared_.account->replaced()) decision_.reset();
    else if (news_ && asked_at_ != now) ask(now);
    return decision_ ? std::clamp(*decision_, lowest(), highest()) : builtin_->wanted(now);
}

LinkAdaptation::LinkAdaptation(const LinkAdaptationConfig& config, LoadedPolicies& policies) : config_(config) {
    shared_.loaded = policies.make(&Policies::link_adaptation);
    if (shared_.loaded) shared_.account = &policies.account(PolicyRole::link_adaptation);
}

std::unique_ptr<RatePolicy> LinkAdaptation::make(const LinkEnds& ends, Samples frame_samples, int64_t sample_rate_hz,
                                                 const RateThresholds& limits) {
    auto builtin = make_rate_policy(config_, frame_samples, sample_rate_hz, limits);
    if (!shared_.loaded) return builtin;
    const float averaging =
        static_cast<float>(averaging_code(config_, frame_samples, sample_rate_hz)) * phy::kAveragingStep;
    return std::make_unique<GuardedRate>(shared_, ends, std::move(builtin), averaging, limits);
}

}  // namespace wimax::mac
