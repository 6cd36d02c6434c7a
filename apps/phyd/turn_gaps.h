// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the gaps of a base station's frames, TTG and RTG, are long enough for its external amplifier to turn. For
// responses that keep within their frame (sap::check_bounds()). Short gaps are only reported: the first uplink bursts
// are not received, or the next downlink begins late.
#pragma once

#include "sap/frame_bounds.h"

#include <gnuradio/wimax/amplifier_line.h>

#include <optional>
#include <string>

namespace wimax::phyd {

class TurnGaps {
public:
    /// Forgets previous reports. Without `needed`, the radio need not turn: each direction has its own carrier.
    void restart(const std::optional<gr::wimax::TurnTimes>& needed, int64_t sample_rate_hz);

    /// The uplink of a frame, passed before its downlink.
    void expects(const sap::RxExpect& m, const sap::FrameInForce& frame);
    /// The downlink of a frame; an empty one sends nothing. Returns a warning for a gap that is too short, once for
    /// each.
    std::optional<std::string> sends(const sap::TxFrame& m, const sap::FrameInForce& frame);

private:
    double us(int64_t slots) const;

    std::optional<gr::wimax::TurnTimes> needed_;
    double us_a_slot_ = 0;
    sap::FrameNumber number_;
    std::optional<sap::Extent> uplink_;  ///< of that frame
    bool told_ttg_ = false, told_rtg_ = false;
};

}  // namespace wimax::phyd
