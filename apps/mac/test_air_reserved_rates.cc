// SPDX-License-Identifier: GPL-3.0-or-later
// Minimum reserved rates over the burst-moving PHY, in SDU octets, at twice the cell's capacity.
#include "mac/test_rate_watch.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_reserved_rates {

constexpr uint16_t kReservedPort = 7100;

struct Overload {
    uint8_t rate_id;
    size_t octets;          ///< of the reserved flow's packets
    SchedulingType others;  ///< service of the flows that flood
    bool beside = false;    ///< such a flow in the same station, too
    double part = 0.3;      ///< reserved, of the capacity, by all stations together
};

class ReservedRate : public ::testing::TestWithParam<Overload> {};

/// Three stations with a reserved flow each way that is offered twice its rate, and floods that are offered twice the
/// capacity in sum.
TEST_P(ReservedRate, IsHeldUnderTwofoldOverload) {
    const auto of = GetParam();
    constexpr size_t kStations = 3;
    auto config = Air::with_stations(kStations + 1);
    config.ul_rate_id = config.dl_rate_id = of.rate_id;
    const auto layout = *FrameLayout::make(config);
    const double capacity = 1000 * std::min(downlink_capacity(config, layout, profile_in_row(of.rate_id), 4).kbps,
                                            uplink_capacity(config, layout, profile_in_row(of.rate_id), 4).kbps);
    const auto reserved_bps = static_cast<uint32_t>(of.part * capacity / kStations);
    for (size_t i = 0; i <= kStations; ++i)
        for (const auto direction : {FlowDirection::uplink, FlowDirection::downlink}) {
            auto& flows = config.stations[i].flows;
            auto reserved = flow(direction, SchedulingType::best_effort, kReservedPort);
            reserved.min_reserved_rate_bps = reserved_bps;
            if (i < kStations) flows.push_back(reserved);
            flows.push_back(flow(direction, i == kStations || of.beside ? of.others : SchedulingType::best_effort));
        }
    Air air(config);
    for (size_t i = 0; i <= kStations; ++i) air.add();
    enter(air);
    std::array<std::map<uint32_t, uint64_t>, 2> got;  // by station's address
    const auto count = [](auto& octets, uint32_t address, Octets p) {
        if ((p[22] << 8 | p[23]) == kReservedPort) octets[address] += p.size();
    };
    air.bs->on_sdu = [&](Octets p) { count(got[0], source_of(p), p); };
    for (size_t i = 0; i < kStations; ++i)
        air.terminals[i]->mac->on_sdu = [&, i](Octets p) { count(got[1], station_address(i), p); };
    std::vector<Source> sources, floods;
    for (size_t i = 0; i < 2 * kStations; ++i) sources.emplace_back(2.0 * reserved_bps, of.octets);
    const double flood = 2 * capacity * (1 - of.part) / (of.beside ? kStations + 1 : 1);
    for (size_t i = 0; i < 2 * (kStations + 1); ++i) floods.emplace_back(flood, 1500);
    const double frame = air.layout.frame_seconds();
    const auto run = [&](double seconds) {
        for (int n = 0; n < air.frames(seconds); ++n) {
            for (size_t i = 0; i <= kStations; ++i) {
                const auto up = [&](uint16_t port) {
                    return [&air, i, port](size_t size) { send(air, i, size, port); };
                };
                const auto down = [&](uint16_t port) {
                    return [&air, i, port](size_t size) {
                        air.bs->push_sdu(ip_packet(kServer, station_address(i), size, port));
                    };
                };
                if (i < kStations) {
                    sources[2 * i].frame(frame, up(kReservedPort));
                    sources[2 * i + 1].frame(frame, down(kReservedPort));
                }
                if (i < kStations && !of.beside) continue;
                floods[2 * i].frame(frame, up(kBulkPort));
                floods[2 * i + 1].frame(frame, down(kBulkPort));
            }
            air.step();
        }
    };
    run(2);
    for (auto& all : got) all.clear();
    constexpr double kSeconds = 10;
    run(kSeconds);
    for (size_t way = 0; way < 2; ++way)
        for (size_t i = 0; i < kStations; ++i) {
            const double part =
                static_cast<double>(got[way][station_address(i)]) * 8 / kSeconds / static_cast<double>(reserved_bps);
            printf("rate %d, %zu octets, %s: %s %zu has %.3f of %u bit/s\n", of.rate_id, of.octets,
                   of.beside ? "beside" : "alone", way == 0 ? "uplink" : "downlink", i, part, reserved_bps);
            EXPECT_GE(part, 1.0);
        }
}
INSTANTIATE_TEST_SUITE_P(Overloads, ReservedRate,
                         ::testing::Values(Overload{6, 1500, SchedulingType::best_effort},
                                           Overload{1, 1500, SchedulingType::best_effort},
                                           Overload{6, 100, SchedulingType::best_effort},
                                           Overload{6, 1500, SchedulingType::best_effort, true},
                                           Overload{6, 200, SchedulingType::nrtps, true},
                                           Overload{1, 200, SchedulingType::nrtps, true},
                                           Overload{6, 1500, SchedulingType::rtps, true, 0.6}));

}  // namespace test_air_reserved_rates
