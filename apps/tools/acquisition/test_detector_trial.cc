// SPDX-License-Identifier: GPL-3.0-or-later
// The detector of the FPGA where `wimax acquisition` measures the host's: shares of frames, false alarms, and that the
// Verilated core and the model agree in all of it.
#include "tools/acquisition/detector_trial.h"
#include "tools/simulation/simulator.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wimax::acquisition {
namespace {

using Model = DetectorTrial<fpga::PreambleDetect>;
using Core = DetectorTrial<fpga::PreambleDetectCore>;

Setup setup_of(phy::CyclicPrefix cp, const char* channel = "awgn") {
    Setup setup;
    setup.cp = cp;
    setup.profile = *channel::load_profile(channel);
    return setup;
}

struct Count {
    int64_t acquired = 0;
    double most_error_samples = 0, frequency_square = 0;
};

Count count(const Setup& setup, double snr_db, int trials) {
    Model trial(setup);
    Count result;
    for (int i = 0; i < trials; ++i) {
        const Outcome outcome = trial.run(snr_db, static_cast<uint64_t>(i));
        if (!outcome.acquired) continue;
        ++result.acquired;
        result.most_error_samples = std::max(result.most_error_samples, std::abs(outcome.start_error_samples));
        result.frequency_square += outcome.frequency_error_hz * outcome.frequency_error_hz;
    }
    return result;
}

class Prefix : public testing::TestWithParam<phy::CyclicPrefix> {};

TEST_P(Prefix, FramesAreFoundToTheSample) {
    const Count poor = count(setup_of(GetParam()), 0, 1000);
    EXPECT_GE(link::wilson(poor.acquired, 1000).low, 0.99);
    EXPECT_LE(poor.most_error_samples, 0.75);  // the delay has a fraction; the record has none
    EXPECT_LE(std::sqrt(poor.frequency_square / static_cast<double>(poor.acquired)), 900);
    const Count good = count(setup_of(GetParam()), 20, 300);
    EXPECT_EQ(good.acquired, 300);
    EXPECT_LE(good.most_error_samples, 0.6);
    EXPECT_LE(std::sqrt(good.frequency_square / 300), 100);
}
INSTANTIATE_TEST_SUITE_P(Detector, Prefix, testing::ValuesIn(phy::kCyclicPrefixes));

TEST(Detector, FadingCostsItLittleMore) {
    EXPECT_GE(count(setup_of(phy::CyclicPrefix::g1_8, "sui3"), 10, 300).acquired, 297);
}

TEST(Detector, NoFalseAlarm) {
    for (const Idle idle : {Idle::noise, Idle::steps, Idle::tone, Idle::impulses, Idle::data}) {
        const auto alarms = Model({}).idle(idle, 50'000, 7, [](int64_t) { return true; });
        EXPECT_EQ(alarms.preambles, 0) << static_cast<int>(idle);
    }
}

/// With a threshold so low that searches are many, and records come of noise.
TEST(Detector, CoreAgreesOnManySymbolsOfNoise) {
    constexpr int64_t kStretches = 100;  // of 1000 symbols
    fpga::PreambleDetect model;
    fpga::PreambleDetectCore core;
    for (const auto& [address, value] :
         std::initializer_list<std::pair<uint32_t, uint32_t>>{{fpga::preamble_detect::kGateThreshold, 10},
                                                              {fpga::preamble_detect::kFirstThreshold, 4},
                                                              {fpga::preamble_detect::kSecondThreshold, 1}}) {
        model.write(address, value);
        core.write(address, value);
    }
    IdleSource source(Idle::noise, 1);
    std::vector<phy::Complex> heard(288'000);
    std::vector<fpga::FixedSample> samples;
    std::vector<fpga::Detection> expected, got;
    for (int64_t i = 0; i < kStretches; ++i) {
        source.fill(i * 288'000, heard);
        samples.clear();
        for (const auto& x : heard) samples.push_back(fpga::fixed_sample(x * kDetectorLevel));
        model.process(static_cast<uint64_t>(i) * 288'000, samples, expected);
        core.process(static_cast<uint64_t>(i) * 288'000, samples, got);
    }
    EXPECT_EQ(got, expected);
    EXPECT_GT(expected.size(), 20u);
    EXPECT_EQ(core.read(fpga::preamble_detect::kPlateaus), model.read(fpga::preamble_detect::kPlateaus));
}

TEST(Detector, CoreAgreesOnFrames) {
    for (const double snr_db : {-5.0, 0.0, 12.0}) {
        Model model(setup_of(phy::CyclicPrefix::g1_16, "sui3"));
        Core core(setup_of(phy::CyclicPrefix::g1_16, "sui3"));
        for (uint64_t i = 0; i < 60; ++i) {
            model.run(snr_db, i);
            core.run(snr_db, i);
            ASSERT_EQ(core.found(), model.found());
        }
    }
}

}  // namespace
}  // namespace wimax::acquisition
