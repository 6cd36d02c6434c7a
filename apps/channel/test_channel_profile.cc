// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/channel_profile.h"
#include "channel/fading.h"
#include "common/scratch.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>

namespace wimax::channel {
namespace {

constexpr double kRateHz = 5.76e6;

std::string write_file(const char* text) {
    const std::string path = wimax::Scratch::path("taps.yaml");
    std::ofstream(path) << text;
    return path;
}

TEST(ChannelProfile, PowersSumToOne) {
    for (const auto& name : profile_names()) {
        const auto profile = named_profile(name);
        ASSERT_TRUE(profile) << name;
        double sum = 0;
        for (const auto& tap : profile->taps) sum += tap.power;
        EXPECT_NEAR(sum, 1.0, 1e-12) << name;
    }
    EXPECT_FALSE(named_profile("sui7"));
    EXPECT_TRUE(named_profile("awgn")->constant());
    EXPECT_NEAR(named_profile("sui6")->spread_s(), 20e-6, 1e-12);
}

TEST(ChannelProfile, TapFile) {
    const auto path = write_file(
        "taps:\n  - {delay_us: 0, power_db: 0, k_factor: 3, doppler_hz: 2, spectrum: jakes}\n"
        "  - {delay_us: 2.5, power_db: -3.0103}\n");
    const auto profile = load_profile(path);
    ASSERT_TRUE(profile) << profile.error().str();
    ASSERT_EQ(profile->taps.size(), 2U);
    EXPECT_NEAR(profile->taps[0].power, 2.0 / 3.0, 1e-5);
    EXPECT_EQ(profile->taps[0].spectrum, DopplerSpectrum::jakes);
    EXPECT_NEAR(profile->taps[1].delay_s, 2.5e-6, 1e-15);
    EXPECT_NEAR(load_profile(path, 70.0)->taps[1].doppler_hz, 70.0, 1e-12);
}

TEST(ChannelProfile, FaultsNameFileKeyAndAllowedValues) {
    const auto path = write_file("taps: 3");
    const auto fault_of = [](const char* text) {
        const auto profile = load_profile(write_file(text));
        return profile ? std::string("accepted") : profile.error().str();
    };
    const std::string keys = "delay_us, power_db, k_factor, doppler_hz, spectrum", limit = std::to_string(200.0);
    for (const char* none : {"taps: 3", "[1, 2]", "taps: []"})
        EXPECT_EQ(fault_of(none), path + ": taps: a list of 1 to 64 taps with delay_us and power_db");
    EXPECT_EQ(fault_of("taps: [{delay_us: 1}]"),
              path + ": taps[0].power_db: value (missing): allowed -100.000000..100.000000");
    EXPECT_EQ(fault_of("taps:\n - {delay_us: 1, power_db: 0}\n - {delay_us: -1, power_db: 0}"),
              path + ":3: taps[1].delay_us: value -1: allowed 0.000000.." + limit);
    EXPECT_EQ(fault_of("taps: [{delay_us: .nan, power_db: 0}]"),
              path + ":1: taps[0].delay_us: value .nan: allowed 0.000000.." + limit);
    EXPECT_EQ(fault_of("taps: [{delay_us: soon, power_db: 0}]"),
              path + ":1: taps[0].delay_us: value soon: allowed 0.000000.." + limit);
    EXPECT_EQ(fault_of("taps: [{delay_us: 1, power_db: 0, gain: 1}]"),
              path + ": taps[0].key: value gain: allowed " + keys);
    EXPECT_EQ(fault_of("taps: [3]"), path + ": taps[0]: value (no map): allowed a map of " + keys);
    EXPECT_EQ(fault_of("taps: [{delay_us: 1, power_db: 0, spectrum: flat}]"),
              path + ": taps[0].spectrum: value flat: allowed rounded, jakes, constant");
    EXPECT_TRUE(fault_of("taps: [{delay_us: 1").starts_with(path + ":1: not YAML: "));
    EXPECT_TRUE(load_profile("sui9").error().str().starts_with("sui9: channel: value 'sui9': allowed awgn, sui1, "));
    EXPECT_EQ(load_profile("sui1", -1.0).error().str(), "doppler_hz: value -1.000000: allowed 0..10000.000000");
}

/// A FIFO blocks open() without the check.
TEST(ChannelProfile, OnlyRegularFilesOfBoundedSize) {
    std::string fault;
    const auto refused = [&](const std::string& path) {
        const auto profile = load_profile(path);
        fault = profile ? "" : profile.error().str();
        return fault.find("regular file") != std::string::npos;
    };
    const std::string pipe = wimax::Scratch::path("taps.fifo");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_TRUE(refused(pipe)) << fault;
    EXPECT_TRUE(refused("/dev/zero")) << fault;
    EXPECT_TRUE(refused("/tmp")) << fault;
    EXPECT_TRUE(refused("/no/such/file")) << fault;
    const std::string taps = "taps: [{delay_us: 0, power_db: 0}]\n";
    EXPECT_TRUE(load_profile(write_file((taps + std::string(64 * 1024 - taps.size(), '#')).c_str())));
    EXPECT_TRUE(refused(write_file((taps + std::string(64 * 1024 - taps.size() + 1, '#')).c_str()))) << fault;
}

TEST(FadingTap, MeanPowerAndKFactor) {
    for (const double k : {0.0, 1.0, 4.0}) {
        const Tap tap{.power = 0.5, .k_factor = k, .doppler_hz = 100.0};
        double power = 0;
        double fourth = 0;
        const int seeds = 3000, instants = 10;
        for (int s = 0; s < seeds; ++s) {
            const FadingTap fading(tap, kRateHz, static_cast<uint64_t>(s));
            for (int i = 0; i < instants; ++i) {
                const double p = std::norm(fading.gain(static_cast<int64_t>(i) * 576'000));
                power += p / (seeds * instants);
                fourth += p * p / (seeds * instants);
            }
        }
        EXPECT_NEAR(power, 0.5, 0.012) << k;
        // Ricean moments: E|g|^4 / (E|g|^2)^2 = 2 - (K / (K + 1))^2.
        EXPECT_NEAR(fourth / (power * power), 2.0 - std::pow(k / (k + 1.0), 2), 0.08) << k;
    }
}

// Autocorrelation is the Fourier transform of the Doppler spectrum, computed by a Riemann sum.
double expected_correlation(DopplerSpectrum spectrum, double turns) {
    double sum = 0, norm = 0;
    for (int i = 0; i < 20'000; ++i) {
        const double angle = std::numbers::pi * (i + 0.5) / 20'000;  // x = cos: takes the ends of Jakes out
        const double x = std::cos(angle);
        const double s =
            spectrum == DopplerSpectrum::jakes ? 1.0 : (1 - 1.72 * x * x + 0.785 * x * x * x * x) * std::sin(angle);
        sum += s * std::cos(2 * std::numbers::pi * x * turns);
        norm += s;
    }
    return sum / norm;
}

TEST(FadingTap, AutocorrelationFollowsTheDopplerSpectrum) {
    for (const auto spectrum : {DopplerSpectrum::jakes, DopplerSpectrum::rounded}) {
        const Tap tap{.doppler_hz = 200.0, .spectrum = spectrum};
        for (const double turns : {0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0}) {
            const auto lag = static_cast<int64_t>(turns / 200.0 * kRateHz);
            std::complex<double> sum;
            const int seeds = 400, instants = 20;
            for (int s = 0; s < seeds; ++s) {
                const FadingTap fading(tap, kRateHz, static_cast<uint64_t>(s) + 77);
                for (int i = 0; i < instants; ++i) {
                    const int64_t at = static_cast<int64_t>(i) * 100'003;
                    sum += fading.gain(at + lag) * std::conj(fading.gain(at)) / static_cast<double>(seeds * instants);
                }
            }
            EXPECT_NEAR(sum.real(), expected_correlation(spectrum, turns), 0.05) << turns;
            EXPECT_NEAR(sum.imag(), 0.0, 0.05) << turns;
        }
    }
}

TEST(FadingTap, DeepFadesAreThoseOfRayleighFading) {
    // Fades that lose bursts at high SNR: P(|g|^2 < x) = 1 - exp(-x).
    const Tap tap{.doppler_hz = 1.0};
    const int seeds = 200'000;
    std::array<int, 3> below{};
    const std::array levels{0.003, 0.03, 0.3};
    for (int s = 0; s < seeds; ++s) {
        const double power = std::norm(FadingTap(tap, kRateHz, static_cast<uint64_t>(s)).gain(0));
        for (size_t i = 0; i < levels.size(); ++i) below[i] += power < levels[i] ? 1 : 0;
    }
    for (size_t i = 0; i < levels.size(); ++i) {
        const double expected = seeds * (1 - std::exp(-levels[i]));
        // 2 % are due to the finite number of sinusoids.
        EXPECT_NEAR(below[i], expected, 4 * std::sqrt(expected) + 0.02 * expected) << levels[i];
    }
}

TEST(FadingTap, SeedReproducible) {
    const Tap tap{.doppler_hz = 5.0};
    const FadingTap a(tap, kRateHz, 9), b(tap, kRateHz, 9), c(tap, kRateHz, 10);
    EXPECT_EQ(a.gain(123'456'789'012), b.gain(123'456'789'012));
    EXPECT_NE(a.gain(0), c.gain(0));
}

}  // namespace
}  // namespace wimax::channel
