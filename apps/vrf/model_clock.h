/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Master clock and sample rate of a personality: what a driver makes of a rate that a host asks for.
 */
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "vrf/personality.h"

namespace wimax::vrf {

/// Master clock that an AD9361 with a reference of 40 MHz gives where `wanted_hz` is asked for: its baseband PLL has a
/// fractional divider of 2088960 steps, and what comes after it depends on the clock. 0: out of its range.
double ad9361_clock_hz(double wanted_hz);

class ModelClock {
public:
    /// `clock_hz`: asked for when the radio was opened.
    static tl::expected<ModelClock, Fault> make(const Personality& personality, double channel_rate_hz,
                                                std::optional<double> clock_hz);

    double clock_hz() const { return clock_hz_; }
    double set_clock(double hz);  ///< from now on none is chosen by itself; returns the clock got
    /// Range, or single ones; lowest first.
    const std::vector<double>& clocks_hz() const { return clocks_hz_; }
    bool any_between() const { return kind_ == ClockKind::ad9361; }

    double rate_hz(bool tx) const { return clock_hz_ / factor_[tx]; }
    double set_rate(bool tx, double hz);  ///< returns the nearest there is
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
