// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/fading.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace wimax::channel {
namespace {

constexpr int kSinusoids = 32;  // enough for a Gaussian distribution out to three standard deviations
constexpr double kTwo64 = 18446744073709551616.0;

double uniform(uint64_t hash) { return (static_cast<double>(hash >> 11) + 0.5) * 0x1p-53; }

// Integral of the spectrum from -1 to x over that from -1 to 1.
double cumulative(DopplerSpectrum spectrum, double x) {
    if (spectrum == DopplerSpectrum::jakes) return 0.5 + std::asin(x) / std::numbers::pi;
    const auto integral = [](double v) { return v - 1.72 / 3.0 * v * v * v + 0.785 / 5.0 * v * v * v * v * v; };
    return 0.5 + integral(x) / (2.0 * integral(1.0));
}

double invert_cumulative(DopplerSpectrum spectrum, double probability) {
    double low = -1.0, high = 1.0;
    for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (low + high);
        if (cumulative(spectrum, middle) < probability) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

// The inverse of cumulative(), tabulated: error-rate simulation draws a new channel for every burst.
class DopplerQuantiles {
public:
    explicit DopplerQuantiles(DopplerSpectrum spectrum) {
        for (size_t i = 0; i <= kSteps; ++i)
            values_[i] = invert_cumulative(spectrum, static_cast<double>(i) / static_cast<double>(kSteps));
    }
    static const DopplerQuantiles& of(DopplerSpectrum spectrum) {
        static const DopplerQuantiles rounded(DopplerSpectrum::rounded), jakes(DopplerSpectrum::jakes);
        return spectrum == DopplerSpectrum::jakes ? jakes : rounded;
    }
    double operator()(double probability) const {
        const double at = probability * static_cast<double>(kSteps);
        const auto i = std::min(static_cast<size_t>(at), kSteps - 1);
        return values_[i] + (at - static_cast<double>(i)) * (values_[i + 1] - values_[i]);
    }

private:
    static constexpr size_t kSteps = 4096;
    std::array<double, kSteps + 1> values_{};
};

std::complex<double> phasor(uint64_t phase) {
    const double angle = 2.0 * std::numbers::pi * (static_cast<double>(phase) / kTwo64);
    return {std::cos(angle), std::sin(angle)};
}

}  // namespace

uint64_t mix64(uint64_t value) {
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

FadingTap::FadingTap(const Tap& tap, double sample_rate_hz, uint64_t seed) {
    if (tap.spectrum == DopplerSpectrum::constant) {
        constant_ = std::sqrt(tap.power);
        return;
    }
    uint64_t counter = mix64(seed);
    const auto next = [&counter] { return mix64(counter++); };
    constant_ = std::sqrt(tap.power * tap.k_factor / (tap.k_factor + 1.0)) * phasor(next());
    sinusoid_amplitude_ = std::sqrt(tap.power / (tap.k_factor + 1.0) / kSinusoids);
    sinusoids_.reserve(kSinusoids);
    const auto& quantile = DopplerQuantiles::of(tap.spectrum);
    // One frequency from each of equally likely parts of the spectrum: closer to it than free draws.
    for (int i = 0; i < kSinusoids; ++i) {
        const uint64_t phase = next();
        const double x = quantile((i + uniform(next())) / kSinusoids);
        const double turns = x * tap.doppler_hz / sample_rate_hz;
        sinusoids_.push_back({phase, static_cast<uint64_t>(static_cast<int64_t>(std::llround(turns * kTwo64)))});
    }
}

std::complex<double> FadingTap::gain(int64_t sample_index) const {
    std::complex<double> sum;
    for (const auto& s : sinusoids_) sum += phasor(s.phase + s.step * static_cast<uint64_t>(sample_index));
    return constant_ + sinusoid_amplitude_ * sum;
}

}  // namespace wimax::channel
