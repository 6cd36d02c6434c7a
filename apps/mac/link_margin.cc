// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/link_margin.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr float kTogether = 3;

}  // namespace

void LinkMargin::set(float db) { db_ = std::clamp(db, kLeastDb, most_db_); }

void LinkMargin::clear() {
    set(0);
    variance_ = kPriorDb * kPriorDb;
}

void LinkMargin::forget() { variance_ = std::min(variance_ + kForgottenDb * kForgottenDb, kChangingDb * kChangingDb); }

void LinkMargin::weigh(ProfileId profile, const BurstFate& burst, float level_db) {
    const float slope = logits_per_db(profile), above_db = level_db - db_;
    if (profile != weighed_ || above_db != above_db_) error_ = block_error(profile, above_db);
    weighed_ = profile;
    above_db_ = above_db;
    const float error = error_;
    const float expected = static_cast<float>(burst.blocks) * error,
                information = expected * (1 - error) * slope * slope;
    variance_ = std::max(1 / (1 / variance_ + information), kLearnedDb * kLearnedDb);
    // Blocks of a burst that fails against all expectation have one cause.
    const float failed = std::min(static_cast<float>(burst.failed), 1 + kTogether * expected);
    const float step_db = variance_ * slope * (failed - expected);
    set(db_ + std::clamp(step_db, -kStepDb, kStepDb));
}

void LinkMargin::delivered(float target_loss) {
    if (db_ > 0) set(std::max(0.0F, db_ - kStepDb * target_loss / (1 - target_loss)));
}

}  // namespace wimax::mac
