// SPDX-License-Identifier: GPL-3.0-or-later
// Maximum sustained rate and burst over the burst-moving PHY: reached, and in no window of time exceeded, both ways.
#include "mac/flow/rate_rules.h"
#include "mac/flow/transmitter.h"
#include "mac/test_rate_watch.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_sustained_rates {

struct RateCase {
    uint32_t rate_bps;
    size_t octets;
    uint8_t frame_code;
};

class SustainedRate : public ::testing::TestWithParam<RateCase> {
protected:
    /// One station with a limited best effort flow each way.
    static BaseStationConfig cell(const RateCase& of) {
        auto config = Air::with_stations(1);
        config.frame_duration_code = of.frame_code;
        for (const auto direction : {FlowDirection::uplink, FlowDirection::downlink})
            config.stations[0].flows.push_back(flow(direction, SchedulingType::best_effort, 0, of.rate_bps));
        return config;
    }
};

/// Offered half more than the rate, over 500 packets and at least ten seconds.
TEST_P(SustainedRate, IsReachedAndNeverExceeded) {
    const auto of = GetParam();
    Air air(cell(of));
    air.add();
    enter(air);
    const double frame = air.layout.frame_seconds();
    std::array watch{RateWatch(of.rate_bps, frame), RateWatch(of.rate_bps, frame)};
    air.bs->on_sdu = [&](Octets p) { watch[0].delivered(p.size()); };
    air.terminals[0]->mac->on_sdu = [&](Octets p) { watch[1].delivered(p.size()); };
    Source up(1.5 * of.rate_bps, of.octets), down = up;
    const auto run = [&](double seconds) {
        for (int i = 0; i < air.frames(seconds); ++i) {
            up.frame(frame, [&](size_t octets) { send(air, 0, octets); });
            down.frame(frame, [&](size_t octets) { air.bs->push_sdu(ip_packet(kServer, station_address(0), octets)); });
            air.step();
            for (auto& w : watch) w.frame();
        }
    };
    run(3);  // until the bucket is empty and the queue stands
    for (auto& w : watch) w.restart();
    const double seconds = std::max(10.0, 500.0 * static_cast<double>(of.octets) * 8 / of.rate_bps);
    run(seconds);
    ServiceFlowConfig config;
    config.max_sustained_rate_bps = of.rate_bps;
    for (const auto& w : watch) {
        const double part = static_cast<double>(w.octets()) * 8 / (of.rate_bps * seconds);
        printf("%u bit/s, %zu octets, code %u: %.4f of the rate, burst %.0f octets\n", of.rate_bps, of.octets,
               of.frame_code, part, w.burst_octets());
        EXPECT_GE(part, 0.99);
        EXPECT_LE(w.burst_octets(), static_cast<double>(burst_octets(config)));
    }
}
INSTANTIATE_TEST_SUITE_P(Rates, SustainedRate,
                         ::testing::Values(RateCase{64'000, 1500, 4}, RateCase{64'000, 100, 4},
                                           RateCase{512'000, 1500, 4}, RateCase{2'000'000, 1500, 2},
                                           RateCase{2'000'000, 300, 4}, RateCase{4'000'000, 1500, 6},
                                           RateCase{6'000'000, 1500, 4}, RateCase{6'000'000, 1500, 2}));

/// A station that does not keep to its rate: all its grants are full of packets. The base station passes on what the
/// rate lets through, and counts the rest.
TEST(Policing, AStationThatSendsMoreGainsNothing) {
    constexpr uint32_t kRate = 500'000;
    auto config = Air::with_stations(1);
    config.stations[0].flows = {flow(FlowDirection::uplink, SchedulingType::best_effort, 0, kRate),
                                flow(FlowDirection::downlink, SchedulingType::best_effort)};
    Air air(config);
    air.add();
    enter(air);
    const auto up = uplink_flow(air);
    RateWatch watch(kRate, air.layout.frame_seconds());
    air.bs->on_sdu = [&](Octets p) { watch.delivered(p.size()); };
    air.tamper = [&](wimax::sap::RxBurst& burst) {
        if (burst.kind != wimax::sap::BurstKind::data || burst.cid == 0) return;
        const size_t size = burst.payload.size();
        burst.payload.clear();
        PduWriter writer(burst.payload, size);
        const auto packet = ip_packet(station_address(0), kServer, 400);
        while (writer.room() >= packet.size() + kPduOverheadOctets && writer.begin(up["cid"], true)) {
            writer.payload(packet);
            writer.finish();
        }
        burst.payload.resize(size, 0xFF);
    };
    for (int i = 0; i < air.frames(10); ++i) {
        air.step();
        watch.frame();
    }
    ServiceFlowConfig limit;
    limit.max_sustained_rate_bps = kRate;
    EXPECT_LE(watch.burst_octets(), static_cast<double>(burst_octets(limit)));
    EXPECT_GE(static_cast<double>(watch.octets()) * 8, 0.99 * kRate * 10);
    EXPECT_GT(uplink_flow(air)["dropped_rate"], 1000U);
}

}  // namespace test_air_sustained_rates
