// SPDX-License-Identifier: GPL-3.0-or-later
// Trend of a link's CINR: a straight line through the last measurements, so that a rate is left before it fails. A mean
// alone lags: 30 dB/s are 3 dB in the ten frames that a smooth one takes.
#pragma once

#include "mac/sample_time.h"

#include <array>
#include <cstddef>

namespace wimax::mac {

class CinrTrend {
public:
    void clear() { count_ = 0; }
    /// Several of one frame (equal `now`) count as their mean.
    void add(float cinr_db, Samples now);
    /// True if there are three measurements.
    bool ready() const { return count_ >= kLatest; }
    /// Value of the line at `when`. A rising line ends at the last measurement; a falling one ends `most_drop_db` below
    /// the last ones, since a step is no slope. Pre: ready().
    float predicted_db(Samples when, float most_drop_db) const;
    /// The best of the last three. Pre: ready().
    float latest_db() const;
    /// The worst of the last eight. Pre: ready().
    float lowest_db() const { return lowest_of(kLowest); }

private:
    static constexpr size_t kKept = 18, kLatest = 3, kLowest = 8;
    struct Measurement {
        Samples at = 0;
        float cinr_db = 0;
        int bursts = 1;
    };
    /// Value at the last measurement, and slope per sample.
    struct Line {
        double last_db = 0, slope_db = 0;
    };

    float lowest_of(size_t measurements) const;
    Line fitted() const;
    /// `age` 0: the newest.
    const Measurement& kept(size_t age) const {
        const size_t place = newest_ + age;
        return kept_[place < kKept ? place : place - kKept];
    }

    std::array<Measurement, kKept> kept_;  ///< a ring, each followed by the one before it
    size_t newest_ = 0;
    size_t count_ = 0;
    size_t equal_ = 0;  ///< measurements in a row that equal the newest
    Line line_;         ///< if ready()
};

}  // namespace wimax::mac
