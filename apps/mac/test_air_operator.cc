// SPDX-License-Identifier: GPL-3.0-or-later
// Operator actions on a running cell: DREG-CMD and RES-CMD to its stations, another provisioning while they are served.
#include "mac/station_command.h"
#include "mac/test_cells.h"

#include <algorithm>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_operator {

using Kind = StationCommand::Kind;

struct Cell : Air {
    explicit Cell(const BaseStationConfig& config, size_t stations = 1) : Air(config) {
        keep_numbers = true;
        for (size_t i = 0; i < stations; ++i) add();
        enter(*this);
    }
    wimax::Outcome tell(Kind kind, size_t station = 0) { return bs->command_station({kind, mac_of(station)}); }
    Json at_bs(size_t i = 0) const {
        const Json status = bs_status();
        for (const auto& s : status["stations"])
            if (s["mac"] == to_mac(i)) return s;
        return {};
    }
    static std::string to_mac(size_t i) {
        char text[18];
        std::snprintf(text, sizeof text, "02:00:00:00:%02x:%02x", static_cast<unsigned>(i >> 8),
                      static_cast<unsigned>(i + 1));
        return text;
    }
    bool happened(size_t station, const std::string& text) const {
        return std::ranges::any_of(terminals[station]->events,
                                   [&](const auto& line) { return line.find(text) != std::string::npos; });
    }
    uint64_t bursts_of(size_t station) const { return at_bs(station)["ul"]["bursts"]; }
    /// A packet each way.
    void packets(uint32_t number) {
        send(*this, 0, 200, 5000, number);
        bs->push_sdu(ip_packet(kServer, station_address(0), 200, 5000, number));
    }
};

TEST(Operator, OneWhoIsUnknownIsNotTold) {
    Cell cell(Air::with_stations(1));
    EXPECT_EQ(cell.bs->command_station({Kind::reset, Air::mac_of(7)}).error().allowed, "no such station is registered");
}

TEST(Operator, AStationThatIsResetEntersAnew) {
    Cell cell(Air::with_stations(1));
    const auto cid = cell.at_bs()["basic_cid"];
    EXPECT_TRUE(cell.tell(Kind::reset));
    EXPECT_TRUE(cell.at_bs().is_null());
    cell.run(3);
    EXPECT_FALSE(cell.all_operational());
    EXPECT_GE(cell.run_until([&] { return cell.all_operational(); }, cell.frames(4)), 0);
    EXPECT_NE(cell.at_bs()["basic_cid"], cid);
    EXPECT_EQ(cell.bs_status()["lost_stations"], 0);
}

TEST(Operator, AStationThatIsSentAwayLeavesTheChannel) {
    Cell cell(Air::with_stations(1));
    EXPECT_TRUE(cell.tell(Kind::deregister));
    cell.run(3);
    EXPECT_TRUE(cell.happened(0, "sent away by the base station"));
    EXPECT_TRUE(cell.at_bs().is_null());
    cell.run(cell.frames(3));  // it leaves the channel alone for a while; there is no other
    EXPECT_TRUE(cell.at_bs().is_null());
}

/// A lower rate applies at once, a higher one after the station's response. No packet is lost, and the file restores
/// the cell's rates.
TEST(Operator, RatesChangeWhileAStationIsServed) {
    const auto config = Air::with_stations(2);
    Cell cell(config, 2);
    uint32_t number = 0;
    const auto become = [&](const StationCommand::Rates& rates, int dl, int ul) {
        EXPECT_TRUE(cell.bs->command_station({Kind::rates, Air::mac_of(0), rates}));
        for (int i = 0; i < 30; ++i, cell.step()) cell.packets(number++);
        EXPECT_EQ(cell.at_bs(0)["dl_rate_id"], dl);
        EXPECT_EQ(cell.at_bs(0)["ul_rate_id"], ul);
    };
    become({.dl_rate_id = 3, .ul_rate_id = 2}, 3, 2);
    become({.dl_rate_id = 5}, 5, 2);
    become({.ul_rate_id = 6, .dl_lowest_rate_id = 0}, 5, 6);  // may fall, and need not
    become({.dl_rate_id = 1}, 1, 6);
    become({.dl_rate_id = 4, .dl_lowest_rate_id = 4}, 4, 6);
    EXPECT_EQ(cell.at_bs(1)["dl_rate_id"], 6);
    auto other = config;
    other.dl_rate_id = 2;
    EXPECT_EQ(cell.bs->reprovision(other)->size(), 0U);
    for (int i = 0; i < 30; ++i, cell.step()) cell.packets(number++);
    cell.run(20);
    EXPECT_EQ(cell.at_bs(0)["dl_rate_id"], 2);
    EXPECT_EQ(cell.at_bs(1)["dl_rate_id"], 2);
    EXPECT_EQ(cell.at_bs(0)["ul"]["sdus"], number);
    EXPECT_EQ(cell.at_bs(0)["dl"]["sdus"], number);
    EXPECT_EQ(cell.terminals[0]->status()["dl"]["sdus"], number);
}

/// Longer than a silent station is waited for, and than a station waits for a grant.
TEST(Operator, ASilentStationSendsNothingAndStays) {
    Cell cell(Air::with_stations(1));
    EXPECT_TRUE(cell.tell(Kind::silence));
    cell.run(10);
    EXPECT_EQ(cell.at_bs()["restriction"], "silent");
    const auto before = cell.bursts_of(0), grants = cell.at_bs()["ul"]["grants"].get<uint64_t>();
    for (uint32_t n = 1; n <= 5; ++n) cell.packets(n);
    cell.run(cell.frames(8));
    EXPECT_EQ(cell.bursts_of(0), before);
    EXPECT_EQ(cell.at_bs()["ul"]["grants"], grants);
    EXPECT_EQ(cell.terminals[0]->dl_packets + cell.ul_packets, 0U);
    EXPECT_FALSE(cell.terminals[0]->mac->operational());
    EXPECT_TRUE(cell.tell(Kind::resume));
    cell.run(cell.frames(1.5));
    EXPECT_EQ(cell.at_bs()["state"], "operational");
    EXPECT_EQ(cell.at_bs()["restriction"], "none");
    EXPECT_TRUE(cell.all_operational());
    EXPECT_EQ(cell.terminals[0]->dl_packets, 5U);
    EXPECT_EQ(cell.ul_packets, 5U);
    EXPECT_EQ(cell.bs_status()["lost_stations"], 0);
}

/// Earlier losses do not count as its silence.
TEST(Operator, ASilentStationIsNotBlamedForEarlierLosses) {
    Cell cell(Air::with_stations(1));
    cell.tamper = [](wimax::sap::RxBurst& burst) {
        if (burst.cid != 0 && burst.kind == wimax::sap::BurstKind::data) burst.detected = false;
    };
    const auto missed = [&] { return cell.at_bs()["ul"]["missed"].get<int>(); };
    for (uint32_t n = 0; missed() < 12; ++n) {
        ASSERT_LT(n, 100U);
        cell.packets(n);
        cell.step();
    }
    EXPECT_TRUE(cell.tell(Kind::silence));
    cell.tamper = {};
    cell.run(cell.frames(8));
    EXPECT_EQ(cell.at_bs()["restriction"], "silent");
    EXPECT_TRUE(cell.tell(Kind::resume));
    cell.run(cell.frames(1.5));
    EXPECT_TRUE(cell.all_operational());
    EXPECT_EQ(cell.bs_status()["lost_stations"], 0);
}

TEST(Operator, ASuspendedStationSendsManagementAlone) {
    Cell cell(Air::with_stations(1));
    EXPECT_TRUE(cell.tell(Kind::suspend));
    cell.run(10);
    const auto before = cell.bursts_of(0);
    for (uint32_t n = 1; n <= 5; ++n) cell.packets(n);
    cell.run(cell.frames(4));
    EXPECT_GT(cell.bursts_of(0), before);
    EXPECT_EQ(cell.terminals[0]->dl_packets + cell.ul_packets, 0U);
    EXPECT_TRUE(cell.tell(Kind::silence));
    cell.run(5);
    EXPECT_TRUE(cell.tell(Kind::resume));
    cell.run(cell.frames(1.5));
    EXPECT_EQ(cell.terminals[0]->dl_packets, 5U);
    EXPECT_EQ(cell.ul_packets, 5U);
    EXPECT_EQ(cell.bs_status()["lost_stations"], 0);
}

/// A command that was not received is repeated.
TEST(Operator, ACommandThatIsLostIsRepeated) {
    Cell cell(Air::with_stations(1));
    for (const auto& [kind, obeyed] :
         {std::pair(Kind::silence, "silenced by the base station"), {Kind::resume, "may transmit again"}}) {
        cell.terminals[0]->link.connected = false;
        EXPECT_TRUE(cell.tell(kind));
        cell.run(10);
        EXPECT_FALSE(cell.happened(0, obeyed));
        cell.terminals[0]->link.connected = true;
        cell.run(cell.frames(1.2));
        EXPECT_TRUE(cell.happened(0, obeyed));
    }
}

ServiceFlowConfig named(const char* name, FlowDirection direction, uint16_t port = 0, uint32_t rate_bps = 0) {
    auto f = flow(direction, SchedulingType::best_effort, port, rate_bps);
    f.name = name;
    return f;
}

BaseStationConfig provisioned() {
    auto config = Air::with_stations(3);
    for (auto& station : config.stations)
        station.flows = {named("up", FlowDirection::uplink), named("down", FlowDirection::downlink),
                         named("voice", FlowDirection::uplink, kVoicePort, 100'000),
                         named("video", FlowDirection::downlink, kPolledPort, 500'000)};
    return config;
}

Json flow_named(const Json& station, const char* name) {
    for (const auto& f : station["flows"])
        if (f["name"] == name) return f;
    return {};
}

/// One of two stations is provisioned differently while both have traffic in each frame: the other one loses nothing,
/// and neither does a flow that only changes.
TEST(Reprovisioning, TouchesWhatDiffersAlone) {
    const auto config = provisioned();
    Cell cell(config, 3);
    const auto sfid = [&](size_t i, const char* name) { return flow_named(cell.at_bs(i), name)["sfid"]; };
    const auto untouched = cell.at_bs(0)["flows"].size();
    const auto kept = sfid(1, "down"), voice = sfid(1, "voice"), video = sfid(1, "video");
    std::array<std::set<uint32_t>, 2> up, down;
    cell.bs->on_sdu = [&](Octets p) { up[source_of(p) == station_address(0) ? 0 : 1].insert(number_of(p)); };
    for (size_t i : {0U, 1U}) cell.terminals[i]->mac->on_sdu = [&, i](Octets p) { down[i].insert(number_of(p)); };
    uint32_t number = 0;
    const auto run = [&](int frames) {
        for (int n = 0; n < frames; ++n) {
            ++number;
            for (size_t i : {0U, 1U}) {
                send(cell, i, 100, i == 0 ? kVoicePort : 5000, number);
                cell.bs->push_sdu(ip_packet(kServer, station_address(i), 100, i == 0 ? kPolledPort : 5000, number));
            }
            cell.step();
        }
    };
    run(20);
    auto other = config;
    auto& flows = other.stations[1].flows;
    flows[2].max_sustained_rate_bps = 50'000;                               // changed
    flows[2].classifiers[0].destination_ports = {{kBulkPort, kBulkPort}};   // and its rule
    flows[3] = named("data", FlowDirection::downlink, kBulkPort, 700'000);  // gone, and new
    other.stations[1].ip_addresses.push_back({0x0A630000, 0xFFFFFF00});
    other.stations.pop_back();
    other.unknown_station.reset();
    other.bandwidth_hz = 7'000'000;
    other.t7_ms = 2000;
    auto& live = other.profile;
    live.ranging_backoff_start = 1, live.ranging_backoff_end = 5, live.request_backoff_start = 1;
    live.request_backoff_end = 9, live.reservation_timeout = 21;
    other.profile.unasked_symbols = 5;
    other.midambles.enable = other.stc.enable = true;
    other.subchannelization.hysteresis_db = 3;
    other.edition = Edition::ieee2004;
    const auto fixed = cell.bs->reprovision(other);
    ASSERT_TRUE(fixed) << fixed.error().str();
    EXPECT_EQ(*fixed,
              (std::vector<std::string>{"bandwidth_hz", "edition", "midambles.enable", "profile.unasked_symbols",
                                        "stc.enable", "subchannelization.hysteresis_db", "t7_ms"}));
    run(60);
    cell.run(20);
    for (size_t i : {0U, 1U}) {
        EXPECT_EQ(up[i].size(), number) << i;
        EXPECT_EQ(down[i].size(), number) << i;
    }
    EXPECT_EQ(cell.at_bs(0)["flows"].size(), untouched);
    EXPECT_EQ(sfid(1, "down"), kept);
    EXPECT_EQ(sfid(1, "voice"), voice);
    EXPECT_EQ(flow_named(cell.at_bs(1), "voice")["max_sustained_rate_bps"], 50'000);
    EXPECT_EQ(flow_named(cell.terminals[1]->status(), "voice")["max_sustained_rate_bps"], 50'000);
    EXPECT_TRUE(flow_named(cell.at_bs(1), "video").is_null());
    EXPECT_NE(sfid(1, "data"), video);
    EXPECT_EQ(flow_named(cell.terminals[1]->status(), "data")["max_sustained_rate_bps"], 700'000);
    EXPECT_TRUE(cell.at_bs(2).is_null());  // not provisioned any more, and unknown stations are refused
    // The other addresses are behind the station now.
    EXPECT_TRUE(cell.bs->push_sdu(ip_packet(kServer, 0x0A630005, 100, 5000, 999'999)));
    cell.run(5);
    EXPECT_TRUE(down[1].contains(999'999));
    const Json status = cell.bs_status();
    EXPECT_EQ(status["lost_stations"], 0);
}

/// Another rule alone, of a flow whose other parameters stay: both ends have it, and the flow is still the same.
TEST(Reprovisioning, AnotherRuleAloneIsTold) {
    auto config = provisioned();
    Cell cell(config);
    const auto sfid = flow_named(cell.at_bs(), "voice")["sfid"];
    const auto sent = [&](const char* name) { return flow_named(cell.at_bs(), name)["sdus"].get<int>(); };
    const auto before = std::array{sent("voice"), sent("video")};
    for (const size_t flow : {2U, 3U})
        config.stations[0].flows[flow].classifiers[0].destination_ports = {{kBulkPort, kBulkPort}};
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.run(20);
    for (uint32_t n = 0; n < 3; ++n) {
        ASSERT_TRUE(send(cell, 0, 100, kBulkPort, n));
        ASSERT_TRUE(cell.bs->push_sdu(ip_packet(kServer, station_address(0), 100, kBulkPort, n)));
        cell.run(10);
    }
    EXPECT_EQ(flow_named(cell.at_bs(), "voice")["sfid"], sfid);
    EXPECT_EQ(sent("voice") - before[0], 3);
    EXPECT_EQ(sent("video") - before[1], 3);
}

/// Also while flows are set up or changed: changes that cannot be sent at once are sent later.
TEST(Reprovisioning, AtAnyMomentOfEntryAndOfAChange) {
    for (int frames = 0; frames < 120; ++frames) {
        auto config = provisioned();
        Air cell(config);
        cell.add();
        cell.run(frames);
        for (const uint32_t bps : {70'000U, 60'000U}) {
            config.stations[0].flows[2].max_sustained_rate_bps = bps;
            ASSERT_TRUE(cell.bs->reprovision(config));
            cell.step();
        }
        ASSERT_GE(cell.run_until([&] { return cell.all_operational(); }, cell.frames(4)), 0) << frames;
        cell.run(40);
        const Json at_bs = cell.bs_status()["stations"][0];
        EXPECT_EQ(flow_named(at_bs, "voice")["max_sustained_rate_bps"], 60'000) << frames;
        EXPECT_EQ(flow_named(cell.terminals[0]->status(), "voice")["max_sustained_rate_bps"], 60'000) << frames;
    }
}

TEST(Reprovisioning, WhatIsWrongChangesNothing) {
    auto config = provisioned();
    Cell cell(config, 1);
    config.stations[0].flows[2].max_sustained_rate_bps = 50'000;
    config.stations[0].flows[3].min_reserved_rate_bps = 600'000;  // above its maximum
    const auto refused = cell.bs->reprovision(config);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().str().find("stations[0].flows[3].min_reserved_rate_bps"), std::string::npos);
    cell.run(30);
    EXPECT_EQ(flow_named(cell.at_bs(), "voice")["max_sustained_rate_bps"], 100'000);
    EXPECT_EQ(flow_named(cell.terminals[0]->status(), "voice")["max_sustained_rate_bps"], 100'000);
    config.stations[0].flows[3].min_reserved_rate_bps = 0;
    EXPECT_EQ(cell.bs->reprovision(config)->size(), 0U);
    cell.run(30);
    EXPECT_EQ(flow_named(cell.terminals[0]->status(), "voice")["max_sustained_rate_bps"], 50'000);
}

}  // namespace test_air_operator
