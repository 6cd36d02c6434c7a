// SPDX-License-Identifier: GPL-3.0-or-later
// Service flows through the control socket: content of commands, their faults, and the reported flows.
#include "macd/flow_commands.h"
#include "macd/test_station.h"

#include <gtest/gtest.h>

using namespace wimax;
using namespace wimax::macd;
using mac::DsxKind;
using nlohmann::json;

namespace test_flow_commands {

/// Has the flow 3, and keeps the commands it gets.
struct Station final : test::IdleStation {
    json status() const override {
        return {{"flow_results", {{{"id", 7}}}},
                {"multicast", {{{"cid", 641}}}},
                {"stations", {{{"mac", "02:00:00:00:00:01"}, {"flows", {{{"sfid", 3}}, {{"sfid", 4}}}}}}}};
    }
    bool describe(mac::FlowCommand& command) const override {
        if (command.sfid != 3) return false;
        command.flow.direction = mac::FlowDirection::uplink;
        command.flow.max_sustained_rate_bps = 1'000'000;
        command.flow.min_reserved_rate_bps = 20'000;
        command.state = mac::FlowState::admitted;
        return true;
    }
    Outcome change_flow(const mac::FlowCommand& command) override {
        told.push_back(command);
        if (told.size() > 1) return failure("", "it is changing");
        return {};
    }
    std::vector<mac::FlowCommand> told;
};

TEST(FlowCommands, AChangeKeepsWhatItDoesNotName) {
    Station station;
    const auto command = read_flow_command(
        DsxKind::change, {{"id", 8}, {"sfid", 3}, {"max_sustained_rate_bps", 500'000}, {"state", "active"}}, station);
    ASSERT_TRUE(command) << command.error().str();
    EXPECT_EQ(command->id, 8U);
    EXPECT_EQ(command->sfid, 3U);
    EXPECT_EQ(command->flow.max_sustained_rate_bps, 500'000U);
    EXPECT_EQ(command->flow.min_reserved_rate_bps, 20'000U);
    EXPECT_EQ(command->flow.direction, mac::FlowDirection::uplink);
    EXPECT_EQ(command->state, mac::FlowState::active);
    const auto same = read_flow_command(DsxKind::change, {{"sfid", 3}}, station);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->state, mac::FlowState::admitted);
}

TEST(FlowCommands, ANewFlowHasTheKeysOfAFile) {
    Station station;
    const auto command = read_flow_command(
        DsxKind::add,
        {{"station", "02:00:00:00:00:01"},
         {"direction", "uplink"},
         {"scheduling", "rtps"},
         {"classifiers", {{{"priority", 9}, {"destination_ports", {{{"low", 5060}, {"high", 5061}}}}}}}},
        station);
    ASSERT_TRUE(command) << command.error().str();
    EXPECT_EQ(command->station, (mac::MacAddress{2, 0, 0, 0, 0, 1}));
    EXPECT_EQ(command->flow.scheduling, mac::SchedulingType::rtps);
    EXPECT_EQ(command->state, mac::FlowState::active);
    ASSERT_EQ(command->flow.classifiers.size(), 1U);
    EXPECT_EQ(command->flow.classifiers[0].destination_ports[0].high, 5061);
    const auto own = read_flow_command(DsxKind::add, {{"direction", "downlink"}}, station);
    ASSERT_TRUE(own);
    EXPECT_FALSE(own->station);
}

TEST(FlowCommands, AllFaultsAtOnce) {
    Station station;
    const auto faults = [&](DsxKind kind, const json& value) {
        const auto command = read_flow_command(kind, value, station);
        return command ? std::string() : command.error().str();
    };
    EXPECT_NE(faults(DsxKind::add, 5).find("an object"), std::string::npos);
    const auto two = faults(DsxKind::add, {{"direction", "sideways"}, {"traffic_priority", 9}});
    EXPECT_NE(two.find("direction"), std::string::npos) << two;
    EXPECT_NE(two.find("traffic_priority"), std::string::npos) << two;
    EXPECT_NE(faults(DsxKind::add, {{"scheduling", "ugs"}}).find("max_sustained_rate_bps"), std::string::npos);
    EXPECT_NE(faults(DsxKind::change, {{"sfid", 5}}).find("sfid"), std::string::npos);
    EXPECT_NE(faults(DsxKind::change, json::object()).find("sfid"), std::string::npos);
    EXPECT_NE(faults(DsxKind::remove, json::object()).find("sfid"), std::string::npos);
    EXPECT_NE(faults(DsxKind::remove, {{"sfid", 3}, {"speed", 1}}).find("speed"), std::string::npos);
    EXPECT_NE(faults(DsxKind::change, {{"sfid", 3}, {"direction", "downlink"}}).find("direction"), std::string::npos);
}

TEST(FlowCommands, ThroughTheControlSocket) {
    Station station;
    ControlServer control;
    serve_flows(control, station);
    EXPECT_EQ(control.answer(R"({"set": {"flows.delete": {"sfid": 4, "id": 9}}})"), R"({"ok":true})");
    ASSERT_EQ(station.told.size(), 1U);
    EXPECT_EQ(station.told[0].kind, DsxKind::remove);
    EXPECT_EQ(station.told[0].sfid, 4U);
    EXPECT_EQ(station.told[0].id, 9U);
    EXPECT_NE(control.answer(R"({"set": {"flows.delete": {"sfid": 4}}})").find("it is changing"), std::string::npos);
    EXPECT_NE(control.answer(R"({"set": {"flows.add": {"state": "idle"}}})").find("flows.add.state"),
              std::string::npos);
    const json all = json::parse(control.answer(R"({"get": "flows"})"))["flows"];
    EXPECT_EQ(all["results"], json({{{"id", 7}}}));
    EXPECT_EQ(all["multicast"], json({{{"cid", 641}}}));
    ASSERT_EQ(all["flows"].size(), 2U);
    EXPECT_EQ(all["flows"][1], json({{"sfid", 4}, {"station", "02:00:00:00:00:01"}}));
}

}  // namespace test_flow_commands
