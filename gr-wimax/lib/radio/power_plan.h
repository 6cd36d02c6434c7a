/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a transmitter's power is divided between its gain, which has steps and is changed rarely, and the scale of its
 * samples, which is exact. No device, no clock.
 *
 * Levels are those of a data symbol in dB below the highest that the transmitter may send, which it sends at its
 * highest gain with samples at the head-room for peaks. A piece at level L, sent with a gain G dB below the highest,
 * has samples L + G dB below the head-room: never above 0, so peaks are not clipped, and within `digital_range_db` of
 * it while there is gain to take away, so the converter's bits are made use of. What gain there is matters little: who
 * sends takes the rest off its samples by what the gain turned out to be.
 */
#pragma once

#include <gnuradio/wimax/radio_frontend.h>

#include <optional>

namespace gr::wimax {

class PowerPlan {
public:
    /// Pieces in a row that have to be below the range before the gain goes down; fewer so far below it, where a
    /// transmitter's own carrier is as loud as they are.
    static constexpr int kPatience = 16, kFarPatience = 2;
    static constexpr double kFarDb = 9;

    /// `gains`: the device's. Pre: gains.low_db <= highest_gain_db; digital_range_db >= 0.
    PowerPlan(const GainRange& gains, double highest_gain_db, double digital_range_db);

    /// For a piece of this level, 0 or less; nothing: the present gain does. Once for each piece.
    std::optional<double> wanted_gain(double level_db);
    /// The gain is this from now on.
    void use(double gain_db);
    double gain_db() const { return gain_db_; }

private:
    const GainRange gains_;
    const double highest_db_, range_db_;
    double gain_db_;
    int below_ = 0, far_below_ = 0;  ///< pieces in a row
};

}  // namespace gr::wimax
