// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of a flow's queue other than dropping: marks by ECN, limits in packets, delayed packets.
#include "mac/flow/ecn.h"
#include "mac/flow/sdu_queue.h"

#include <gtest/gtest.h>

using namespace wimax::mac;

namespace test_marks {

uint32_t sum_of_header(const std::vector<uint8_t>& packet) {
    uint32_t sum = 0;
    for (size_t i = 0; i < 20; i += 2) sum += static_cast<uint32_t>(packet[i] << 8 | packet[i + 1]);
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

/// An IPv4 packet with a right checksum; `salt` makes it distinct.
std::vector<uint8_t> ipv4(uint8_t tos, size_t size, uint16_t salt = 0) {
    std::vector<uint8_t> packet(size, 0x5A);
    const std::vector<uint8_t> header{
        0x45, tos, 5, 220, uint8_t(salt >> 8), uint8_t(salt), 0, 0, 64, 17, 0, 0, 10, 1, 0, 1, 10, 1, 0, 2};
    std::copy(header.begin(), header.end(), packet.begin());
    const uint32_t sum = sum_of_header(packet) ^ 0xFFFF;
    packet[10] = uint8_t(sum >> 8), packet[11] = uint8_t(sum);
    return packet;
}

TEST(Ecn, MarksAndKeepsTheChecksumRight) {
    for (const uint8_t capable : {1, 2, 3})
        for (uint32_t salt = 0; salt < 0x10000; salt += 7) {
            const auto tos = static_cast<uint8_t>(0xB8 | capable);
            auto packet = ipv4(tos, 60, static_cast<uint16_t>(salt));
            auto expected = packet;
            ASSERT_TRUE(mark_congestion(packet));
            EXPECT_EQ(packet[1], 0xBB);
            ASSERT_EQ(sum_of_header(packet), 0xFFFFU) << "salt " << salt;
            expected[1] = packet[1], expected[10] = packet[10], expected[11] = packet[11];
            ASSERT_EQ(packet, expected) << "something else changed";
        }
}

TEST(Ecn, LeavesThoseAloneThatDoNotUnderstand) {
    auto packet = ipv4(0xB8, 60);
    const auto before = packet;
    EXPECT_FALSE(mark_congestion(packet));
    EXPECT_EQ(packet, before);
    std::vector<uint8_t> six(40, 0), other(60, 0xFF), shorter(19, 0x45), short_six(39, 0x6F);
    six[0] = 0x6B, six[1] = 0x8F;  // traffic class B8, flow label from F
    EXPECT_FALSE(mark_congestion(six));
    for (auto* bad : {&other, &shorter, &short_six}) {
        const auto was = *bad;
        EXPECT_FALSE(mark_congestion(*bad));
        EXPECT_EQ(*bad, was);
    }
}

TEST(Ecn, Ipv6) {
    std::vector<uint8_t> packet(40, 0);
    packet[0] = 0x6B, packet[1] = 0xAF;  // traffic class BA: capable (2)
    auto expected = packet;
    expected[1] = 0xBF;
    ASSERT_TRUE(mark_congestion(packet));
    EXPECT_EQ(packet, expected);
}

/// Under the same load ECN-capable packets are marked at the times at which others are dropped.
TEST(Ecn, MarksWhereCodelWouldDrop) {
    const auto run = [](uint8_t tos, bool ecn) {
        SduPool pool(4000);
        SduQueue queue(pool, {6'000'000, 100, 1000, SIZE_MAX, ecn, 0});
        const auto packet = ipv4(tos, 1500);
        for (int i = 0; i < 1500; ++i) queue.push(packet, 1, 0);
        std::vector<Samples> dropped, marked;
        size_t marked_packets = 0;
        for (Samples now = 0; now < 5000; now += 10) {
            const auto before = queue.counters();
            const auto handle = queue.pop(now);
            marked_packets += (pool.octets(handle)[1] & 3) == 3;
            pool.release(handle);
            if (queue.counters().dropped_codel > before.dropped_codel) dropped.push_back(now);
            if (queue.counters().marked > before.marked) marked.push_back(now);
        }
        EXPECT_EQ(marked_packets, queue.counters().marked);
        return std::pair(dropped, marked);
    };
    const std::vector<Samples> times{1100, 2100, 2810, 3390, 3890, 4340, 4740};
    using Times = std::pair<std::vector<Samples>, std::vector<Samples>>;
    EXPECT_EQ(run(0, true), (Times{times, {}}));
    EXPECT_EQ(run(1, true), (Times{{}, times}));
    EXPECT_EQ(run(1, false), (Times{times, {}}));
}

TEST(Limits, InPackets) {
    SduPool pool(100);
    SduQueue queue(pool, {400'000, 0, 0, 3, true, 0});
    std::vector<uint8_t> packet(100);
    for (uint8_t i = 0; i < 10; ++i) {
        packet[0] = i;
        EXPECT_TRUE(queue.push(packet, 1, 0));
    }
    EXPECT_EQ(queue.packets(), 3U);
    EXPECT_EQ(queue.counters().dropped_full, 7U);
    for (uint8_t i = 7; i < 10; ++i) {
        const auto handle = queue.pop(0);
        EXPECT_EQ(pool.octets(handle)[0], i) << "the oldest goes first";
        pool.release(handle);
    }
}

/// Frames of 1000: packets between the ticks at 1000 and 2000 have the time 1000.
TEST(Held, PacketsRideSoManyFramesLater) {
    for (const uint32_t frames : {1U, 2U, 5U}) {
        SduPool pool(100);
        SduQueue queue(pool, {400'000, 0, 0, SIZE_MAX, true, held_back(frames, 1000)});
        const std::vector<uint8_t> packet(100);
        queue.push(packet, 1, 1000);
        queue.push(packet, 2, 1000);
        for (Samples tick = 2000; tick < 2000 + 1000 * frames; tick += 1000) {
            queue.mature(tick - 3);  // the grid is corrected
            EXPECT_EQ(queue.packets(), 0U) << tick;
            EXPECT_EQ(queue.bytes(), 0U);
            EXPECT_EQ(queue.pop(tick), SduPool::kNone);
        }
        queue.mature(2000 + 1000 * frames - 3);
        EXPECT_EQ(queue.packets(), 2U);
        EXPECT_EQ(queue.bytes(), 200U);
    }
    EXPECT_EQ(held_back(0, 1000), 0);
}

TEST(Held, CountAgainstTheLimitsAndKeepTheirOrder) {
    SduPool pool(64);
    {
        SduQueue queue(pool, {1000, 0, 0, SIZE_MAX, true, 500});
        std::vector<uint8_t> packet(100);
        for (uint8_t i = 0; i < 12; ++i) {
            packet[0] = i;
            EXPECT_TRUE(queue.push(packet, 1, 0));
        }
        EXPECT_EQ(queue.counters().dropped_full, 2U);
        queue.mature(500);
        ASSERT_EQ(queue.packets(), 10U);
        for (uint8_t i = 2; i < 12; ++i) {
            const auto handle = queue.pop(500);
            EXPECT_EQ(pool.octets(handle)[0], i);
            pool.release(handle);
        }
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(queue.push(packet, 1, 1000));
    }
    EXPECT_EQ(pool.free_buffers(), 64U) << "a queue that goes gives back what it held";
}

}  // namespace test_marks
