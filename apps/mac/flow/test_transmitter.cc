// SPDX-License-Identifier: GPL-3.0-or-later
// The sending side of a connection: rate limit, room, fragments and packing, octet by octet.
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_transmitter {

constexpr int64_t kRate = 5'760'000;
constexpr Samples kFrame = 57'600;

struct Sender {
    explicit Sender(const ServiceFlowConfig& flow = {}) : transmitter(700, flow, pool, {}, kRate) {}

    void push(size_t octets, uint16_t port = 5000) {
        const auto p = ip_packet(kServer, station_address(0), octets, port);
        ASSERT_TRUE(transmitter.push(p, port, now));
    }
    /// One burst with so much room: the PDUs' lengths.
    std::vector<size_t> burst(size_t room) {
        Buffer octets;
        PduWriter writer(octets, room);
        transmitter.tick(now);
        const size_t used = transmitter.fill(writer, writer.room(), now);
        EXPECT_EQ(used, octets.size());
        std::vector<size_t> out;
        PduReader reader(octets);
        while (const auto pdu = reader.next()) out.push_back(pdu->octets.size());
        return out;
    }
    std::vector<size_t> frame(size_t room) {
        now += kFrame;
        return burst(room);
    }

    SduPool pool{4000};
    FlowTransmitter transmitter;
    Samples now = 0;
};
using Lengths = std::vector<size_t>;

ServiceFlowConfig limited(uint32_t rate_bps, uint32_t burst_bytes) {
    ServiceFlowConfig flow;
    flow.max_sustained_rate_bps = rate_bps;
    flow.max_burst_bytes = burst_bytes;
    return flow;
}

/// No interval carries more than the rate times its length plus the burst: the bucket is never overdrawn.
TEST(RateLimit, NeverMoreThanTheBurstAheadOfTheRate) {
    Sender sender(limited(1'000'000, 4000));  // 1250 octets per frame
    for (int i = 0; i < 200; ++i) sender.push(1500);
    uint64_t last = 0;
    std::vector<double> ahead;  // of the rate, at each frame's end and its start
    double most = 0, least = 1e9;
    for (int n = 0; n < 150; ++n) {
        const double due = 1250.0 * n;
        sender.burst(10'000);
        least = std::min(least, static_cast<double>(last) - due);
        last = sender.transmitter.counters().sdu_octets;
        most = std::max(most, static_cast<double>(last) - due - std::min(least, 0.0));
        sender.now += kFrame;
    }
    EXPECT_LE(most, 4000.0);
    EXPECT_GE(last, 150 * 1250 - 1500U);  // and all of the rate is used
}

TEST(RateLimit, TheFirstBurstIsTheBucketsDepthAndNotAPacketMore) {
    Sender sender(limited(1'000'000, 4000));
    for (int i = 0; i < 5; ++i) sender.push(1500);
    EXPECT_EQ(sender.burst(10'000).size(), 2U);  // 3000 of 4000; the third would overdraw by 500
    EXPECT_EQ(sender.burst(10'000).size(), 0U);
    EXPECT_EQ(sender.transmitter.demand(), 0U);  // no request for octets that may not be sent
    EXPECT_EQ(sender.frame(10'000).size(), 1U);  // 1000 + 1250
    EXPECT_EQ(sender.frame(10'000).size(), 1U);  // 750 + 1250
    EXPECT_EQ(sender.frame(10'000).size(), 1U);  // 500 + 1250
    EXPECT_EQ(sender.transmitter.counters().sdus, 5U);
}

/// A depth below one packet could never release it: it counts as 2040. Tokens of a frame beyond that are lost.
TEST(RateLimit, ABucketHoldsAtLeastOnePacket) {
    Sender sender(limited(1'000'000, 100));
    for (int i = 0; i < 100; ++i) sender.push(1500);
    for (int i = 0; i < 60; ++i) sender.frame(10'000);
    EXPECT_EQ(sender.transmitter.counters().sdus, 45U);  // 51 without that loss
}

TEST(RateLimit, LongRunRateAtOddRates) {
    for (const uint32_t rate : {9'600U, 64'000U, 1'234'567U, 5'000'000U}) {
        Sender sender(limited(rate, 0));  // the sender's depth: 20 ms and an SDU
        for (int n = 0; n < 2000; ++n) {
            while (sender.transmitter.backlog_packets() < 10) sender.push(700);
            sender.frame(20'000);
        }
        EXPECT_NEAR(static_cast<double>(sender.transmitter.counters().sdu_octets), rate / 8.0 * (19.99 + 0.02) + 2040,
                    701)
            << rate;
    }
}

/// 1500 octets where a burst holds 1100: dropped after 32 frames, later ones of that size at once, smaller ones go.
TEST(Unfragmented, WhatNeverFindsRoomIsDroppedAndCounted) {
    ServiceFlowConfig flow;
    flow.fragmentation = false;
    Sender sender(flow);
    for (int i = 0; i < 20; ++i) sender.push(1500, 1);
    for (int i = 0; i < 20; ++i) sender.push(200, 2);
    int first = -1;
    for (int n = 0; n < 100; ++n)
        if (!sender.frame(1100).empty() && first < 0) first = n;
    EXPECT_LE(first, 33);
    EXPECT_EQ(sender.transmitter.counters().sdus, 20U);
    EXPECT_EQ(sender.transmitter.counters().dropped_no_room, 20U);
    EXPECT_EQ(sender.transmitter.dropped(), 20U);
    EXPECT_EQ(sender.transmitter.backlog_packets(), 0U);
    // They are sent again as soon as there is room for them.
    sender.push(1500, 1);
    EXPECT_EQ(sender.frame(1600), Lengths{1510});
    EXPECT_EQ(sender.transmitter.counters().dropped_no_room, 20U);
}

/// Waiting for its turn is no reason to drop an SDU: a burst with room occurs now and then.
TEST(Unfragmented, RoomThatComesSeldomIsEnough) {
    ServiceFlowConfig flow;
    flow.fragmentation = false;
    flow.packing = false;
    Sender sender(flow);
    for (int i = 0; i < 10; ++i) sender.push(1500);
    for (int n = 1; n <= 300; ++n) {
        sender.burst(300);  // several bursts per frame count once
        sender.burst(500);
        sender.frame(n % 30 == 0 ? 1510 : 1509);
    }
    EXPECT_EQ(sender.transmitter.counters().sdus, 10U);
    EXPECT_EQ(sender.transmitter.counters().dropped_no_room, 0U);
}

/// A first fragment carries 24 octets at least, unless the SDU is shorter.
TEST(Fragments, NoTinyOnes) {
    Sender sender;
    sender.push(1500);
    EXPECT_EQ(sender.burst(kFragmentOverheadOctets + 23), Lengths{});
    EXPECT_EQ(sender.burst(kFragmentOverheadOctets + 24), Lengths{kFragmentOverheadOctets + 24});
    EXPECT_EQ(sender.burst(kFragmentOverheadOctets + 1470), Lengths{kFragmentOverheadOctets + 1470});
    EXPECT_EQ(sender.burst(kFragmentOverheadOctets + 5), Lengths{});  // below the least room for anything
    EXPECT_EQ(sender.burst(kFragmentOverheadOctets + 6), Lengths{kFragmentOverheadOctets + 6});
    EXPECT_EQ(sender.transmitter.counters().sdus, 1U);
    EXPECT_EQ(sender.transmitter.counters().fragments, 3U);
}

/// Two SDUs share a PDU when both fit to the octet, and else do not.
TEST(Packing, BoundaryToTheOctet) {
    constexpr size_t kBoth = kPduOverheadOctets + 3 + 100 + 3 + 200;
    for (const size_t room : {kBoth - 1, kBoth, kBoth + 1}) {
        ServiceFlowConfig flow;
        flow.fragmentation = false;
        Sender sender(flow);
        sender.push(100);
        sender.push(200);
        EXPECT_EQ(sender.burst(room), room < kBoth ? Lengths{kPduOverheadOctets + 100} : Lengths{kBoth}) << room;
        EXPECT_EQ(sender.transmitter.counters().packed, room < kBoth ? 0U : 2U);
    }
}

/// At the end of the burst the rest of one SDU and the first part of the next share a PDU: at BPSK each frame is one.
TEST(Packing, PartsShareTheLastPduOfTheRoom) {
    Sender sender;
    for (int i = 0; i < 200; ++i) sender.push(1500);
    size_t short_ones = 0;  // with less room at the end than the least part takes
    for (int frame = 0; frame < 150; ++frame) {
        const auto lengths = sender.frame(1104);
        ASSERT_EQ(lengths.size(), 1U) << frame;
        EXPECT_GT(lengths[0], 1104U - 3 - 24) << frame;
        short_ones += lengths[0] < 1104 ? 1 : 0;
    }
    EXPECT_EQ(short_ones, 2U);
    // Overhead: header, CRC, and three octets for each part of an SDU; a frame has two parts.
    EXPECT_EQ(sender.transmitter.counters().sdus, 150 * (1104 - kPduOverheadOctets - 2 * 3) / 1500U);
}

/// With room for more PDUs a large SDU is put whole into the next one.
TEST(Packing, WhatFitsIntoTheNextPduIsNotCut) {
    Sender sender;
    for (int i = 0; i < 4; ++i) sender.push(1500);
    EXPECT_EQ(sender.burst(3100), (Lengths{1510, 1590}));  // the second: all of one, and 74 octets of another
    EXPECT_EQ(sender.transmitter.counters().sdus, 2U);
    EXPECT_EQ(sender.frame(1400), (Lengths{1400}));
}

/// A PDU's length field has eleven bits.
TEST(Packing, EndsAtTheLongestPdu) {
    Sender sender;
    for (int i = 0; i < 60; ++i) sender.push(100);
    const auto lengths = sender.burst(10'000);
    EXPECT_EQ(lengths, (Lengths{10 + 19 * 103, 10 + 19 * 103, 10 + 19 * 103, 10 + 3 * 103}));
    EXPECT_EQ(sender.transmitter.counters().packed, 60U);
}

}  // namespace test_transmitter
