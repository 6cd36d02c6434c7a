// SPDX-License-Identifier: GPL-3.0-or-later
// Interval and size of unsolicited grants from the QoS set.
#include "mac/bs/grant_rules.h"

#include <gtest/gtest.h>

using namespace wimax::mac;

namespace test_grant_rules {

ServiceFlowConfig voice(SchedulingType type, uint32_t rate_bps, uint32_t latency_ms = 0, uint32_t jitter_ms = 0,
                        uint32_t interval_us = 0) {
    ServiceFlowConfig flow;
    flow.scheduling = type;
    flow.max_sustained_rate_bps = rate_bps;
    flow.max_latency_ms = latency_ms;
    flow.tolerated_jitter_ms = jitter_ms;
    flow.grant_interval_us = interval_us;
    return flow;
}
void expect(const ServiceFlowConfig& flow, double frame_s, double interval_s, double octets) {
    const auto grants = unasked_grants(flow, frame_s);
    EXPECT_NEAR(grants.interval_s, interval_s, 1e-9);
    EXPECT_NEAR(grants.octets, octets, 1e-6);
}

TEST(UnaskedGrants, FollowFromRateLatencyAndJitter) {
    constexpr auto kUgs = SchedulingType::ugs;
    expect(voice(kUgs, 80'000), 0.01, 0.01, 100);                 // no bounds: every frame its octets
    expect(voice(kUgs, 80'000, 0, 0, 20'000), 0.01, 0.02, 200);   // as configured
    expect(voice(kUgs, 80'000, 25), 0.01, 0.01, 250);             // a packet of 25 ms may have arrived at once
    expect(voice(kUgs, 80'000, 25, 0, 20'000), 0.01, 0.01, 200);  // the packet of the interval, soon enough
    expect(voice(kUgs, 80'000, 45, 0, 20'000), 0.01, 0.02, 200);
    expect(voice(kUgs, 80'000, 100, 20, 0), 0.01, 0.02, 1000);
    expect(voice(kUgs, 2'000'000, 25), 0.01, 0.01, 2500 + 1500);
    expect(voice(kUgs, 80'000, 5), 0.01, 0.01, 200);  // cannot be met: every frame what may have arrived
    expect(voice(kUgs, 80'000, 25), 0.0025, 0.0225, 225 + 250);
}

TEST(UnaskedGrants, OfRtpsOnlyWhereAskingTakesTooLong) {
    constexpr auto kRtps = SchedulingType::rtps;
    EXPECT_TRUE(is_granted_unasked(voice(kRtps, 80'000, 25), 0.01));
    EXPECT_FALSE(is_granted_unasked(voice(kRtps, 80'000, 25), 0.005));
    EXPECT_FALSE(is_granted_unasked(voice(kRtps, 80'000, 40), 0.01));
    EXPECT_FALSE(is_granted_unasked(voice(kRtps, 80'000), 0.01));
    EXPECT_FALSE(is_granted_unasked(voice(kRtps, 0, 25), 0.01));
    EXPECT_FALSE(is_granted_unasked(voice(SchedulingType::nrtps, 80'000, 25), 0.01));
    EXPECT_TRUE(is_granted_unasked(voice(SchedulingType::ertps, 80'000), 0.01));
    auto reserved = voice(kRtps, 0, 25);
    reserved.min_reserved_rate_bps = 64'000;
    EXPECT_TRUE(is_granted_unasked(reserved, 0.01));
    expect(reserved, 0.01, 0.01, 200);
}

}  // namespace test_grant_rules
