/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines by which a radio switches an external amplifier (and what is about it: T/R switch, protection of a
 * preamplifier) to transmission: on before a burst's first sample leaves, off behind its last one. docs/lab.md has a
 * drawing.
 */
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
    std::string bank;             ///< of the device's GPIO, as UHD names it: FP0, TXA; "": no amplifier
    uint32_t lines = 0;           ///< bits: those that switch it, all alike
    bool active_high = true;      ///< level of a line that is on
    double lead_us = 0;           ///< on that long before a burst, at least
    double lag_us = 0;            ///< on that long behind it, at least
    double receive_after_us = 0;  ///< until nothing of it is received any more, from off on

    bool driven() const { return !bank.empty(); }
};

/// Keys without the prefix of a configuration. Empty: fine.
WIMAX_API std::vector<phy::Fault> amplifier_faults(const AmplifierLine& amplifier);

/// How long an end can neither send nor receive. Zeros at a burst's edges count, since lines are on with them.
struct TurnTimes {
    double to_send_us = 0, to_receive_us = 0;
};
WIMAX_API TurnTimes turn_times(const AmplifierLine& amplifier, double edge_us);

}  // namespace gr::wimax
