// SPDX-License-Identifier: GPL-3.0-or-later
// The analysis finds the impairments that were added to a known burst.
#include "channel/radio_front.h"
#include "phy/base/decibels.h"
#include "phy/base/test_noise.h"
#include "tools/radio/burst_analysis.h"
#include "tools/radio/power_spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace wimax::radio {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr size_t kLead = 700;

KnownBurst burst_of(int symbols = 24) {
    return KnownBurst::make(*phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_8), symbols);
}

/// A path from transmitter to receiver with stated faults.
struct Path {
    double delay = 0, snr_db = 200, level_db = 0, cycles_per_sample = 0, clock_ppm = 0;
    Complex receiver_image = 0, transmitter_image = 0, receiver_constant = 0, transmitter_constant = 0;
    size_t lost_at_end = 0;

    std::vector<Complex> through(const KnownBurst& burst) const {
        std::vector<Complex> sent = burst.samples;
        for (auto& s : sent) s += transmitter_image * std::conj(s) + transmitter_constant;
        for (size_t i = sent.size() - lost_at_end; i < sent.size(); ++i) sent[i] = 0;
        std::vector<Complex> out(kLead + sent.size() + 900);
        std::mt19937 random(7);
        std::normal_distribution<float> normal(0, std::sqrt(0.5F));
        const auto noise = static_cast<float>(phy::amplitude_of_db(-snr_db));
        for (size_t n = 0; n < out.size(); ++n) {
            const double place = (static_cast<double>(n) - kLead - delay) * (1 - clock_ppm * 1e-6);
            Complex y =
                interpolate(sent, place) * Complex(std::polar(1.0, kTurn * cycles_per_sample * static_cast<double>(n)));
            y += noise * gr::wimax::phy::test::complex_of(normal, random);
            y = y + receiver_image * std::conj(y) + receiver_constant;
            out[n] = y * static_cast<float>(phy::amplitude_of_db(level_db));
        }
        return out;
    }

    /// Windowed sinc; exact at whole places.
    static Complex interpolate(const std::vector<Complex>& x, double place) {
        const auto base = static_cast<int64_t>(std::floor(place));
        const double part = place - static_cast<double>(base);
        const auto sample = [&](int64_t i) {
            return i >= 0 && i < static_cast<int64_t>(x.size()) ? x[static_cast<size_t>(i)] : Complex{};
        };
        if (part == 0) return sample(base);
        constexpr int kHalf = 48;
        Complex sum = 0;
        for (int i = -kHalf + 1; i <= kHalf; ++i) {
            const double t = i - part;
            const double window = 0.5 + 0.5 * std::cos(std::numbers::pi * t / (kHalf + 1));
            sum +=
                sample(base + i) * static_cast<float>(std::sin(std::numbers::pi * t) / (std::numbers::pi * t) * window);
        }
        return sum;
    }
};

BurstAnalysis analyse(const Path& path, const KnownBurst& burst = burst_of()) {
    const auto received = path.through(burst);
    const auto found = find_burst(burst, received, 0, 2000);
    auto analysis = analyse_burst(burst, received, found);
    EXPECT_TRUE(analysis) << found.start << " " << found.correlation;
    return analysis.value_or(BurstAnalysis{});
}

TEST(BurstAnalysis, FindsABurstThatIsShorterThanTheSearch) {
    const auto burst = burst_of();
    KnownBurst part = burst;
    part.samples.assign(burst.samples.begin(), burst.samples.begin() + 2 * burst.numerology.symbol_samples());
    auto received = Path{.snr_db = 30}.through(burst);
    received.resize(kLead + part.samples.size() + 50);
    EXPECT_EQ(find_burst(part, received, 0, 2000).start, static_cast<int64_t>(kLead));
}

TEST(BurstAnalysis, DelayToAHundredthOfASample) {
    for (const double delay : {0.0, 0.25, 0.5, 49.25, -3.4})
        EXPECT_NEAR(analyse({.delay = delay, .snr_db = 30}).start, kLead + delay, 0.01) << delay;
}

TEST(BurstAnalysis, ErrorOfNoiseAlone) {
    for (const double snr : {10.0, 20.0, 30.0, 45.0})
        for (const int symbols : {8, 24})
            EXPECT_NEAR(evm_db(analyse({.snr_db = snr}, burst_of(symbols))), -snr - 10 * std::log10(256.0 / 200) + 0.0,
                        0.3)
                << snr;
    EXPECT_LT(evm_db(analyse({})), -90);
}

TEST(BurstAnalysis, ImageAndConstantToATenthOfADecibel) {
    for (const double db : {-20.0, -30.0, -41.0, -50.0}) {
        const auto amplitude = static_cast<float>(phy::amplitude_of_db(db));
        const auto a = analyse({.delay = 0.6, .snr_db = 38, .receiver_image = amplitude * Complex(0.6F, 0.8F)});
        EXPECT_NEAR(phy::decibels(a.image), db, 0.5) << db;
        const auto b = analyse({.delay = 0.6, .snr_db = 38, .receiver_constant = amplitude * Complex(0.F, 1.F)});
        EXPECT_NEAR(phy::decibels(b.carrier), db, 0.5) << db;
        EXPECT_LT(phy::decibels(b.image), -70);
        EXPECT_LT(phy::decibels(a.carrier), -70);
    }
}

/// The same by the channel's own fronts, which were not made for this test.
TEST(BurstAnalysis, WhatTheFrontsOfTheChannelDo) {
    using channel::RadioFront;
    const auto burst = burst_of();
    const auto clean = Path{.delay = 12.3, .snr_db = 45}.through(burst);
    for (const auto end : {RadioFront::End::transmitter, RadioFront::End::receiver}) {
        auto received = clean;
        RadioFront(end, {.dc_dbc = -25, .image_dbc = -30, .bits = 12, .full_scale_db = 12}, 5.76e6, 3)
            .pass(0, received);
        const auto a = analyse_burst(burst, received, find_burst(burst, received, 0, 2000));
        ASSERT_TRUE(a);
        EXPECT_NEAR(phy::decibels(a->carrier), -25, 1);
        EXPECT_NEAR(phy::decibels(a->image), -30, 1);
        EXPECT_NEAR(a->start, kLead + 12.3, 0.05);
        EXPECT_NEAR(evm_db(*a), -30, 0.4);  // the image
    }
    auto received = clean;
    RadioFront(RadioFront::End::receiver, {.phase_noise_deg = 2}, 5.76e6, 3).pass(0, received);
    const auto noisy = analyse_burst(burst, received, find_burst(burst, received, 0, 2000));
    ASSERT_TRUE(noisy);
    EXPECT_GT(evm_db(*noisy), -38);
    EXPECT_LT(evm_db(*noisy), 20 * std::log10(2 * std::numbers::pi / 180));  // a part is common to each symbol
}

TEST(BurstAnalysis, TwoOscillators) {
    const double offset = 17500 / 5.76e6;
    const auto a = analyse({.delay = 12.2,
                            .snr_db = 40,
                            .cycles_per_sample = offset,
                            .clock_ppm = 5,
                            .receiver_image = 0.02F,
                            .transmitter_image = 0.01F,
                            .receiver_constant = 0.05F,
                            .transmitter_constant = Complex(0, 0.03F)});
    EXPECT_NEAR(a.frequency_hz, 17500, 5);
    EXPECT_NEAR(phy::decibels(a.image), phy::decibels(0.02 * 0.02 + 0.01 * 0.01), 0.5);
    EXPECT_NEAR(phy::decibels(a.carrier), phy::decibels(0.05 * 0.05 + 0.03 * 0.03), 0.5);
    EXPECT_NEAR(a.drift_samples, 5e-6 * 23 * 288, 0.01);
    // The receiver's constant is between carriers, and is removed.
    EXPECT_NEAR(evm_db(a), phy::decibels(0.02 * 0.02 + 0.01 * 0.01 + phy::power_of_db(-40) * 200 / 256), 0.5);
}

TEST(BurstAnalysis, ABurstThatIsCutHasABadLastSymbol) {
    const auto a = analyse({.snr_db = 40, .lost_at_end = 18});
    EXPECT_GT(phy::decibels(a.error.back()), -20);
    EXPECT_LT(phy::decibels(a.error.front()), -33);
    EXPECT_LT(phy::decibels(a.error[12]), -33);
}

TEST(BurstAnalysis, LevelClippingAndMask) {
    const auto quiet = analyse({.snr_db = 60, .level_db = -20});
    EXPECT_NEAR(quiet.level_dbfs, -20, 0.1);
    EXPECT_EQ(quiet.clipped_samples, 0U);
    EXPECT_GT(quiet.mask_margin_db, -3);
    EXPECT_GT(analyse({}).clipped_samples, 100U);
    EXPECT_LT(analyse({.snr_db = 10}).mask_margin_db, quiet.mask_margin_db - 8);
}

TEST(BurstAnalysis, NothingIsFoundInNoise) {
    const KnownBurst burst = burst_of();
    std::vector<Complex> noise(20000);
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (auto& s : noise) s = {normal(random), normal(random)};
    EXPECT_FALSE(analyse_burst(burst, noise, find_burst(burst, noise, 0, 10000)));
    const std::vector<Complex> silence(20000);
    EXPECT_FALSE(analyse_burst(burst, silence, find_burst(burst, silence, 0, 10000)));
}

TEST(BurstAnalysis, ABurstBeyondTheEndIsNotAnalysed) {
    const KnownBurst burst = burst_of();
    auto received = Path{}.through(burst);
    received.resize(kLead + burst.samples.size() - 100);
    EXPECT_FALSE(analyse_burst(burst, received, find_burst(burst, received, 0, 2000)));
}

TEST(PowerSpectrum, SumIsThePowerAndBandsAreWhereTheyAre) {
    std::vector<Complex> samples(64 * 1024);
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0, 0.001F);
    for (size_t n = 0; n < samples.size(); ++n)
        samples[n] = 0.25F * Complex(std::polar(1.0, kTurn * 0.125 * static_cast<double>(n))) +
                     gr::wimax::phy::test::complex_of(normal, random);
    const auto spectrum = power_spectrum(samples, 512);
    EXPECT_NEAR(phy::decibels(std::accumulate(spectrum.begin(), spectrum.end(), 0.0)), phy::decibels(0.0625), 0.2);
    const auto bands = occupied_bands(spectrum, 1e6, 10);
    ASSERT_EQ(bands.size(), 1U);
    EXPECT_NEAR((bands[0].low_hz + bands[0].high_hz) / 2, 125e3, 2000);
    EXPECT_NEAR(phy::decibels(bands[0].power), phy::decibels(0.0625), 0.2);
    EXPECT_NEAR(phy::decibels(noise_floor(spectrum) * 512), phy::decibels(2e-6), 1.5);
}

}  // namespace
}  // namespace wimax::radio
