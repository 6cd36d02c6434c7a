// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/uplink_width.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kWeakToNarrow = 3;
constexpr uint32_t kLostToNarrow = 4;
constexpr float kWidthAveraging = 0.125F;  // of one burst's measurement
constexpr Samples kMostPatience = 32;      // times the first
constexpr Samples kProvenPatience = 4;

}  // namespace

/// The largest part on which the CINR suffices.
uint32_t UplinkWidth::suited(float cinr_db, float needed_db) const {
    uint32_t count = kAll;
    while (count > config_.fewest && cinr_db + density_gain_db(count) <= needed_db) count /= 2;
    return count;
}

bool UplinkWidth::change(uint32_t count, Samples now) {
    if (count == count_) return false;
    if (count > count_) {
        widened_at_ = now;
    } else if (now - widened_at_ < kProvenPatience * patience_) {
        patience_ = std::min(2 * patience_, kMostPatience * config_.patience);
    } else {
        patience_ = config_.patience;
    }
    count_ = count;
    changed_at_ = now;
    weak_in_a_row_ = 0;
    lost_in_a_row_ = 0;
    ++changes_;
    return true;
}

bool UplinkWidth::on_burst(float cinr_db, float needed_db, Samples now) {
    if (!adapts()) return false;
    mean_db_ = measured_ ? mean_db_ + kWidthAveraging * (cinr_db - mean_db_) : cinr_db;
    measured_ = true;
    const uint32_t count = suited(cinr_db, needed_db);
    if (count < count_) {
        weak_count_ = weak_in_a_row_ == 0 ? count : std::max(weak_count_, count);
        if (++weak_in_a_row_ < kWeakToNarrow) return false;
        mean_db_ = cinr_db;
        return change(weak_count_, now);
    }
    weak_in_a_row_ = 0;
    if (!narrow() || now - changed_at_ < patience_) return false;
    const float wider_db = std::min(mean_db_, cinr_db) + density_gain_db(2 * count_);
    return wider_db >= needed_db + config_.hysteresis_db && change(2 * count_, now);
}

bool UplinkWidth::on_loss(bool at_limit, Samples now) {
    if (!adapts() || !at_limit || ++lost_in_a_row_ < kLostToNarrow) return false;
    lost_in_a_row_ = 0;
    return change(std::max(count_ / 2, config_.fewest), now);
}

}  // namespace wimax::mac
