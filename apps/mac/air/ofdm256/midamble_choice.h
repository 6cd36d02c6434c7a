// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one station's bursts carry midambles, and how often. A channel that changes in each frame also changes within
// bursts. If the CINR varies, and as much between frames as over many, a midamble follows every 16 data symbols; every
// 8 if bursts are still lost.
#pragma once

#include "mac/air/uplink_reception.h"
#include "mac/clock.h"

namespace wimax::mac {

class MidambleChoice final : public GrantTraining {
public:
    explicit MidambleChoice(bool enable = false) : enable_(enable) {}

    void on_burst(float cinr_db, bool whole, phy::FrameNumber frame) override;
    /// BurstFormat::midamble_interval.
    uint8_t field() const override { return field_; }
    /// Part of the CINR's variance between successive frames. 0: constant; 1: frames are independent.
    float renewal() const { return variance_ > 0 ? step_variance_ / (2 * variance_) : 0; }
    float deviation_db() const;

private:
    void decide();

    bool enable_;
    uint8_t field_ = 0;
    bool measured_ = false;
    float last_db_ = 0, mean_db_ = 0, variance_ = 0, step_variance_ = 0, loss_ = 0;
    uint32_t bursts_ = 0;  ///< since the last decision
    phy::FrameNumber last_frame_;
};

}  // namespace wimax::mac
