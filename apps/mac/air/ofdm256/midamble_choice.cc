// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/midamble_choice.h"

#include <cmath>

namespace wimax::mac {
namespace {

constexpr float kBurstShare = 1.0F / 64;  // of one burst
constexpr uint32_t kBurstsToDecide = 128;
constexpr float kLeastDeviationDb = 0.8F;  // less is the measurement's own noise
constexpr float kMovingRenewal = 0.5F, kStandingRenewal = 0.3F;
constexpr float kMuchLoss = 0.03F;
constexpr uint8_t kEvery16 = 2, kEvery8 = 1;

}  // namespace

float MidambleChoice::deviation_db() const { return std::sqrt(variance_); }

void MidambleChoice::on_burst(float cinr_db, bool whole, phy::FrameNumber frame) {
    if (!enable_) return;
    if (measured_ && frame == last_frame_) return;  // another of the same frame
    if (!measured_) mean_db_ = cinr_db;
    if (measured_ && frame == last_frame_ + 1) {
        const float step = cinr_db - last_db_;
        step_variance_ += kBurstShare * (step * step - step_variance_);
        const float off = cinr_db - mean_db_;
        variance_ += kBurstShare * (off * off - variance_);
        loss_ += kBurstShare * ((whole ? 0.0F : 1.0F) - loss_);
        if (++bursts_ >= kBurstsToDecide) decide();
    }
    mean_db_ += kBurstShare * (cinr_db - mean_db_);
    measured_ = true;
    last_db_ = cinr_db;
    last_frame_ = frame;
}

void MidambleChoice::decide() {
    bursts_ = 0;
    const bool varies = deviation_db() >= kLeastDeviationDb;
    if (!varies || renewal() < kStandingRenewal) field_ = 0;
    else if (field_ == kEvery16 && loss_ > kMuchLoss) field_ = kEvery8;
    else if (field_ == 0 && renewal() > kMovingRenewal) field_ = kEvery16;
}

}  // namespace wimax::mac
