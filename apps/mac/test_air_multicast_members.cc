// SPDX-License-Identifier: GPL-3.0-or-later
// Membership of a multicast flow: stations that enter and leave, are added to it and refused; how it is provisioned.
#include "mac/bs/test_base_parts.h"
#include "mac/test_multicast.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_multicast_members {

/// A station that enters later gets all packets from its first one on; a lost station is not waited for.
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
    EXPECT_TRUE(cell.remove(2));
    EXPECT_EQ(cell.connection()["members"], 2);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
    cell.send(30, 60);
    cell.run(3);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 60));
    EXPECT_EQ(cell.heard(2), numbers(0, 30));
    FlowCommand change;
    change.kind = DsxKind::change;
    change.sfid = cell.member(1)["sfid"];
    ASSERT_TRUE(cell.bs->describe(change));
    change.flow.max_sustained_rate_bps = 64'000;
    EXPECT_EQ(cell.bs->change_flow(change).error().allowed, "a multicast flow is the same at all of its stations");
    // A command adds it again, and needs only the name.
    ServiceFlowConfig named;
    named.name = "news";
    named.multicast = true;
    EXPECT_TRUE(cell.join(2, named));
    EXPECT_EQ(cell.member(2)["cid"], cid);
    EXPECT_EQ(cell.join(2, named).error().allowed, "the station has this flow");
    named.name = "olds";
    EXPECT_EQ(cell.join(2, named).error().allowed, "no multicast flow has this name");
    auto other = multicast_flow("news");
    other.traffic_priority = 3;
    EXPECT_EQ(cell.join(2, other).error().allowed, "another multicast flow has this name");
    cell.send(60, 70);
    cell.run(3);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 70));
    EXPECT_EQ(cell.heard(2).size(), 40U);
    EXPECT_EQ(cell.heard(2).back(), 69U);
}

/// Without a receiving member packets are dropped, not kept. Unprovisioned connections end with the last member.
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

    EXPECT_TRUE(cell.join(0, multicast_flow("sport", {0xE8000001, 0xFFFFFFFF})));
    ASSERT_EQ(cell.bs_status()["multicast"].size(), 2U);
    EXPECT_TRUE(cell.push(40, 500, 0xE8000001));
    cell.run(3);
    EXPECT_EQ(cell.heard(0), numbers(30, 41));
    FlowCommand command_to_go;
    command_to_go.kind = DsxKind::remove;
    command_to_go.sfid = cell.member(0, "sport")["sfid"];
    EXPECT_TRUE(cell.bs->change_flow(command_to_go));
    EXPECT_FALSE(cell.push(41, 500, 0xE8000001));  // it is there until the next frame
    cell.run(20);
    EXPECT_FALSE(cell.push(42, 500, 0xE8000001));
    ASSERT_EQ(cell.bs_status()["multicast"].size(), 1U);
    EXPECT_EQ(cell.connection()["name"], "news");
    const auto cid = cell.connection()["cid"];
    EXPECT_TRUE(cell.remove(0));
    ASSERT_EQ(cell.bs_status()["multicast"].size(), 1U);
    EXPECT_EQ(cell.connection()["cid"], cid);
    EXPECT_FALSE(cell.push(43));
    EXPECT_EQ(cell.connection()["dropped_unheard"], 22);
}

/// Members that are suspended, silent or still being set up do not slow the others down; what they miss is not kept.
TEST(MulticastMembers, WhoDoesNotReceiveHoldsNobodyUp) {
    Group cell(config_of({6, 1}, {multicast_flow("news")}));
    EXPECT_EQ(cell.connection()["dl_rate_id"], 1);
    for (const auto kind : {StationCommand::Kind::suspend, StationCommand::Kind::silence}) {
        EXPECT_TRUE(cell.bs->command_station({kind, Air::mac_of(1)}));
        cell.run(2);
        EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
        EXPECT_EQ(cell.connection()["listeners"], 1);
        EXPECT_EQ(cell.connection()["members"], 2);
    }
    EXPECT_TRUE(cell.bs->command_station({StationCommand::Kind::resume, Air::mac_of(1)}));
    cell.run(cell.frames(1.5));
    EXPECT_EQ(cell.connection()["dl_rate_id"], 1);
    cell.send(0, 10);
    cell.run(3);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 10));
}

/// Its reservation counts once, at the lowest rate of its stations. A station whose rate would make it too large is
/// refused.
TEST(MulticastMembers, IsAdmittedOnceAtTheLowestRate) {
    auto flow = multicast_flow("news");
    flow.min_reserved_rate_bps = 5'000'000;  // twice that is more than there is
    auto config = config_of({6, 6, 6, 0}, {});
    for (size_t i = 0; i < 3; ++i) config.stations[i].flows.push_back(flow);
    Group cell(config);
    const auto held = [&] { return cell.bs_status()["reserved"]["downlink"]["symbols"].get<double>(); };
    const double expected = cost_of(flow, cell.layout.frame_seconds()).octets / 108;
    EXPECT_NEAR(held(), expected, 1e-6);
    const std::string why = cell.join(3, flow).error().allowed;
    EXPECT_NE(why.find("the downlink has no room for it"), std::string::npos) << why;
    EXPECT_NE(why.find("at BPSK 1/2"), std::string::npos) << why;
    EXPECT_EQ(cell.connection()["members"], 3);
    EXPECT_NEAR(held(), expected, 1e-6);
    // The reservation ends with its last member.
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(cell.remove(i));
    EXPECT_EQ(held(), 0);
}

/// A member that was refused for lack of capacity is added when there is some.
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

/// The same when another flow ends; the station rests meanwhile.
TEST(MulticastMembers, ARefusedMemberIsLetInWhenAnotherFlowGoes) {
    auto shared = multicast_flow("news");
    shared.min_reserved_rate_bps = 5'000'000;
    auto large = flow(FlowDirection::downlink, SchedulingType::rtps, kPolledPort);
    large.name = "large";
    large.min_reserved_rate_bps = 4'000'000;
    auto config = config_of({6, 6, 6}, {shared});
    config.stations[0].flows.push_back(large);
    config.least_awake_stations = 0;
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    Group cell(config, 1);  // the station with the other flow enters first
    for (int i = 0; i < 2; ++i) cell.add();
    enter(cell);
    cell.run(100);
    EXPECT_EQ(cell.connection()["listeners"], 0);
    EXPECT_EQ(cell.connection()["members"], 3);
    FlowCommand command;
    command.kind = DsxKind::remove;
    command.sfid = cell.member(0, "large")["sfid"];
    EXPECT_TRUE(cell.tell(command));
    cell.run(cell.frames(1.2));
    EXPECT_EQ(cell.connection()["listeners"], 3);
}

/// A member whose rate falls makes the connection costlier; if it does not fit, its reservation is suspended.
TEST(MulticastMembers, ThePromiseEndsWhileThereIsNoRoomAtTheirRates) {
    auto flow = multicast_flow("news");
    flow.min_reserved_rate_bps = 2'000'000;
    auto config = config_of({6, 6}, {flow});
    config.dl_lowest_rate_id = 0;
    config.profile.broadcast_rate_id = 0;
    Group cell(config);
    cell.run(100);
    EXPECT_EQ(cell.connection()["held"], true);
    float& loss_db = cell.terminals[1]->link.path_loss_db;
    const float near_db = loss_db;
    for (; loss_db < kAt0Db - 3; loss_db += 0.5F) cell.step();
    cell.run(30);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 0);
    EXPECT_EQ(cell.connection()["held"], false);
    EXPECT_EQ(cell.bs_status()["reserved"]["flows_without_room"], 1);
    loss_db = near_db;
    cell.run(200);
    EXPECT_EQ(cell.connection()["held"], true);
    EXPECT_EQ(cell.bs_status()["reserved"]["flows_without_room"], 0);
}

/// With another rate or reserve the stream continues.
TEST(MulticastMembers, OtherQosParametersLoseNoPacket) {
    Group cell(config_of({6, 3}, {multicast_flow("news")}));
    const auto cid = cell.connection()["cid"];
    auto config = cell.bs_config;
    cell.send(0, 10);
    for (auto& station : config.stations) {
        station.flows.back().max_sustained_rate_bps = 1'000'000;
        station.flows.back().min_reserved_rate_bps = 500'000;
    }
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.send(10, 60);
    cell.run(5);
    EXPECT_EQ(cell.connection()["cid"], cid);
    EXPECT_EQ(cell.connection()["max_sustained_rate_bps"], 1'000'000);
    EXPECT_GT(cell.bs_status()["reserved"]["downlink"]["symbols"], 10);
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(cell.heard(i), numbers(0, 60));
        EXPECT_EQ(cell.member(i)["max_sustained_rate_bps"], 1'000'000);
        const Json own = cell.terminals[i]->status();
        EXPECT_TRUE(std::ranges::any_of(
            own["flows"], [](const auto& f) { return f["name"] == "news" && f["min_reserved_rate_bps"] == 500'000; }));
    }
    RateWatch watch(1'000'000, cell.layout.frame_seconds());
    cell.terminals[0]->mac->on_sdu = [&](Octets p) { watch.delivered(p.size()); };
    for (int n = 0; n < 500; ++n, watch.frame()) {
        for (int k = 0; k < 3; ++k) cell.push(0, 1000);
        cell.step();
    }
    EXPECT_NEAR(static_cast<double>(watch.octets()) * 8 / 5, 1'000'000, 20'000);
}

/// Any other change: the flow is set up again, on another connection.
TEST(MulticastMembers, ProvisioningAnewChangesItForAll) {
    Group cell(config_of({6, 3, 1}, {multicast_flow("news")}));
    const auto cid = cell.connection()["cid"];
    auto config = cell.bs_config;
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.run(20);
    EXPECT_EQ(cell.connection()["cid"], cid);
    cell.send(0, 5);
    for (auto& station : config.stations) station.flows.back().packing = false;
    config.stations[2].flows.pop_back();
    ASSERT_TRUE(cell.bs->reprovision(config));
    EXPECT_FALSE(cell.push(4));  // the old one takes no more, the new one has no listeners yet
    cell.run(50);
    EXPECT_EQ(cell.connection()["dropped_unheard"], 1);
    ASSERT_EQ(cell.bs_status()["multicast"].size(), 1U);
    EXPECT_NE(cell.connection()["cid"], cid);
    EXPECT_EQ(cell.connection()["members"], 2);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 3);
    cell.send(5, 25);
    cell.run(5);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 25));
    EXPECT_EQ(cell.heard(2), numbers(0, 5));
    for (auto& station : config.stations) std::erase_if(station.flows, [](const auto& f) { return f.multicast; });
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.run(50);
    EXPECT_TRUE(cell.bs_status()["multicast"].empty());
}

/// The old and the new one are not reserved at the same time.
TEST(MulticastMembers, ProvisioningAnewNeedsNoRoomForBoth) {
    auto flow = multicast_flow("news");
    flow.min_reserved_rate_bps = 5'000'000;
    Group cell(config_of({6, 6, 6}, {flow}));
    auto config = cell.bs_config;
    for (auto& station : config.stations) station.flows.back().classifiers.front().priority = 1;
    ASSERT_TRUE(cell.bs->reprovision(config));
    cell.run(50);
    EXPECT_EQ(cell.connection()["listeners"], 3);
    EXPECT_EQ(cell.bs_status()["reserved"]["refused"], 0);
}

/// While a station has it no other connection gets its CID.
TEST(MulticastMembers, ItsConnectionIsNobodyElses) {
    auto config = config_of({6, 6}, {multicast_flow("news")});
    Group cell(config);
    const uint16_t cid = cell.connection()["cid"];
    cell.bs->command_station({StationCommand::Kind::reset, Air::mac_of(0)});  // the connection outlives the station
    std::set<uint16_t> given;
    for (int n = 0; n < 70'000 && given.size() < 3; ++n) {
        cell.step();
        for (const Json all = cell.bs_status(); const auto& station : all["stations"])
            for (const auto& f : station["flows"])
                if (!f.value("multicast", false)) given.insert(f["cid"].get<uint16_t>());
        if (cell.all_operational()) break;
    }
    EXPECT_FALSE(given.contains(cid));
    EXPECT_EQ(cell.connection()["cid"], cid);
    cell.run(20);
    EXPECT_EQ(cell.connection()["members"], 2);
}

/// Neither a member's flow nor its station takes the CID along.
TEST(MulticastMembers, ItsNumberIsKeptWhileItIsThere) {
    BaseStationConfig config;
    config.service_classes = {multicast_flow("news")};
    BaseParts base(config);
    const auto add = [&](Subscriber& station) {
        EXPECT_TRUE(base.flows.add(station, config.service_classes[0], FlowState::active, 1));
        return station.flows.back()->sfid;
    };
    Subscriber& first = base.operational(1);
    const uint16_t basic = first.basic_cid;
    add(first);
    Subscriber& second = base.operational(2);
    const uint32_t sfid = add(second);
    const uint16_t cid = base.multicast.find("news")->flow.cid;
    EXPECT_EQ(second.flows.back()->cid, cid);
    for (const uint16_t tid : BaseParts::asked(second)) base.respond(second, tid);
    EXPECT_TRUE(base.flows.remove(second, sfid, 2));
    base.stations.erase(basic);
    EXPECT_TRUE(base.multicast.find("news")->members().empty());
    for (int n = 0; n < 70'000; ++n) {
        const uint16_t other = base.stations.new_transport_cid(second);
        ASSERT_NE(other, cid) << n;
        base.stations.release_transport_cid(other);
    }
}

TEST(MulticastMembers, AStationNeedsHeaderSuppressionWhereTheFlowHasIt) {
    BaseStationConfig config;
    config.service_classes = {multicast_flow("news")};
    config.service_classes[0].phs.push_back({1, {0x45}, {0x80}, true, false});
    BaseParts base(config);
    Subscriber& station = base.operational(1);
    const auto add = [&] { return base.flows.add(station, config.service_classes[0], FlowState::active, 1); };
    EXPECT_EQ(add().error().allowed, "the station knows no header suppression, which the flow has");
    station.capabilities.phs = true;
    EXPECT_TRUE(add());
}

/// A subscriber station requests it by its name.
TEST(MulticastMembers, AStationAsksForItByName) {
    auto config = config_of({6, 6}, {});
    config.stations[0].flows.push_back(multicast_flow("news"));
    config.service_classes = {multicast_flow("news")};
    config.stations[1].dynamic_flows = 1;
    Group cell(config);
    EXPECT_EQ(cell.connection()["members"], 1);
    FlowCommand command;
    command.flow.name = "news";
    EXPECT_TRUE(cell.terminals[1]->mac->change_flow(command));
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
    EXPECT_TRUE(cell.terminals[1]->mac->change_flow(command));
    cell.run(20);
    EXPECT_EQ(cell.connection()["max_sustained_rate_bps"], 0);
    EXPECT_EQ(cell.member(1)["max_sustained_rate_bps"], 0);
    for (const auto state : {FlowState::admitted, FlowState::active}) {  // it takes part no more, and again
        command.state = state;
        command.flow.max_sustained_rate_bps = 1000;
        EXPECT_TRUE(cell.terminals[1]->mac->change_flow(command));
        cell.run(20);
        EXPECT_EQ(cell.member(1)["max_sustained_rate_bps"], 0);
        EXPECT_EQ(cell.connection()["listeners"], state == FlowState::active ? 1 : 2) << "refused";
        command.flow.max_sustained_rate_bps = 0;
        EXPECT_TRUE(cell.terminals[1]->mac->change_flow(command));
        cell.run(20);
        const bool active = state == FlowState::active;
        EXPECT_EQ(cell.connection()["listeners"], active ? 2 : 1);
        cell.send(active ? 20 : 10, active ? 30 : 20);
        cell.run(3);
    }
    EXPECT_EQ(cell.heard(0), numbers(0, 30));
    auto without = numbers(0, 10);
    for (const uint32_t n : numbers(20, 30)) without.push_back(n);
    EXPECT_EQ(cell.heard(1), without);
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

}  // namespace test_air_multicast_members
