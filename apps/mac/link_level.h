// SPDX-License-Identifier: GPL-3.0-or-later
// CINR of a link: while it is constant, its mean over seconds, to hundredths of a decibel; and whether it changes, by a
// line through the last measurements.
#pragma once

#include "mac/cinr_trend.h"

namespace wimax::mac {

class LinkLevel {
public:
    /// `memory_frames`: of the mean. `restless_samples`: two changes within this time are fading.
    LinkLevel(int memory_frames, Samples restless_samples)
        : memory_frames_(memory_frames), restless_samples_(restless_samples) {}

    void clear();
    /// Several of one frame (equal `now`) count as one for the mean.
    void add(float cinr_db, Samples now);

    /// True if there are three measurements.
    bool ready() const { return trend_.ready(); }
    /// The CINR has been constant for some time, apart from noise.
    bool steady() const { return count_ >= kSteadyFrames; }
    /// It has changed twice within `restless_samples`, and that is no longer ago.
    bool restless(Samples now) const { return moved_before_ != INT64_MIN && now - moved_before_ < restless_samples_; }
    /// Mean since the last change. Pre: ready().
    float db() const { return level_db_; }
    const CinrTrend& trend() const { return trend_; }

private:
    static constexpr int kSteadyFrames = 24, kLineFrames = 12;
    static constexpr float kMovedDb =
        1;  ///< distance of line and mean that is a change; with noise of 0.4 dB the line deviates by 0.2

    void moved_to(float db, Samples now);

    const int memory_frames_;
    const Samples restless_samples_;
    CinrTrend trend_;
    Samples added_at_ = INT64_MIN, moved_at_ = INT64_MIN, moved_before_ = INT64_MIN;
    float level_db_ = 0;
    int count_ = 0;  ///< measurements since the last change
    int line_ = 0;   ///< measurements of the line
};

}  // namespace wimax::mac
