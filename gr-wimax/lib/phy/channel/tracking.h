// SPDX-License-Identifier: GPL-3.0-or-later
// Phase and sampling-clock tracking from symbol to symbol (internal). Two Kalman filters of two states each: common
// phase with its step per symbol (remaining carrier offset), and delay with its drift per symbol (clock offset).
// Symmetric carriers make the two independent. The preamble's frequency estimate enters as prior, pilots and decisions
// as measurements.
#pragma once

namespace gr::wimax::phy {

/// A quantity and its change per symbol.
struct DriftingState {
    double value = 0, rate = 0;
    double value_variance = 0, covariance = 0, rate_variance = 0;

    void advance(double symbols, double value_noise, double rate_noise);
    /// `error`: measured minus predicted value.
    void correct(double error, double variance);
};

/// Duration of a symbol with its prefix. Drift of oscillators and channels per second is the same for all bandwidths;
/// drift per symbol is not.
struct SymbolPace {
    double seconds = 50e-6;
    double samples = 288;

    double samples_per_second() const { return samples / seconds; }
};

class LinkTracker {
public:
    /// State at symbol position `position` (symbols from the frame or burst start, fractions allowed).
    struct Start {
        double position = 0;
        double phase = 0;                ///< rad
        double phase_rate = 0;           ///< rad/symbol
        double phase_variance = 0;       ///< rad^2
        double phase_rate_variance = 0;  ///< (rad/symbol)^2
        double delay_variance = 0;       ///< samples^2
        double delay_rate = 0;           ///< samples/symbol
        double delay_rate_variance = 0;
    };
    void start(const Start& start, const SymbolPace& pace);
    void advance_to(double position);

    void correct_phase(double error, double variance) { phase_.correct(error, variance); }
    void correct_delay(double error, double variance) { delay_.correct(error, variance); }
    /// The channel was just estimated at the present state: its errors no longer count.
    void renew(double phase_variance, double delay_variance);

    double position() const { return position_; }
    double phase() const { return phase_.value; }      ///< rad
    double phase_rate() const { return phase_.rate; }  ///< rad/symbol
    double phase_rate_variance() const { return phase_.rate_variance; }
    double delay() const { return delay_.value; }      ///< samples; positive: symbols arrive late
    double delay_rate() const { return delay_.rate; }  ///< samples/symbol
    double delay_rate_variance() const { return delay_.rate_variance; }

    /// Variance of a carrier's drift in this time, (rad/symbol)^2.
    static double frequency_walk(const SymbolPace& pace, double seconds);
    /// Variance of a clock's drift in this time, as the square of a ratio.
    static double clock_walk(double seconds);

private:
    double position_ = 0;
    DriftingState phase_, delay_;
    double phase_noise_ = 0, phase_rate_noise_ = 0, delay_noise_ = 0, delay_rate_noise_ = 0;  // of a symbol
};

}  // namespace gr::wimax::phy
