// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of radio fronts on a signal, compared with theory.
#include "channel/noise_source.h"
#include "channel/radio_front.h"
#include "phy/base/decibels.h"

#include <gnuradio/wimax/phy/base/instruction_set.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace wimax::channel {
namespace {

using gr::wimax::phy::amplitude_of_db, gr::wimax::phy::decibels, gr::wimax::phy::power_of_db;
using Complex = std::complex<float>;
using Wide = std::complex<double>;
using Samples = std::vector<Complex>;
using End = RadioFront::End;

constexpr double kRateHz = 5.76e6;

Samples gaussian(size_t count, uint64_t seed = 5) {
    Samples x(count);
    NoiseSource(seed, 1.0).add(0, x);
    return x;
}

/// All frequencies are whole numbers of turns in it.
Samples tone(size_t count, int turns) {
    Samples x;
    for (size_t n = 0; n < count; ++n)
        x.emplace_back(std::polar(1.0, 2 * std::numbers::pi * turns * double(n) / double(count)));
    return x;
}

Samples passed(const FrontConfig& config, Samples x, End end = End::receiver, int64_t index = 0, uint64_t seed = 1) {
    RadioFront(end, config, kRateHz, seed).pass(index, x);
    return x;
}

double power(const Samples& x) {
    double sum = 0;
    for (const auto& v : x) sum += std::norm(Wide(v));
    return sum / double(x.size());
}

double difference_db(const Samples& x, const Samples& y) {
    Samples d;
    for (size_t n = 0; n < x.size(); ++n) d.push_back(x[n] - y[n]);
    return decibels(power(d) / power(x));
}

/// Power of the tone with the given number of turns in it.
double line_db(const Samples& x, int turns) {
    Wide sum;
    for (size_t n = 0; n < x.size(); ++n)
        sum += Wide(x[n]) *
               std::polar(1.0, -2 * std::numbers::pi * std::remainder(turns * double(n) / double(x.size()), 1.0));
    return decibels(std::norm(sum / double(x.size())));
}

FrontConfig everything() {
    FrontConfig config;
    config.dc_dbc = -25;
    config.image_dbc = -30;
    config.lo_offset_hz = 300e3;
    config.phase_noise_deg = 0.6;
    config.bits = 12;
    config.full_scale_db = 12;
    config.saturation_db = 8;
    return config;
}

TEST(RadioFront, AnIdealOneLeavesEveryBit) {
    const auto x = gaussian(1000);
    EXPECT_TRUE(FrontConfig{}.ideal());
    EXPECT_EQ(passed({}, x), x);
    RadioFront none;
    auto y = x;
    none.pass(0, y);
    EXPECT_EQ(y, x);
}

TEST(RadioFront, TheSameBitsInChunksOfAnySizeAndOnAnyProcessor) {
    namespace phy = gr::wimax::phy;
    const auto best = phy::best_instruction_set();
    for (const auto end : {End::transmitter, End::receiver}) {
        const auto whole = passed(everything(), gaussian(10'000), end, 777);
        for (const auto set : {phy::InstructionSet::portable, phy::InstructionSet::sse41, phy::InstructionSet::avx2,
                               phy::InstructionSet::avx512}) {
            phy::limit_instruction_set(set);
            auto x = gaussian(10'000);
            RadioFront front(end, everything(), kRateHz, 1);
            for (size_t at = 0, step = 1; at < x.size(); at += step, step = step * 3 % 1000 + 1)
                front.pass(777 + int64_t(at), std::span(x).subspan(at, std::min(step, x.size() - at)));
            EXPECT_EQ(x, whole);
        }
        phy::limit_instruction_set(best);
        EXPECT_NE(passed(everything(), gaussian(10'000), end, 778), whole);
        EXPECT_NE(passed(everything(), gaussian(10'000), end, 777, 2), whole);
    }
}

TEST(RadioFront, LeakageHasItsPowerWhereTheOscillatorIs) {
    FrontConfig config;
    config.dc_dbc = -25;
    EXPECT_NEAR(decibels(power(passed(config, Samples(5760)))), -25, 1e-4);
    EXPECT_NEAR(line_db(passed(config, tone(5760, 40)), 0), -25, 1e-4);
    config.lo_offset_hz = 300e3;  // 300 turns in 1 ms
    EXPECT_NEAR(line_db(passed(config, tone(5760, 40)), 300), -25, 1e-4);
    config.lo_offset_hz = 3e6;  // out of the band
    EXPECT_EQ(power(passed(config, Samples(100))), 0);
}

TEST(RadioFront, ImageRatio) {
    FrontConfig config;
    config.image_dbc = -30;
    const auto image_db = [&](int turns) {
        const auto y = passed(config, tone(5760, 100));
        EXPECT_NEAR(decibels(power(y)), 0, 1e-4);
        return line_db(y, turns) - line_db(y, 100);
    };
    EXPECT_NEAR(image_db(-100), -30, 1e-3);
    config.lo_offset_hz = 300e3;
    EXPECT_NEAR(image_db(600 - 100), -30, 1e-3);
    config = {};
    config.iq_gain_db = 0.5;
    config.iq_phase_deg = 2;
    const double g = amplitude_of_db(0.5), cosine = std::cos(2 * std::numbers::pi / 180);
    EXPECT_NEAR(image_db(-100), decibels((1 + g * g - 2 * g * cosine) / (1 + g * g + 2 * g * cosine)), 1e-3);
}

/// A signal whose spectrum is symmetric has its own image as error: the error vector is the image ratio.
TEST(RadioFront, ErrorVectorOfAnImage) {
    FrontConfig config;
    config.image_dbc = -30;
    const auto x = gaussian(200'000);
    auto y = passed(config, x);
    const float gain = float(std::sqrt(1 / (1 + power_of_db(-30))));
    for (auto& v : y) v /= gain;
    EXPECT_NEAR(difference_db(x, y), -30, 0.05);
}

/// Steps of 2^-11 of full scale, an error with the variance of a step's twelfth in I and in Q.
TEST(RadioFront, QuantisationNoise) {
    for (const int bits : {8, 12}) {
        FrontConfig config;
        config.bits = bits;
        config.full_scale_db = 14;
        const double step = amplitude_of_db(14) / std::ldexp(1, bits - 1);
        const auto x = gaussian(200'000);
        EXPECT_NEAR(difference_db(x, passed(config, x)), decibels(2 * step * step / 12), 0.1) << bits;
    }
}

TEST(RadioFront, ClippedSamplesAreCounted) {
    FrontConfig config;
    config.bits = 4;
    const Samples x{{0.5F, -0.5F}, {1.0F, -1.0F}, {1.01F, 0}, {0, -1.01F}, {5, 5}, {0.07F, 0.06F}};
    auto y = x;
    RadioFront front(End::receiver, config, kRateHz, 1);
    front.pass(0, y);
    EXPECT_EQ(front.clipped(), 3U);
    EXPECT_EQ(y, (Samples{{0.5F, -0.5F}, {0.875F, -1}, {0.875F, 0}, {0, -1}, {0.875F, 0.875F}, {0.125F, 0}}));
    front.pass(6, y);
    EXPECT_EQ(front.clipped(), 3U);
    config.full_scale_db = 6.0206;
    RadioFront twice(End::transmitter, config, kRateHz, 1);
    y = x;
    twice.pass(0, y);
    EXPECT_EQ(twice.clipped(), 1U);
}

TEST(RadioFront, AmplifierFollowsRapp) {
    for (const double p : {1.0, 2.0, 3.0, 10.0}) {
        FrontConfig config;
        config.saturation_db = 6;
        config.smoothness = p;
        const double saturation = amplitude_of_db(6);
        for (const double over_db : {-40.0, -10.0, -3.0, 0.0, 3.0, 20.0}) {
            const double in = saturation * amplitude_of_db(over_db);
            const Complex x(std::polar(in, 1.0)), y = passed(config, {x}).front();
            const double out = in / std::pow(1 + std::pow(in / saturation, 2 * p), 1 / (2 * p));
            EXPECT_NEAR(20 * std::log10(double(std::abs(y)) / out), 0, 0.002) << p << " " << over_db;
            EXPECT_NEAR(std::arg(y), 1.0, 1e-5);
        }
        const double compressed = saturation * std::pow(std::pow(10, p / 10) - 1, 1 / (2 * p));  // by 1 dB
        const Complex y = passed(config, {Complex(float(compressed))}).front();
        EXPECT_NEAR(20 * std::log10(double(std::abs(y)) / compressed), -1, 0.002) << p;
    }
}

TEST(RadioFront, LevelsMoveWithTheSignal) {
    const auto moved = at_level(everything(), -20);
    EXPECT_EQ(moved.dc_dbc, -45);
    EXPECT_EQ(moved.image_dbc, -30);
    EXPECT_EQ(moved.full_scale_db, -8);
    EXPECT_EQ(moved.saturation_db, -12);
}

TEST(RadioFront, WhatContradictsIsRefused) {
    FrontConfig config = everything();
    EXPECT_TRUE(check(config));
    config.iq_gain_db = 1;
    EXPECT_EQ(check(config).error().key, "image_dbc");
    config.iq_gain_db = 0;
    config.iq_phase_deg = -1;
    EXPECT_EQ(check(config).error().key, "image_dbc");
    config.image_dbc.reset();
    EXPECT_TRUE(check(config));
    config = {};
    config.bits = 1;
    EXPECT_EQ(check(config).error().key, "bits");
    config.bits = 2;
    EXPECT_TRUE(check(config));
}

std::vector<double> phases(const PhaseNoise& noise, size_t count) {
    Samples x(count, Complex(1));
    noise.turn(0, x);
    std::vector<double> all;
    for (const auto& v : x) all.push_back(std::arg(Wide(v)));
    return all;
}

TEST(PhaseNoise, IntegratedPowerIsExact) {
    for (const double degrees : {0.6, 5.0}) {
        const PhaseNoise noise({}, degrees, kRateHz, 1);
        double sum = 0;
        const auto all = phases(noise, 1 << 21);  // eight times the first sum, twelve times the other
        for (const double phase : all) sum += phase * phase;
        const double rms = std::sqrt(sum / double(all.size())) * 180 / std::numbers::pi;
        EXPECT_NEAR(20 * std::log10(rms / degrees), 0, 0.05);
        EXPECT_EQ(noise.rms_degrees(), degrees);
    }
    // Level from 1 kHz to half the rate, two sidebands.
    const PhaseNoise level({{1e3, -100}}, {}, kRateHz, 1);
    EXPECT_NEAR(level.rms_degrees(), std::sqrt(2e-10 * (kRateHz / 2 - 1e3)) * 180 / std::numbers::pi, 1e-3);
}

/// Density around an offset: the mean over some lines of a long stretch's spectrum, windowed against leakage.
double density_db(const std::vector<double>& phase, double hz) {
    constexpr int kLines = 60;
    const double bin_hz = kRateHz / double(phase.size());
    double sum = 0, window_power = 0;
    for (size_t n = 0; n < phase.size(); ++n)
        window_power += std::pow(std::sin(std::numbers::pi * double(n) / double(phase.size())), 4);
    for (int line = -kLines / 2; line < kLines / 2; ++line) {
        const double turns = 2 * std::numbers::pi * (hz / bin_hz + 3.0 * line) / double(phase.size());
        const Wide step = std::polar(1.0, -turns);
        Wide at = 1, part;
        for (size_t n = 0; n < phase.size(); ++n, at *= step) {
            const double window = std::sin(std::numbers::pi * double(n) / double(phase.size()));
            part += phase[n] * window * window * at;
        }
        sum += std::norm(part) / window_power / kRateHz;  // two-sided density of the phase is that of a sideband
    }
    return decibels(sum / kLines);
}

TEST(PhaseNoise, DensityIsTheMasks) {
    const PhaseMask mask{{1e3, -80}, {1e5, -90}, {1e6, -120}};
    const auto all = phases(PhaseNoise(mask, {}, kRateHz, 3), 1 << 18);
    // Each contains 180 lines of 22 Hz; three standard deviations of the mean of 60 are 1.6 dB.
    EXPECT_NEAR(density_db(all, 1e4), -85, 1.7);
    EXPECT_NEAR(density_db(all, 1e5), -90, 1.7);
    EXPECT_NEAR(density_db(all, 4e5), -90 - 30 * std::log10(4), 1.7);
    EXPECT_NEAR(density_db(all, 2e6), -120, 1.7);
}

TEST(PhaseNoise, SeedsAreStrangers) {
    const auto one = phases(PhaseNoise({}, 1, kRateHz, 1), 1 << 18),
               two = phases(PhaseNoise({}, 1, kRateHz, 2), 1 << 18);
    double product = 0, square = 0;
    for (size_t n = 0; n < one.size(); ++n) {
        product += one[n] * two[n];
        square += one[n] * one[n];
    }
    EXPECT_LT(std::abs(product) / square, 0.1);
}

TEST(PhaseNoise, MasksAsText) {
    const auto mask = parse_phase_mask("1e3:-80,100000:-90.5");
    ASSERT_TRUE(mask);
    EXPECT_EQ(*mask, (PhaseMask{{1e3, -80}, {1e5, -90.5}}));
    EXPECT_EQ(print_phase_mask(*mask), "1000:-80,100000:-90.5");
    EXPECT_TRUE(parse_phase_mask("")->empty());
    EXPECT_TRUE(parse_phase_mask("10:0,1e9:-250"));
    std::string most = "10:-80";
    for (int i = 11; i < 42; ++i) most += "," + std::to_string(i) + ":-80";
    EXPECT_EQ(parse_phase_mask(most)->size(), 32U);
    EXPECT_FALSE(parse_phase_mask(most + ",42:-80"));
    EXPECT_FALSE(parse_phase_mask("1e3:-80,1e3:-90")) << "not ascending";
    for (const char* outside : {"9.9:0", "1.01e9:-250", "10:0.1", "1e9:-251"})
        EXPECT_FALSE(parse_phase_mask(outside)) << outside;
    for (const char* wrong : {"1e3", "1e3:", "1e3:-80,", "1e3:-80;1e4:-90", "1e4:-80,1e3:-90", "1:-80", "1e3:1",
                              "nan:-80", "1e3:nan", "1e3:-80 ", "x"})
        EXPECT_FALSE(parse_phase_mask(wrong)) << wrong;
}

}  // namespace
}  // namespace wimax::channel
