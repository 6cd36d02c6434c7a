// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/threshold_policy.h"

namespace wimax::mac {

ProfileId ThresholdPolicy::first(float cinr_db) {
    mean_.reset();
    measured_at_ = rise_after_ = INT64_MIN;
    failed_in_a_row_ = 0;
    given_up_ = false;
    ProfileId id = highest();
    while (id > lowest() && !may_stay(id, cinr_db)) id = more_robust(id);
    return id;
}

/// The mean takes one measurement per frame.
void ThresholdPolicy::measured(float cinr_db, Samples now) {
    if (measured_at_ == now) return;
    measured_at_ = now;
    mean_.add_db(cinr_db);
}

void ThresholdPolicy::burst(ProfileId profile, const BurstFate& fate, float, Samples now) {
    if (profile != id()) return;
    failed_in_a_row_ = 2 * fate.failed > fate.blocks ? failed_in_a_row_ + 1 : 0;
    if (failed_in_a_row_ >= kFailedToGiveUp) give_up(now);
}

void ThresholdPolicy::give_up(Samples now) {
    failed_in_a_row_ = 0;
    if (id() == lowest()) return;
    given_up_ = true;
    rise_after_ = now + patience_samples_;
}

ProfileId ThresholdPolicy::wanted(Samples now) {
    ProfileId to = given_up_ && id() > lowest() ? more_robust(id()) : id();
    if (!mean_.measured()) return to;
    const float mean_db = mean_.mean_db();
    while (to > lowest() && !may_stay(to, mean_db)) to = more_robust(to);
    if (to < id() || now < rise_after_) return to;
    while (to < highest() && mean_db >= limits_.entry_db[row_of(less_robust(to))]) to = less_robust(to);
    return to;
}

void ThresholdPolicy::adopted(ProfileId, Samples) {
    failed_in_a_row_ = 0;
    given_up_ = false;
}

}  // namespace wimax::mac
