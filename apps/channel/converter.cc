// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/converter.h"

#include "phy/base/decibels.h"
#include "phy/base/simd.h"

#include <algorithm>
#include <cmath>

namespace wimax::channel {
namespace {

using Complex = std::complex<float>;
using gr::wimax::phy::amplitude_of_db, gr::wimax::phy::power_of_db;

constexpr size_t kGains = 4096;

struct Limits {
    float full_scale, steps, highest, step;
};

WIMAX_SIMD_BODY uint32_t convert_body(const Limits& l, size_t count, float* x) {
    constexpr float kRound = 0x1.8p23F;  // sums with it have no fraction
    uint32_t clipped = 0;
    for (size_t i = 0; i < count; ++i) {
        const float re = x[2 * i], im = x[2 * i + 1];
        clipped += uint32_t(std::abs(re) > l.full_scale) | uint32_t(std::abs(im) > l.full_scale);
        const float a = std::min(std::max(re * l.steps, -l.highest - 1), l.highest);
        const float b = std::min(std::max(im * l.steps, -l.highest - 1), l.highest);
        x[2 * i] = ((a + kRound) - kRound) * l.step;
        x[2 * i + 1] = ((b + kRound) - kRound) * l.step;
    }
    return clipped;
}

/// Smoothness 2, the usual value: processors compute its roots.
WIMAX_SIMD_BODY void amplify_body(float per_power, size_t count, float* x) {
    for (size_t i = 0; i < count; ++i) {
        const float re = x[2 * i], im = x[2 * i + 1];
        const float u = (re * re + im * im) * per_power;
        const float gain = 1.0F / std::sqrt(std::sqrt(1.0F + u * u));
        x[2 * i] = re * gain;
        x[2 * i + 1] = im * gain;
    }
}

}  // namespace

Converter::Converter(int bits, double full_scale_db)
    : full_scale_(static_cast<float>(amplitude_of_db(full_scale_db))),
      steps_(static_cast<float>(std::ldexp(1 / amplitude_of_db(full_scale_db), bits - 1))),
      highest_(static_cast<float>(std::ldexp(1, bits - 1) - 1)),
      step_(static_cast<float>(std::ldexp(amplitude_of_db(full_scale_db), 1 - bits))) {}

uint64_t Converter::convert(std::span<Complex> samples) const {
    static constexpr gr::wimax::phy::simd::Dispatched<convert_body> kConvert;
    constexpr size_t kMost = 1 << 20;
    const Limits limits{full_scale_, steps_, highest_, step_};
    uint64_t clipped = 0;
    for (size_t at = 0; at < samples.size(); at += kMost)
        clipped += kConvert(limits, std::min(kMost, samples.size() - at), reinterpret_cast<float*>(&samples[at]));
    return clipped;
}

Amplifier::Amplifier(double saturation_db, double smoothness) {
    set_saturation_db(saturation_db);
    if (smoothness == 2) return;
    gains_.resize(kGains + 1);
    for (size_t i = 0; i < kGains; ++i) {
        const double share = double(i) / kGains, u = share / (1 - share);
        gains_[i] = static_cast<float>(std::pow(1 + std::pow(u, smoothness), -0.5 / smoothness));
    }
}

void Amplifier::set_saturation_db(double saturation_db) {
    per_power_ = static_cast<float>(power_of_db(-saturation_db));
}

void Amplifier::amplify(std::span<Complex> samples) const {
    static constexpr gr::wimax::phy::simd::Dispatched<amplify_body> kAmplify;
    if (gains_.empty()) {
        kAmplify(per_power_, samples.size(), reinterpret_cast<float*>(samples.data()));
        return;
    }
    for (auto& x : samples) {
        const float u = (x.real() * x.real() + x.imag() * x.imag()) * per_power_;
        const float at = u / (1 + u) * float(kGains);
        const auto i = std::min(static_cast<size_t>(at), kGains - 1);
        const float gain = gains_[i] + (at - float(i)) * (gains_[i + 1] - gains_[i]);
        x = {x.real() * gain, x.imag() * gain};
    }
}

}  // namespace wimax::channel
