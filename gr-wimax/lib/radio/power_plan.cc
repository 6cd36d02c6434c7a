// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/power_plan.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax {

PowerPlan::PowerPlan(const GainRange& gains, double highest_gain_db, double digital_range_db)
    : gains_(gains), highest_db_(highest_gain_db), range_db_(digital_range_db), gain_db_(highest_gain_db) {}

void PowerPlan::use(double gain_db) {
    gain_db_ = gain_db;
    below_ = far_below_ = 0;
}

std::optional<double> PowerPlan::wanted_gain(double level_db) {
    constexpr double kRounding = 1e-6;
    const double digital_db = level_db + highest_db_ - gain_db_;
    below_ = digital_db < -range_db_ - kRounding ? below_ + 1 : 0;
    far_below_ = digital_db < -range_db_ - kFarDb - kRounding ? far_below_ + 1 : 0;
    if (digital_db <= kRounding && below_ < kPatience && far_below_ < kFarPatience) return std::nullopt;
    // Choose the middle of the range; between two steps the higher one.
    double gain = highest_db_ + level_db + range_db_ / 2;
    if (gains_.step_db > 0)
        gain = gains_.low_db + gains_.step_db * std::ceil((gain - gains_.low_db) / gains_.step_db - kRounding);
    gain = std::clamp(gain, gains_.low_db, highest_db_);
    below_ = far_below_ = 0;
    if (std::abs(gain - gain_db_) < kRounding) return std::nullopt;
    return gain;
}

}  // namespace gr::wimax
