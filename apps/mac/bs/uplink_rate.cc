// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/uplink_rate.h"

namespace wimax::mac {
namespace {

constexpr float kAboutToRiseDb = 1;  // a burst that fails while power is about to rise is ignored

}  // namespace

void UplinkRate::on_burst(ProfileId profile, const BurstFate& fate, float cinr_db, float power_left_db, bool exhausted,
                          Samples now) {
    if (!adapts()) return;
    policy_->measured(cinr_db + power_left_db, now);
    if (fate.failed == 0 || power_left_db < kAboutToRiseDb) policy_->burst(profile, fate, cinr_db, now);
    if (exhausted && profile == id()) policy_->give_up(now);
    policy_->adopt(policy_->wanted(now), now);
}

}  // namespace wimax::mac
