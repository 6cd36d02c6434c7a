// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/cinr_trend.h"

#include <algorithm>

namespace wimax::mac {
namespace {

float median(float a, float b, float c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

}  // namespace

void CinrTrend::add(float cinr_db, Samples now) {
    if (count_ > 0 && kept(0).at == now) {
        auto& last = kept_[newest_];
        if (cinr_db != last.cinr_db) equal_ = 1;
        ++last.bursts;
        last.cinr_db += (cinr_db - last.cinr_db) / static_cast<float>(last.bursts);
    } else {
        equal_ = count_ > 0 && cinr_db == kept(0).cinr_db ? equal_ + 1 : 1;
        newest_ = newest_ == 0 ? kKept - 1 : newest_ - 1;
        kept_[newest_] = {now, cinr_db, 1};
        count_ = std::min(count_ + 1, kKept);
    }
    if (ready()) line_ = equal_ < count_ ? fitted() : Line{kept(0).cinr_db, 0};
}

/// Least squares through medians of three neighbours, so that one disturbed frame does not bend it.
CinrTrend::Line CinrTrend::fitted() const {
    const Samples origin = kept(0).at;
    const size_t points = count_ - 2;
    double sum_t = 0, sum_y = 0, sum_tt = 0, sum_ty = 0;
    for (size_t age = 0; age < points; ++age) {
        const auto t = static_cast<double>(kept(age + 1).at - origin);
        const double y = static_cast<double>(median(kept(age).cinr_db, kept(age + 1).cinr_db, kept(age + 2).cinr_db));
        sum_t += t;
        sum_y += y;
        sum_tt += t * t;
        sum_ty += t * y;
    }
    const auto n = static_cast<double>(points);
    const double spread = n * sum_tt - sum_t * sum_t;
    if (points < 3 || spread <= 0) return {sum_y / n, 0};
    const double slope = (n * sum_ty - sum_t * sum_y) / spread;
    return {(sum_y - slope * sum_t) / n, slope};
}

float CinrTrend::predicted_db(Samples when, float most_drop_db) const {
    const double ahead = line_.slope_db < 0 ? static_cast<double>(when - kept(0).at) : 0;
    const auto line_db = static_cast<float>(line_.last_db + line_.slope_db * ahead);
    return std::max(line_db, lowest_of(kLatest) - most_drop_db);
}

float CinrTrend::lowest_of(size_t measurements) const {
    float lowest = kept(0).cinr_db;
    if (equal_ >= measurements) return lowest;
    for (size_t age = 1; age < std::min(measurements, count_); ++age) lowest = std::min(lowest, kept(age).cinr_db);
    return lowest;
}

float CinrTrend::latest_db() const { return std::max({kept(0).cinr_db, kept(1).cinr_db, kept(2).cinr_db}); }

}  // namespace wimax::mac
