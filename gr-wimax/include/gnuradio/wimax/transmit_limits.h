// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of a radio's transmissions: on or off, bands, power, length and duty cycle. The operator is responsible for
// them; nothing is sent unless they are set.
#pragma once

#include <gnuradio/wimax/api.h>
#include <gnuradio/wimax/phy/base/fault.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gr::wimax {

/// Frequencies from low_hz to high_hz, both included.
struct Band {
    double low_hz = 0, high_hz = 0;
};

struct TransmitLimits {
    bool enable = false;              ///< false: nothing is sent, and the transmitter is not configured
    std::vector<Band> allowed_bands;  ///< the channel with both edges must lie in one of them
    /// Mean power of the strongest 256 samples at the antenna port: that of a preamble, twice a data symbol's.
    std::optional<double> max_power_dbm;
    /// Without a pause; frames have at most 20 ms. nullopt: no limit, which FDD needs.
    std::optional<double> longest_burst_ms = 20;
    double max_duty_cycle = 0.95;  ///< share of any `duty_window_ms`; 1: no limit
    double duty_window_ms = 1000;
};

/// Ranges of the numbers above.
inline constexpr double kMinBurstMs = 0.1, kMaxBurstMs = 10'000, kMinDutyCycle = 0.001, kMinDutyWindowMs = 10,
                        kMaxDutyWindowMs = 3'600'000, kMinPowerLimitDbm = -100, kMaxPowerLimitDbm = 60;

/// All missing or invalid settings; keys are the names of the members. If the transmitter stays off, only invalid
/// values are reported.
WIMAX_API std::vector<phy::Fault> limit_faults(const TransmitLimits& limits);

/// Whether frames that follow each other without a pause (FDD) keep within the limits. Keys as those of limit_faults().
WIMAX_API std::vector<phy::Fault> continuity_faults(const TransmitLimits& limits);

/// No fault if transmission is enabled and a band contains the whole channel. Key "allowed_bands".
WIMAX_API std::optional<phy::Fault> band_fault(const TransmitLimits& limits, double frequency_hz, double bandwidth_hz);

/// "3400 .. 3600 MHz, 5725 .. 5875 MHz"
WIMAX_API std::string describe(const std::vector<Band>& bands);

/// Counters of suppressed pieces, monotone.
struct TransmitRefusals {
    uint64_t switched_off = 0;  ///< pieces suppressed by `enable`
    uint64_t too_long = 0;      ///< pieces cut or suppressed by `longest_burst_ms`
    uint64_t too_often = 0;     ///< pieces suppressed by `max_duty_cycle`
    uint64_t too_strong = 0;    ///< pieces suppressed by `max_power_dbm`
    uint64_t all() const { return switched_off + too_long + too_often + too_strong; }
};

}  // namespace gr::wimax
