// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/cic_droop.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::vrf {
namespace {

constexpr size_t kTaps = 2 * CicDroop::kDelay + 1;
constexpr int kStages = 4, kPoints = 4096;  // of the integral, over half the band

double response(double f) {
    const double x = std::numbers::pi * f;
    return std::pow(std::sin(x) / x, kStages);
}

/// The response's Fourier series, truncated.
std::array<float, kTaps> make_taps() {
    std::array<float, kTaps> taps{};
    for (size_t i = 0; i < kTaps; ++i) {
        const double k = double(i) - double(CicDroop::kDelay);
        double sum = 0;
        for (int n = 0; n < kPoints; ++n) {
            const double f = (n + 0.5) / (2 * kPoints);
            sum += response(f) * std::cos(2 * std::numbers::pi * f * k);
        }
        taps[i] = float(sum / kPoints);
    }
    return taps;
}

}  // namespace

void CicDroop::pass(std::span<Sample> samples) {
    static const auto kTap = make_taps();
    for (Sample& sample : samples) {
        std::shift_left(line_.begin(), line_.end(), 1);
        line_.back() = sample;
        sample = {};
        for (size_t i = 0; i < kTaps; ++i) sample += kTap[i] * line_[i];
    }
}

}  // namespace wimax::vrf
