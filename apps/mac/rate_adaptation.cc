// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/rate_adaptation.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr float kMarginStepDb = 0.5F;
// Delay from a measurement to bursts in the resulting rate: requested and granted in one frame, answered in the next.
constexpr int64_t kReactionFrames = 3;
constexpr int64_t kPatienceMs = 500;
constexpr float kSteepestDbPerS = 40;
constexpr float kNoiseDb = 1;  // of one measurement, at most
constexpr int kFailedToGiveUp = 5;
constexpr float kInformativeDb = 6;    // above the exit threshold of the highest rate bursts do not indicate the margin
constexpr Samples kMostPatience = 32;  // times the first
constexpr int kProvenPatience = 4;     // a rate kept for this multiple of the first was no mistake

}  // namespace

uint8_t averaging_code(const LinkAdaptationConfig& config, Samples frame_samples, int64_t sample_rate_hz) {
    const double frame_ms = 1000 * static_cast<double>(frame_samples) / static_cast<double>(sample_rate_hz);
    const double weight = config.averaging_ms == 0 ? 1 : 1 - std::exp(-frame_ms / config.averaging_ms);
    return static_cast<uint8_t>(std::clamp(std::lround(weight / static_cast<double>(phy::kAveragingStep)), 1L, 15L));
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
    return config;
}

RateAdaptation::RateAdaptation(const Config& config, const RateThresholds& thresholds)
    : config_(config), thresholds_(thresholds), mean_(config.averaging), patience_(config.patience_samples) {}

void RateAdaptation::set_limits(ProfileId lowest, ProfileId highest) {
    lowest_ = lowest;
    highest_ = highest;
    id_ = std::clamp(id_, lowest, highest);
}

void RateAdaptation::start(float cinr_db) {
    id_ = highest_;
    while (id_ > lowest_ && cinr_db <= thresholds_.exit_db[row_of(id_)]) id_ = more_robust(id_);
    trend_.clear();
    mean_.reset();
    measured_at_ = next_step_ = rise_after_ = risen_at_ = INT64_MIN;
    margin_db_ = 0;
    failed_in_a_row_ = 0;
    given_up_ = false;
    patience_ = config_.patience_samples;
}

void RateAdaptation::measured(float cinr_db, Samples now) {
    trend_.add(cinr_db, now);
    if (measured_at_ == now) return;  // the mean takes one per frame
    measured_at_ = now;
    mean_.add_db(cinr_db);
}

/// A burst indicates the margin only where it matters: not at a CINR far above the highest rate's threshold.
bool RateAdaptation::tells_of_margin(float cinr_db) const {
    return id_ < highest_ || cinr_db - margin_db_ < thresholds_.exit_db[row_of(id_)] + kInformativeDb;
}

void RateAdaptation::burst(ProfileId profile, bool delivered, float cinr_db, Samples now) {
    if (profile != id_ || lowest_ == highest_) return;
    if (delivered) {
        failed_in_a_row_ = 0;
        if (config_.target_loss > 0 && tells_of_margin(cinr_db))
            margin_db_ = std::max(0.0F, margin_db_ - kMarginStepDb * config_.target_loss / (1 - config_.target_loss));
        return;
    }
    // Failures predicted by the thresholds, or at the lowest rate, do not change the margin.
    if (id_ == lowest_ || cinr_db - margin_db_ <= thresholds_.exit_db[row_of(id_)]) return;
    if (++failed_in_a_row_ >= kFailedToGiveUp) return give_up(now);
    if (now < next_step_ || config_.target_loss <= 0) return;
    next_step_ = now + config_.reaction_samples;
    margin_db_ = std::min(margin_db_ + kMarginStepDb, config_.most_margin_db);
}

void RateAdaptation::give_up(Samples now) {
    failed_in_a_row_ = 0;
    if (id_ == lowest_) return;
    given_up_ = true;
    if (risen_at_ == INT64_MIN || now - risen_at_ > kProvenPatience * config_.patience_samples)
        patience_ = config_.patience_samples;
    rise_after_ = now + patience_;
    patience_ = std::min(2 * patience_, kMostPatience * config_.patience_samples);
}

ProfileId RateAdaptation::wanted(Samples now) const {
    ProfileId id = given_up_ && id_ > lowest_ ? more_robust(id_) : id_;
    if (!trend_.ready()) return id;
    const float heading_db = trend_.predicted_db(now + config_.reaction_samples, config_.most_drop_db) - margin_db_;
    const float falling_db = std::min(heading_db, trend_.latest_db() - margin_db_);
    while (id > lowest_ && falling_db <= thresholds_.exit_db[row_of(id)]) id = more_robust(id);
    if (id < id_ || now < rise_after_) return id;
    const float rising_db =
        std::min({heading_db, mean_.mean_db() - margin_db_, trend_.lowest_db() + kNoiseDb - margin_db_});
    while (id < highest_ && rising_db >= thresholds_.entry_db[row_of(less_robust(id))]) id = less_robust(id);
    return id;
}

void RateAdaptation::adopt(ProfileId profile, Samples now) {
    const ProfileId id = std::clamp(profile, lowest_, highest_);
    if (id == id_) return;
    auto& count = id < id_ ? counters_.falls : counters_.rises;
    ++count;
    if (id > id_) risen_at_ = now;
    id_ = id;
    given_up_ = false;
    failed_in_a_row_ = 0;
}

}  // namespace wimax::mac
