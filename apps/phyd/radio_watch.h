// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of the radio's counters since the last call, for the log and for the status line.
#pragma once

#include "phyd/transceiver.h"

#include <chrono>
#include <string>

namespace wimax::phyd {

/// "3 too often (radio.max_duty_cycle)"; "" if nothing but the switch kept bursts back.
std::string refusal_words(const gr::wimax::TransmitRefusals& refused);

class RadioWatch {
public:
    /// Another radio counts from zero.
    void restart();
    /// True: more samples were clipped.
    bool clips(const gr::wimax::RadioCounters& counters);
    /// Warns of bursts that the transmit guard suppressed, once per second at most. Bursts that the switch keeps back
    /// are reported when the radio is opened.
    void warn_of_refusals(const Transceiver& air, sap::FrameNumber frame);
    /// The radio's faults in total and since the last line, in the letters that users of UHD know.
    std::string line(const gr::wimax::RadioCounters& counters);

private:
    std::chrono::steady_clock::time_point refusals_at_{};
    uint64_t clipped_ = 0, refused_ = 0;    ///< already reported
    gr::wimax::RadioCounters line_before_;  ///< the counters of the last line
};

}  // namespace wimax::phyd
