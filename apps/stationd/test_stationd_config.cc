// SPDX-License-Identifier: GPL-3.0-or-later
#include "stationd/stationd_config.h"

#include "common/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace {

using namespace wimax;

class StationdConfigTest : public ::testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void write(const std::string& name, const std::string& text) {
        std::ofstream(folder + "/" + name) << "---\n" << text << "...\n";
    }
    /// Two files of a station, valid but for `mac` and `phy`.
    void station(const std::string& name, const std::string& mac = "", const std::string& phy = "") {
        write(name + ".macd.yml", "role: ss\n" + mac);
        write(name + ".phyd.yml", "role: ss\nradio: {device: 'type=vrf,name=" + name + "'}\n" + phy);
    }
    std::vector<std::string> load(const std::string& list) {
        write("stations.yml", list);
        config.emplace();
        config::Schema schema("wimax-stationd");
        stationd::declare(schema, *config);
        return config::read(schema, {folder + "/stations.yml", {}}).lines();
    }
    static std::string item(const std::string& name) {
        return "  - {name: " + name + ", mac: " + name + ".macd.yml, phy: " + name + ".phyd.yml}\n";
    }
    /// The one fault of `list` contains all of `words`.
    void expect_fault(const std::string& list, const std::vector<std::string>& words) {
        const auto faults = load(list);
        ASSERT_EQ(faults.size(), 1U) << ::testing::PrintToString(faults);
        for (const auto& word : words) EXPECT_NE(faults[0].find(word), std::string::npos) << faults[0];
    }

    const std::string folder = Scratch::path("stationd");
    std::optional<stationd::StationdConfig> config;
};

TEST_F(StationdConfigTest, ReadsTheFilesOfEveryStationFromTheFolderOfTheList) {
    station("one", "control: {endpoint: 'ipc:///one'}\n");
    station("two");
    EXPECT_EQ(load("stations:\n" + item("one") + item("two")), std::vector<std::string>());
    ASSERT_EQ(config->stations.size(), 2U);
    EXPECT_EQ(config->stations[0]->name, "one");
    EXPECT_EQ(config->stations[0]->mac.daemon.control_endpoint, "ipc:///one");
    EXPECT_EQ(config->stations[1]->phy.radio.device_args, "type=vrf,name=two");
    EXPECT_EQ(config->stations[1]->mac_schema.source().file, folder + "/two.macd.yml");
}

TEST_F(StationdConfigTest, AFaultOfAStationsFileNamesThatFileAndItsLine) {
    station("one", "tun: {mtu: 1}\n");
    expect_fault("stations:\n" + item("one"), {folder + "/one.macd.yml:3: tun.mtu: value 1"});
    station("one", "", "timing: {response_us: -1}\n");
    expect_fault("stations:\n" + item("one"), {folder + "/one.phyd.yml:4: timing.response_us: value -1"});
}

TEST_F(StationdConfigTest, AMissingFileIsAFaultOfTheKeyThatNamesIt) {
    station("one");
    expect_fault("stations:\n  - {name: one, mac: one.macd.yml, phy: none.yml}\n",
                 {"stations.yml:3: stations[0].phy", "none.yml"});
}

TEST_F(StationdConfigTest, RefusesWhatOneThreadCannotDo) {
    station("one", "", "");
    write("one.phyd.yml", "role: ss\nradio: {device: 'type=b200'}\n");
    expect_fault("stations:\n" + item("one"), {"stations[0].phy: value type=b200", "type=vrf"});
    station("one", "sap: {record: x.sap}\n");
    expect_fault("stations:\n" + item("one"), {"stations[0].mac: value x.sap", "empty"});
    station("one", "sap: {replay: x.sap}\n");
    expect_fault("stations:\n" + item("one"), {"stations[0].mac: value x.sap", "empty"});
    station("one");
    write("one.phyd.yml", "role: bs\nradio: {device: 'type=vrf'}\n");
    expect_fault("stations:\n" + item("one"), {"stations[0].phy", "role: ss"});
}

TEST_F(StationdConfigTest, NamesOfStationsDiffer) {
    station("one");
    expect_fault("stations:\n" + item("one") + item("one"), {"stations.yml:4: stations[1].name: value one"});
}

TEST_F(StationdConfigTest, TheListHasOneToSixtyFourStations) {
    station("one");
    expect_fault("stations: []\n", {"stations", "1"});
    std::string many = "stations:\n";
    for (int i = 0; i <= 64; ++i) {
        const std::string name = "s" + std::to_string(i);
        station(name);
        many += item(name);
    }
    const auto faults = load(many);
    ASSERT_FALSE(faults.empty());
    EXPECT_NE(faults[0].find("64"), std::string::npos) << faults[0];
}

}  // namespace
