// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/fading.h"
#include "channel/noise_source.h"

#include <gnuradio/wimax/phy/base/instruction_set.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace wimax::channel {
namespace {

using gr::wimax::phy::InstructionSet;
using gr::wimax::phy::limit_instruction_set;
using Samples = std::vector<std::complex<float>>;

Samples noise(uint64_t seed, int64_t first, size_t count) {
    Samples out(count);
    NoiseSource(seed, 1.0).add(first, out);
    return out;
}

double correlation(const Samples& a, const Samples& b, size_t lag, size_t count) {
    std::complex<double> sum;
    for (size_t i = 0; i < count; ++i) sum += std::complex<double>(a[i + lag]) * std::conj(std::complex<double>(b[i]));
    return std::abs(sum) / static_cast<double>(count);
}

/// Probability that a Poisson variable of mean `mean` differs this much from it is below 1e-5.
void expect_count(size_t count, double mean, double level) {
    EXPECT_NEAR(static_cast<double>(count), mean, 4.5 * std::sqrt(mean) + 3) << "beyond " << level;
}

TEST(NoiseSource, MomentsAndTailsAreGaussian) {
    constexpr size_t kChunk = 1 << 16, kChunks = 300;
    constexpr double kCount = static_cast<double>(kChunk) * kChunks;
    const std::array power_levels{0.01, 0.1, 1.0, 4.0, 8.0, 11.0, 14.0};  // of E|z|^2; exp(-level) are beyond
    const std::array real_levels{-4.5, -3.0, -1.0, 0.0, 1.0, 3.0, 4.5};   // in standard deviations of the real part
    std::array<size_t, power_levels.size()> power_beyond{};
    std::array<size_t, real_levels.size()> real_beyond{}, imag_beyond{};
    std::complex<double> mean;
    double power = 0, fourth = 0;
    for (size_t chunk = 0; chunk < kChunks; ++chunk) {
        const Samples x = noise(3, static_cast<int64_t>(chunk * kChunk) - 50'000, kChunk);
        for (const auto& v : x) {
            const double p = std::norm(v), re = v.real() * std::numbers::sqrt2, im = v.imag() * std::numbers::sqrt2;
            mean += std::complex<double>(v);
            power += p;
            fourth += re * re * re * re;
            for (size_t i = 0; i < power_levels.size(); ++i) power_beyond[i] += p > power_levels[i] ? 1 : 0;
            for (size_t i = 0; i < real_levels.size(); ++i) {
                real_beyond[i] += re > real_levels[i] ? 1 : 0;
                imag_beyond[i] += im > real_levels[i] ? 1 : 0;
            }
        }
    }
    EXPECT_LT(std::abs(mean) / kCount, 5 / std::sqrt(kCount));
    EXPECT_NEAR(power / kCount, 1.0, 5 / std::sqrt(kCount));
    EXPECT_NEAR(fourth / kCount, 3.0, 5 * std::sqrt(96 / kCount));
    for (size_t i = 0; i < power_levels.size(); ++i)
        expect_count(power_beyond[i], kCount * std::exp(-power_levels[i]), power_levels[i]);
    for (size_t i = 0; i < real_levels.size(); ++i) {
        const double expected = kCount * 0.5 * std::erfc(real_levels[i] / std::numbers::sqrt2);
        expect_count(real_beyond[i], expected, real_levels[i]);
        expect_count(imag_beyond[i], expected, real_levels[i]);
    }
}

TEST(NoiseSource, SameBitsInEveryInstructionSet) {
    const auto under = [](InstructionSet most) {
        limit_instruction_set(most);
        Samples all;
        for (uint64_t seed = 0; seed < 100; ++seed) {
            const Samples some = noise(seed * 0x9E3779B97F4A7C15U, static_cast<int64_t>(seed * 777), 6400);
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    };
    const Samples portable = under(InstructionSet::portable);
    for (const auto most : {InstructionSet::sse41, InstructionSet::avx2, InstructionSet::avx512})
        EXPECT_EQ(under(most), portable) << static_cast<int>(most);
}

TEST(NoiseSource, IndependentAtEveryShortLagAndBetweenSeeds) {
    const size_t n = 200'000;
    const Samples a = noise(7, 0, n + 2048), b = noise(8, 0, n + 2048);
    // 5 sigma of the estimate.
    const double bound = 5.0 / std::sqrt(static_cast<double>(n));
    for (size_t lag = 1; lag <= 2048; lag += lag < 130 ? 1 : 61) EXPECT_LT(correlation(a, a, lag, n), bound) << lag;
    for (size_t lag = 0; lag <= 128; lag += 16) EXPECT_LT(correlation(a, b, lag, n), bound) << lag;
}

TEST(NoiseSource, SameForAnyChunking) {
    const Samples whole = noise(5, 1000, 5000);
    Samples pieces(5000);
    const NoiseSource source(5, 1.0);
    for (size_t at = 0, step = 1; at < pieces.size(); at += step, step = step * 3 % 331 + 1) {
        step = std::min(step, pieces.size() - at);
        source.add(1000 + static_cast<int64_t>(at), std::span(pieces).subspan(at, step));
    }
    EXPECT_EQ(whole, pieces);
    EXPECT_NE(whole, noise(6, 1000, 5000));
}

TEST(NoiseSource, AloneAsAddedToZeros) {
    for (const double variance : {0.0, 0.5})
        for (const int64_t first : {int64_t{-100}, int64_t{0}, int64_t{7}}) {
            const NoiseSource source(2, variance);
            Samples added(300), alone(300, {NAN, NAN});
            source.add(first, added);
            source.set(first, alone);
            EXPECT_EQ(alone, added) << variance << ", " << first;
        }
}

TEST(NoiseSource, ThermalNoise) {
    // 5.76 MS/s and 5 dB noise figure: -174 + 67.6 + 5 = -101.4 dBm.
    EXPECT_NEAR(10 * std::log10(thermal_noise_variance(5.76e6, 5.0, 0.0)), -101.4, 0.01);
    EXPECT_NEAR(10 * std::log10(thermal_noise_variance(5.76e6, 5.0, -30.0)), -71.4, 0.01);
}

/// The hash behind all seeds is SplitMix64's: its first numbers from the seeds 0 and 1234567.
TEST(Mix64, IsSplitMix) {
    EXPECT_EQ(mix64(0), 0xE220A8397B1DCDAFULL);
    EXPECT_EQ(mix64(0x9E3779B97F4A7C15ULL), 0x6E789E6AA1B965F4ULL);
    EXPECT_EQ(mix64(1234567), 6457827717110365317ULL);
}

}  // namespace
}  // namespace wimax::channel
