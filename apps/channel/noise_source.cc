// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/noise_source.h"
#include "channel/fading.h"

#include "phy/base/decibels.h"
#include "phy/base/simd.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace wimax::channel {
namespace {

/// Finalizer of MurmurHash3: every bit of the input changes every bit of the output with probability near 1/2.
WIMAX_SIMD_BODY uint32_t mix32(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x85EBCA6BU;
    h = (h ^ (h >> 13)) * 0xC2B2AE35U;
    return h ^ (h >> 16);
}

/// sqrt(-2 ln u) for u = (word / 2 + 0.5) / 2^31.
WIMAX_SIMD_BODY float radius(uint32_t word) {
    const float value = static_cast<float>(static_cast<int32_t>(word >> 1)) + 0.5F;
    // value = m 2^exponent with m from sqrt(1/2) to sqrt(2)
    const auto bits = std::bit_cast<int32_t>(value);
    const int32_t exponent = (bits - std::bit_cast<int32_t>(std::numbers::sqrt2_v<float> / 2)) >> 23;
    const float m = std::bit_cast<float>(bits - exponent * (1 << 23));
    // ln m = 2 artanh((m - 1) / (m + 1)), a series whose next term is below 1e-8
    const float s = (m - 1.0F) / (m + 1.0F), s2 = s * s;
    const float ln_m = 2.0F * s * (1.0F + s2 * (1.0F / 3 + s2 * (1.0F / 5 + s2 * (1.0F / 7 + s2 * (1.0F / 9)))));
    const float ln_u = static_cast<float>(exponent - 31) * std::numbers::ln2_v<float> + ln_m;
    return std::sqrt(std::max(-2.0F * ln_u, 0.0F));
}

/// `value`, with the other sign if bit 1 of `quarter` is set.
WIMAX_SIMD_BODY float turned(float value, uint32_t quarter) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) ^ (quarter & 2) << 30);
}

/// In steps: one loop over all would wait for its long chain of operations.
WIMAX_SIMD_BODY void noise_body(uint64_t key, float* re, float* im) {
    alignas(64) std::array<uint32_t, kNoiseBlock> words, angles;
    alignas(64) std::array<float, kNoiseBlock> radii;
    const auto first = static_cast<uint32_t>(key), second = static_cast<uint32_t>(key >> 32);
    for (uint32_t i = 0; i < kNoiseBlock; ++i) words[i] = mix32(first + i * 0x9E3779B9U);
    for (uint32_t i = 0; i < kNoiseBlock; ++i) angles[i] = mix32(words[i] ^ second);
    for (uint32_t i = 0; i < kNoiseBlock; ++i) radii[i] = radius(words[i]);
    for (uint32_t i = 0; i < kNoiseBlock; ++i) {
        // A quarter turn from the two leading bits and x within an eighth of a turn to either side, Taylor series.
        const uint32_t angle = angles[i], quarter = angle >> 30;
        const float r = radii[i];
        const float x = static_cast<float>(static_cast<int32_t>(angle << 2)) * (0x1p-33F * std::numbers::pi_v<float>);
        const float x2 = x * x;
        const float sine = x * (1.0F + x2 * (-1.0F / 6 + x2 * (1.0F / 120 + x2 * (-1.0F / 5040))));
        const float cosine = 1.0F + x2 * (-1.0F / 2 + x2 * (1.0F / 24 + x2 * (-1.0F / 720 + x2 * (1.0F / 40320))));
        const bool odd = (quarter & 1) != 0;
        re[i] = turned(r * (odd ? sine : cosine), quarter + 1);
        im[i] = turned(r * (odd ? cosine : sine), quarter);
    }
}

/// Adds to samples, or to zeros if there is nothing else.
template <bool Alone>
WIMAX_SIMD_BODY void add_body(float scale, const float* re, const float* im, size_t count, float* __restrict to) {
    for (size_t i = 0; i < count; ++i) {
        to[2 * i] = (Alone ? 0.0F : to[2 * i]) + scale * re[i];
        to[2 * i + 1] = (Alone ? 0.0F : to[2 * i + 1]) + scale * im[i];
    }
}

}  // namespace

void noise_block(uint64_t key, float* re, float* im) {
    static constexpr gr::wimax::phy::simd::Dispatched<noise_body> kNoise;
    kNoise(key, re, im);
}

NoiseSource::NoiseSource(uint64_t seed, double variance) : seed_(mix64(seed ^ 0x6E6F697365ULL)) {
    set_variance(variance);
}

void NoiseSource::set_variance(double variance) {
    scale_ = static_cast<float>(std::sqrt(std::max(variance, 0.0) / 2.0));
}

template <bool Alone> void NoiseSource::give(int64_t index, std::span<std::complex<float>> out) const {
    static constexpr gr::wimax::phy::simd::Dispatched<add_body<Alone>> kAdd;
    if (scale_ == 0.0F) {
        if (Alone) std::fill(out.begin(), out.end(), 0.0F);
        return;
    }
    alignas(64) std::array<float, kNoiseBlock> re, im;
    size_t done = 0;
    while (done < out.size()) {
        const int64_t at = index + static_cast<int64_t>(done);
        const auto within = static_cast<size_t>(at & (kNoiseBlock - 1));
        const size_t count = std::min(out.size() - done, kNoiseBlock - within);
        noise_block(mix64(seed_ + static_cast<uint64_t>(at >> 6)), re.data(), im.data());
        kAdd(scale_, re.data() + within, im.data() + within, count, reinterpret_cast<float*>(out.data() + done));
        done += count;
    }
}

template void NoiseSource::give<false>(int64_t, std::span<std::complex<float>>) const;
template void NoiseSource::give<true>(int64_t, std::span<std::complex<float>>) const;

double snr_noise_variance(double snr_db) { return 256.0 / 200.0 * gr::wimax::phy::power_of_db(-snr_db); }

double thermal_noise_variance(double sample_rate_hz, double noise_figure_db, double reference_dbm) {
    return gr::wimax::phy::power_of_db(-174.0 + noise_figure_db - reference_dbm) * sample_rate_hz;
}

}  // namespace wimax::channel
