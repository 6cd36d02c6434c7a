// SPDX-License-Identifier: GPL-3.0-or-later
// Receive gain of a subscriber station, chosen between frames. Levels are reported for the configured gain (radios
// scale their samples), in dB below the converter's full scale at that gain. They are compared as the converter has
// them. No radio, no samples, no clock.
//
//   level of a frame's preamble     action
//   above kHighestDbfs              down to kTargetDbfs with the next gap
//   between                         nothing
//   below kLowestDbfs               up to kTargetDbfs, after kPatienceFrames such frames in a row
//
// The window is wider than a step of the correction, so that the gain does not oscillate. A clipped level looks lower
// than it is and needs another frame or two. While no base station is found, the received noise or signal is set to a
// level with margin on both sides: weak signals are above the converter's noise, and strong ones are clipped for at
// most a look or two.
#pragma once

#include <gnuradio/wimax/transmit_path.h>

#include <optional>

namespace gr::wimax {

class GainControl {
public:
    static constexpr double kTargetDbfs = -18, kHighestDbfs = -12, kLowestDbfs = -26;  ///< of a data symbol
    static constexpr int kPatienceFrames = 8;
    /// Levels of the loudest part of a look.
    static constexpr double kSearchTargetDbfs = -30, kSearchHighestDbfs = -12, kSearchLowestDbfs = -36;
    static constexpr int kPatienceLooks = 10;
    static constexpr double kMaxRiseDb = 10;  ///< of one search step: the next signal may arrive in bursts

    /// Pre: range.low_db <= range.asked_db <= range.high_db.
    explicit GainControl(const ReceiveGainRange& range) : range_(range), gain_db_(range.asked_db) {}

    /// A frame was received at this level. Returns a better gain for the gap after the frame, if there is one.
    std::optional<double> on_frame(double level_dbfs);
    /// Another look found no base station; its loudest part had this level.
    std::optional<double> on_search(double loudest_dbfs);
    /// The radio will have this gain.
    void use(double gain_db);
    double gain_db() const { return gain_db_; }

private:
    /// Levels that change nothing, and what happens to others.
    struct Window {
        double highest_dbfs, lowest_dbfs, target_dbfs;
        int patience;  ///< low levels in a row before the gain rises
        double most_rise_db;
    };
    std::optional<double> judge(double dbfs, const Window& window);
    std::optional<double> changed_by(double db) const;

    const ReceiveGainRange range_;
    double gain_db_;
    int weak_ = 0;               ///< in a row
    double strongest_dbfs_ = 0;  ///< of these
};

}  // namespace gr::wimax
