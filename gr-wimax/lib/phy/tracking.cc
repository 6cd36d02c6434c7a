/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tracking.h"

#include <cmath>

namespace gr::wimax::phy {
namespace {

/// Random walk per symbol. The phase follows phase noise of about 0.01 rad a symbol; steeper changes of frequency and
/// clock than a few Hz and 1e-3 ppm a symbol do not occur in real oscillators.
constexpr double kPhaseNoise = 5e-5;       // rad^2
constexpr double kPhaseRateNoise = 1e-8;   // (rad/symbol)^2
constexpr double kDelayNoise = 1e-7;       // samples^2
constexpr double kDelayRateNoise = 1e-13;  // (samples/symbol)^2

}  // namespace

void DriftingState::advance(double symbols, double value_noise, double rate_noise) {
    value += rate * symbols;
    value_variance += symbols * (2 * covariance + symbols * rate_variance) + value_noise * symbols;
    covariance += symbols * rate_variance;
    rate_variance += rate_noise * symbols;
}

void DriftingState::correct(double error, double variance) {
    // Samples that are no numbers must not outlive their symbol.
    if (!std::isfinite(error) || !(variance > 0) || !std::isfinite(variance)) return;
    const double total = value_variance + variance;
    const double gain = value_variance / total, rate_gain = covariance / total;
    value += gain * error;
    rate += rate_gain * error;
    rate_variance -= rate_gain * covariance;
    covariance *= 1 - gain;
    value_variance *= 1 - gain;
}

void LinkTracker::start(const Start& start) {
    position_ = start.position;
    phase_ = {start.phase, start.phase_rate, start.phase_variance, 0, start.phase_rate_variance};
    delay_ = {0, start.delay_rate, start.delay_variance, 0, start.delay_rate_variance};
}

void LinkTracker::advance_to(double position) {
    const double symbols = position - position_;
    if (symbols <= 0) return;
    phase_.advance(symbols, kPhaseNoise, kPhaseRateNoise);
    delay_.advance(symbols, kDelayNoise, kDelayRateNoise);
    position_ = position;
}

void LinkTracker::renew(double phase_variance, double delay_variance) {
    phase_.value_variance = phase_variance;
    phase_.covariance = 0;
    delay_.value_variance = delay_variance;
    delay_.covariance = 0;
}

}  // namespace gr::wimax::phy
