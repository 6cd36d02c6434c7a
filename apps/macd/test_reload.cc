// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration that is read again, and commands to stations through the control socket.
#include "macd/macd_config.h"
#include "macd/operator_commands.h"
#include "macd/reload.h"
#include "macd/test_station.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <fstream>

using namespace wimax;
using namespace wimax::macd;

namespace test_reload {

/// Keeps its commands and configurations.
struct RecordingStation final : test::IdleStation {
    nlohmann::json status() const override {
        return {{"stations", {{{"mac", "02:00:00:00:00:01"}, {"flows", {1, 2}}}}}};
    }
    Outcome command_station(const mac::StationCommand& command) override {
        commands.push_back(command);
        if (command.station[5] == 9) return failure("", "no such station is registered");
        return {};
    }
    tl::expected<std::vector<std::string>, Faults> reprovision(const mac::BaseStationConfig& config) override {
        given.push_back(config);
        return std::vector<std::string>{"t7_ms", "cp_denominator"};
    }
    std::vector<mac::BaseStationConfig> given;
    std::vector<mac::StationCommand> commands;
};

struct ReloadBench : ::testing::Test {
    ReloadBench() {
        write("role: bs\ntun: {enabled: false}\nbs: {stations: [{mac: \"02:00:00:00:00:01\", name: a}]}\n");
        declare(schema, config);
        schema.remember({file, {"bs.max_stations=9"}});
        EXPECT_TRUE(config::read(schema, schema.source()).empty());
    }
    ~ReloadBench() override { std::remove(file.c_str()); }
    void write(const std::string& yaml) const { std::ofstream(file) << yaml; }

    const std::string file = testing::TempDir() + "wimax_reload_" + std::to_string(getpid()) + ".yml";
    MacdConfig config;
    config::Schema schema{"wimax-macd", ""};
    RecordingStation station;
    Reload reload{schema, &station};
};

TEST_F(ReloadBench, TheFileIsReadAgainWithTheCommandLine) {
    write(
        "role: bs\ntun: {enabled: false, mtu: 1400}\nsap: {endpoint: \"ipc:///x\"}\n"
        "bs: {stations: [{mac: \"02:00:00:00:00:02\", name: b}]}\n");
    EXPECT_EQ(reload.again().str(), "");
    ASSERT_EQ(station.given.size(), 1U);
    ASSERT_EQ(station.given[0].stations.size(), 1U);
    EXPECT_EQ(station.given[0].stations[0].name, "b");
    EXPECT_EQ(station.given[0].max_stations, 9U);
    EXPECT_EQ(reload.unchanged(), (std::vector<std::string>{"bs.cp", "bs.t7_ms", "sap.endpoint", "tun.mtu"}));
    EXPECT_EQ(reload.done(), 1U);
}

TEST_F(ReloadBench, FaultsAreToldAllAndNothingIsGivenOn) {
    write("role: bs\nbs:\n  max_stations: 0\n  t7_ms: x\n  stations: [{mac: 5}]\n");
    const auto faults = reload.again();
    EXPECT_EQ(faults.count(), 2U) << faults.str();  // max_stations is the command line's
    EXPECT_NE(faults.str().find(file + ":4"), std::string::npos) << faults.str();
    std::remove(file.c_str());
    EXPECT_NE(reload.again().str().find("a readable YAML file"), std::string::npos);
    write("role: ss\n");
    EXPECT_EQ(reload.again().count(), 1U);
    EXPECT_TRUE(station.given.empty());
    EXPECT_EQ(reload.refused(), 3U);
}

/// A file that an editor, a full disk or the web page has truncated is refused, and the running station continues.
TEST_F(ReloadBench, AFileThatWasCutChangesNothing) {
    const std::string whole =
        "role: bs\ntun: {enabled: false}\nbs:\n  accept_unknown: false\n  stations:\n    - mac: "
        "\"02:00:00:00:00:01\"\n";
    for (const char* cut :
         {"", "\n", "# all gone\n", "---\n", "role: bs\n", "role: bs\ntun: {enabled: false}\n", "role: bs\nbs:\n",
          "role: bs\nbs:\n  accept_unknown: true\n", "role: bs\nbs:\n  accept_unknown: false\n", "bs: {stations: []}\n",
          "role: bs\nbs:\n  accept_unknown: false\n  stations:\n", "tun: {enabled: false}\n"}) {
        write(cut);
        const auto faults = reload.again();
        EXPECT_EQ(faults.count(), 1U) << cut << faults.str();
        EXPECT_NE(faults.str().find("allowed"), std::string::npos) << faults.str();
    }
    EXPECT_TRUE(station.given.empty());
    EXPECT_EQ(reload.refused(), 12U);
    write(whole);
    EXPECT_EQ(reload.again().str(), "");
    write("---\n" + whole);
    EXPECT_NE(reload.again().str().find("was it cut?"), std::string::npos);
    write("# as shipped\n---\n" + whole + "\n# the end\n...\n\n");
    EXPECT_EQ(reload.again().str(), "");
    EXPECT_EQ(station.given.size(), 2U);
}

TEST_F(ReloadBench, AnEmptyListHasToBeWritten) {
    const std::string open = "role: bs\ntun: {enabled: false}\nbs: {accept_unknown: true";
    write(open + "}\n");
    EXPECT_EQ(reload.again().str(),
              file + ": bs.stations: value (missing): allowed a list; [] deletes all stations that are served now");
    write(open + ", stations: []}\n");
    EXPECT_EQ(reload.again().str(), "");
    EXPECT_TRUE(station.given.back().stations.empty());
    write(open + "}\n");
    EXPECT_EQ(reload.again().str(), "") << "there is none to delete";
    write(open + ", stations: [{mac: \"02:00:00:00:00:03\"}]}\n");
    EXPECT_EQ(reload.again().str(), "");
    write(open + "}\n");
    EXPECT_EQ(reload.again().count(), 1U) << "one that an earlier reload has brought";
    EXPECT_EQ(station.given.size(), 3U);
}

TEST(Stations, AreToldThroughTheControlSocket) {
    RecordingStation station;
    ControlServer control;
    serve_stations(control, station, &station);
    const auto ask = [&](const std::string& request) { return nlohmann::json::parse(control.answer(request)); };
    EXPECT_EQ(ask(R"({"get":"stations"})")["stations"], nlohmann::json::array({{{"mac", "02:00:00:00:00:01"}}}));
    const char* verbs[] = {"deregister", "reset", "silence", "suspend", "resume", "rates"};
    for (size_t i = 0; i < 6; ++i) {
        const auto reply = ask(std::string(R"({"set":{"stations.)") + verbs[i] + R"(":{"mac":"02:00:00:00:00:07"}}})");
        EXPECT_FALSE(reply.contains("error")) << reply;
        ASSERT_EQ(station.commands.size(), i + 1);
        EXPECT_EQ(static_cast<size_t>(station.commands[i].kind), i);
        EXPECT_EQ(station.commands[i].station[5], 7);
    }
    EXPECT_TRUE(ask(R"({"set":{"stations.reset":{"mac":"02:00:00:00:00:09"}}})").contains("error"));
    EXPECT_TRUE(ask(R"({"set":{"stations.reset":{}}})").contains("error"));
    EXPECT_TRUE(ask(R"({"set":{"stations.reset":7}})").contains("error"));
    EXPECT_TRUE(ask(R"({"set":{"stations.reset":{"mac":"x","y":1}}})").contains("error"));
    EXPECT_EQ(station.commands.size(), 7U);
    ask(R"({"set":{"stations.rates":{"mac":"02:00:00:00:00:07","dl_rate_id":3,"ul_lowest_rate_id":0}}})");
    ASSERT_EQ(station.commands.size(), 8U);
    EXPECT_EQ(station.commands[7].rates.dl_rate_id, 3);
    EXPECT_EQ(station.commands[7].rates.ul_lowest_rate_id, 0);
    EXPECT_FALSE(station.commands[7].rates.ul_rate_id);
    const auto refused =
        ask(R"({"set":{"stations.rates":{"mac":"02:00:00:00:00:07","dl_rate_id":7,"weight":2}}})").dump();
    EXPECT_NE(refused.find("\"stations.rates.dl_rate_id: value 7: allowed integers 0..6"), std::string::npos)
        << refused;
    EXPECT_NE(refused.find("weight: unknown key"), std::string::npos) << refused;
}

TEST(Stations, OfASubscriberStationAreRefused) {
    RecordingStation station;
    ControlServer control;
    serve_stations(control, station, nullptr);
    const auto reply = control.answer(R"({"set":{"stations.reset":{"mac":"02:00:00:00:00:07"}}})");
    EXPECT_NE(reply.find("possible later: a base station's"), std::string::npos) << reply;
    EXPECT_TRUE(station.commands.empty());
}

TEST_F(ReloadBench, ASubscriberStationHasNothingToReadAgain) {
    Reload of_subscriber{schema, nullptr};
    EXPECT_EQ(of_subscriber.again().count(), 1U);
    EXPECT_EQ(of_subscriber.refused(), 1U);
}

}  // namespace test_reload
