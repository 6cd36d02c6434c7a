// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of a flow by the RFC: CoDel after RFC 8289, shares of the fair queue; fields used by rules.
#include "mac/cs/classifier.h"
#include "mac/flow/sdu_queue.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_queue_discipline {

const std::vector<uint8_t> kFull(1500, 0xA5), kSmall(100, 0xA5);

/// Target 100, interval 1000, a packet leaves every 10: above the target from 100 on, so the first drop is at 1100, and
/// then each 1000 / sqrt(count) after the last.
TEST(Codel, DropsAtTheTimesOfTheControlLaw) {
    SduPool pool(4000);
    SduQueue queue(pool, {6'000'000, 100, 1000});
    for (int i = 0; i < 1500; ++i) queue.push(kFull, 1, 0);
    std::vector<Samples> drops;
    for (Samples now = 0; now < 5000; now += 10) {
        const auto before = queue.counters().dropped_codel;
        pool.release(queue.pop(now));
        for (auto n = before; n < queue.counters().dropped_codel; ++n) drops.push_back(now);
    }
    EXPECT_EQ(drops, (std::vector<Samples>{1100, 2100, 2810, 3390, 3890, 4340, 4740}));
}

/// A burst that is sent within the interval loses nothing, regardless of its delay.
TEST(Codel, ABurstWithinTheIntervalPasses) {
    SduPool pool(4000);
    SduQueue queue(pool, {6'000'000, 100, 1000});
    for (int i = 0; i < 105; ++i) queue.push(kFull, 1, 0);
    for (Samples now = 0; now < 1050; now += 10) pool.release(queue.pop(now));
    EXPECT_EQ(queue.packets(), 0U);
    EXPECT_EQ(queue.counters().dropped(), 0U);
}

/// Octets are shared, not packets: to within one quantum at any time.
TEST(FairQueue, EqualOctetsAtUnequalSizes) {
    SduPool pool(8000);
    SduQueue queue(pool, {6'000'000, 0, 0});
    for (int i = 0; i < 100; ++i) queue.push(kFull, 1, 0);
    for (int i = 0; i < 1500; ++i) queue.push(kSmall, 2, 0);
    int64_t full = 0, small = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto handle = queue.pop(0);
        const auto size = static_cast<int64_t>(pool.octets(handle).size());
        auto& sum = size == 1500 ? full : small;
        sum += size;
        pool.release(handle);
        EXPECT_LE(std::abs(full - small), 1514 + 1500) << i;
    }
}

/// A connection that was idle is served before all that have had their turn, for one quantum.
TEST(FairQueue, TheFirstPacketAfterIdleTimeGoesNext) {
    SduPool pool(1000);
    SduQueue queue(pool, {6'000'000, 0, 0});
    for (uint32_t flow = 1; flow <= 5; ++flow)
        for (int i = 0; i < 10; ++i) queue.push(kFull, flow, 0);
    for (int i = 0; i < 13; ++i) pool.release(queue.pop(0));
    for (int i = 0; i < 20; ++i) queue.push(kSmall, 9, 0);
    std::vector<int> order;  // positions of the small ones
    for (int i = 0; i < 24; ++i) {
        const auto handle = queue.pop(0);
        if (pool.octets(handle).size() == kSmall.size()) order.push_back(i);
        pool.release(handle);
    }
    // As many of 100 octets as begin within a quantum; more after four full ones, the fifth has just had its turn.
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23}));
}

/// Turns are of one quantum: 16 packets of 100 octets begin in the first one, 15 or 16 in each later one.
TEST(FairQueue, TurnsAreOfOneQuantum) {
    SduPool pool(2000);
    SduQueue queue(pool, {6'000'000, 0, 0});
    const std::vector<uint8_t> other(99, 0xA5);
    for (int i = 0; i < 500; ++i) queue.push(kSmall, 1, 0), queue.push(other, 2, 0);
    std::vector<int> turns;
    size_t last = 0;
    for (int i = 0; i < 400; ++i) {
        const auto handle = queue.pop(0);
        const size_t size = pool.octets(handle).size();
        if (size != last) turns.push_back(0);
        ++turns.back();
        last = size;
        pool.release(handle);
    }
    EXPECT_EQ(turns[0], 16);
    EXPECT_EQ(turns[1], 16);
    for (size_t i = 2; i + 1 < turns.size(); ++i) EXPECT_TRUE(turns[i] == 15 || turns[i] == 16) << i;
}

/// One that has a packet again whenever it has run dry takes its turn among the others, no more.
TEST(FairQueue, RunningDryDoesNotJumpTheLine) {
    SduPool pool(4000);
    SduQueue queue(pool, {6'000'000, 0, 0});
    for (uint32_t flow = 1; flow <= 9; ++flow)
        for (int i = 0; i < 100; ++i) queue.push(kFull, flow, 0);
    const std::vector<uint8_t> sparse(1499, 0xA5);
    int of_sparse = 0;
    for (int i = 0; i < 200; ++i) {
        if (i % 2 == 0) queue.push(sparse, 10, 0);
        const auto handle = queue.pop(0);
        of_sparse += pool.octets(handle).size() == sparse.size();
        pool.release(handle);
    }
    EXPECT_NEAR(of_sparse, 20, 2);
}

TEST(Rules, TosIsMasked) {
    ClassifierConfig rule;
    rule.tos = TosRange{0x40, 0x40, 0xF0};
    auto p = ip_packet(kServer, station_address(0), 100);
    p[1] = 0x4B;
    EXPECT_TRUE(matches(rule, PacketFields::parse(p)));
    p[1] = 0x5B;
    EXPECT_FALSE(matches(rule, PacketFields::parse(p)));
}

/// The first fragment (more fragments, offset 0) has ports, later ones have none.
TEST(Rules, PortsOfFragments) {
    auto p = ip_packet(kServer, station_address(0), 100, 5060);
    p[6] = 0x20;
    EXPECT_TRUE(PacketFields::parse(p).has_ports);
    EXPECT_EQ(PacketFields::parse(p).destination_port, 5060);
    p[7] = 1;
    EXPECT_FALSE(PacketFields::parse(p).has_ports);
    p[6] = 0x10;  // the highest bit of the offset
    p[7] = 0;
    EXPECT_FALSE(PacketFields::parse(p).has_ports);
}

}  // namespace test_queue_discipline
