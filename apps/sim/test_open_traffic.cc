// SPDX-License-Identifier: GPL-3.0-or-later
// Packets without replies of the kinds onoff, video and trace, and changes of packets while a flow runs.
#include "sim/test_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace wimax::sim {
namespace test_open_traffic {

using namespace test_source;

/// Periods of 1 s with packets and of 3 s without in the mean: a quarter of the rate. Shape 3 has a finite variance.
TEST(OpenTraffic, OnOffHasItsShareOfTheRate) {
    auto config = kind(TrafficKind::onoff, 80'000, 200);
    config.off_s = 3;
    config.pareto_shape = 3;
    Source s(config, 4000);
    s.run(4006);
    EXPECT_NEAR(s.bps(4000) / 80'000, 0.25, 0.02);
    size_t pauses = 0;
    double shortest = 1e9;
    for (size_t i = 1; i < s.pipe.all.size(); ++i) {
        const auto gap = static_cast<double>(s.pipe.all[i].tag.sent - s.pipe.all[i - 1].tag.sent);
        if (gap < 20'002) {
            EXPECT_NEAR(gap, 20'000, 1);
            continue;
        }
        ++pauses;
        shortest = std::min(shortest, gap);
    }
    EXPECT_NEAR(static_cast<double>(pauses), 1000, 100);
    EXPECT_GE(shortest, 2e6);  // the least duration of a Pareto distribution: mean (shape - 1) / shape
    EXPECT_LT(shortest, 2.05e6);
}

TEST(OpenTraffic, OnOffHasItsShareIfItsPacketsAreRare) {
    auto config = kind(TrafficKind::onoff, 10'000, 1500);  // a packet in 1.2 s
    config.on_s = 0.3;
    config.off_s = 2.7;
    config.pareto_shape = 3;
    Source s(config, 40'000);
    s.run(40'006);
    EXPECT_NEAR(s.bps(40'000) / 10'000, 0.1, 0.01);
}

/// Shape 1.2: most of the time is in a few long periods, unlike the exponential ones of voice.
TEST(OpenTraffic, OnOffHasAHeavyTail) {
    const auto longest_share = [](double shape) {
        auto config = kind(TrafficKind::onoff, 80'000, 200);
        config.pareto_shape = shape;
        Source s(config, 4000);
        s.run(4006);
        double longest = 0, all = 0;
        for (size_t i = 1; i < s.pipe.all.size(); ++i) {
            const auto gap = static_cast<double>(s.pipe.all[i].tag.sent - s.pipe.all[i - 1].tag.sent);
            if (gap < 20'002) continue;
            longest = std::max(longest, gap);
            all += gap;
        }
        return longest / all;
    };
    EXPECT_GT(longest_share(1.2), 5 * longest_share(10));
}

/// Sizes of the pictures, by the time at which all their packets are sent.
std::map<Samples, size_t> pictures(const Source& s) {
    std::map<Samples, size_t> sizes;
    for (const auto& sent : s.pipe.all) sizes[sent.tag.sent] += sent.octets;
    return sizes;
}

TEST(OpenTraffic, VideoHasItsMeanRateAndPictures) {
    auto config = kind(TrafficKind::video, 1'000'000, 1400);
    Source s(config, 2000);
    s.run(2006);
    EXPECT_NEAR(s.bps(2000) / 1e6, 1, 0.01);
    const auto sizes = pictures(s);
    EXPECT_NEAR(static_cast<double>(sizes.size()), 50'000, 1);  // 25 pictures per second
    // Of twelve pictures, the intra picture is three times the others: 5000 * 12 / 14 and three times that.
    std::vector<double> intra, others;
    std::vector<size_t> all;
    for (const auto& [at, size] : sizes) all.push_back(size);
    std::array<double, 12> sums{};
    for (size_t i = 0; i < all.size(); ++i) sums[i % 12] += static_cast<double>(all[i]);
    const auto first = static_cast<size_t>(std::ranges::max_element(sums) - sums.begin());
    for (size_t i = 0; i < all.size(); ++i) (i % 12 == first ? intra : others).push_back(static_cast<double>(all[i]));
    const auto mean = [](const auto& v) {
        double sum = 0;
        for (const double x : v) sum += x;
        return sum / static_cast<double>(v.size());
    };
    const auto deviation = [&](const auto& v) {
        double squares = 0;
        for (const double x : v) squares += (x - mean(v)) * (x - mean(v));
        return std::sqrt(squares / static_cast<double>(v.size()));
    };
    EXPECT_NEAR(mean(others), 5000.0 * 12 / 14, 40);
    EXPECT_NEAR(mean(intra), 3 * 5000.0 * 12 / 14, 250);
    EXPECT_NEAR(deviation(others) / mean(others), 0.3, 0.01);
    EXPECT_NEAR(deviation(intra) / mean(intra), 0.3, 0.02);
    for (const auto& sent : s.pipe.all) EXPECT_LE(sent.octets, 1400U);
}

TrafficConfig trace(std::vector<TracePoint> points, double period_s = 0) {
    auto config = kind(TrafficKind::trace);
    config.trace = std::make_shared<const std::vector<TracePoint>>(std::move(points));
    config.trace_period_s = period_s;
    return config;
}

TEST(OpenTraffic, ATraceIsSentAsItIs) {
    Source s(trace({{0, 100}, {0.5, 200}, {0.5, 1500}, {2.25, 40}}));
    s.run(105);
    std::vector<std::pair<Samples, size_t>> sent;
    for (const auto& packet : s.pipe.all) sent.emplace_back(packet.tag.sent - 5'000'000, packet.octets);
    EXPECT_EQ(sent,
              (std::vector<std::pair<Samples, size_t>>{{0, 100}, {500'000, 200}, {500'000, 1500}, {2'250'000, 40}}));
}

TEST(OpenTraffic, ATraceStartsAgainAfterItsPeriod) {
    Source s(trace({{1, 100}, {2, 200}}, 2));
    s.run(12.9);
    std::vector<std::pair<Samples, size_t>> sent;
    for (const auto& packet : s.pipe.all) sent.emplace_back(packet.tag.sent - 5'000'000, packet.octets);
    EXPECT_EQ(sent, (std::vector<std::pair<Samples, size_t>>{{1'000'000, 100},
                                                             {2'000'000, 200},
                                                             {3'000'000, 100},
                                                             {4'000'000, 200},
                                                             {5'000'000, 100},
                                                             {6'000'000, 200},
                                                             {7'000'000, 100}}));
}

/// 80 kbit/s for 10 s, then twice that in smaller packets, a pause of 10 s, and the same again.
TEST(OpenTraffic, ChangesHoldFromTheirTimeOn) {
    Source s(kind(TrafficKind::cbr), 60);
    s.run(15);
    EXPECT_EQ(s.pipe.all.size(), 100U);
    s.flow->change({.rate_bps = 160'000, .packet_bytes = 500}, s.now);
    s.run(10);
    const size_t before = s.pipe.all.size();
    EXPECT_NEAR(static_cast<double>(before), 500, 1);
    s.flow->change({.on = false}, s.now);
    s.run(10);
    EXPECT_EQ(s.pipe.all.size(), before) << "paused";
    s.flow->change({.on = true}, s.now);
    s.run(10);
    EXPECT_NEAR(static_cast<double>(s.pipe.all.size()), 900, 2) << "packets of the pause are not sent";
    for (size_t i = 100; i < s.pipe.all.size(); ++i) EXPECT_EQ(s.pipe.all[i].octets, 500U);
}

/// A flow so slow that its next packet would be sent after an hour obeys a higher rate at once.
TEST(OpenTraffic, AHigherRateIsObeyedAtOnce) {
    Source s(kind(TrafficKind::cbr, 1), 60);
    s.run(6);
    EXPECT_TRUE(s.pipe.all.empty());
    s.flow->change({.rate_bps = 80'000}, s.now);
    s.run(10);
    EXPECT_EQ(s.pipe.all.size(), 100U);
}

}  // namespace test_open_traffic
}  // namespace wimax::sim
