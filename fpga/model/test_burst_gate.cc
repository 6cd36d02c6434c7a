// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts that the gate sends, their times, and bursts that it drops.
#include "fpga/model/burst_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace wimax::fpga {
namespace test_burst_gate {

using namespace burst_gate;

std::vector<AxisWord> burst(uint64_t time, size_t samples) {
    std::vector<AxisWord> words(samples);
    for (size_t i = 0; i < samples; ++i) words[i].data = 0x100 + static_cast<uint32_t>(i);
    words[0].time = time;
    words[0].has_time = true;
    words.back().end_of_burst = words.back().last = true;
    return words;
}

struct Gated {
    BurstGate gate;
    uint64_t now = 1000;
    std::vector<AxisWord> out;
    std::vector<uint8_t> line;

    Gated() { gate.write(kEnable, 1); }
    void go(size_t ticks, const std::vector<AxisWord>& words = {}) {
        gate.process(words, now, ticks, out, line);
        now += ticks;
    }
    /// Number of nonzero samples, and time that the line was on.
    int64_t sent() const {
        return std::count_if(out.begin(), out.end(), [](const auto& w) { return w.data != 0; });
    }
    int64_t lit() const { return std::accumulate(line.begin(), line.end(), int64_t{0}); }
};

TEST(BurstGate, ABurstLeavesAtItsTimeWithZerosAndLineAround) {
    Gated run;
    run.gate.write(kEdge, 5);
    run.gate.write(kLead, 7);
    run.gate.write(kLag, 3);
    run.go(200, burst(1100, 20));
    ASSERT_EQ(run.out.size(), 5u + 7 + 20 + 3 + 5);
    for (size_t i = 0; i < run.out.size(); ++i) {
        EXPECT_EQ(run.out[i].time, 1088 + i);
        EXPECT_EQ(run.out[i].data, i < 12 || i >= 32 ? 0 : 0x100 + i - 12) << i;
        EXPECT_EQ(run.out[i].end_of_burst, i == 39);
    }
    for (size_t i = 0; i < 200; ++i) EXPECT_EQ(run.line[i], i >= 93 && i < 123) << i;
    EXPECT_EQ(run.gate.read(kBursts), 1u);
}

TEST(BurstGate, LateOnesAreLeftOutAndReported) {
    Gated run;
    run.gate.write(kLead, 10);
    run.go(10, burst(1009, 20));  // the line should have been on since 999
    run.go(50, burst(1030, 20));  // after it, in time
    EXPECT_EQ(run.sent(), 20);
    EXPECT_EQ(run.gate.read(kLate), 1u);
    EXPECT_EQ(run.gate.read(kLateBy), 1u);
    EXPECT_EQ(run.gate.read(kLateTimeLow), 1009u);
    auto untimed = burst(0, 20);
    untimed[0].has_time = false;
    run.go(100, untimed);
    EXPECT_EQ(run.sent(), 20);
    EXPECT_EQ(run.gate.read(kLate), 2u);
}

TEST(BurstGate, ABurstRightBehindAnotherNeedsNoLead) {
    Gated run;
    run.gate.write(kLead, 10);
    auto words = burst(1050, 20);
    const auto second = burst(1070, 20);
    words.insert(words.end(), second.begin(), second.end());
    run.go(200, words);
    EXPECT_EQ(run.sent(), 40);
    EXPECT_EQ(run.lit(), 50);
    EXPECT_EQ(run.gate.read(kLate), 0u);
}

TEST(BurstGate, LongOnesAreCutUntilAPause) {
    Gated run;
    run.gate.write(kLongest, 100);
    run.go(10);
    auto words = burst(1020, 150);
    const auto touching = burst(1170, 30), later = burst(1201, 30);
    words.insert(words.end(), touching.begin(), touching.end());
    words.insert(words.end(), later.begin(), later.end());
    run.go(400, words);
    EXPECT_EQ(run.sent(), 130);
    EXPECT_EQ(run.gate.read(kTooLong), 2u);
    EXPECT_EQ(run.gate.read(kBursts), 3u);
}

/// FDD has no pauses. The longest limit is none: the count of samples does not end a burst, however long it is.
TEST(BurstGate, WithoutALimitABurstNeverEnds) {
    Gated run;
    run.gate.write(kLongest, 0xFFFFFF);
    auto words = burst(1100, 1'000'000);
    words.back().end_of_burst = words.back().last = false;
    run.go(1'000'100, words);
    int64_t sent = run.sent();
    words[0].has_time = false;
    for (int i = 0; i < 17; ++i) {
        run.out.clear();
        run.line.clear();
        run.go(1'000'000, words);
        sent += run.sent();
    }
    EXPECT_EQ(sent, 18'000'000);
}

TEST(BurstGate, NoWindowHoldsMoreThanItsShare) {
    Gated run;
    run.gate.write(kPart, 10);
    run.gate.write(kShare, 80);
    for (int i = 0; i < 40; ++i) run.go(50, burst(run.now + 5, 37));
    std::vector<uint8_t> on(2001);
    for (const auto& word : run.out) on[word.time - 1000] = word.data != 0;
    for (size_t at = 0; at + 160 <= on.size(); ++at)
        EXPECT_LE(std::accumulate(on.begin() + static_cast<long>(at), on.begin() + static_cast<long>(at) + 160, 0), 80);
    EXPECT_GT(run.sent(), 850);
    EXPECT_GT(run.gate.read(kTooOften), 10u);
}

TEST(BurstGate, WithoutAHeartbeatItIsSilent) {
    Gated run;
    run.gate.write(kPatience, 300);
    run.gate.write(kLag, 20);
    run.gate.write(kHeartbeat, 0);
    run.go(280, burst(1010, 20));
    EXPECT_EQ(run.sent(), 20);
    run.go(100, burst(1290, 40));  // half of it
    EXPECT_EQ(run.sent(), 30);
    EXPECT_EQ(run.line[300], 0);
    run.go(100, burst(1400, 40));
    EXPECT_EQ(run.sent(), 30);
    run.gate.write(kHeartbeat, 0);
    run.go(100, burst(1500, 40));
    EXPECT_EQ(run.sent(), 70);
    EXPECT_EQ(run.gate.read(kSilenced), 2u);
    run.gate.write(kEnable, 0);
    run.go(100, burst(run.now + 10, 40));
    EXPECT_EQ(run.sent(), 70);
}

TEST(BurstGate, WhatComesTooSlowlyIsEnded) {
    Gated run;
    auto words = burst(1010, 20);
    words.resize(12);
    run.go(100, words);
    EXPECT_EQ(run.sent(), 12);
    EXPECT_EQ(run.gate.read(kUnderflows), 1u);
    EXPECT_TRUE(run.out.back().end_of_burst);
    run.go(100, burst(1120, 5));  // up to its end the words count as the rest
    EXPECT_EQ(run.sent(), 12);
    run.go(100, burst(1220, 5));
    EXPECT_EQ(run.sent(), 17);
}

}  // namespace test_burst_gate
}  // namespace wimax::fpga
