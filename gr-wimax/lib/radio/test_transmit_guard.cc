// SPDX-License-Identifier: GPL-3.0-or-later
// Samples that the guard passes, compared with a count of every sample, and its reasons to refuse.
#include "phy/base/decibels.h"
#include "radio/transmit_guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace gr::wimax {
namespace {

using Samples = std::vector<std::complex<float>>;

constexpr int64_t kRate = 1'000'000;

TransmitLimits limits() {
    TransmitLimits l;
    l.enable = true;
    l.allowed_bands = {{3.4e9, 3.6e9}};
    l.max_power_dbm = 20;
    l.longest_burst_ms = 2;
    l.max_duty_cycle = 0.5;
    l.duty_window_ms = 20;
    return l;
}

Samples of_power(double db, size_t n) { return Samples(n, {static_cast<float>(phy::amplitude_of_db(db)), 0}); }

size_t admit(TransmitGuard& guard, int64_t start, size_t n) { return guard.admit(start, of_power(0, n)); }

TEST(TransmitGuard, SwitchedOffNothingLeaves) {
    auto l = limits();
    l.enable = false;
    TransmitGuard guard(l, kRate, -100);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(admit(guard, i * 10'000, 100), 0u);
    EXPECT_EQ(guard.refusals().switched_off, 5u);
    EXPECT_EQ(guard.refusals().all(), 5u);
}

TEST(TransmitGuard, WithoutAPowerLimitNothingLeaves) {
    auto l = limits();
    l.max_power_dbm.reset();
    TransmitGuard guard(l, kRate, -100);
    EXPECT_EQ(admit(guard, 0, 100), 0u);
    EXPECT_EQ(guard.refusals().too_strong, 1u);
}

TEST(TransmitGuard, BurstsAreCutAtTheLimitUntilAPause) {
    TransmitGuard guard(limits(), kRate, 0);
    EXPECT_EQ(admit(guard, 0, 2000), 2000u);
    EXPECT_EQ(admit(guard, 2000, 1), 0u);    // without a pause
    EXPECT_EQ(admit(guard, 2001, 500), 0u);  // nor now: nothing has paused
    EXPECT_EQ(admit(guard, 2502, 1500), 1500u);
    EXPECT_EQ(admit(guard, 4002, 1500), 500u);  // 2000 of both together
    EXPECT_EQ(admit(guard, 5000, 100), 0u);     // begins within the one before
    EXPECT_EQ(guard.refusals().too_long, 4u);
    EXPECT_EQ(guard.refusals().all(), 4u);
}

TEST(TransmitGuard, ABurstIsAllThatTouchesCountedSampleBySample) {
    // Pieces that touch, overlap or are within others, in the order of their starts. The requested samples, not those
    // sent, decide where a burst begins.
    auto l = limits();
    l.max_duty_cycle = 1;
    std::mt19937 random(11);
    for (int run = 0; run < 200; ++run) {
        TransmitGuard guard(l, kRate, 0);
        std::vector<char> asked(60'000);
        uint64_t cut = 0;
        int64_t start = 100;
        while (start < 50'000) {
            const auto n = static_cast<int64_t>(1 + random() % 1500);
            int64_t begin = start;
            while (asked[static_cast<size_t>(begin) - 1]) --begin;
            const int64_t left = std::clamp<int64_t>(begin + 2000 - start, 0, n);
            ASSERT_EQ(admit(guard, start, static_cast<size_t>(n)), static_cast<size_t>(left))
                << "run " << run << ", " << n << " samples at " << start << " of a burst from " << begin;
            cut += left < n;
            std::fill_n(asked.begin() + start, n, 1);
            const auto kind = random() % 4;
            start += kind == 0 ? n + static_cast<int64_t>(1 + random() % 3) : kind == 1 ? n : kind == 2 ? n / 2 : n / 7;
        }
        EXPECT_EQ(guard.refusals().too_long, cut);
        EXPECT_EQ(guard.refusals().all(), cut);
    }
}

TEST(TransmitGuard, PowerIsThatOfTheLoudest256Samples) {
    TransmitGuard guard(limits(), kRate, 17);  // preambles of 20 dBm
    auto piece = of_power(0, 1024);
    EXPECT_EQ(guard.admit(0, piece), 1024u);
    std::fill_n(piece.begin() + 256, 256, of_power(3, 1)[0]);  // a preamble
    EXPECT_EQ(guard.admit(10'000, piece), 1024u);
    std::fill_n(piece.begin() + 512, 256, of_power(3.9, 1)[0]);
    EXPECT_EQ(guard.admit(20'000, piece), 1024u);
    std::fill_n(piece.begin() + 512, 256, of_power(4.1, 1)[0]);
    EXPECT_EQ(guard.admit(30'000, piece), 0u);
    EXPECT_EQ(guard.admit(40'000, TransmitPiece(of_power(-20, 1024), 100, of_power(4.1, 300))), 0u);  // second antenna
    EXPECT_EQ(guard.refusals().too_strong, 2u);
    guard.set_reference(7);
    EXPECT_EQ(guard.admit(50'000, piece), 1024u);
    EXPECT_EQ(guard.refusals().all(), 2u);
}

TEST(TransmitGuard, LoudestPowerOfAnyLength) {
    EXPECT_EQ(loudest_power(Samples{}), 0);
    EXPECT_NEAR(loudest_power(of_power(6, 10)), phy::power_of_db(6), 1e-4);
    auto x = of_power(-30, 300);  // 300: one block
    std::fill(x.begin() + 200, x.end(), of_power(0, 1)[0]);
    EXPECT_NEAR(loudest_power(x), (200e-3 + 100) / 300, 1e-3);
}

/// Samples on the air, one by one.
struct Air {
    std::vector<char> on = std::vector<char>(400'000);
    void send(int64_t start, size_t n) { std::fill_n(on.begin() + start, n, 1); }
    int64_t longest() const {
        int64_t longest = 0, run = 0;
        for (const char s : on) longest = std::max(longest, run = s ? run + 1 : 0);
        return longest;
    }
    int64_t most_in(size_t window) const {
        int64_t sum = std::accumulate(on.begin(), on.begin() + static_cast<std::ptrdiff_t>(window), int64_t{0});
        int64_t most = sum;
        for (size_t i = window; i < on.size(); ++i) most = std::max(most, sum += on[i] - on[i - window]);
        return most;
    }
};

TEST(TransmitGuard, NoWindowHoldsMoreThanItsShareWhateverIsAsked) {
    for (const double duty : {0.05, 0.3, 0.5, 0.8}) {
        for (const double window_ms : {10.0, 20.0, 77.7}) {
            auto l = limits();
            l.max_duty_cycle = duty;
            l.duty_window_ms = window_ms;
            TransmitGuard guard(l, kRate, 0);
            std::mt19937 random(static_cast<unsigned>(1000 * duty + window_ms));
            std::uniform_int_distribution<int64_t> pause(-50, 2500), length(1, 3000);
            Air air;
            for (int64_t at = 100; at < 390'000;) {
                const auto n = static_cast<size_t>(length(random));
                air.send(at, admit(guard, at, n));
                const double gap = (random() % 8 == 0 ? 2 : 0.1) * (1 - duty) * static_cast<double>(pause(random));
                at = std::max<int64_t>(0, at + static_cast<int64_t>(n) + std::lround(gap));
            }
            const auto window = static_cast<size_t>(std::llround(1000 * window_ms));
            EXPECT_LE(air.most_in(window), static_cast<int64_t>(duty * static_cast<double>(window))) << duty;
            EXPECT_GT(air.most_in(window), static_cast<int64_t>(0.8 * duty * static_cast<double>(window))) << duty;
            EXPECT_LE(air.longest(), 2000);
            EXPECT_GT(guard.refusals().too_often, 0u);
        }
    }
}

TEST(TransmitGuard, FramesWithinTheShareAllLeave) {
    auto l = limits();
    l.duty_window_ms = 1000;
    TransmitGuard guard(l, kRate, 0);
    for (int64_t frame = 0; frame < 3000; ++frame) EXPECT_EQ(admit(guard, frame * 4000, 1990), 1990u);  // 0.4975
    EXPECT_EQ(guard.refusals().all(), 0u);
    for (int64_t frame = 3000; frame < 6000; ++frame) admit(guard, frame * 3900, 1990);  // 0.5103
    EXPECT_GT(guard.refusals().too_often, 0u);
}

TEST(TransmitGuard, WhatTheDutyCycleRefusesDoesNotCountTowardsIt) {
    TransmitGuard guard(limits(), kRate, 0);
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(admit(guard, i * 2100, 2000), 2000u);
    EXPECT_EQ(admit(guard, 8400, 1500), 1500u);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(admit(guard, 10'000, 2000), 0u);  // of 10 000 in 20 ms, 500 are left
    EXPECT_EQ(guard.refusals().too_often, 5u);
    EXPECT_EQ(admit(guard, 10'000, 400), 400u);
}

TEST(TransmitGuard, AClockThatBeginsAnewIsAnother) {
    TransmitGuard guard(limits(), kRate, 0);
    for (int64_t frame = 0; frame < 6; ++frame) admit(guard, 1'000'000 + frame * 2010, 2000);
    EXPECT_GT(guard.refusals().too_often, 0u);
    EXPECT_EQ(admit(guard, 995'000, 1000), 0u);  // back within the window: the share is used up
    EXPECT_EQ(admit(guard, -70'000, 2000), 2000u);
}

std::string told(const TransmitLimits& l) {
    std::string all;
    for (const auto& fault : limit_faults(l)) all += fault.str() + "\n";
    return all;
}

TEST(TransmitLimits, FaultsAreToldAllAtOnce) {
    EXPECT_EQ(told({}), "");  // off: nothing is missing
    EXPECT_EQ(told(limits()), "");
    TransmitLimits l;
    l.enable = true;
    EXPECT_EQ(
        told(l),
        "allowed_bands: value (none): allowed with tx_enable: a list of {low_hz: ..., high_hz: ...}, the bands you "
        "may transmit in\nmax_power_dbm: value null: allowed with tx_enable: -100..60\n");
    l = limits();
    l.allowed_bands.push_back({2.5e9, 2.4e9});
    l.max_power_dbm = 61;
    l.longest_burst_ms = 0;
    l.max_duty_cycle = 1.5;
    l.duty_window_ms = 1;
    EXPECT_EQ(told(l),
              "allowed_bands[1]: value 2500 .. 2400 MHz: allowed low_hz below high_hz, neither below 0\n"
              "max_power_dbm: value 61: allowed -100..60\nlongest_burst_ms: value 0: allowed 0.1..10000\n"
              "max_duty_cycle: value 1.5: allowed 0.001..1\nduty_window_ms: value 1: allowed 10..3600000\n");
}

/// FDD: nothing ever pauses. Frames pass only without both limits, and a fault of the configuration names them.
TEST(TransmitLimits, FramesWithoutPausesNeedNoLimitOfLengthAndDuty) {
    auto l = limits();
    l.longest_burst_ms = 20;
    l.max_duty_cycle = 0.95;
    const auto keys = [&] {
        std::string all;
        for (const auto& fault : continuity_faults(l)) all += fault.key + " ";
        return all;
    };
    EXPECT_EQ(keys(), "longest_burst_ms max_duty_cycle ");
    l.longest_burst_ms.reset();
    EXPECT_EQ(keys(), "max_duty_cycle ");
    l.max_duty_cycle = 1;
    EXPECT_EQ(keys(), "");
    EXPECT_EQ(told(l), "");
    TransmitGuard guard(l, 1'000'000, 0);
    const std::vector<std::complex<float>> frame(10'000, {0.01F, 0});
    for (int64_t n = 0; n < 300; ++n) ASSERT_EQ(guard.admit(n * 10'000, frame), frame.size()) << n;
    l.longest_burst_ms = 20;
    l.enable = false;
    EXPECT_EQ(keys(), "") << "nothing is sent";
}

TEST(TransmitLimits, AChannelLiesInABandWithBothEdges) {
    auto l = limits();
    l.allowed_bands = {{2.4e9, 2.4835e9}, {3.4e9, 3.6e9}};
    EXPECT_FALSE(band_fault(l, 3.5e9, 5e6));
    EXPECT_FALSE(band_fault(l, 3.4025e9, 5e6));  // an edge is allowed
    EXPECT_FALSE(band_fault(l, 3.5975e9, 5e6));
    EXPECT_TRUE(band_fault(l, 3.402e9, 5e6));
    EXPECT_TRUE(band_fault(l, 3.598e9, 5e6));
    EXPECT_TRUE(band_fault(l, 3.0e9, 5e6));  // between the bands
    EXPECT_EQ(band_fault(l, 3.598e9, 5e6)->str(),
              "allowed_bands: value 2400 .. 2483.5 MHz, 3400 .. 3600 MHz: allowed bands that hold the whole channel at "
              "3598000000 Hz, 3595.5 .. 3600.5 MHz");
    l.enable = false;
    EXPECT_FALSE(band_fault(l, 1e9, 5e6));
}

}  // namespace
}  // namespace gr::wimax
