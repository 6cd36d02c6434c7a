// SPDX-License-Identifier: GPL-3.0-or-later
// Frames whose response or samples were late. The status has the last ones, with the host's clock. Other programs on
// the host have the same clock, which helps to distinguish a slow program from a slow machine.
#pragma once

#include "sap/messages.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <array>
#include <cstdint>
#include <vector>

namespace wimax::phyd {

struct LateFrame {
    sap::FrameNumber frame;
    int64_t late_us = 0;  ///< 0: the radio detected it and does not report by how much
    double at_s = 0;      ///< the host's monotonic clock
    uint64_t count = 1;   ///< events that the radio reported together
};

class Lateness {
public:
    /// A response of the MAC was late.
    void response(sap::FrameNumber frame, int64_t late_us);
    /// Another radio counts from zero.
    void restart_radio();
    /// Reads the radio's counters; new events belong to the current frame. True: there are new events.
    bool radio(sap::FrameNumber frame, const gr::wimax::RadioCounters& counters, int64_t sample_rate_hz);

    uint64_t responses() const { return responses_; }
    int64_t worst_response_us() const { return worst_us_; }
    /// The last ones, oldest first.
    std::vector<LateFrame> last() const;

private:
    void note(sap::FrameNumber frame, int64_t late_us, uint64_t count);
    int64_t lateness_at_gate(const gr::wimax::RadioCounters& counters, int64_t sample_rate_hz);

    std::array<LateFrame, 64> last_{};
    size_t noted_ = 0;
    uint64_t responses_ = 0;
    int64_t worst_us_ = 0;
    uint64_t radio_events_ = 0;  ///< of the radio's counters, already noted
    uint64_t gate_events_ = 0;   ///< likewise, by a gate in the radio
};

}  // namespace wimax::phyd
