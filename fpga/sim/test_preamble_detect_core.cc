// SPDX-License-Identifier: GPL-3.0-or-later
// The RTL of preamble_detect against its model, word by word.
#include "fpga/model/preamble_detect.h"
#include "fpga/model/preamble_signals.h"
#include "fpga/sim/preamble_detect_core.h"

#include <gtest/gtest.h>

namespace wimax::fpga {
namespace {

struct Result {
    std::vector<AxisWord> words;
    std::vector<Detection> detections;
    uint32_t plateaus = 0;
};

template <class Detector> Result run(Detector& detector, std::span<const AxisWord> in) {
    Result result;
    for (size_t at = 0; at < in.size(); at += 5000)
        detector.process(in.subspan(at, std::min<size_t>(5000, in.size() - at)), result.words, result.detections);
    result.plateaus = detector.read(preamble_detect::kPlateaus);
    EXPECT_EQ(detector.read(preamble_detect::kDetections), result.detections.size());
    return result;
}

void expect_same(const std::vector<AxisWord>& in, PreambleDetectCore& core, size_t least_detections,
                 std::initializer_list<std::pair<uint32_t, uint32_t>> registers = {}) {
    PreambleDetect model;
    for (const auto& [address, value] : registers) {
        model.write(address, value);
        core.write(address, value);
    }
    const Result expected = run(model, in), got = run(core, in);
    EXPECT_EQ(got.words, in);
    EXPECT_EQ(got.detections, expected.detections);
    EXPECT_EQ(got.plateaus, expected.plateaus);
    EXPECT_GE(expected.detections.size(), least_detections);
}

TEST(PreambleDetectCore, MillionSamplesOfFrames) {
    PreambleDetectCore core;
    expect_same(preamble_signals(1'000'000, 1), core, 150);
}

/// A million samples in all.
TEST(PreambleDetectCore, WithStalls) {
    uint32_t seed = 2;
    for (const double share : {0.3, 0.7}) {
        PreambleDetectCore core({share, 1}, {share, 2}, {share, 3});
        expect_same(preamble_signals(500'000, seed++), core, 75);
    }
}

TEST(PreambleDetectCore, RecordsThatWaitStopTheSamples) {
    PreambleDetectCore core({}, {}, {0.9995, 3});
    expect_same(preamble_signals(60'000, 3), core, 8);
}

TEST(PreambleDetectCore, EverySetting) {
    using namespace preamble_detect;
    for (uint32_t steps : {0U, 3U, 7U}) {
        PreambleDetectCore core;
        expect_same(preamble_signals(60'000, 10 + steps), core, 2,
                    {{kMaxSteps, steps},
                     {kGateThreshold, 10 + steps},
                     {kFirstThreshold, 20},
                     {kSecondThreshold, 6},
                     {kPrefixes, 5 + steps},
                     {kHoldOff, 20 * steps}});
    }
    PreambleDetectCore core;
    expect_same(preamble_signals(20'000, 4), core, 0, {{kGateThreshold, 0}});  // permanent plateaus
    PreambleDetectCore deaf;
    expect_same(preamble_signals(20'000, 4), deaf, 0, {{kControl, 0}});
}

TEST(PreambleDetectCore, Registers) {
    using namespace preamble_detect;
    PreambleDetectCore core;
    PreambleDetect model;
    const std::initializer_list<uint32_t> settings{kControl,  kGateThreshold, kFirstThreshold, kSecondThreshold,
                                                   kMaxSteps, kPrefixes,      kHoldOff};
    for (uint32_t address = 0; address < 0x40; address += 4)
        EXPECT_EQ(core.read(address), model.read(address)) << address;
    for (const uint32_t value : {0xFFFFFFFFU, 0x5AU, 0U})
        for (const uint32_t address : settings) {
            core.write(address, value);
            model.write(address, value);
            EXPECT_EQ(core.read(address), model.read(address)) << address;
        }
    core.write(kIdAddress, 1);
    EXPECT_EQ(core.read(kIdAddress), kId);
}

}  // namespace
}  // namespace wimax::fpga
