// SPDX-License-Identifier: GPL-3.0-or-later
// Stations that rest are served as if they had been looked at in every frame: two cells with the same traffic and
// losses, one whose base station lets all rest that can, one that lets none, send the same octets in every frame.
#include "mac/test_cells.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_rest {

constexpr size_t kStations = 12;

std::vector<ServiceFlowConfig> flows_of(size_t station) {
    auto down = flow(FlowDirection::downlink, SchedulingType::best_effort);
    auto up = flow(FlowDirection::uplink, SchedulingType::best_effort);
    std::vector<ServiceFlowConfig> flows;
    switch (station % 6) {
        case 1: up.idle_timeout_ms = down.idle_timeout_ms = 300; break;
        case 2: flows.push_back(flow(FlowDirection::uplink, SchedulingType::nrtps, kPolledPort, 64'000)); break;
        case 3: flows.push_back(flow(FlowDirection::uplink, SchedulingType::ugs, kVoicePort, 64'000)); break;
        case 4: down.arq.enable = up.arq.enable = true; break;
        case 5:
            flows.push_back(flow(FlowDirection::uplink, SchedulingType::rtps, kPolledPort, 64'000));
            flows.back().grant_interval_us = 200'000;
            break;
        default: break;
    }
    flows.push_back(up);
    flows.push_back(down);
    return flows;
}

struct Town {
    explicit Town(uint32_t least_awake, MapRelevance relevance) : air(config(least_awake, relevance)) {
        for (size_t i = 0; i < kStations; ++i) {
            auto& terminal = air.add({10 + int(i), 80, 0});
            terminal.link.downlink_loss = terminal.link.uplink_loss = terminal.link.damage = 0.03;
        }
    }
    static BaseStationConfig config(uint32_t least_awake, MapRelevance relevance) {
        auto config = bare(kStations, 3, relevance);
        for (size_t i = 0; i < kStations; ++i) config.stations[i].flows = flows_of(i);
        config.least_awake_stations = least_awake;
        config.t27_idle_ms = 1500;
        config.t27_active_ms = 50;
        config.dl_lowest_rate_id = config.ul_lowest_rate_id = 1;
        return config;
    }
    /// Few stations have something to send at the same time.
    void offer() {
        const auto station = static_cast<size_t>(random() % kStations);
        const auto octets = 60 + static_cast<size_t>(random() % 1000);
        const std::array<uint16_t, 4> ports{5000, kVoicePort, kPolledPort, kBulkPort};
        const uint16_t port = ports[random() % ports.size()];
        if (random() % 4 == 0) send(air, station, octets, port);
        if (random() % 4 == 0) air.bs->push_sdu(ip_packet(kServer, station_address(station), octets, port));
    }
    std::vector<uint8_t> sent() const {
        std::vector<uint8_t> octets;
        for (const auto& burst : air.last_tx().bursts)
            octets.insert(octets.end(), burst.payload.begin(), burst.payload.end());
        return octets;
    }

    std::mt19937 random{7};
    Air air;
};

void expect_same(MapRelevance relevance) {
    Town resting(0, relevance), watched(8000, relevance);
    for (int frame = 0; frame < 4000; ++frame) {
        for (Town* town : {&resting, &watched}) {
            // Quiet times with a packet now and then, and rushes that fill both subframes.
            for (int i = 0; i < (frame % 500 < 60 ? 16 : int(frame % 5 == 0)); ++i) town->offer();
            // One is out of reach for a while, and one until it is lost.
            town->air.terminals[1]->link.connected = frame % 1000 < 900;
            town->air.terminals[8]->link.connected = frame < 1500 || frame > 3000;
            town->air.step();
        }
        ASSERT_EQ(resting.sent(), watched.sent()) << "frame " << frame;
    }
    EXPECT_EQ(resting.air.ul_packets, watched.air.ul_packets);
    EXPECT_GT(resting.air.ul_packets, 100U);
    EXPECT_GT(resting.air.bs_status()["stations"].size(), kStations - 2);
}

TEST(Rest, IsNotSeenOnTheAir) { expect_same(MapRelevance::same_frame); }
TEST(Rest, IsNotSeenOnTheAirWithMapsForTheNextFrame) { expect_same(MapRelevance::next_frame); }

}  // namespace test_air_rest
