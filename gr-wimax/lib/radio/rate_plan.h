// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the rate of a radio for a channel, and converts between channel samples and device ticks. Plain logic:
// RateDevice is the interface to the radio.
//
// Both grids count from time 0 of the device, so channel sample n lies at device tick n * up / down exactly. Errors do
// not accumulate and nothing is rounded, because the resampler computes its output at exactly that position.
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gr::wimax {

/// Relative difference of equal rates: less than a tenth of a clock's error. Times use the actual rate (tick_rate_hz),
/// so that the difference does not accumulate.
bool same_rate(double a, double b);

/// Rates and clocks in Hz. The actual value may differ from the requested one: radios coerce.
class RateDevice {
public:
    virtual ~RateDevice() = default;
    /// Sets both directions; returns the actual rate, 0 if they differ.
    virtual double set_rate(double hz) = 0;
    /// Rates that both directions can do with the present master clock.
    virtual std::vector<double> rates() = 0;
    virtual double master_clock() = 0;
    virtual double set_master_clock(double hz) = 0;  ///< returns the actual clock
    virtual double nearest_master_clock(double hz) = 0;
    virtual double lowest_master_clock() = 0;
    virtual double highest_master_clock() = 0;
    /// Clocks to try in addition to the present one: all, if the device has a few fixed ones.
    virtual std::vector<double> master_clocks() = 0;
};

/// Device rate = channel rate * up / down, in lowest terms; up >= down.
struct RatePlan {
    int64_t channel_rate_hz = 0, device_rate_hz = 0;
    int up = 1, down = 1;
    double tick_rate_hz =
        static_cast<double>(device_rate_hz);  ///< as set by the device, for conversion between seconds and ticks

    bool exact() const { return up == down; }
    /// First device tick at or after a channel sample, and first channel sample at or after a tick. |argument| < 2^60.
    int64_t tick_at(int64_t channel_sample) const;
    int64_t sample_at(int64_t tick) const;
};

inline constexpr double kMaxResampling = 4;         // device rate over channel rate: bounds load of host and link
inline constexpr int64_t kMaxResamplingTerm = 640;  // phases of the filter: bounds its table, not the work per sample

/// Sets the device up for `channel_rate_hz`. It chooses the rate itself if a master clock gives it without an odd
/// factor above 1: half-band stages are flat, the others droop and leave images. Otherwise it chooses the cheapest of
/// that rate by an odd factor and higher rates in whole Hz whose ratio has terms up to kMaxResamplingTerm; an odd
/// factor costs half the rate more. `device_rate_hz`: this rate only; 0: as above. Error: text with the device's
/// possible rates.
tl::expected<RatePlan, phy::Fault> plan_rate(double channel_rate_hz, RateDevice& device, double device_rate_hz = 0);

/// floor(a * b / c) and a * b mod c for 0 < b, c < 2^31 without overflow of a * b.
struct Scaled {
    int64_t quotient, remainder;
};
Scaled scale(int64_t a, int64_t b, int64_t c);

}  // namespace gr::wimax
