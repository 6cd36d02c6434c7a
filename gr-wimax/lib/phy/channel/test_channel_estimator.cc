// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates of the channel from preambles: response, noise, paths and motion.
#include "phy/base/test_noise.h"
#include "phy/channel/channel_estimator.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_channel_estimator {

/// Response of the paths on all carriers; noise is added to the preamble symbols.
struct Scene {
    std::vector<Path> paths;
    double snr_db;
    std::mt19937_64 random{1};

    Complex response(int k) const {
        Complex sum{};
        for (const auto& path : paths)
            sum += path.gain *
                   std::polar(1.0F, static_cast<float>(-2 * std::numbers::pi * k * path.delay_samples / kFftSize));
        return sum;
    }
    Carriers symbol(PreambleSymbol which) {
        std::normal_distribution<float> gauss(0, static_cast<float>(std::sqrt(0.5 * std::pow(10, -snr_db / 10))));
        Carriers out;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
            out[k] = preamble_carriers(which)[static_cast<size_t>(k & 255)] * response(k) + complex_of(gauss, random);
        return out;
    }
};

double error_db(const Scene& scene, const ChannelEstimate& estimate) {
    double sum = 0;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
        if (k != 0) sum += std::norm(estimate.response[k] - scene.response(k));
    return 10 * std::log10(sum / kUsedCarriers);
}

TEST(ChannelEstimator, ErrorIsFarBelowTheNoise) {
    ChannelEstimator estimator;
    struct Case {
        std::vector<Path> paths;
        double margin_short_db, margin_long_db;  // mean error below the noise, at least
    };
    const std::vector<Case> cases{{{{4.3, 1}}, 14, 16.5},
                                  {{{4, {0.8F, 0}}, {7.7, {0, 0.5F}}, {11, {-0.3F, 0.1F}}}, 12, 14},
                                  {{{3.2, {0.6F, 0}}, {15.5, {0.5F, 0.3F}}, {33, {0.3F, 0.4F}}}, 8, 10}};
    for (const auto& c : cases)
        for (const double snr_db : {3.0, 12.0, 22.0, 32.0}) {
            double short_error = 0, long_error = 0;
            constexpr int kTrials = 20;
            Scene scene{c.paths, snr_db};
            for (int trial = 0; trial < kTrials; ++trial) {
                PreambleObservation seen;
                ChannelEstimate estimate;
                estimator.observe_short(scene.symbol(PreambleSymbol::p_even), 32, seen);
                ASSERT_TRUE(seen.present);
                estimator.estimate(seen, estimate);
                short_error += error_db(scene, estimate) / kTrials;
                estimator.observe_long(scene.symbol(PreambleSymbol::p_4x64), scene.symbol(PreambleSymbol::p_even), 32,
                                       1e6F, seen);
                ASSERT_TRUE(seen.present);
                EXPECT_NEAR(seen.phase_step, 0, 6 * std::sqrt(seen.phase_step_variance));
                estimator.estimate(seen, estimate);
                long_error += error_db(scene, estimate) / kTrials;
                EXPECT_NEAR(10 * std::log10(estimate.noise_variance), -snr_db, 1.3);
                EXPECT_NEAR(seen.first_path, c.paths[0].delay_samples, 0.5);
            }
            EXPECT_LT(short_error, -snr_db - c.margin_short_db) << c.paths.size() << ' ' << snr_db;
            EXPECT_LT(long_error, -snr_db - c.margin_long_db) << c.paths.size() << ' ' << snr_db;
        }
}

TEST(ChannelEstimator, MotionBetweenThePreambleSymbolsIsNoEcho) {
    // A quarter of the amplitude, more than the compensated phase turn: on every other carrier of the grid.
    ChannelEstimator estimator;
    int early = 0, late = 0, echoes = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        Scene scene{{{20.3, {1, 0}}}, 30, std::mt19937_64(seed)};
        const auto first = scene.symbol(PreambleSymbol::p_4x64);
        scene.paths[0].gain = Complex(std::polar(0.75F, 0.4F));
        const auto second = scene.symbol(PreambleSymbol::p_even);
        PreambleObservation seen;
        estimator.observe_long(first, second, 64, 1e6F, seen);
        EXPECT_TRUE(seen.present);
        early += seen.first_path < 19 || seen.early_path < 19;
        late += seen.last_path > 22;
        // An existing one is still found.
        scene.paths = {{20.3, {1, 0}}, {78.3, {0.2F, 0.1F}}};
        const auto before = scene.symbol(PreambleSymbol::p_4x64);
        scene.paths = {{20.3, {0.75F, 0}}, {78.3, {0.2F, 0.1F}}};
        estimator.observe_long(before, scene.symbol(PreambleSymbol::p_even), 64, 1e6F, seen);
        echoes += std::abs(seen.last_path - 78.3F) < 1 && std::abs(seen.early_path - 20.3F) < 1;
    }
    EXPECT_EQ(early, 0);
    EXPECT_EQ(late, 0);
    EXPECT_EQ(echoes, 50);
}

TEST(ChannelEstimator, NoiseAndPowerAreUnbiased) {
    constexpr int kTrials = 200;
    for (const double snr_db : {0.0, 10.0, 25.0}) {
        ChannelEstimator estimator;
        Scene scene{{{4.3, 1}}, snr_db};
        double short_noise = 0, long_noise = 0, short_power = 0, long_power = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
            PreambleObservation seen;
            estimator.observe_short(scene.symbol(PreambleSymbol::p_even), 32, seen);
            short_noise += static_cast<double>(seen.noise_variance) / kTrials;
            short_power += static_cast<double>(seen.power) / kTrials;
            estimator.observe_long(scene.symbol(PreambleSymbol::p_4x64), scene.symbol(PreambleSymbol::p_even), 32, 1e6F,
                                   seen);
            long_noise += static_cast<double>(seen.noise_variance) / kTrials;
            long_power += static_cast<double>(seen.power) / kTrials;
        }
        EXPECT_NEAR(10 * std::log10(short_noise), -snr_db, 0.2);
        EXPECT_NEAR(10 * std::log10(long_noise), -snr_db, 0.2);
        EXPECT_NEAR(10 * std::log10(short_power), 0, 0.1);
        EXPECT_NEAR(10 * std::log10(long_power), 0, 0.1);
    }
}

/// Shares of short preambles in which a path sets the timing, and in which it is covered. The path is `before` samples
/// before the strongest, with `over_noise` times the noise of a delay.
struct Seen {
    double first = 0, covered = 0;
};
Seen weak_path(double over_noise) {
    constexpr int kTrials = 400, kBefore = 12;
    constexpr double kSnrDb = 10;
    // Hann-windowed over a hundred carriers of four times the power.
    const double delay_noise = std::pow(10, -kSnrDb / 10) * 1.5 / (4 * 100);
    Scene scene{{{20 - kBefore, static_cast<float>(std::sqrt(over_noise * delay_noise))}, {20, 1}}, kSnrDb};
    ChannelEstimator estimator;
    Seen seen;
    for (int trial = 0; trial < kTrials; ++trial) {
        PreambleObservation observation;
        estimator.observe_short(scene.symbol(PreambleSymbol::p_even), 32, observation);
        seen.first += std::abs(observation.first_path - (20 - kBefore)) < 2;
        seen.covered += std::abs(observation.early_path - (20 - kBefore)) < 2;
    }
    return {seen.first / kTrials, seen.covered / kTrials};
}

TEST(ChannelEstimator, PathsSetTheTimingAtTwentyTwoTimesTheNoiseAndAreCoveredAtTen) {
    // Amplitudes have a deviation of 0.7 in these units: limits of 4.7 and 3.2.
    const auto strong = weak_path(36), middle = weak_path(16), weak = weak_path(4);
    EXPECT_GT(strong.first, 0.85);
    EXPECT_NEAR(middle.first, 0.17, 0.12);
    EXPECT_NEAR(middle.covered, 0.78, 0.12);
    EXPECT_LT(weak.first, 0.02);
    EXPECT_NEAR(weak.covered, 0.06, 0.06);
}

/// A preamble symbol of two halves whose amplitude and phase change linearly through the body.
Carriers moving_symbol(Complex change_in_a_body, double snr_db, std::mt19937_64& random) {
    const auto body = preamble_body(PreambleSymbol::p_even);
    std::normal_distribution<float> gauss(0, static_cast<float>(std::sqrt(0.5 * std::pow(10, -snr_db / 10))));
    Carriers out;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        std::complex<double> sum{};
        for (int n = 0; n < kFftSize; ++n)
            sum += std::complex<double>(body[static_cast<size_t>(n)] *
                                        (1.0F + change_in_a_body * (static_cast<float>(n) - 127.5F) / 256.0F)) *
                   std::polar(1.0, -2 * std::numbers::pi * k * n / kFftSize);
        out[k] = Complex(sum);
    }
    // Same power on its carriers as from the receiver's transform.
    double power = 0, wanted = 0;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        power += std::norm(out[k]);
        wanted += std::norm(preamble_carriers(PreambleSymbol::p_even)[static_cast<size_t>(k & 255)]);
    }
    const auto scale = static_cast<float>(std::sqrt(wanted / power));
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) out[k] = out[k] * scale + complex_of(gauss, random);
    return out;
}

TEST(ChannelEstimator, MotionWithinAPreambleIsMeasured) {
    constexpr int kTrials = 20, kCp = 32;
    ChannelEstimator estimator;
    std::mt19937_64 random(5);
    // Change of the amplitude, of both, and of the phase alone, which the link's tracker follows.
    for (const Complex change : {Complex(0.2F, 0), Complex(0.15F, 0.1F), Complex(0, 0.2F)}) {
        double speed = 0, left = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
            PreambleObservation seen;
            estimator.observe_short(moving_symbol(change, 30, random), kCp, seen);
            double sum = 0;
            for (const Complex c : seen.change) sum += static_cast<double>(std::norm(c));
            speed += static_cast<double>(seen.speed) / kTrials;
            left += sum / PreambleObservation::kGrid / kTrials;
        }
        const double symbols = (kFftSize + kCp) / double{kFftSize}, squared = symbols * symbols;
        EXPECT_NEAR(speed, static_cast<double>(std::norm(change)) * squared, 0.1 * 0.04 * squared) << change;
        EXPECT_NEAR(left, std::pow(static_cast<double>(change.real()), 2) * squared, 0.006) << change;
    }
    int moving = 0;
    for (int trial = 0; trial < 300; ++trial) {
        Scene still{{{4, 1}}, 30, std::mt19937_64(static_cast<uint64_t>(trial))};
        PreambleObservation seen;
        estimator.observe_short(still.symbol(PreambleSymbol::p_even), kCp, seen);
        moving += seen.speed > 0;
    }
    EXPECT_LE(moving, 3);
}

TEST(ChannelEstimator, TheFrequencyKnownBeforeCounts) {
    // The phase step between two symbols, measured with a certain variance, against a prior of zero.
    ChannelEstimator estimator;
    Scene scene{{{4, 1}}, 60};
    const auto first = scene.symbol(PreambleSymbol::p_4x64);
    auto second = scene.symbol(PreambleSymbol::p_even);
    const auto step_of = [&](double step, double prior) {
        auto turned = second;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) turned[k] *= Complex(std::polar(1.0, step));
        PreambleObservation seen;
        estimator.observe_long(first, turned, 32, static_cast<float>(prior), seen);
        return std::pair(static_cast<double>(seen.phase_step), static_cast<double>(seen.phase_step_variance));
    };
    const auto [open, open_variance] = step_of(2e-4, 1e6);
    EXPECT_NEAR(open, 2e-4, 1.2e-4);
    EXPECT_NEAR(open_variance, 3.75e-9, 1e-9);  // of 50 carriers with 9 and 6 dB more than data
    const auto [half, half_variance] = step_of(2e-4, open_variance);
    EXPECT_NEAR(half, 0.5 * open, 0.02 * open);
    EXPECT_NEAR(half_variance, 0.5 * open_variance, 0.02 * open_variance);
    // Far outside both it is a jump.
    EXPECT_NEAR(step_of(0.3, open_variance).first, 0.3, 1e-3);
}

/// Shares of short and of long preambles that are detected at a signal-to-noise ratio per data carrier.
std::array<double, 2> taken_for_preambles(double snr_db) {
    constexpr int kTrials = 400;
    ChannelEstimator estimator;
    Scene scene{{{4.3, 1}}, snr_db};
    std::array<double, 2> shares{};
    for (int trial = 0; trial < kTrials; ++trial) {
        PreambleObservation seen;
        estimator.observe_short(scene.symbol(PreambleSymbol::p_even), 32, seen);
        shares[0] += seen.present ? 1.0 / kTrials : 0;
        estimator.observe_long(scene.symbol(PreambleSymbol::p_4x64), scene.symbol(PreambleSymbol::p_even), 32, 1e6F,
                               seen);
        shares[1] += seen.present ? 1.0 / kTrials : 0;
    }
    return shares;
}

TEST(ChannelEstimator, PreamblesAreTakenFromSixAndAHalfDecibelsBelowTheNoiseOn) {
    for (const size_t which : {0U, 1U}) {
        EXPECT_GT(taken_for_preambles(-4)[which], 0.98) << which;
        EXPECT_NEAR(taken_for_preambles(-6.5)[which], 0.5, 0.2) << which;
        EXPECT_LT(taken_for_preambles(-10)[which], 0.03) << which;
    }
}

TEST(ChannelEstimator, ASymbolWithPowerOnAllCarriersIsNoPreamble) {
    // Like the preamble of an STC zone: its even carriers alone are those of a short preamble.
    ChannelEstimator estimator;
    Scene scene{{{4.3, 1}}, 20};
    const auto first = scene.symbol(PreambleSymbol::p_4x64);
    auto both = scene.symbol(PreambleSymbol::p_even);
    PreambleObservation seen;
    estimator.observe_short(both, 32, seen);
    EXPECT_TRUE(seen.present);
    const auto odd = scene.symbol(PreambleSymbol::p_odd);
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) both[k] += odd[k];
    estimator.observe_short(both, 32, seen);
    EXPECT_FALSE(seen.present);
    estimator.observe_long(first, both, 32, 1e6F, seen);
    EXPECT_FALSE(seen.present);
}

/// Short preambles at 25 dB with a tone on carrier 24, `over_noise` times the noise of a carrier.
struct WithTone {
    double taken = 0;     // share in which the carrier is marked
    double error_db = 0;  // of the estimate, over the noise; carriers next to the tone's included
    double purity = 0;    // of the carrier, mean
    int others = 0;       // carriers marked wrongly
};
WithTone with_tone(double over_noise) {
    constexpr int kTrials = 300, kCarrier = 24;
    constexpr double kSnrDb = 25;
    ChannelEstimator estimator;
    Scene scene{{{4, {0.8F, 0}}, {7.7, {0, 0.5F}}}, kSnrDb};
    WithTone out;
    double error = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        auto symbol = scene.symbol(PreambleSymbol::p_even);
        symbol[kCarrier] += Complex(std::polar(std::sqrt(over_noise * std::pow(10, -kSnrDb / 10)), 1.7 * trial));
        PreambleObservation seen;
        ChannelEstimate estimate;
        estimator.observe_short(symbol, 32, seen);
        estimator.estimate(seen, estimate);
        out.taken += estimate.purity[kCarrier] < 1 ? 1.0 / kTrials : 0;
        out.purity += static_cast<double>(estimate.purity[kCarrier]) / kTrials;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; k += 2) out.others += k != kCarrier && estimate.purity[k] < 1;
        error += std::pow(10, error_db(scene, estimate) / 10) / kTrials;
    }
    out.error_db = 10 * std::log10(error) + kSnrDb;
    return out;
}

TEST(ChannelEstimator, AnInterfererOnAPreambleCarrierIsLeftOut) {
    const auto none = with_tone(0), weak = with_tone(8), limit = with_tone(18), strong = with_tone(40),
               loud = with_tone(1000);
    EXPECT_EQ(none.taken, 0);
    EXPECT_EQ(none.others, 0);
    EXPECT_LT(weak.taken, 0.15);
    EXPECT_NEAR(limit.taken, 0.5, 0.3);
    EXPECT_GT(strong.taken, 0.9);
    EXPECT_GT(loud.taken, 0.999);
    EXPECT_NEAR(loud.purity, 1e-3, 5e-4);
    EXPECT_LT(loud.others, 300);
    // Otherwise the estimate's error would be larger.
    EXPECT_LT(loud.error_db, none.error_db + 2.5);
    RecordProperty("figures", std::to_string(weak.taken) + " " + std::to_string(limit.taken) + " " +
                                  std::to_string(strong.taken) + " " + std::to_string(none.error_db) + " " +
                                  std::to_string(loud.error_db) + " " + std::to_string(loud.purity));
}

}  // namespace test_channel_estimator
}  // namespace gr::wimax::phy::test
