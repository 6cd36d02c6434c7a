// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/gain_control.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gr::wimax {

/// On the device's steps, towards the present gain.
std::optional<double> GainControl::changed_by(double db) const {
    constexpr double kRounding = 1e-6;
    double gain = gain_db_ + db;
    if (range_.step_db > 0) {
        const double steps = (gain - range_.low_db) / range_.step_db;
        gain = range_.low_db + range_.step_db * (db > 0 ? std::floor(steps + kRounding) : std::ceil(steps - kRounding));
    }
    gain = std::clamp(gain, range_.low_db, range_.high_db);
    if (std::abs(gain - gain_db_) < kRounding) return std::nullopt;
    return gain;
}

void GainControl::use(double gain_db) {
    gain_db_ = gain_db;
    weak_ = 0;
}

std::optional<double> GainControl::judge(double dbfs, const Window& window) {
    const double level = dbfs + gain_db_ - range_.asked_db;  // at the converter
    if (level > window.highest_dbfs) {
        weak_ = 0;
        return changed_by(window.target_dbfs - level);
    }
    if (level >= window.lowest_dbfs) {
        weak_ = 0;
        return std::nullopt;
    }
    strongest_dbfs_ = weak_ == 0 ? level : std::max(strongest_dbfs_, level);
    if (++weak_ < window.patience) return std::nullopt;
    weak_ = 0;
    return changed_by(std::min(window.most_rise_db, window.target_dbfs - strongest_dbfs_));
}

std::optional<double> GainControl::on_frame(double level_dbfs) {
    constexpr double kAnyRise = std::numeric_limits<double>::infinity();
    return judge(level_dbfs, {kHighestDbfs, kLowestDbfs, kTargetDbfs, kPatienceFrames, kAnyRise});
}

std::optional<double> GainControl::on_search(double loudest_dbfs) {
    return judge(loudest_dbfs, {kSearchHighestDbfs, kSearchLowestDbfs, kSearchTargetDbfs, kPatienceLooks, kMaxRiseDb});
}

}  // namespace gr::wimax
