/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which rate a radio runs at for a channel, and how channel samples and device ticks map onto each other. Plain logic:
 * the radio is behind RateDevice.
 *
 * Both grids count from time 0 of the device, so channel sample n lies at device tick n * up / down exactly, for ever:
 * there is no error to add up and none to round, since the resampler computes its output at that very place.
 */
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gr::wimax {

/// As good as equal: less than a tenth of what clocks are off. Time goes by the rate that is there (tick_rate_hz), so
/// that the difference does not add up.
bool same_rate(double a, double b);

/// Rates and clocks in Hz. What is "got" may differ from what was asked for: radios coerce.
class RateDevice {
public:
    virtual ~RateDevice() = default;
    /// Both directions; returns the rate got, 0 if they differ.
    virtual double set_rate(double hz) = 0;
    /// Rates that both directions can do with the present master clock.
    virtual std::vector<double> rates() = 0;
    virtual double master_clock() = 0;
    virtual double set_master_clock(double hz) = 0;  ///< returns the clock got
    virtual double nearest_master_clock(double hz) = 0;
    virtual double lowest_master_clock() = 0;
    virtual double highest_master_clock() = 0;
    /// Clocks worth a try besides the present one: all, if the device has a few fixed ones.
    virtual std::vector<double> master_clocks() = 0;
};

/// Device rate = channel rate * up / down, in lowest terms; up >= down.
struct RatePlan {
    int64_t channel_rate_hz = 0, device_rate_hz = 0;
    int up = 1, down = 1;
    double tick_rate_hz =
        static_cast<double>(device_rate_hz);  ///< as the device has it: seconds and ticks convert by it

    bool exact() const { return up == down; }
    /// First device tick at or after a channel sample, and first channel sample at or after a tick. |argument| < 2^60.
    int64_t tick_at(int64_t channel_sample) const;
    int64_t sample_at(int64_t tick) const;
};

inline constexpr double kMaxResampling = 4;         // device rate over channel rate: bounds load of host and link
inline constexpr int64_t kMaxResamplingTerm = 640;  // phases of the filter: bounds its table, not the work per sample

/// Sets the device up for `channel_rate_hz`: the rate itself if any master clock gives it without an odd factor above 1
/// (half-band stages are flat, the others droop and leave images), else the cheapest of that rate by an odd factor and
/// higher ones, in whole Hz, whose ratio has terms up to kMaxResamplingTerm; an odd factor costs half the rate more.
/// `device_rate_hz`: that rate or none; 0: as above. Error: text that names what the device offers.
tl::expected<RatePlan, phy::Fault> plan_rate(double channel_rate_hz, RateDevice& device, double device_rate_hz = 0);

/// floor(a * b / c) and a * b mod c for 0 < b, c < 2^31 without overflow of a * b.
struct Scaled {
    int64_t quotient, remainder;
};
Scaled scale(int64_t a, int64_t b, int64_t c);

}  // namespace gr::wimax
