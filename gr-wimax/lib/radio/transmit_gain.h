// SPDX-License-Identifier: GPL-3.0-or-later
// The transmit gain of each piece and the scale of its samples that compensates a lowered gain.
#pragma once

#include "radio/device_gains.h"
#include "radio/piece_maker.h"
#include "radio/power_plan.h"

#include <cstdint>
#include <optional>

namespace gr::wimax {

class TransmitGain {
public:
    /// `device` and `gains` must outlive the object.
    TransmitGain(const RadioDevice& device, const RadioConfig& config, DeviceGains& gains);

    /// Chooses the gain for this piece; `may_change`: the device may change it now. Call once per piece.
    void choose(const DevicePiece& piece, bool may_change);
    /// Scales to the device's level, without clipping peaks.
    void scale(DevicePiece& piece) const;

private:
    void plan();

    const RadioDevice& device_;
    DeviceGains& gains_;
    const std::optional<double> digital_range_db_;
    std::optional<PowerPlan> plan_;  // with digital_range_db_
    uint64_t asked_ = 0;             // version of the gains used by the plan
    double more_db_ = 0;             // increase of samples for the lowered gain
};

}  // namespace gr::wimax
