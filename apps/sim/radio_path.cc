// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/radio_path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::sim {
namespace {

constexpr double kDeepestFadeDb = -80;

}  // namespace

RadioPath::RadioPath(RadioPathConfig config, uint64_t seed) : config_(std::move(config)) {
    if (config_.doppler_hz <= 0) return;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<> turn(0, 2 * std::numbers::pi);
    const double offset = turn(random);
    // Directions spread evenly, with different phases for both parts (sum of sinusoids after Zheng and Xiao).
    for (int i = 0; i < kWaves; ++i) {
        const double angle = (2 * std::numbers::pi * i + offset) / (4 * kWaves);
        waves_.push_back({2 * std::numbers::pi * config_.doppler_hz * std::cos(angle), turn(random), turn(random)});
    }
}

double RadioPath::series_snr_db(double measured_s) const {
    const auto& series = config_.snr_series;
    measured_s -= config_.snr_delay_s;
    if (config_.snr_period_s > 0 && measured_s > 0) measured_s = std::fmod(measured_s, config_.snr_period_s);
    const auto next = std::lower_bound(series.begin(), series.end(), measured_s,
                                       [](const SnrPoint& p, double at) { return p.at_s < at; });
    if (next == series.begin()) return series.front().snr_db;
    if (next == series.end()) return series.back().snr_db;
    const auto& before = *std::prev(next);
    const double part = (measured_s - before.at_s) / (next->at_s - before.at_s);
    return before.snr_db + part * (next->snr_db - before.snr_db);
}

double RadioPath::waves_db(double air_s) const {
    double real = 0, imaginary = 0;
    for (const auto& wave : waves_) {
        real += std::cos(wave.radians_per_s * air_s + wave.phase_real);
        imaginary += std::cos(wave.radians_per_s * air_s + wave.phase_imaginary);
    }
    const double k = std::pow(10, config_.k_factor_db / 10), scale = std::sqrt(1 / (k + 1) / kWaves);
    real = real * scale + std::sqrt(k / (k + 1));
    imaginary *= scale;
    const double power = real * real + imaginary * imaginary;
    return std::max(kDeepestFadeDb, 10 * std::log10(std::max(power, 1e-30)));
}

}  // namespace wimax::sim
