/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two ends of a TCP transfer by themselves, segment by segment. A sample is a millisecond.
 */
#include "sim/tcp_flow.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wimax::sim {
namespace {

constexpr int64_t kRate = 1000;

TEST(TcpReceiver, AcknowledgesEverySecondSegmentOrInTime) {
    TcpReceiver receiver(kRate);
    EXPECT_TRUE(receiver.receive(0, 0, 0, 0));
    EXPECT_FALSE(receiver.acknowledge(39));
    EXPECT_TRUE(receiver.receive(1, 0, 0, 39));
    const auto both = receiver.acknowledge(39);
    ASSERT_TRUE(both);
    EXPECT_EQ(both->acknowledgement, 2U);
    EXPECT_FALSE(receiver.acknowledge(1000));
    EXPECT_TRUE(receiver.receive(2, 0, 0, 1000));
    EXPECT_FALSE(receiver.acknowledge(1039));
    EXPECT_TRUE(receiver.acknowledge(1040));
    // What is out of order is told at once.
    EXPECT_TRUE(receiver.receive(4, 0, 0, 1100));
    const auto gap = receiver.acknowledge(1100);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->acknowledgement, 3U);
    ASSERT_EQ(gap->selective_count, 1);
    EXPECT_EQ(gap->selective[0], std::pair(4U, 5U));
}

struct Transfer {
    /// All that the window lets out; how many they are.
    uint32_t send(Samples now) {
        uint32_t count = 0;
        while (const auto sent = sender.next(now)) {
            ++count;
            if (!sent->again) end = sent->segment + 1;
        }
        return count;
    }
    void acknowledge(uint32_t acknowledgement, Samples now, std::pair<uint32_t, uint32_t> selective = {}) {
        PacketWriter::Segment ack;
        ack.acknowledgement = acknowledgement;
        ack.selective[0] = selective;
        ack.selective_count = selective.second > 0;
        sender.acknowledged(ack, now);
    }
    /// The first of ten is lost.
    void lose_one() {
        EXPECT_EQ(send(0), 10U);
        acknowledge(0, 100, {1, 3});
        EXPECT_EQ(sender.counters().recoveries, 0U);
        acknowledge(0, 100, {1, 4});
    }
    TcpSender sender{kRate, 1000};
    uint32_t end = 0;
};

/// All were sent at once, so that time alone says nothing.
TEST(TcpSender, ThreeThatCameLaterShowALoss) {
    Transfer t;
    t.lose_one();
    EXPECT_EQ(t.sender.counters().recoveries, 1U);
    EXPECT_DOUBLE_EQ(t.sender.window(), 7);
    const auto again = t.sender.next(100);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->again);
    EXPECT_EQ(again->segment, 0U);
    EXPECT_FALSE(t.sender.next(100));  // six others are still under way
    EXPECT_EQ(t.sender.counters().timeouts, 0U);
}

/// RFC 9438: 10 + 0.4 (t - K)^3 segments, where K = (3 / 0.4)^(1/3) s after a reduction from 10 to 7.
TEST(TcpSender, TheWindowGrowsByACubicOfTime) {
    Transfer t;
    t.lose_one();
    Samples now = 100;
    for (; now < 10'000; now += 100) {
        t.send(now);
        t.acknowledge(t.end, now + 100);
    }
    const double s = 1e-3 * static_cast<double>(now) - std::cbrt(3 / 0.4);
    EXPECT_NEAR(t.sender.window(), 10 + 0.4 * s * s * s, 0.05 * t.sender.window());
    EXPECT_EQ(t.sender.counters().recoveries, 1U);
}

}  // namespace
}  // namespace wimax::sim
