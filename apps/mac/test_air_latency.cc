// SPDX-License-Identifier: GPL-3.0-or-later
// Latency bounds over the burst-moving PHY: voice of 20 ms packets next to stations that saturate the cell both ways.
// Times are those of frames, the worse end of each: a packet is queued just after the moment in which it could still be
// sent, and arrives with the end of its subframe.
#include "mac/test_rate_watch.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_latency {

constexpr uint32_t kVoiceOctets = 200, kVoiceRate = 80'000;  // G.711, 20 ms, IP

struct VoiceCase {
    SchedulingType type;
    uint8_t rate_id, frame_code;
    SchedulerPolicy policy = SchedulerPolicy::fair;
};
class VoiceLatency : public ::testing::TestWithParam<VoiceCase> {};

/// Packets each 20.1 ms, so that they arrive at any time within a frame.
TEST_P(VoiceLatency, IsKeptForEveryPacketBesideSaturation) {
    constexpr size_t kBulk = 10;
    constexpr double kIntervalS = 0.0201, kBoundS = 0.025;
    const auto of = GetParam();
    auto config = Air::with_stations(kBulk + 1);
    config.ul_rate_id = config.dl_rate_id = of.rate_id;
    config.frame_duration_code = of.frame_code;
    config.dl_scheduler = config.ul_scheduler = of.policy;
    for (const auto direction : {FlowDirection::uplink, FlowDirection::downlink}) {
        auto voice = flow(direction, of.type, kVoicePort, kVoiceRate);
        voice.max_latency_ms = 25;
        config.stations[0].flows.push_back(voice);
        config.stations[0].flows.push_back(flow(direction, SchedulingType::best_effort));
    }
    Air air(config);
    for (size_t i = 0; i <= kBulk; ++i) air.add();
    enter(air);
    const double frame = air.layout.frame_seconds();
    double now = 0;
    bool of_last_frame = false;  // bursts of a frame's end are reported in the next one
    struct Way {
        std::map<uint32_t, double> sent;
        int seen = 0, late = 0;
        double worst_s = 0;
        void arrived(Octets p, double at_s) {
            const auto it = sent.find(number_of(p));
            if ((p[22] << 8 | p[23]) != kVoicePort || it == sent.end()) return;
            ++seen;
            worst_s = std::max(worst_s, at_s - it->second);
            late += at_s - it->second > kBoundS ? 1 : 0;
        }
    } up, down;
    air.bs->on_sdu = [&](Octets p) {
        if (source_of(p) == station_address(0)) up.arrived(p, of_last_frame ? now : now + frame);
    };
    air.before_tick = [&] { of_last_frame = true; };
    air.tamper = [&](wimax::sap::RxBurst&) { of_last_frame = false; };
    const double downlink_s = frame * air.layout.downlink.symbols / air.layout.frame_symbols;
    air.terminals[0]->mac->on_sdu = [&](Octets p) { down.arrived(p, now + downlink_s); };
    double next_s = 0;
    uint32_t number = 1;
    uint64_t bulk = 0;
    for (size_t i = 1; i <= kBulk; ++i) air.terminals[i]->mac->on_sdu = [&](Octets p) { bulk += p.size(); };
    for (int n = 0; n < air.frames(10); ++n, now += frame) {
        for (; next_s <= now; next_s += kIntervalS, ++number) {
            up.sent[number] = down.sent[number] = next_s;
            send(air, 0, kVoiceOctets, kVoicePort, number);
            air.bs->push_sdu(ip_packet(kServer, station_address(0), kVoiceOctets, kVoicePort, number));
        }
        for (size_t i = 1; i <= kBulk; ++i)
            for (size_t k = 0; k < 2; ++k) {
                send(air, i, 1500);
                air.bs->push_sdu(ip_packet(kServer, station_address(i), 1500));
            }
        air.step();
    }
    for (const auto* way : {&up, &down}) {
        printf("%s: %d of %zu voice packets, worst %.1f ms, %d late; others %.2f Mb/s down\n",
               way == &up ? "uplink" : "downlink", way->seen, way->sent.size(), way->worst_s * 1e3, way->late,
               static_cast<double>(bulk) * 8 / 10e6);
        EXPECT_GE(way->seen + 2, static_cast<int>(way->sent.size()));
        EXPECT_EQ(way->late, 0);
    }
    expect_clean(air);
}
INSTANTIATE_TEST_SUITE_P(Voice, VoiceLatency,
                         ::testing::Values(VoiceCase{SchedulingType::ugs, 6, 4}, VoiceCase{SchedulingType::ugs, 1, 4},
                                           VoiceCase{SchedulingType::rtps, 6, 4}, VoiceCase{SchedulingType::rtps, 1, 4},
                                           VoiceCase{SchedulingType::ugs, 6, 2}, VoiceCase{SchedulingType::rtps, 6, 2},
                                           VoiceCase{SchedulingType::rtps, 1, 2},
                                           VoiceCase{SchedulingType::ertps, 6, 4},
                                           VoiceCase{SchedulingType::rtps, 6, 4, SchedulerPolicy::priority_drr},
                                           VoiceCase{SchedulingType::rtps, 6, 4, SchedulerPolicy::proportional_fair},
                                           VoiceCase{SchedulingType::rtps, 1, 4, SchedulerPolicy::weighted},
                                           VoiceCase{SchedulingType::ugs, 1, 4, SchedulerPolicy::weighted_channel}));

uint64_t granted_symbols(const Air& air) {
    uint64_t sum = 0;
    for (const auto& a : air.last_expect().allocations)
        sum += a.kind == wimax::sap::BurstKind::data ? a.format.data_symbols : 0;
    return sum;
}

/// ertPS: grants as of UGS while it speaks, room for a request while it does not, and back with its first packet.
TEST(Ertps, ASilentFlowCostsAPollAlone) {
    auto config = bare(1, 1);
    auto voice = flow(FlowDirection::uplink, SchedulingType::ertps, kVoicePort, kVoiceRate);
    set_flows(config, {voice});
    Air air(config);
    air.add();
    enter(air);
    EXPECT_LE(granted_symbols(air), 1U);
    send(air, 0, 100, kVoicePort);
    EXPECT_GE(frames_until(air, 1, 6), 0);
    for (int n = 0; n < 50; ++n) {
        send(air, 0, 100, kVoicePort);
        air.step();
    }
    EXPECT_GE(air.ul_packets, 49U);
    EXPECT_EQ(granted_symbols(air), symbols_for(1, 112 + 6));
    air.run(20);
    EXPECT_LE(granted_symbols(air), 1U);
}

/// Grants of a UGS flow hold only its packets: the other flow requests by the poll-me bit.
TEST(PollMe, BringsTheOtherFlowOfAStationItsPoll) {
    auto config = bare(1, 6);
    config.profile.request_symbols = 0;
    const auto octets = bytes_in(6, 2) - 12;
    auto voice = flow(FlowDirection::uplink, SchedulingType::ugs, kVoicePort, static_cast<uint32_t>(octets * 800));
    set_flows(config, {voice, flow(FlowDirection::uplink, SchedulingType::best_effort)});
    Air air(config);
    air.add();
    enter(air);
    for (int n = 0; n < 20; ++n) {
        send(air, 0, octets, kVoicePort);
        air.step();
    }
    uint64_t bulk = 0;
    air.bs->on_sdu = [&](Octets p) { bulk += p.size() == 900 ? 1 : 0; };
    for (int i = 0; i < 5; ++i) send(air, 0, 900, kBulkPort);
    for (int n = 0; n < 60; ++n) {
        send(air, 0, octets, kVoicePort);
        air.step();
    }
    EXPECT_EQ(bulk, 5U);
}

}  // namespace test_air_latency
