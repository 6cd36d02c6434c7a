// SPDX-License-Identifier: GPL-3.0-or-later
// Picture of a known signal: points, channel, power by frequency. A tap that is not watched costs nothing.
#include <gnuradio/wimax/signal_tap.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gr::wimax {
namespace {

constexpr int64_t kRate = 5'760'000;

/// A burst of `symbols` whose points are their number in the burst.
void show(SignalTap& tap, uint16_t cid, int symbols, uint32_t frame) {
    phy::BurstFormat format;
    format.rate_id = 6;
    format.data_symbols = symbols;
    std::vector<phy::Complex> points(192), response(201, phy::Complex(0.5F, 0));
    tap.begin_frame();
    for (int s = 0; s < symbols; ++s) {
        for (size_t i = 0; i < points.size(); ++i) points[i] = static_cast<float>(s * 192 + static_cast<int>(i));
        tap.on_symbol({.direction = phy::Direction::uplink,
                       .format = format,
                       .burst_index = 3,
                       .symbol = s + 1,
                       .points = points,
                       .pilots = {},
                       .soft_bits = {},
                       .response = response,
                       .second_response = {}});
    }
    BurstReport report;
    report.direction = phy::Direction::uplink;
    report.frame_number = phy::FrameNumber(frame);
    report.cid = cid;
    report.burst.index = 3;
    report.burst.detected = true;
    report.burst.format = format;
    report.burst.measured.cinr_db = 27;
    tap.end_burst(report);
}

TEST(SignalTap, KeepsTheNewestBurstOfEachSender) {
    SignalTap tap(kRate);
    tap.watch(true);
    show(tap, 5, 2, 7);
    show(tap, 6, 2, 8);
    show(tap, 5, 2, 9);
    const auto bursts = tap.bursts();
    ASSERT_EQ(bursts.size(), 2U);
    EXPECT_EQ(bursts[0].cid, 5);
    EXPECT_EQ(bursts[0].frame_number, 9U);
    EXPECT_EQ(bursts[1].cid, 6);
    EXPECT_EQ(bursts[0].measured.cinr_db, 27);
    EXPECT_EQ(bursts[0].points.size(), 384U);
    EXPECT_EQ(bursts[0].response, std::vector<phy::Complex>(201, phy::Complex(0.5F, 0)));
    for (uint16_t cid = 100; cid < 150; ++cid) show(tap, cid, 1, cid);
    const auto newest = tap.bursts();
    ASSERT_EQ(newest.size(), SignalTap::kMostSources);
    for (const auto& one : newest) EXPECT_GE(one.cid, 150 - SignalTap::kMostSources);
    tap.watch(false);
    EXPECT_TRUE(tap.bursts().empty());
}

TEST(SignalTap, PointsAreSpreadOverBurstAndCarriers) {
    SignalTap tap(kRate);
    tap.watch(true);
    show(tap, 5, 40, 1);  // 7680 points, every 23rd is collected
    const auto points = tap.bursts().at(0).points;
    ASSERT_GT(points.size(), 300U);
    EXPECT_EQ(points.front(), phy::Complex(0, 0));
    EXPECT_GT(points.back().real(), 39 * 192);
    std::vector<bool> carriers(192);
    for (const auto p : points) carriers[static_cast<size_t>(p.real()) % 192] = true;
    EXPECT_EQ(std::count(carriers.begin(), carriers.end(), true), 192);
}

TEST(SignalTap, PowerByFrequency) {
    SignalTap tap(kRate);
    tap.watch(true);
    EXPECT_TRUE(tap.spectrum_dbfs().empty());
    // -20 dBFS at +32 bins, in pieces as a scheduler has them.
    std::vector<phy::Complex> piece(1000);
    for (int64_t at = 0; at < kRate / SignalTap::kLooksPerSecond; at += 1000) {
        for (size_t i = 0; i < piece.size(); ++i) {
            const double turns = static_cast<double>(at + static_cast<int64_t>(i)) * 32 / 256;
            piece[i] = std::polar(0.1F, static_cast<float>(2 * std::numbers::pi * (turns - std::floor(turns))));
        }
        tap.on_samples(piece);
    }
    const auto spectrum = tap.spectrum_dbfs();
    ASSERT_EQ(spectrum.size(), 256U);
    double sum = 0;
    for (const float p : spectrum) sum += std::pow(10.0, p / 10.0);
    EXPECT_NEAR(10 * std::log10(sum), -20, 0.01);
    EXPECT_EQ(std::max_element(spectrum.begin(), spectrum.end()) - spectrum.begin(), 128 + 32);
    EXPECT_NEAR(spectrum[128 + 32], -20 + 10 * std::log10(2.0 / 3.0), 0.01);  // of a Hann window
    EXPECT_LT(spectrum[128 - 32], -100);
}

}  // namespace
}  // namespace gr::wimax
