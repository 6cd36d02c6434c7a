// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/cinr_trend.h"

#include <algorithm>

namespace wimax::mac {
namespace {

float median(float a, float b, float c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

}  // namespace

void CinrTrend::add(float cinr_db, Samples now) {
    if (count_ > 0 && measurement(0).at == now) {
        auto& last = kept_[(next_ + kKept - 1) % kKept];
        ++last.bursts;
        last.cinr_db += (cinr_db - last.cinr_db) / static_cast<float>(last.bursts);
        return;
    }
    kept_[next_] = {now, cinr_db, 1};
    next_ = (next_ + 1) % kKept;
    count_ = std::min(count_ + 1, kKept);
}

/// Least squares through medians of three neighbours, so that one disturbed frame does not bend it.
float CinrTrend::predicted_db(Samples when, float most_drop_db) const {
    const Samples origin = measurement(0).at;
    const size_t points = count_ - 2;
    double sum_t = 0, sum_y = 0, sum_tt = 0, sum_ty = 0;
    for (size_t age = 0; age < points; ++age) {
        const auto t = static_cast<double>(measurement(age + 1).at - origin);
        const double y = static_cast<double>(
            median(measurement(age).cinr_db, measurement(age + 1).cinr_db, measurement(age + 2).cinr_db));
        sum_t += t;
        sum_y += y;
        sum_tt += t * t;
        sum_ty += t * y;
    }
    const auto n = static_cast<double>(points);
    const double spread = n * sum_tt - sum_t * sum_t;
    if (points < 3 || spread <= 0) return static_cast<float>(sum_y / n);
    const double slope = (n * sum_ty - sum_t * sum_y) / spread;
    const double ahead = slope < 0 ? static_cast<double>(when - origin) : 0;
    const auto line_db = static_cast<float>((sum_y - slope * sum_t) / n + slope * ahead);
    return std::max(line_db, lowest_of(kLatest) - most_drop_db);
}

float CinrTrend::lowest_of(size_t measurements) const {
    float lowest = measurement(0).cinr_db;
    for (size_t age = 1; age < std::min(measurements, count_); ++age)
        lowest = std::min(lowest, measurement(age).cinr_db);
    return lowest;
}

float CinrTrend::latest_db() const {
    return std::max({measurement(0).cinr_db, measurement(1).cinr_db, measurement(2).cinr_db});
}

}  // namespace wimax::mac
