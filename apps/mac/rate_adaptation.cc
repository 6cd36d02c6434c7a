// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/rate_adaptation.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

// Delay from a measurement to bursts in the resulting rate: requested and granted in one frame, answered in the next.
constexpr int64_t kReactionFrames = 3;
constexpr int64_t kPatienceMs = 500, kRestlessMs = 5000, kMemoryMs = 3000;
constexpr float kSteepestDbPerS = 40;

constexpr float kPacketOctets = 1500;  // of packets, and of what ARQ repeats if a block of it is lost: a PDU
constexpr float kRepeating = 1.04F;    // octets sent for each that is repeated, and its feedback
constexpr float kAnyLoss = 1e-4F;      // of blocks, without a target

// A constant CINR: deviations of its mean, and of the last measurements.
constexpr float kSteadyFallDb = 0.1F, kSteadyRiseDb = 0.1F, kNoticedDb = 0.75F;
// A changing one: needed beyond what the rate needs, and to rise; deviation of one measurement, at most.
constexpr float kChangingDb = 1, kRiseDb = 0.5F, kNoiseDb = 1;
constexpr float kFadingLoss = 10;  // of bursts, times the target of packets: what a mean does not show costs some
constexpr float kMostFadingLoss = 0.5F, kFadingRepeated = 0.1F;  // of bursts; the latter with ARQ
constexpr float kInformativeDb = 6;  // above the need of the highest rate bursts do not indicate the margin
constexpr float kFarDb = 0.5F;       // above the need of its rate a burst is not expected to fail

constexpr Samples kMostPatience = 1200, kPatienceGrowth = 4;  // times the first
constexpr Samples kNearPatience = 240;  // where it is a matter of a decibel, the same is to be expected next time
constexpr float kNearDb = 1;
constexpr float kTrialDb = 0.4F;  // the tables may be wrong by that much

/// CINR from which on a rate loses no more packets than the target.
float need_for_few_losses(size_t row, float target) {
    return needed_db(profile_in_row(row), target > 0 ? target * kBlockOctets[row] / kPacketOctets : kAnyLoss);
}

/// CINR from which on a rate carries more than the one below, in spite of losses.
float need_for_goodput(size_t row) {
    const float below = row == 0 ? kBlockOctets[0] / 2 : kBlockOctets[row - 1];
    const float blocks = 1 + kPacketOctets / kBlockOctets[row];
    return needed_db(profile_in_row(row), 1 - std::pow(kRepeating * below / kBlockOctets[row], 1 / blocks));
}

}  // namespace

RateNeeds needs_db(LinkGoal goal, float target_loss) {
    RateNeeds needs{};
    for (size_t row = 0; row < needs.size(); ++row)
        needs[row] = goal == LinkGoal::goodput ? need_for_goodput(row) : need_for_few_losses(row, target_loss);
    return needs;
}

RateAdaptation::Config adaptation_config(const LinkAdaptationConfig& of, Samples frame_samples,
                                         int64_t sample_rate_hz) {
    RateAdaptation::Config config;
    config.averaging = static_cast<float>(averaging_code(of, frame_samples, sample_rate_hz)) * phy::kAveragingStep;
    config.target_loss = of.target_loss;
    config.most_margin_db = of.most_margin_db;
    config.reaction_samples = kReactionFrames * frame_samples;
    config.most_drop_db =
        kSteepestDbPerS * static_cast<float>(config.reaction_samples) / static_cast<float>(sample_rate_hz);
    config.patience_samples = kPatienceMs * sample_rate_hz / 1000;
    config.restless_samples = kRestlessMs * sample_rate_hz / 1000;
    config.memory_frames = static_cast<int>(kMemoryMs * sample_rate_hz / 1000 / frame_samples);
    return config;
}

RateAdaptation::RateAdaptation(const Config& config, const RateThresholds& limits)
    : config_(config),
      limits_(limits),
      goodput_needs_db_(needs_db(LinkGoal::goodput, config.target_loss)),
      few_losses_needs_db_(needs_db(LinkGoal::few_losses, config.target_loss)),
      aim_{LinkGoal::few_losses, config.target_loss},
      level_(config.memory_frames, config.restless_samples),
      margin_(config.most_margin_db),
      mean_(config.averaging) {}

ProfileId RateAdaptation::first(float cinr_db) {
    level_.clear();
    margin_.clear();
    mean_.reset();
    measured_at_ = next_step_ = rise_after_ = try_after_ = risen_at_ = held_at_ = INT64_MIN;
    failed_in_a_row_ = 0;
    given_up_ = false;
    held_db_ = cinr_db;
    patience_ = 0;
    ProfileId id = highest();
    while (id > lowest() && !may_stay(id, cinr_db)) id = more_robust(id);
    return id;
}

void RateAdaptation::measured(float cinr_db, Samples now) {
    level_.add(cinr_db, now);
    if (measured_at_ == now) return;  // the mean takes one per frame
    measured_at_ = now;
    mean_.add_db(cinr_db);
    if (level_.restless(now)) margin_.forget();
    if (level_.ready()) try_next_rate(now);
}

void RateAdaptation::set_aim(const LinkAim& aim) {
    if (aim == aim_) return;
    if (aim.goal != aim_.goal) try_after_ = rise_after_;
    if (aim.target_loss != aim_.target_loss) few_losses_needs_db_ = needs_db(LinkGoal::few_losses, aim.target_loss);
    aim_ = aim;
}

/// Below its need a rate is tried with ARQ only.
float RateAdaptation::most_missing_db() const { return aim_.goal == LinkGoal::goodput ? kTrialDb : 0; }

/// Where only the margin forbids the next rate, the margin is lowered so far that it is used: what the rate needs shows
/// in its bursts alone. With ARQ also where a little is missing, since nothing is lost for ever.
void RateAdaptation::try_next_rate(Samples now) {
    if (std::abs(level_.db() - held_db_) > kNearDb) {  // what failed there may work here
        held_db_ = level_.db();
        rise_after_ = std::min(rise_after_, now + config_.patience_samples);
        try_after_ = rise_after_;
    }
    if (now < try_after_ || !level_.steady() || level_.restless(now)) return;
    try_after_ = now + config_.patience_samples;
    if (id() == highest() || aim_.target_loss <= 0) return;  // without losses nothing would raise it again
    const float spare_db = level_.db() - kSteadyRiseDb - need_db(less_robust(id()));
    if (spare_db >= -most_missing_db()) margin_.limit(spare_db);
}

void RateAdaptation::burst(ProfileId profile, const BurstFate& fate, float cinr_db, Samples now) {
    if (profile != id() || lowest() == highest() || !level_.ready()) return;
    if (fate.failed == 0) failed_in_a_row_ = 0;
    else if (id() == lowest()) return;  // what is learned of it is not needed
    const float level_db = level_.steady() ? level_.db() : std::min(level_.db(), cinr_db);
    if (level_.restless(now)) return burst_while_fading(fate, level_db, now);
    burst_while_steady(fate, now);
}

/// Of bursts.
float RateAdaptation::fading_loss() const { return std::min(kMostFadingLoss, kFadingLoss * aim_.target_loss); }

bool RateAdaptation::fails_repeatedly() { return ++failed_in_a_row_ >= kFailedToGiveUp; }

/// Failures that the CINR explains do not change the margin.
void RateAdaptation::burst_while_fading(const BurstFate& fate, float level_db, Samples now) {
    const float above_db = level_db - margin_.db() - need_db(id());
    if (fate.failed == 0) {
        const bool informative = id() < highest() || above_db < kInformativeDb;
        if (informative) margin_.delivered(aim_.goal == LinkGoal::goodput ? kFadingRepeated : fading_loss());
        return;
    }
    if (above_db <= 0) return;
    if (fails_repeatedly()) return give_up(now);
    if (now < next_step_ || aim_.target_loss <= 0) return;
    next_step_ = now + config_.reaction_samples;
    margin_.failed();
}

/// Bursts that fail now and then far above what the rate needs have other causes.
void RateAdaptation::burst_while_steady(const BurstFate& fate, Samples now) {
    const float above_db = level_.db() - margin_.db() - need_db(id());
    if (2 * fate.failed > fate.blocks && above_db > 0 && fails_repeatedly()) return give_up(now);
    if (aim_.target_loss <= 0 || !level_.steady()) return;
    if (fate.failed == 0 && above_db > kFarDb) margin_.delivered(fading_loss());
    if (id() > lowest()) margin_.weigh(id(), fate, level_.db());
}

/// No higher rate for a while. Where the CINR changes, the next rate may be tried soon.
void RateAdaptation::hold(Samples now) {
    if (level_.restless(now)) {
        rise_after_ = now + config_.patience_samples;
        return;
    }
    const bool near = level_.db() - need_db(id()) < kNearDb;
    const Samples first = (near ? kNearPatience : 1) * config_.patience_samples;
    // It was tried after the last wait, and failed sooner than that was long.
    const bool again = risen_at_ > held_at_ && now - risen_at_ <= patience_;
    patience_ = again ? std::min(std::max(first, kPatienceGrowth * patience_), kMostPatience * config_.patience_samples)
                      : first;
    held_at_ = now;
    held_db_ = level_.db();
    rise_after_ = try_after_ = now + patience_;
}

void RateAdaptation::give_up(Samples now) {
    failed_in_a_row_ = 0;
    if (id() == lowest()) return;
    given_up_ = true;
    hold(now);
}

float RateAdaptation::heading_db(Samples now) const {
    return level_.trend().predicted_db(now + config_.reaction_samples, config_.most_drop_db);
}

float RateAdaptation::falling_db(Samples now) const {
    const float latest = level_.trend().latest_db();
    if (!level_.steady()) return std::min(heading_db(now), latest);
    const bool as_before = latest + kNoticedDb >= level_.db();
    return (as_before ? level_.db() : std::min(level_.db(), std::max(heading_db(now), latest) + kNoticedDb)) +
           kSteadyFallDb;
}

float RateAdaptation::rising_db(Samples now) const {
    if (level_.steady()) return level_.db() - kSteadyRiseDb;
    return std::min({heading_db(now), mean_.mean_db(), level_.trend().lowest_db() + kNoiseDb}) - kRiseDb;
}

/// Needed besides what the rate needs in white noise.
float RateAdaptation::reserve_db() const {
    const bool changing = level_.ready() && !level_.steady();
    return margin_.db() + (changing ? kChangingDb : 0);
}

bool RateAdaptation::may_stay(ProfileId profile, float falling_db) const {
    return falling_db - reserve_db() > need_db(profile) && falling_db > limits_.exit_db[row_of(profile)];
}

bool RateAdaptation::may_enter(ProfileId profile, float rising_db) const {
    return rising_db - reserve_db() >= need_db(profile) && rising_db >= limits_.entry_db[row_of(profile)];
}

ProfileId RateAdaptation::wanted(Samples now) {
    ProfileId to = given_up_ && id() > lowest() ? more_robust(id()) : id();
    if (!level_.ready()) return to;
    const float falling = falling_db(now), rising = rising_db(now);
    while (to > lowest() && !may_stay(to, falling)) to = more_robust(to);
    if (to < id() || now < rise_after_) return to;
    while (to < highest() && may_enter(less_robust(to), rising)) to = less_robust(to);
    return to;
}

/// Bursts alone have shown that the rate fails.
bool RateAdaptation::fails_at_its_cinr(Samples now) const {
    const float missing_db = need_db(id()) - level_.db();
    if (!level_.steady() || level_.restless(now) || missing_db >= most_missing_db()) return false;
    return level_.db() + kSteadyFallDb - margin_.db() <= need_db(id());
}

void RateAdaptation::adopted(ProfileId of, Samples now) {
    if (of > id()) risen_at_ = now;
    else if (!given_up_ && fails_at_its_cinr(now)) hold(now);
    given_up_ = false;
    failed_in_a_row_ = 0;
}

}  // namespace wimax::mac
