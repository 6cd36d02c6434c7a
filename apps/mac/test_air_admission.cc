// SPDX-License-Identifier: GPL-3.0-or-later
// Admission control over the burst-moving PHY: flows are added until one is refused; admitted flows get what they
// reserved while all saturate both directions, and so does a flow that is reported to fit.
#include "mac/flow/flow_command.h"
#include "mac/test_rate_watch.h"

#include <algorithm>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_admission {

constexpr size_t kStations = 6, kBulk = 3;  // the last ones flood
constexpr uint16_t kFirstPort = 8000;

struct Kind {
    const char* name;
    SchedulingType scheduling;
    uint32_t rate_bps;
    uint32_t latency_ms;
    size_t octets;  ///< of its packets
    uint8_t rate_id, frame_code;
    double least;  ///< IP of the admitted, of the cell's capacity
};

class Admitted : public ::testing::TestWithParam<Kind> {};

struct Promised {
    size_t station = 0;
    bool up = false;
    uint16_t port = 0;
    uint32_t bps = 0;
    Source source;
    uint64_t octets = 0;
    std::map<uint32_t, double> sent;
    double worst_s = 0;
    uint32_t number = 0;
};

struct AdmissionCell : Air {
    explicit AdmissionCell(const BaseStationConfig& config) : Air(config) {
        for (size_t i = 0; i < kStations; ++i) {
            Terminal& t = add();
            t.config.codel_target_frames = 0;  // drops that keep queues short do not depend on rates
            restart(t);
        }
    }
    /// Empty: it was admitted.
    std::string add_flow(const Kind& kind, size_t station, bool up, uint32_t bps, uint16_t port) {
        FlowCommand command;
        command.id = ++last_id;
        command.station = mac_of(station);
        command.flow = flow(up ? FlowDirection::uplink : FlowDirection::downlink, kind.scheduling, port);
        if (kind.latency_ms > 0) command.flow.max_sustained_rate_bps = bps;
        command.flow.min_reserved_rate_bps = bps;
        command.flow.max_latency_ms = kind.latency_ms;
        EXPECT_TRUE(validate(command).empty()) << validate(command).str();
        if (const auto begun = bs->change_flow(command); !begun) return begun.error().allowed;
        for (int n = 0; n < 40; ++n) {
            step();
            const Json status = bs_status();
            for (const auto& r : status["flow_results"])
                if (r["id"] == command.id && r["done"]) return r["ok"].get<bool>() ? "" : r["text"].get<std::string>();
        }
        return "no answer";
    }
    uint64_t last_id = 0;
};

uint32_t told_rate(const std::string& why) {
    const auto at = why.find("at most ");
    return at == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(why.substr(at + 8)));
}

TEST_P(Admitted, KeepsItsPromisesAndTheNextIsRefused) {
    const Kind kind = GetParam();
    auto config = Air::with_stations(kStations);
    config.frame_duration_code = kind.frame_code;
    config.codel_target_frames = 0;
    config.dl_rate_id = config.ul_rate_id = kind.rate_id;
    config.stations.back().flows = {flow(FlowDirection::downlink, SchedulingType::best_effort),
                                    flow(FlowDirection::uplink, SchedulingType::best_effort)};
    AdmissionCell cell(config);
    enter(cell);
    std::vector<Promised> flows;
    std::array<uint64_t, 2> admitted_bps{};
    for (const bool up : {true, false}) {  // the maps of the uplink take their part of the downlink
        bool full = false;
        for (uint16_t n = 0; n < 42 && !full; ++n) {
            const size_t station = n % (kStations - kBulk);
            const auto port = static_cast<uint16_t>(kFirstPort + flows.size());
            uint32_t bps = kind.rate_bps;
            auto why = cell.add_flow(kind, station, up, bps, port);
            if (!why.empty()) {
                full = true;
                const uint32_t fits = told_rate(why);
                printf("%s %s: %zu admitted; %s\n", kind.name, up ? "up" : "down", flows.size(), why.c_str());
                EXPECT_NE(why.find("no room"), std::string::npos);
                EXPECT_LT(fits, bps);
                bps = fits;
                if (fits > 1) {
                    EXPECT_NE(cell.add_flow(kind, station, up, fits + 1, port), "");
                }
                if (fits * 0.04 < 8.0 * static_cast<double>(kind.octets)) break;  // not one packet in its time
                EXPECT_EQ(cell.add_flow(kind, station, up, fits, port), "");
            }
            flows.push_back({station, up, port, bps, Source(bps, kind.octets), 0, {}, 0, 0});
            admitted_bps[up] += bps;
        }
        EXPECT_TRUE(full) << kind.name;
        const auto capacity = up ? uplink_capacity(cell.bs_config, cell.layout, profile_in_row(kind.rate_id), 1)
                                 : downlink_capacity(cell.bs_config, cell.layout, profile_in_row(kind.rate_id), 1);
        printf("%s %s: %.0f of %.0f kbit/s\n", kind.name, up ? "up" : "down",
               static_cast<double>(admitted_bps[up]) / 1e3, capacity.kbps);
        EXPECT_GE(static_cast<double>(admitted_bps[up]), kind.least * 1000 * capacity.kbps);
    }
    cell.run(20);
    const double frame = cell.layout.frame_seconds();
    double now = 0, counted_from = 0;
    const auto arrived = [&](Octets p, double at) {
        const auto port = static_cast<uint16_t>(p[22] << 8 | p[23]);
        if (port < kFirstPort || port >= kFirstPort + flows.size()) return;
        auto& f = flows[port - kFirstPort];
        f.octets += p.size();
        const auto sent = f.sent.find(number_of(p));
        if (sent == f.sent.end()) return;
        if (sent->second >= counted_from) f.worst_s = std::max(f.worst_s, at - sent->second);
        f.sent.erase(sent);
    };
    bool of_last_frame = true;
    cell.tamper = [&](wimax::sap::RxBurst&) { of_last_frame = false; };
    cell.bs->on_sdu = [&](Octets p) { arrived(p, now + (of_last_frame ? 0 : frame)); };
    const double downlink_s = frame * cell.layout.downlink.symbols / cell.layout.frame_symbols;
    for (auto& t : cell.terminals) t->mac->on_sdu = [&](Octets p) { arrived(p, now + downlink_s); };
    const auto run = [&](double seconds) {
        for (int n = 0; n < cell.frames(seconds); ++n, now += frame) {
            for (auto& f : flows)
                f.source.frame(frame, [&](size_t size) {
                    f.sent[++f.number] = now;
                    f.up ? void(send(cell, f.station, size, f.port, f.number))
                         : void(cell.bs->push_sdu(
                               ip_packet(kServer, station_address(f.station), size, f.port, f.number)));
                });
            for (size_t i = 0; i < kStations; ++i)
                for (size_t k = 0; k < 2; ++k) {
                    send(cell, i, 1500);
                    cell.bs->push_sdu(ip_packet(kServer, station_address(i), 1500));
                }
            of_last_frame = true;
            cell.step();
        }
    };
    run(1);
    counted_from = now;
    for (auto& f : flows) f.octets = 0;
    constexpr double kSeconds = 4;
    run(kSeconds);
    double least = 9, worst_s = 0;
    for (const auto& f : flows) {
        least = std::min(least, static_cast<double>(f.octets) * 8 / kSeconds / f.bps);
        if (kind.latency_ms > 0) worst_s = std::max(worst_s, f.worst_s);
    }
    printf("%s: %zu flows, the least has %.3f of its rate, the latest packet took %.1f ms\n", kind.name, flows.size(),
           least, worst_s * 1e3);
    EXPECT_GE(least, 0.985);  // whole packets in four seconds
    EXPECT_LE(worst_s, kind.latency_ms * 1e-3);
    EXPECT_EQ(cell.bs_status()["reserved"]["flows_without_room"], 0);
    expect_clean(cell);
}
INSTANTIATE_TEST_SUITE_P(Kinds, Admitted,
                         ::testing::Values(Kind{"reserved", SchedulingType::best_effort, 700'000, 0, 500, 6, 4, 0.6},
                                           Kind{"reserved QPSK", SchedulingType::best_effort, 150'000, 0, 300, 1, 4,
                                                0.6},
                                           Kind{"voice", SchedulingType::ugs, 80'000, 25, 200, 6, 4, 0.1},
                                           Kind{"voice 5 ms", SchedulingType::ugs, 80'000, 25, 200, 3, 2, 0.06},
                                           Kind{"video", SchedulingType::rtps, 400'000, 100, 700, 4, 4, 0.2}));

}  // namespace test_air_admission
