/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who has a multicast flow: stations that come and go, are told of it and are refused it; how it is provisioned.
 */
#include "mac/bs/flow_cost.h"
#include "mac/test_multicast.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace {

/// A station that comes later has all from its first packet on; one that is lost is not waited for.
TEST(MulticastMembers, MembersComeAndGo) {
    Group cell(config_of({6, 6, 1}, {multicast_flow("news")}), 2);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
    cell.send(0, 50);
    cell.add();
    uint32_t next = 50;
    while (cell.connection()["listeners"] < 3 && next < 1000) cell.send(next, next + 1), ++next;
    ASSERT_EQ(cell.connection()["listeners"], 3);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 1);
    cell.send(next, next + 50);
    next += 50;
    cell.run(5);
    const auto& late = cell.heard(2);
    ASSERT_FALSE(late.empty());
    EXPECT_EQ(late, numbers(late.front(), next));
    EXPECT_GE(late.size(), 50U);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, next));

    cell.terminals[2]->link.connected = false;
    const uint32_t gone_from = next;
    while (cell.connection()["listeners"] == 3 && next < gone_from + 1000) cell.send(next, next + 1), ++next;
    EXPECT_LT((next - gone_from) * cell.layout.frame_seconds(), 2.5);
    EXPECT_EQ(cell.connection()["members"], 2);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
    cell.send(next, next + 20);
    cell.run(5);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, next + 20));
    expect_clean(cell);
}

TEST(MulticastMembers, AMemberIsDeletedAndTheOthersGoOn) {
    Group cell(config_of({6, 6, 1}, {multicast_flow("news")}));
    const auto cid = cell.connection()["cid"];
    cell.send(0, 30);
    cell.run(3);
    EXPECT_EQ(cell.remove(2), "");
    EXPECT_EQ(cell.connection()["members"], 2);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
    cell.send(30, 60);
    cell.run(3);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 60));
    EXPECT_EQ(cell.heard(2), numbers(0, 30));
    // It comes again by a command, which needs no more than the name.
    ServiceFlowConfig named;
    named.name = "news";
    named.multicast = true;
    EXPECT_EQ(cell.join(2, named), "");
    EXPECT_EQ(cell.member(2)["cid"], cid);
    EXPECT_EQ(cell.join(2, named), "the station has this flow");
    named.name = "olds";
    EXPECT_EQ(cell.join(2, named), "no multicast flow has this name");
    auto other = multicast_flow("news");
    other.traffic_priority = 3;
    EXPECT_EQ(cell.join(2, other), "another multicast flow has this name");
    cell.send(60, 70);
    cell.run(3);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 70));
    EXPECT_EQ(cell.heard(2).size(), 40U);
    EXPECT_EQ(cell.heard(2).back(), 69U);
}

/// While there is nobody packets are dropped, not kept; one that is not provisioned goes with its last member.
TEST(MulticastMembers, NothingWaitsForNobody) {
    Group cell(config_of({6}, {multicast_flow("news")}));
    const auto command = [&](StationCommand::Kind kind) { cell.bs->command_station({kind, Air::mac_of(0)}); };
    for (uint32_t n = 0; n < 20; ++n) cell.push(n, 1500);
    command(StationCommand::Kind::suspend);
    cell.run(10);
    EXPECT_EQ(cell.connection()["listeners"], 0);
    EXPECT_EQ(cell.connection()["members"], 1);
    EXPECT_FALSE(cell.connection().contains("dl_rate_id"));
    EXPECT_EQ(cell.connection()["backlog_packets"], 0);
    EXPECT_EQ(cell.connection()["dropped_unheard"], 20);
    EXPECT_FALSE(cell.push(20));
    EXPECT_EQ(cell.connection()["dropped_unheard"], 21);
    command(StationCommand::Kind::resume);
    cell.run(cell.frames(1.5));
    cell.send(30, 40);
    cell.run(3);
    EXPECT_EQ(cell.heard(0), numbers(30, 40));

    EXPECT_EQ(cell.join(0, multicast_flow("sport", {0xE8000001, 0xFFFFFFFF})), "");
    ASSERT_EQ(cell.bs_status()["multicast"].size(), 2U);
    EXPECT_TRUE(cell.push(40, 500, 0xE8000001));
    cell.run(3);
    EXPECT_EQ(cell.heard(0), numbers(30, 41));
    FlowCommand command_to_go;
    command_to_go.kind = DsxKind::remove;
    command_to_go.sfid = cell.member(0, "sport")["sfid"];
    EXPECT_EQ(cell.tell(command_to_go), "");
    ASSERT_EQ(cell.bs_status()["multicast"].size(), 1U);
    EXPECT_EQ(cell.connection()["name"], "news");
}

/// Who is suspended, silent or still being set up does not slow the others down, and what they miss is not kept.
TEST(MulticastMembers, WhoDoesNotReceiveHoldsNobodyUp) {
    Group cell(config_of({6, 1}, {multicast_flow("news")}));
    EXPECT_EQ(cell.connection()["dl_rate_id"], 1);
    for (const auto kind : {StationCommand::Kind::suspend, StationCommand::Kind::silence}) {
        EXPECT_EQ(cell.bs->command_station({kind, Air::mac_of(1)}), "");
        cell.run(2);
        EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
        EXPECT_EQ(cell.connection()["listeners"], 1);
        EXPECT_EQ(cell.connection()["members"], 2);
    }
    EXPECT_EQ(cell.bs->command_station({StationCommand::Kind::resume, Air::mac_of(1)}), "");
    cell.run(cell.frames(1.5));
    EXPECT_EQ(cell.connection()["dl_rate_id"], 1);
    cell.send(0, 10);
    cell.run(3);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 10));
}

/// What it is promised is held once, at the lowest rate of its stations, and one whose rate would make it too much is
/// not let in.
TEST(MulticastMembers, IsAdmittedOnceAtTheLowestRate) {
    auto flow = multicast_flow("news");
    flow.min_reserved_rate_bps = 1'500'000;
    auto config = config_of({6, 6, 6, 0}, {});
    for (size_t i = 0; i < 3; ++i) config.stations[i].flows.push_back(flow);
    Group cell(config);
    const auto held = [&] { return cell.bs_status()["reserved"]["downlink"]["symbols"].get<double>(); };
    const double expected = cost_of(flow, cell.layout.frame_seconds()).octets / 108;
    EXPECT_NEAR(held(), expected, 1e-6);
    const auto why = cell.join(3, flow);
    EXPECT_NE(why.find("the downlink has no room for it"), std::string::npos) << why;
    EXPECT_NE(why.find("at BPSK 1/2"), std::string::npos) << why;
    EXPECT_EQ(cell.connection()["members"], 3);
    EXPECT_NEAR(held(), expected, 1e-6);
    // What its last member leaves is free.
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(cell.remove(i), "");
    EXPECT_EQ(held(), 0);
}

/// One that was refused for want of room comes in when there is some.
TEST(MulticastMembers, AStationWithoutRoomForItIsLetInLater) {
    auto flow = multicast_flow("news");
    flow.min_reserved_rate_bps = 1'500'000;
    Group cell(config_of({6, 0}, {flow}));
    EXPECT_EQ(cell.member(1)["state"], "provisioned");
    EXPECT_NE(cell.member(1)["refusal"], "");
    EXPECT_EQ(cell.connection()["listeners"], 1);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
    auto smaller = cell.bs_config;
    for (auto& station : smaller.stations) station.flows.back().min_reserved_rate_bps = 100'000;
    ASSERT_TRUE(cell.bs->reprovision(smaller));
    cell.run(200);
    EXPECT_EQ(cell.connection()["listeners"], 2);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 0);
    EXPECT_EQ(cell.member(1)["state"], "active");
}

/// Another provisioning: the flow is set up anew, on another connection.
TEST(MulticastMembers, ProvisioningAnewChangesItForAll) {
    Group cell(config_of({6, 3, 1}, {multicast_flow("news")}));
    const auto cid = cell.connection()["cid"];
    auto config = cell.bs_config;
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.run(20);
    EXPECT_EQ(cell.connection()["cid"], cid);
    cell.send(0, 5);
    for (auto& station : config.stations) station.flows.back().max_sustained_rate_bps = 1'000'000;
    config.stations[2].flows.pop_back();
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.run(50);
    ASSERT_EQ(cell.bs_status()["multicast"].size(), 1U);
    EXPECT_NE(cell.connection()["cid"], cid);
    EXPECT_EQ(cell.connection()["members"], 2);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 3);
    EXPECT_EQ(cell.connection()["max_sustained_rate_bps"], 1'000'000);
    cell.send(5, 25);
    cell.run(5);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 25));
    EXPECT_EQ(cell.heard(2), numbers(0, 5));
    for (auto& station : config.stations) std::erase_if(station.flows, [](const auto& f) { return f.multicast; });
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.run(50);
    EXPECT_TRUE(cell.bs_status()["multicast"].empty());
}

/// While somebody has it nobody else gets its CID.
TEST(MulticastMembers, ItsConnectionIsNobodyElses) {
    auto config = config_of({6, 6}, {multicast_flow("news")});
    Group cell(config);
    const uint16_t cid = cell.connection()["cid"];
    cell.bs->command_station({StationCommand::Kind::reset, Air::mac_of(0)});  // its station goes, the connection stays
    std::set<uint16_t> given;
    for (int n = 0; n < 70'000 && given.size() < 3; ++n) {
        cell.step();
        for (const auto& station : cell.bs_status()["stations"])
            for (const auto& f : station["flows"])
                if (!f.value("multicast", false)) given.insert(f["cid"].get<uint16_t>());
        if (cell.all_operational()) break;
    }
    EXPECT_FALSE(given.contains(cid));
    EXPECT_EQ(cell.connection()["cid"], cid);
    cell.run(20);
    EXPECT_EQ(cell.connection()["members"], 2);
}

/// A subscriber station asks for it by its name.
TEST(MulticastMembers, AStationAsksForItByName) {
    auto config = config_of({6, 6}, {});
    config.stations[0].flows.push_back(multicast_flow("news"));
    config.service_classes = {multicast_flow("news")};
    config.stations[1].dynamic_flows = 1;
    Group cell(config);
    EXPECT_EQ(cell.connection()["members"], 1);
    FlowCommand command;
    command.flow.name = "news";
    EXPECT_EQ(cell.terminals[1]->mac->change_flow(command), "");
    cell.run(20);
    EXPECT_EQ(cell.connection()["listeners"], 2);
    cell.send(0, 10);
    cell.run(3);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 10));
    // It may be active no more, but not with other parameters.
    const Json own = cell.member(1);
    command.kind = DsxKind::change;
    command.sfid = own["sfid"];
    ASSERT_TRUE(cell.terminals[1]->mac->describe(command));
    command.flow.max_sustained_rate_bps = 1000;
    EXPECT_EQ(cell.terminals[1]->mac->change_flow(command), "");
    cell.run(20);
    EXPECT_EQ(cell.connection()["max_sustained_rate_bps"], 0);
    EXPECT_EQ(cell.member(1)["max_sustained_rate_bps"], 0);
    command.flow.max_sustained_rate_bps = 0;
    command.state = FlowState::admitted;
    EXPECT_EQ(cell.terminals[1]->mac->change_flow(command), "");
    cell.run(20);
    EXPECT_EQ(cell.connection()["listeners"], 1);
}

/// The wire does not say that a flow is multicast: another one of a CID that the station has is refused.
TEST(MulticastMembers, AStationTakesNoSecondFlowOfItsConnection) {
    auto config = config_of({6}, {multicast_flow("news")});
    config.stations[0].flows.push_back(multicast_flow("news"));
    EXPECT_NE(validate(config).str().find("each multicast flow once"), std::string::npos);
}

TEST(MulticastMembers, WhatCannotBeIsSaid) {
    auto config = config_of({6, 6}, {multicast_flow("news")});
    EXPECT_TRUE(validate(config).empty()) << validate(config).str();
    auto& flow = config.stations[0].flows.back();
    flow.arq.enable = true;
    flow.active_at_start = false;
    flow.idle_timeout_ms = 5;
    flow.idle_releases = true;
    flow.classifiers.push_back({});
    const auto text = validate(config).str();
    for (const char* key : {"arq.enable", "active_at_start", "idle_timeout_ms", "idle_releases", "rules"})
        EXPECT_NE(text.find(std::string("stations[0].flows[2].") + key), std::string::npos) << key << "\n" << text;
    EXPECT_NE(text.find("stations[1].flows[2].name"), std::string::npos) << text;
    flow = multicast_flow("");
    flow.direction = FlowDirection::uplink;
    flow.classifiers.clear();
    const auto other = validate(config).str();
    for (const char* key : {"direction", "name", "rules"})
        EXPECT_NE(other.find(std::string("stations[0].flows[2].") + key), std::string::npos) << key << "\n" << other;
}

}  // namespace
