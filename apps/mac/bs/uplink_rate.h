/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rate of one station's uplink grants (clause 6.3.17). Fixed, unless a lower one is allowed: then it falls when
 * bursts are heard and fail although power, time and frequency have nothing left to correct, or when the CINR falls
 * below what the rate is announced for, and rises again with the CINR (thresholds of the base station profile, as the
 * DCD announces them).
 */
#pragma once

#include "mac/station_config.h"

#include <algorithm>

namespace wimax::mac {

class UplinkRate {
public:
    /// `lowest`: at most `highest` counts; equal: the rate is fixed.
    UplinkRate(uint8_t highest, uint8_t lowest, const BaseStationProfile& profile)
        : profile_(profile), highest_(highest), lowest_(std::min(lowest, highest)), id_(highest) {}

    uint8_t id() const { return id_; }
    /// Would anything come through at the lowest rate?
    bool possible(float cinr_db) const { return cinr_db >= profile_.exit_db[lowest_] - kHopelessDb; }
    /// Network entry: the highest rate that is likely to work.
    void start(float cinr_db);
    /// A burst in rate `rate_id` that was heard. `exhausted`: several in a row have failed with nothing left to
    /// correct.
    void on_burst(uint8_t rate_id, bool delivered, float cinr_db, bool exhausted);

private:
    static constexpr float kHopelessDb = 1.5F;  // below the threshold for leaving a rate
    static constexpr float kAveraging = 0.125F;
    static constexpr uint32_t kBurstsToFall = 16, kBurstsToRise = 32, kMostToRise = 1024;

    void change(uint8_t id);

    const BaseStationProfile& profile_;  ///< the base station's, which outlives its stations
    uint8_t highest_, lowest_, id_;
    float mean_db_ = 0;
    uint32_t bursts_ = 0, low_ = 0, high_ = 0;  ///< in this rate; below and above its range in a row
    uint32_t to_rise_ = kBurstsToRise;
    bool risen_ = false;  ///< to this rate, and nothing has proved it yet
};

}  // namespace wimax::mac
