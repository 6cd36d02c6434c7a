/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Receive gain of a subscriber station, chosen between frames. Levels come as they would be with the gain that was
 * asked for (radios scale what they deliver), in dB below the converter's full scale at that gain, and are judged as
 * the converter has them. No radio, no samples, no clock.
 *
 *   level of a frame's preamble     what is done
 *   above kHighestDbfs              down to kTargetDbfs with the next gap
 *   between                         nothing
 *   below kLowestDbfs               up to kTargetDbfs, when kPatienceFrames in a row are so
 *
 * The window is wider than a step of the correction, so that there is nothing to oscillate. A level that the converter
 * has cut off looks lower than it is: it takes another frame or two. While no base station is found, noise or whatever
 * is there is brought to a level that leaves room on both sides: weak signals are above the converter's own noise, and
 * strong ones are not cut off for longer than a look or two.
 */
#pragma once

#include <gnuradio/wimax/transmit_path.h>

#include <optional>

namespace gr::wimax {

class GainControl {
public:
    static constexpr double kTargetDbfs = -18, kHighestDbfs = -12, kLowestDbfs = -26;  ///< of a data symbol
    static constexpr int kPatienceFrames = 8;
    /// Of the loudest part of what was looked at.
    static constexpr double kSearchTargetDbfs = -30, kSearchHighestDbfs = -12, kSearchLowestDbfs = -36;
    static constexpr int kPatienceLooks = 10;
    static constexpr double kMaxRiseDb = 10;  ///< of one search step: what is heard then may come in bursts

    /// Pre: range.low_db <= range.asked_db <= range.high_db.
    explicit GainControl(const ReceiveGainRange& range) : range_(range), gain_db_(range.asked_db) {}

    /// A frame was heard at this level. A gain to be set in the gap behind it, if another is better.
    std::optional<double> on_frame(double level_dbfs);
    /// Nothing was found for another while; the loudest part had this level.
    std::optional<double> on_search(double loudest_dbfs);
    /// The radio will have this gain.
    void use(double gain_db);
    double gain_db() const { return gain_db_; }

private:
    std::optional<double> changed_by(double db) const;
    double at_converter(double dbfs) const { return dbfs + gain_db_ - range_.asked_db; }

    const ReceiveGainRange range_;
    double gain_db_;
    int weak_ = 0;               ///< in a row
    double strongest_dbfs_ = 0;  ///< of these
};

}  // namespace gr::wimax
