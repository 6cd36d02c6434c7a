// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks/gain_control.h"

#include <algorithm>
#include <cmath>

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

std::optional<double> GainControl::on_frame(double level_dbfs) {
    const double level = at_converter(level_dbfs);
    if (level > kHighestDbfs) {
        weak_ = 0;
        return changed_by(kTargetDbfs - level);
    }
    if (level >= kLowestDbfs) {
        weak_ = 0;
        return std::nullopt;
    }
    strongest_dbfs_ = weak_ == 0 ? level : std::max(strongest_dbfs_, level);
    if (++weak_ < kPatienceFrames) return std::nullopt;
    weak_ = 0;
    return changed_by(kTargetDbfs - strongest_dbfs_);
}

std::optional<double> GainControl::on_search(double loudest_dbfs) {
    const double loudest = at_converter(loudest_dbfs);
    if (loudest > kSearchHighestDbfs) {
        weak_ = 0;
        return changed_by(kSearchTargetDbfs - loudest);
    }
    if (loudest >= kSearchLowestDbfs) {
        weak_ = 0;
        return std::nullopt;
    }
    strongest_dbfs_ = weak_ == 0 ? loudest : std::max(strongest_dbfs_, loudest);
    if (++weak_ < kPatienceLooks) return std::nullopt;
    weak_ = 0;
    return changed_by(std::min(kMaxRiseDb, kSearchTargetDbfs - strongest_dbfs_));
}

}  // namespace gr::wimax
