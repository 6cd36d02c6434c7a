// SPDX-License-Identifier: GPL-3.0-or-later
// Master clock and sample rate of a personality: a driver's choice for the requested rate.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "vrf/personality.h"

namespace wimax::vrf {

/// Nearest master clock to `wanted_hz` of an AD9361 with a reference of 40 MHz. Its baseband PLL has a fractional
/// divider of 2088960 steps, followed by dividers that depend on the clock. 0: out of its range.
double ad9361_clock_hz(double wanted_hz);

class ModelClock {
public:
    /// `clock_hz`: requested at opening.
    static tl::expected<ModelClock, Fault> make(const Personality& personality, double channel_rate_hz,
                                                std::optional<double> clock_hz);

    double clock_hz() const { return clock_hz_; }
    double set_clock(double hz);  ///< sets the clock, which then does not follow rates; returns the actual clock
    /// Range, or single ones; lowest first.
    const std::vector<double>& clocks_hz() const { return clocks_hz_; }
    bool any_between() const { return kind_ == ClockKind::ad9361; }

    double rate_hz(bool tx) const { return clock_hz_ / factor_[tx]; }
    double set_rate(bool tx, double hz);  ///< returns the nearest possible rate
    /// No half-band filter takes part.
    bool cic_alone(bool tx) const { return factor_[tx] > 1 && factor_[tx] % 2 != 0; }
    std::vector<double> rates_hz() const;

private:
    ModelClock(const Personality& personality, double channel_rate_hz);
    void choose_clock(double rate_hz);

    ClockKind kind_;
    std::vector<double> clocks_hz_;
    std::vector<int> factors_;  ///< ascending
    double max_rate_hz_;
    bool automatic_ = false;  ///< the clock follows the rate
    double clock_hz_;
    std::array<int, 2> factor_{1, 1};  ///< RX, TX
};

}  // namespace wimax::vrf
