/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <channel/noise_source.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace wimax::channel {
namespace {

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

TEST(NoiseSource, VarianceMeanAndShape) {
    const Samples x = noise(3, -50'000, 1'000'000);
    std::complex<double> mean;
    double power = 0, fourth = 0;
    size_t beyond = 0;
    for (const auto& v : x) {
        mean += std::complex<double>(v);
        power += std::norm(v);
        fourth += std::pow(v.real(), 4);
        beyond += std::norm(v) > 9.21 ? 1 : 0;  // exp(-9.21) = 1e-4
    }
    const auto n = static_cast<double>(x.size());
    EXPECT_LT(std::abs(mean) / n, 0.004);
    EXPECT_NEAR(power / n, 1.0, 0.006);
    EXPECT_NEAR(fourth / n, 0.75, 0.02);  // 3 sigma^4 with sigma^2 = 1/2
    EXPECT_GT(beyond, 60U);
    EXPECT_LT(beyond, 150U);
}

TEST(NoiseSource, IndependentAtEveryShortLagAndBetweenSeeds) {
    const size_t n = 200'000;
    const Samples a = noise(7, 0, n + 2048), b = noise(8, 0, n + 2048);
    // 5 sigma of the estimate; repetition of table stretches may not show.
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

TEST(NoiseSource, ThermalNoise) {
    // 5.76 MS/s and 5 dB noise figure: -174 + 67.6 + 5 = -101.4 dBm.
    EXPECT_NEAR(10 * std::log10(thermal_noise_variance(5.76e6, 5.0, 0.0)), -101.4, 0.01);
    EXPECT_NEAR(10 * std::log10(thermal_noise_variance(5.76e6, 5.0, -30.0)), -71.4, 0.01);
}

}  // namespace
}  // namespace wimax::channel
