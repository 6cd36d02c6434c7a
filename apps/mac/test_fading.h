// SPDX-License-Identifier: GPL-3.0-or-later
// A fading channel as far as rates are concerned: the CINR that a receiver measures, the mean over its carriers, and
// the one that decides about a block, which a notch lowers (exponential effective SNR). The weights per rate are fitted
// to the thresholds measured with the real receiver in SUI-3 (docs/error-rates.md): 8.2, 14.1, 18.7, 19.9, 25.1, 27.3
// and 30.1 dB for one block in a hundred, over 4000 channels.
#pragma once

#include "mac/rate_thresholds.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

namespace wimax::mac::test {

/// SUI-3, 90 % coverage, omnidirectional antenna, 5 MHz.
class Sui3 {
public:
    explicit Sui3(uint32_t seed) : random_(seed) {
        for (size_t tap = 0; tap < kTaps; ++tap) {
            total_ += kPower[tap];
            for (auto& wave : waves_[tap]) wave = {doppler_hz(kDopplerHz[tap]), phase()};
        }
        line_of_sight_ = std::polar(1.0, phase());
    }
    void at(double second) {
        std::array<std::complex<double>, kTaps> taps;
        for (size_t tap = 0; tap < kTaps; ++tap) {
            std::complex<double> sum;
            for (const auto& [hz, phase] : waves_[tap]) sum += std::polar(1.0, kTurn * hz * second + phase);
            sum /= std::sqrt(double(kWaves));
            if (tap == 0) sum = (sum + line_of_sight_) / std::numbers::sqrt2;  // K factor 1
            taps[tap] = sum * std::sqrt(kPower[tap] / total_);
        }
        for (size_t i = 0; i < kCarriers; ++i) {
            const double hz = (double(i) + 0.5) / kCarriers * kLoadedHz - kLoadedHz / 2;
            std::complex<double> h;
            for (size_t tap = 0; tap < kTaps; ++tap)
                h += taps[tap] * std::polar(1.0, -kTurn * hz * kDelayUs[tap] * 1e-6);
            gains_[i] = std::norm(h);
        }
    }
    /// Half of the power from each of two antennas, put together by the receiver of an STC zone.
    void join(const Sui3& second) {
        for (size_t i = 0; i < kCarriers; ++i) gains_[i] = (gains_[i] + second.gains_[i]) / 2;
    }
    /// Mean over the carriers, relative to the mean over time.
    float gain_db() const {
        double sum = 0;
        for (const double gain : gains_) sum += gain;
        return static_cast<float>(10 * std::log10(sum / kCarriers));
    }
    /// Effective SNR of a block in that rate.
    float effective_db(size_t rate_id, float mean_snr_db) const {
        const double snr = std::pow(10, double(mean_snr_db) / 10), weight = kWeight[rate_id];
        double sum = 0;
        for (const double gain : gains_) sum += std::exp(-snr * gain / weight);
        return static_cast<float>(10 *
                                  std::log10(std::max(1e-6, -weight * std::log(std::max(1e-300, sum / kCarriers)))));
    }

private:
    static constexpr size_t kTaps = 3, kWaves = 24, kCarriers = 25;
    static constexpr double kTurn = 2 * std::numbers::pi, kLoadedHz = 200 * 22'500.0;
    static constexpr std::array<double, kTaps> kPower{1, 0.3162, 0.1}, kDelayUs{0, 0.4, 0.9}, kDopplerHz{0.4, 0.3, 0.5};
    static constexpr std::array<double, kRateCount> kWeight{3, 2, 2, 8, 10, 32, 40};
    struct Wave {
        double hz, phase;
    };

    double uniform() { return std::uniform_real_distribution<>(0, 1)(random_); }
    double phase() { return kTurn * uniform(); }
    /// Rounded spectrum.
    double doppler_hz(double most_hz) {
        for (;;) {
            const double x = 2 * uniform() - 1;
            if (uniform() < 1 - 1.72 * x * x + 0.785 * x * x * x * x) return x * most_hz;
        }
    }

    std::mt19937 random_;
    double total_ = 0;
    std::array<std::array<Wave, kWaves>, kTaps> waves_{};
    std::complex<double> line_of_sight_;
    std::array<double, kCarriers> gains_{};
};

}  // namespace wimax::mac::test
