// SPDX-License-Identifier: GPL-3.0-or-later
// The two ends of a TCP transfer alone, segment by segment. A sample is a millisecond.
#include "sim/tcp_flow.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wimax::sim {
namespace test_tcp_flow {

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
    // A segment out of order is acknowledged at once.
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

/// All segments were sent at once, so that their times show no loss.
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

/// RFC 6298: without acknowledgements the first timeout is 1 s, each one doubles the next up to a minute, and the timer
/// runs from the repetition.
TEST(TcpSender, TimeoutsBackOff) {
    Transfer t;
    EXPECT_EQ(t.send(0), 10U);
    Samples now = 0;
    uint64_t timeouts = 0;
    for (const Samples wait : {1000, 2000, 4000, 8000, 16'000, 32'000, 60'000, 60'000}) {
        EXPECT_FALSE(t.sender.run_timer(now + wait - 1)) << wait;
        now += wait;
        EXPECT_TRUE(t.sender.run_timer(now)) << wait;
        EXPECT_EQ(t.sender.counters().timeouts, ++timeouts);
        EXPECT_DOUBLE_EQ(t.sender.window(), 1);
        const auto again = t.sender.next(now);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->segment, 0U);
        EXPECT_TRUE(again->again);
        EXPECT_FALSE(t.sender.next(now)) << "a window of one segment";
    }
    EXPECT_EQ(t.sender.counters().retransmissions, timeouts);
    EXPECT_EQ(t.sender.counters().segments, 10U);
}

/// Karn: the acknowledgement of a repetition does not measure the round trip, so the timer keeps its backoff. That of a
/// segment sent once ends it.
TEST(TcpSender, TheBackoffLastsUntilASegmentSentOnceIsAcknowledged) {
    Transfer t;
    ASSERT_TRUE(t.sender.next(0));
    EXPECT_TRUE(t.sender.run_timer(1000));
    ASSERT_TRUE(t.sender.next(1000));
    t.acknowledge(1, 1100);
    EXPECT_EQ(t.sender.round_trip_ms(), 0);
    ASSERT_TRUE(t.sender.next(1100));
    EXPECT_FALSE(t.sender.run_timer(3099));
    EXPECT_TRUE(t.sender.run_timer(3100)) << "2 s";
    ASSERT_TRUE(t.sender.next(3100));
    t.acknowledge(2, 3200);
    EXPECT_EQ(t.sender.round_trip_ms(), 0);
    ASSERT_TRUE(t.sender.next(3200));
    t.acknowledge(3, 3300);
    EXPECT_NEAR(t.sender.round_trip_ms(), 100, 1e-9);
    ASSERT_TRUE(t.sender.next(3300));
    EXPECT_FALSE(t.sender.run_timer(3300 + 299));  // 100 + 4 * 50 ms
    EXPECT_TRUE(t.sender.run_timer(3300 + 300));
}

TEST(TcpSender, TheTimerIsNeverShorterThan200Ms) {
    Transfer t;
    Samples now = 0;
    for (int i = 0; i < 60; ++i, now += 10) {
        t.send(now);
        t.acknowledge(t.end, now + 10);
    }
    t.send(now);
    EXPECT_FALSE(t.sender.run_timer(now + 199));
    EXPECT_TRUE(t.sender.run_timer(now + 200));
    EXPECT_TRUE(t.sender.anything_out());
}

TEST(TcpSender, WithoutSegmentsOnTheirWayNoTimerRuns) {
    Transfer t;
    EXPECT_FALSE(t.sender.run_timer(100'000));
    t.send(0);
    t.acknowledge(10, 100);
    EXPECT_FALSE(t.sender.anything_out());
    EXPECT_FALSE(t.sender.run_timer(100'000));
    EXPECT_EQ(t.sender.counters().timeouts, 0U);
}

/// Each new acknowledgement starts the timer again; one that acknowledges nothing new does not.
TEST(TcpSender, TheTimerRunsFromTheLastNews) {
    Transfer t;
    t.send(0);
    t.acknowledge(1, 100);  // round trip 100, so the timeout is 300
    t.acknowledge(1, 250);
    EXPECT_FALSE(t.sender.run_timer(399));
    t.acknowledge(2, 399);
    EXPECT_FALSE(t.sender.run_timer(400));
    EXPECT_FALSE(t.sender.run_timer(698));
}

/// Slow start doubles the window each round trip, up to 0.7 of the window in which the timer ran out.
TEST(TcpSender, AfterATimeoutTheWindowGrowsFromOneToTheThreshold) {
    Transfer t;
    t.send(0);
    ASSERT_TRUE(t.sender.run_timer(1000));
    t.send(1000);
    t.acknowledge(10, 1100);  // the repetition filled the gap: all have arrived
    // One acknowledgement that ends the recovery opens the window by the segments it acknowledges.
    EXPECT_GE(t.sender.window(), 7);
    Transfer slow;
    double before = slow.sender.window();
    for (Samples now = 0; now < 400; now += 100) {
        slow.send(now);
        slow.acknowledge(slow.end, now + 100);
        EXPECT_DOUBLE_EQ(slow.sender.window(), 2 * before);
        before = slow.sender.window();
    }
}

TEST(TcpSender, NeverBeyondTheReceiversWindow) {
    TcpSender sender(kRate, 25);
    uint32_t out = 0;
    for (Samples now = 0; now < 1000; now += 100) {
        uint32_t sent = 0;
        while (sender.next(now)) ++sent;
        EXPECT_LE(sent, 25U);
        out += sent;
        PacketWriter::Segment ack;
        ack.acknowledgement = out;
        sender.acknowledged(ack, now + 100);
        EXPECT_LE(sender.window(), 25);
    }
    EXPECT_EQ(sender.window(), 25);
    while (sender.next(1000)) ++out;
    PacketWriter::Segment ack;  // all but the first have arrived: it still occupies a place
    ack.selective[0] = {out - 24, out};
    ack.selective_count = 1;
    sender.acknowledged(ack, 1100);
    uint32_t news = 0;
    while (const auto sent = sender.next(1100)) news += !sent->again;
    EXPECT_EQ(news, 0U);
}

/// Segments that overtake others by less than a quarter of the round trip are not taken for a loss, unless three do.
TEST(TcpSender, ReorderingWithinAQuarterOfTheRoundTripIsNoLoss) {
    Transfer t;
    t.send(0);
    t.acknowledge(10, 100);  // a round trip of 100
    ASSERT_GE(t.send(100), 10U);
    t.acknowledge(10, 200, {11, 13});  // 10 is late, two have overtaken it
    EXPECT_EQ(t.sender.counters().recoveries, 0U);
    t.acknowledge(13, 201);
    EXPECT_EQ(t.sender.counters().recoveries, 0U);
    EXPECT_EQ(t.sender.counters().retransmissions, 0U);
    t.send(201);

    // By time: a segment sent 40 ms before another that has arrived is lost, one of 20 ms is not.
    for (const auto& [later, recoveries] : {std::pair<Samples, uint64_t>{20, 0}, {40, 1}}) {
        Transfer timed;
        timed.send(0);
        timed.acknowledge(9, 100);  // opens the window, 9 is still out
        timed.send(100);
        const uint32_t last = timed.end;
        timed.acknowledge(last - 1, 200);
        ASSERT_TRUE(timed.sender.next(100 + later));
        timed.acknowledge(last - 1, 300, {last, last + 1});
        EXPECT_EQ(timed.sender.counters().recoveries, recoveries) << later;
    }
}

/// RFC 3168: the window shrinks once per round trip, whatever the number of acknowledgements with ECE. The next new
/// segment has CWR, once.
TEST(TcpSender, CongestionReducesOncePerWindow) {
    Transfer t;
    t.send(0);
    const auto echo = [&](uint32_t acknowledgement, Samples now) {
        PacketWriter::Segment ack;
        ack.acknowledgement = acknowledgement;
        ack.flags = tcp_flag::kAck | tcp_flag::kEce;
        t.sender.acknowledged(ack, now);
    };
    echo(1, 100);
    EXPECT_DOUBLE_EQ(t.sender.window(), 7);
    for (uint32_t i = 2; i < 10; ++i) echo(i, 100);
    EXPECT_EQ(t.sender.counters().ecn_reductions, 1U);
    auto sent = t.sender.next(100);
    ASSERT_TRUE(sent);
    EXPECT_TRUE(sent->reduced);
    sent = t.sender.next(100);
    ASSERT_TRUE(sent);
    EXPECT_FALSE(sent->reduced);
    echo(10, 101);
    EXPECT_EQ(t.sender.counters().ecn_reductions, 2U) << "all that was out then has arrived";
    EXPECT_EQ(t.sender.counters().recoveries, 0U);
}

/// Several losses of one window are one reduction; a loss after the whole window arrived is another.
TEST(TcpSender, LossesOfOneWindowAreOneRecovery) {
    Transfer t;
    t.lose_one();
    t.send(100);
    t.acknowledge(0, 110, {1, 5});
    t.acknowledge(5, 200, {6, 9});  // 5 is lost, too
    EXPECT_EQ(t.sender.counters().recoveries, 1U);
    EXPECT_DOUBLE_EQ(t.sender.window(), 7);
    t.send(200);
    t.acknowledge(t.end, 300);  // over
    const uint32_t first = t.end;
    const double window = t.sender.window();
    ASSERT_GE(t.send(300), 5U);
    t.acknowledge(first, 400, {first + 1, first + 4});
    EXPECT_EQ(t.sender.counters().recoveries, 2U);
    EXPECT_NEAR(t.sender.window(), 0.7 * window, 1e-9);
}

/// A lost repetition is found by time or by the timer, and selectively acknowledged segments are not sent again.
TEST(TcpSender, OnlyWhatIsMissingIsSentAgain) {
    Transfer t;
    t.lose_one();
    ASSERT_TRUE(t.sender.run_timer(1100 + 400));
    std::vector<uint32_t> again;
    Samples now = 1500;
    while (again.size() < 7) {
        const auto sent = t.sender.next(now);
        if (!sent) {
            t.acknowledge(again.back() == 0 ? 4 : again.back() + 1, now += 100);
            continue;
        }
        if (!sent->again) break;
        again.push_back(sent->segment);
    }
    EXPECT_EQ(again, (std::vector<uint32_t>{0, 4, 5, 6, 7, 8, 9}));
}

TEST(TcpReceiver, ToldTwiceItSaysSoAtOnceAndDeliversOnce) {
    TcpReceiver receiver(kRate);
    for (uint32_t i = 0; i < 2; ++i) EXPECT_TRUE(receiver.receive(i, 0, 0, 0));
    EXPECT_TRUE(receiver.acknowledge(0));
    EXPECT_FALSE(receiver.receive(1, 0, 0, 1));
    const auto again = receiver.acknowledge(1);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->acknowledgement, 2U);
    EXPECT_EQ(again->selective_count, 0);
    EXPECT_TRUE(receiver.receive(4, 0, 0, 2));
    EXPECT_FALSE(receiver.receive(4, 0, 0, 3));
    EXPECT_TRUE(receiver.acknowledge(3) && receiver.acknowledge(3));
    EXPECT_FALSE(receiver.acknowledge(10'000));
}

/// RFC 2018: the block of the latest segment first, then the highest others, three at most, without repeating one.
TEST(TcpReceiver, BlocksBeyondTheGaps) {
    using Block = std::pair<uint32_t, uint32_t>;
    TcpReceiver receiver(kRate);
    const auto blocks_after = [&](uint32_t segment) {
        receiver.receive(segment, 0, 0, 0);
        const auto ack = receiver.acknowledge(0);
        return std::vector<Block>(ack->selective.begin(), ack->selective.begin() + ack->selective_count);
    };
    EXPECT_EQ(blocks_after(2), (std::vector<Block>{{2, 3}}));
    EXPECT_EQ(blocks_after(4), (std::vector<Block>{{4, 5}, {2, 3}}));
    EXPECT_EQ(blocks_after(6), (std::vector<Block>{{6, 7}, {4, 5}, {2, 3}}));
    EXPECT_EQ(blocks_after(8), (std::vector<Block>{{8, 9}, {6, 7}, {4, 5}}));
    EXPECT_EQ(blocks_after(3), (std::vector<Block>{{2, 5}, {8, 9}, {6, 7}}));
    EXPECT_EQ(blocks_after(0), (std::vector<Block>{{8, 9}, {6, 7}, {2, 5}}));
    EXPECT_EQ(blocks_after(1), (std::vector<Block>{{8, 9}, {6, 7}}));
    receiver.receive(5, 0, 0, 0);
    receiver.receive(7, 0, 0, 0);
    std::optional<PacketWriter::Segment> last;
    while (const auto ack = receiver.acknowledge(0)) last = ack;
    EXPECT_EQ(last->acknowledgement, 9U);
    EXPECT_EQ(last->selective_count, 0);
}

TEST(TcpReceiver, EchoesCongestionUntilTheSenderHasReduced) {
    TcpReceiver receiver(kRate);
    const auto echoes = [&](uint32_t segment, uint8_t ecn, uint8_t flags) {
        receiver.receive(segment, ecn, flags, 0);
        const auto ack = receiver.acknowledge(40);
        EXPECT_EQ(ack->flags & tcp_flag::kAck, tcp_flag::kAck);
        return (ack->flags & tcp_flag::kEce) != 0;
    };
    EXPECT_FALSE(echoes(0, 2, 0));
    EXPECT_TRUE(echoes(1, 3, 0));
    EXPECT_TRUE(echoes(2, 2, 0));
    EXPECT_FALSE(echoes(3, 2, tcp_flag::kCwr));
    EXPECT_FALSE(echoes(4, 2, 0));
    EXPECT_TRUE(echoes(5, 3, tcp_flag::kCwr)) << "marked again since";
}

}  // namespace test_tcp_flow
}  // namespace wimax::sim
