// SPDX-License-Identifier: GPL-3.0-or-later
// GPIO lines that switch an external amplifier (with T/R switch and protection of a preamplifier) to transmission.
// A line is on from before the first sample of a burst until after the last one. docs/lab.md has a
// drawing.
#pragma once

#include <gnuradio/wimax/api.h>
#include <gnuradio/wimax/phy/base/fault.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gr::wimax {

inline constexpr double kMaxAmplifierLeadUs = 1000;
inline constexpr uint32_t kMaxGpioLines = 0xFFFF;

struct AmplifierLine {
    std::string bank;             ///< GPIO bank by UHD's name: FP0, TXA; "": no amplifier
    uint32_t lines = 0;           ///< bit mask of the lines; all have the same level
    bool active_high = true;      ///< level of a line that is on
    double lead_us = 0;           ///< least time from line on to first sample, us
    double lag_us = 0;            ///< least time from last sample to line off, us
    double receive_after_us = 0;  ///< time from line off until the receiver is undisturbed, us

    bool driven() const { return !bank.empty(); }
};

/// Faults of the settings; keys have no configuration prefix. Empty: no fault.
WIMAX_API std::vector<phy::Fault> amplifier_faults(const AmplifierLine& amplifier);

/// Times in which an end can neither send nor receive. Zeros at a burst's edges count: the line is on with them.
struct TurnTimes {
    double to_send_us = 0, to_receive_us = 0;
};
WIMAX_API TurnTimes turn_times(const AmplifierLine& amplifier, double edge_us);

}  // namespace gr::wimax
