/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a radio may send: whether at all, where, how strong, how long and how often. Whoever operates it answers for
 * these; nothing is sent unless they were given.
 */
#pragma once

#include <gnuradio/wimax/api.h>
#include <gnuradio/wimax/phy/base/fault.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gr::wimax {

/// Frequencies from one to the other, both included.
struct Band {
    double low_hz = 0, high_hz = 0;
};

struct TransmitLimits {
    bool enable = false;              ///< false: nothing is sent, and the transmitter is not touched
    std::vector<Band> allowed_bands;  ///< a channel lies in one of them, with both its edges
    /// Mean power of the strongest 256 samples at the antenna port: of a preamble, which has twice a data symbol's.
    std::optional<double> max_power_dbm;
    double longest_burst_ms = 20;  ///< without a pause: frames have 20 ms at most
    double max_duty_cycle = 0.95;  ///< of any `duty_window_ms`; 1: no limit
    double duty_window_ms = 1000;
};

/// Ranges of the numbers above.
inline constexpr double kMinBurstMs = 0.1, kMaxBurstMs = 10'000, kMinDutyCycle = 0.001, kMinDutyWindowMs = 10,
                        kMaxDutyWindowMs = 3'600'000, kMinPowerLimitDbm = -100, kMaxPowerLimitDbm = 60;

/// What is missing or cannot be, all of it; keys as the members are called. Of a transmitter that stays off only what
/// is wrong in itself.
WIMAX_API std::vector<phy::Fault> limit_faults(const TransmitLimits& limits);

/// A channel that may be sent has none: enabled, and some band holds all of it. Key "allowed_bands".
WIMAX_API std::optional<phy::Fault> band_fault(const TransmitLimits& limits, double frequency_hz, double bandwidth_hz);

/// "3400 .. 3600 MHz, 5725 .. 5875 MHz"
WIMAX_API std::string describe(const std::vector<Band>& bands);

/// What was not sent, monotone.
struct TransmitRefusals {
    uint64_t switched_off = 0;  ///< pieces, by `enable`
    uint64_t too_long = 0;      ///< pieces cut or left out by `longest_burst_ms`
    uint64_t too_often = 0;     ///< pieces left out by `max_duty_cycle`
    uint64_t too_strong = 0;    ///< pieces left out by `max_power_dbm`
    uint64_t all() const { return switched_off + too_long + too_often + too_strong; }
};

}  // namespace gr::wimax
