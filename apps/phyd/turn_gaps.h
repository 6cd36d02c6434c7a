/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether the gaps of a base station's frames, TTG and RTG, hold the time that its external amplifier takes to turn.
 * For answers that keep within their frame (sap::check_bounds()). Nobody corrects what is too short: the first uplink
 * bursts are not heard, or the next downlink begins late.
 */
#pragma once

#include "sap/frame_bounds.h"

#include <gnuradio/wimax/amplifier_line.h>

#include <optional>
#include <string>

namespace wimax::phyd {

class TurnGaps {
public:
    /// Forgets what was told.
    void restart(const gr::wimax::TurnTimes& needed, int64_t sample_rate_hz);

    /// The uplink of a frame, which comes before its downlink.
    void expects(const sap::RxExpect& m, const sap::FrameInForce& frame);
    /// The downlink of a frame; an empty one sends nothing. What is to be told of a gap that is too short, once of
    /// each.
    std::optional<std::string> sends(const sap::TxFrame& m, const sap::FrameInForce& frame);

private:
    double us(int64_t slots) const;

    gr::wimax::TurnTimes needed_;
    double us_a_slot_ = 0;
    sap::FrameNumber number_;
    std::optional<sap::Extent> uplink_;  ///< of that frame
    bool told_ttg_ = false, told_rtg_ = false;
};

}  // namespace wimax::phyd
