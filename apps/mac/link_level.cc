// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/link_level.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {

void LinkLevel::clear() {
    trend_.clear();
    added_at_ = moved_at_ = moved_before_ = INT64_MIN;
    count_ = line_ = 0;
}

void LinkLevel::moved_to(float db, Samples now) {
    moved_before_ = moved_at_;
    moved_at_ = now;
    level_db_ = db;
    count_ = 1;
}

void LinkLevel::add(float cinr_db, Samples now) {
    trend_.add(cinr_db, now);
    if (now == added_at_) return;
    added_at_ = now;
    line_ = std::min(line_ + 1, kLineFrames);
    if (line_ == kLineFrames) {
        const float line_db = trend_.predicted_db(now, 0);
        if (std::abs(line_db - level_db_) > kMovedDb) return moved_to(line_db, now);
    }
    count_ = std::min(count_ + 1, memory_frames_);
    level_db_ += (cinr_db - level_db_) / static_cast<float>(count_);
}

}  // namespace wimax::mac
