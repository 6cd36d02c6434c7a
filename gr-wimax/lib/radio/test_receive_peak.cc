// SPDX-License-Identifier: GPL-3.0-or-later
// The strongest sample of the last second: which samples count, for how long, and that a radio's own transmissions do
// not.
#include "radio/receive_peak.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace gr::wimax {
namespace {

constexpr int64_t kRate = 10'000;

class Peak : public testing::Test {
protected:
    /// Samples of one value from `first` on.
    void hear(int64_t first, size_t n, std::complex<float> value) {
        peak.take(first, std::vector<std::complex<float>>(n, value));
    }
    ReceivePeak peak{kRate};
};

TEST_F(Peak, IsTheLargerComponent) {
    EXPECT_EQ(peak.dbfs(), kNoPeakDbfs);
    hear(0, 100, {0.1F, -0.5F});
    EXPECT_NEAR(peak.dbfs(), -6.02, 0.01);
    hear(100, 100, {-1, 0.2F});
    EXPECT_NEAR(peak.dbfs(), 0, 0.01);
}

TEST_F(Peak, LastsForASecond) {
    hear(0, 100, {0.5F, 0});
    for (int64_t t = 100; t <= kRate; t += 100) {
        hear(t, 100, {0.1F, 0});
        EXPECT_NEAR(peak.dbfs(), -6.02, 0.01) << t;
    }
    for (int64_t t = kRate + 100; t < kRate + 2 * kRate / 10; t += 100) hear(t, 100, {0.1F, 0});
    EXPECT_NEAR(peak.dbfs(), -20, 0.01);
    hear(10 * kRate, 100, {0.01F, 0});  // after a long gap
    EXPECT_NEAR(peak.dbfs(), -40, 0.01);
}

/// Packets and gaps of any length, time that is set back: the result is the strongest sample in the tenths of a second
/// that contain the last second.
TEST_F(Peak, IsTheStrongestOfTheLastSecondWhateverComes) {
    std::mt19937 random(5);
    constexpr int64_t kPart = kRate / 10;
    std::vector<std::pair<int64_t, float>> heard;  // part, value
    int64_t at = 0;
    for (int i = 0; i < 5000; ++i) {
        const auto kind = random() % 50;
        if (kind == 0) at += static_cast<int64_t>(random() % (20 * kPart));  // overflow
        if (kind == 1 && at > 30 * kPart) {
            at -= 30 * kPart;  // another clock
            heard.clear();
        }
        const auto n = 1 + random() % 900;
        const float value = std::pow(10.0F, -static_cast<float>(random() % 60) / 20);
        hear(at, n, {0.1F * value, -value});
        heard.emplace_back(at / kPart, value);
        float highest = 0;
        for (const auto& [part, v] : heard)
            if (part >= at / kPart - 10) highest = std::max(highest, v);
        ASSERT_NEAR(peak.dbfs(), 20 * std::log10(highest), 1e-3) << i << " at " << at;
        at += static_cast<int64_t>(n);
    }
}

/// For any order of the calls and any position relative to packets.
TEST_F(Peak, LeavesOwnTransmissionsOut) {
    std::vector<std::complex<float>> x(10'000, {0.1F, 0});
    const int64_t own[][2] = {{5000, 6000}, {1000, 2000}, {2100, 2200}, {8000, 8010}};
    for (const auto& [from, to] : own) {
        peak.sends(from, to);
        for (int64_t t = from; t < to + ReceivePeak::kOwnDelay; ++t) x[static_cast<size_t>(t)] = {1, 1};
    }
    for (size_t n = 0, at = 0; at < x.size(); at += n) {
        n = std::min<size_t>(37 + at % 1500, x.size() - at);
        peak.take(static_cast<int64_t>(at), std::span(x).subspan(at, n));
        ASSERT_NEAR(peak.dbfs(), -20, 0.01) << at;
    }
    for (const int64_t beside : {999, 6128}) {
        x[static_cast<size_t>(beside)] = {0.5F, 0};
        ReceivePeak other(kRate);
        for (const auto& [from, to] : own) other.sends(from, to);
        other.take(0, x);
        EXPECT_NEAR(other.dbfs(), -6.02, 0.01) << beside;
        x[static_cast<size_t>(beside)] = {0.1F, 0};
    }
}

}  // namespace
}  // namespace gr::wimax
