// SPDX-License-Identifier: GPL-3.0-or-later
// Maximum sustained rate and burst as a property: for any burst sizes and pauses, the octets delivered in any window
// stay within the rate times its length plus the burst.
#include "mac/flow/rate_rules.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

#include <random>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_rate_limit {

constexpr int64_t kSampleRate = 5'760'000;
constexpr Samples kFrame = 57'600;

ServiceFlowConfig limited(uint32_t rate_bps, uint32_t burst_octets) {
    ServiceFlowConfig flow;
    flow.max_sustained_rate_bps = rate_bps;
    flow.max_burst_bytes = burst_octets;
    return flow;
}

/// A sender whose bursts are reassembled at once. Its deliveries fill a leaky bucket of the rate.
struct Channel {
    explicit Channel(const ServiceFlowConfig& flow)
        : transmitter(700, flow, pool, {}, kSampleRate), per_frame(flow.max_sustained_rate_bps / 800.0) {}

    void frame(size_t room, int frames = 1) {
        now += frames * kFrame;
        level = std::max(0.0, level - frames * per_frame);
        Buffer octets;
        PduWriter writer(octets, room);
        transmitter.tick(now);
        transmitter.fill(writer, room, now);
        PduReader reader(octets);
        while (const auto pdu = reader.next())
            reassembler.receive(*pdu, *parse_subheaders(*pdu), [&](Octets sdu) {
                level += static_cast<double>(sdu.size());
                delivered += sdu.size();
            });
        worst = std::max(worst, level);
    }
    void push(size_t octets, uint16_t port = 5000) {
        transmitter.push(ip_packet(kServer, station_address(0), octets, port), port, now);
    }

    SduPool pool{4000};
    FlowTransmitter transmitter;
    Reassembler reassembler{kMaxSduOctets};
    double per_frame, level = 0, worst = 0;
    size_t delivered = 0;
    Samples now = 0;
};

/// An SDU that waits half sent while the bucket fills again.
TEST(RateWindow, HoldsWhenABurstCutAnSdu) {
    Channel channel(limited(1'000'000, 4000));
    for (int i = 0; i < 20; ++i) channel.push(1500);
    channel.frame(500);     // a third of the first SDU
    channel.frame(0, 100);  // nothing for a second
    channel.frame(20'000);
    EXPECT_LE(channel.worst, 4000);
    EXPECT_EQ(channel.delivered, 3000U);
}

TEST(RateWindow, HoldsForAnyRoomAndAnyPause) {
    for (uint32_t seed = 1; seed <= 60; ++seed) {
        std::mt19937 random(seed);
        const auto any = [&](uint32_t low, uint32_t high) { return low + random() % (high - low + 1); };
        const uint32_t rate = any(64'000, 6'000'000), burst = any(0, 1) == 0 ? 0 : any(2040, 40'000);
        auto flow = limited(rate, burst);
        flow.packing = any(0, 1) == 1;
        flow.fragmentation = any(0, 3) > 0;
        Channel channel(flow);
        for (int i = 0; i < 2000; ++i) {
            while (channel.transmitter.backlog_packets() < 60)
                channel.push(any(40, 1500), static_cast<uint16_t>(any(1, 5)));
            channel.frame(any(0, 3) == 0 ? 0 : any(20, 9000), any(0, 20) == 0 ? static_cast<int>(any(2, 30)) : 1);
        }
        EXPECT_LE(channel.worst, static_cast<double>(burst_octets(flow)))
            << "seed " << seed << ", " << rate << " bit/s";
        EXPECT_GT(channel.delivered, 0U);
    }
}

/// A packet that no burst has room for gives its octets back.
TEST(RateWindow, WhatIsDroppedIsNotCharged) {
    auto flow = limited(1'000'000, 4000);
    flow.fragmentation = flow.packing = false;
    Channel channel(flow);
    for (int i = 0; i < 3; ++i) channel.push(1500);
    for (int i = 0; i < 40; ++i) channel.frame(600);
    EXPECT_GT(channel.transmitter.counters().dropped_no_room, 0U);
    channel.push(1500);
    channel.push(1500);
    channel.frame(20'000);
    EXPECT_EQ(channel.delivered, 3000U);
}

TEST(RateWindow, TheSendersBucketLeavesRoomForTheTimeWithinAFrame) {
    const size_t frame = 15'000;  // 20 ms of 6 Mb/s
    EXPECT_EQ(burst_octets(limited(6'000'000, 0)), kMaxSduOctets + 2 * frame);
    EXPECT_EQ(shaping_octets(limited(6'000'000, 0)), kMaxSduOctets + frame);
    EXPECT_EQ(shaping_octets(limited(6'000'000, 50'000)), 35'000U);
    EXPECT_EQ(shaping_octets(limited(6'000'000, 20'000)), kMaxSduOctets + frame);
    EXPECT_EQ(shaping_octets(limited(6'000'000, 8000)), 8000U);
    EXPECT_EQ(burst_octets(limited(6'000'000, 100)), kMaxSduOctets);
}

}  // namespace test_rate_limit
