// SPDX-License-Identifier: GPL-3.0-or-later
// Divides a transmitter's power between its gain, which has steps and is changed rarely, and the scale of its samples,
// which is exact. No device, no clock.
//
// Levels are those of a data symbol, in dB below the highest allowed one. That one is sent at the highest gain, with
// samples at the head-room for peaks. A piece at level L, sent with a gain G dB below the highest, has samples L + G dB
// below the head-room. This is never above 0, so that peaks are not clipped. It is within `digital_range_db` of 0 while
// the gain can be lowered, which uses the converter's bits. The exact gain matters little: the sender scales the
// samples for the gain that the device has set.
#pragma once

#include <gnuradio/wimax/radio_frontend.h>

#include <optional>

namespace gr::wimax {

class PowerPlan {
public:
    /// Consecutive pieces below the range before the gain is lowered; fewer for pieces kFarDb below it, where a
    /// transmitter's leaking carrier is as loud as they are.
    static constexpr int kPatience = 16, kFarPatience = 2;
    static constexpr double kFarDb = 9;

    /// `gains`: the device's. Pre: gains.low_db <= highest_gain_db; digital_range_db >= 0.
    PowerPlan(const GainRange& gains, double highest_gain_db, double digital_range_db);

    /// Gain for a piece of this level, 0 or less; nothing: keep the present gain. Call once per piece.
    std::optional<double> wanted_gain(double level_db);
    /// Sets the present gain.
    void use(double gain_db);
    double gain_db() const { return gain_db_; }

private:
    const GainRange gains_;
    const double highest_db_, range_db_;
    double gain_db_;
    int below_ = 0, far_below_ = 0;  ///< consecutive pieces
};

}  // namespace gr::wimax
