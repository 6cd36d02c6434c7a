// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/tracking.h"

#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Random walks per second. The phase follows phase noise of about 0.007 rad in 50 us; steeper changes of frequency and
/// clock than 45 Hz and 0.15 ppm in a second do not occur in real oscillators.
constexpr double kPhaseNoise = 1.0;         // rad^2
constexpr double kFrequencyNoise = 2026.0;  // Hz^2
constexpr double kDelayNoise = 6e-17;       // s^2
constexpr double kClockNoise = 2.4e-14;     // ratio^2

}  // namespace

void DriftingState::advance(double symbols, double value_noise, double rate_noise) {
    value += rate * symbols;
    value_variance += symbols * (2 * covariance + symbols * rate_variance) + value_noise * symbols;
    covariance += symbols * rate_variance;
    rate_variance += rate_noise * symbols;
}

void DriftingState::correct(double error, double variance) {
    // Samples that are NaN or infinite must not affect later symbols.
    if (!std::isfinite(error) || !(variance > 0) || !std::isfinite(variance)) return;
    const double total = value_variance + variance;
    const double gain = value_variance / total, rate_gain = covariance / total;
    value += gain * error;
    rate += rate_gain * error;
    rate_variance -= rate_gain * covariance;
    covariance *= 1 - gain;
    value_variance *= 1 - gain;
}

void LinkTracker::start(const Start& start, const SymbolPace& pace) {
    position_ = start.position;
    phase_ = {start.phase, start.phase_rate, start.phase_variance, 0, start.phase_rate_variance};
    delay_ = {0, start.delay_rate, start.delay_variance, 0, start.delay_rate_variance};
    const double rate = pace.samples_per_second();
    phase_noise_ = kPhaseNoise * pace.seconds;
    phase_rate_noise_ = frequency_walk(pace, pace.seconds);
    delay_noise_ = kDelayNoise * pace.seconds * rate * rate;
    delay_rate_noise_ = clock_walk(pace.seconds) * pace.samples * pace.samples;
}

double LinkTracker::frequency_walk(const SymbolPace& pace, double seconds) {
    const double radians_per_hz = kTurn * pace.seconds;
    return kFrequencyNoise * seconds * radians_per_hz * radians_per_hz;
}

double LinkTracker::clock_walk(double seconds) { return kClockNoise * seconds; }

void LinkTracker::advance_to(double position) {
    const double symbols = position - position_;
    if (symbols <= 0) return;
    phase_.advance(symbols, phase_noise_, phase_rate_noise_);
    delay_.advance(symbols, delay_noise_, delay_rate_noise_);
    position_ = position;
}

void LinkTracker::renew(double phase_variance, double delay_variance) {
    phase_.value_variance = phase_variance;
    phase_.covariance = 0;
    delay_.value_variance = delay_variance;
    delay_.covariance = 0;
}

}  // namespace gr::wimax::phy
