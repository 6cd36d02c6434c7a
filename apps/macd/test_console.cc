// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/console.h"

#include <gtest/gtest.h>

namespace wimax::macd {
namespace {

using nlohmann::json;

json flow(const char* direction, int packets) { return {{"direction", direction}, {"sdus", packets}}; }

/// 100 frames per second.
json base_station(int frame, const json& stations) {
    return {{"role", "bs"},
            {"phy_alive", true},
            {"synchronised", true},
            {"stalled_s", 0.005},
            {"frame_number", frame},
            {"simulated_s", frame / 100.0},
            {"errors", {{"late", 2}, {"underflow", 1}}},
            {"station", {{"stations", stations}}}};
}

json station(const char* name = "first") {
    return {{"mac", "02:00:00:00:00:01"},
            {"name", name},
            {"state", "operational"},
            {"dl_rate_id", 6},
            {"ul_rate_id", 1},
            {"cinr_db", 25.26},
            {"rssi_dbm", -62.31},
            {"link", {{"dl_cinr_db", 30.04}}},
            {"dl", {{"bytes", 0}}},
            {"ul", {{"bytes", 0}}},
            {"flows", json::array()}};
}

TEST(Console, ABaseStationAndItsStation) {
    Console console;
    json one = station();
    one["flows"] = {flow("downlink", 100), flow("uplink", 10)};
    EXPECT_EQ(
        console.text(base_station(100, json::array({one}))),
        "bs frame 100  1 of 1 stations operational  late 3\n"
        "   first  operational  down 64-QAM 3/4 CINR 30.0 dB (needs 18.0) -  up QPSK 1/2 CINR 25.3 dB (needs 3.9) "
        "RSSI -62.3 dBm -");
    one["dl"]["bytes"] = 1'000'000;  // in a second
    one["ul"]["bytes"] = 2500;
    EXPECT_EQ(
        console.text(base_station(200, json::array({one}))),
        "bs frame 200  1 of 1 stations operational  late 3\n"
        "   first  operational  down 64-QAM 3/4 CINR 30.0 dB (needs 18.0) 8.00 Mbit/s sent  up QPSK 1/2 CINR 25.3 dB "
        "(needs 3.9) RSSI -62.3 dBm 20 kbit/s");
}

TEST(Console, NamesAreEscaped) {
    Console console;
    const auto text = console.text(base_station(100, json::array({station("\x1B[2J\nbs frame 9\xC2\x9B")})));
    EXPECT_NE(text.find("   \\x1b[2J\\x0abs frame 9\\u{009b}  operational"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

/// Of 120 packets since the last line 30 were lost.
TEST(Console, LossesHaveAPartAndCauses) {
    Console console;
    json one = station();
    one["flows"] = {flow("downlink", 100)};
    one["flows"][0]["dropped_full"] = 1000;
    console.text(base_station(100, json::array({one})));
    one["flows"][0].update({{"sdus", 190}, {"dropped_full", 1020}, {"dropped_codel", 10}});
    const auto text = console.text(base_station(200, json::array({one})));
    EXPECT_NE(text.find("0 kbit/s sent, LOST 25 % (10 AQM, 20 queue full)  up"), text.npos) << text;
    EXPECT_EQ(console.text(base_station(300, json::array({one}))).find("LOST"), text.npos)
        << "those of the last second alone";
}

TEST(Console, WhatIsNotKnownIsADash) {
    json one = station("");
    one.update({{"cinr_db", -100}, {"rssi_dbm", -200}, {"link", json::object()}, {"dl_rate_id", 7}});
    EXPECT_EQ(Console().text(base_station(100, json::array({one}))),
              "bs frame 100  1 of 1 stations operational  late 3\n"
              "   02:00:00:00:00:01  operational  down - -  up QPSK 1/2 CINR - (needs 3.9) RSSI - -");
}

TEST(Console, ARateThatNeedsMoreIsSaid) {
    json one = station();
    one["link"]["dl_cinr_db"] = 10;
    const auto text = Console().text(base_station(100, json::array({one})));
    EXPECT_NE(text.find("down 64-QAM 3/4 CINR 10.0 dB (TOO WEAK, needs 18.0)"), text.npos) << text;
}

TEST(Console, SilentAndRestrictedStations) {
    json one = station();
    one.update({{"silent_s", 7.4}, {"restriction", "suspended"}});
    const auto text = Console().text(base_station(100, json::array({one})));
    EXPECT_NE(text.find("first  operational, suspended  down"), text.npos) << text;
    EXPECT_TRUE(text.ends_with("silent for 7 s")) << text;
}

/// With many stations, only those with a problem have a line.
TEST(Console, NineStationsHaveNoLineEach) {
    json many = json::array();
    for (size_t i = 0; i <= Console::kMostStations; ++i) many.push_back(station());
    many[3]["link"]["dl_cinr_db"] = 5;
    const auto text = Console().text(base_station(100, many));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    many.erase(0);
    const auto fewer = Console().text(base_station(100, many));
    EXPECT_EQ(std::count(fewer.begin(), fewer.end(), '\n'), 8);
}

json subscriber_station(int frame) {
    return {{"role", "ss"},
            {"phy_alive", true},
            {"synchronised", true},
            {"stalled_s", 0.005},
            {"frame_number", frame},
            {"simulated_s", frame / 100.0},
            {"missed_frames", 4},
            {"errors", {{"late", 0}, {"sync_lost", 1}}},
            {"station",
             {{"state", "operational"},
              {"cinr_db", 29.9},
              {"rssi_dbm", -60.4},
              {"power_dbm", 12.3},
              {"downlink_profile", {{"rate_id", 6}}},
              {"dl", {{"bytes", 500}}},
              {"ul", {{"bytes", 0}}},
              {"flows", {flow("uplink", 3)}}}}};
}

TEST(Console, ASubscriberStation) {
    Console console;
    console.text(subscriber_station(100));
    auto later = subscriber_station(150);
    later["station"]["dl"]["bytes"] = 63'000;  // 62 500 in half a second
    later["station"]["flows"][0].update({{"sdus", 3}, {"dropped_contention", 1}});
    EXPECT_EQ(console.text(later),
              "ss frame 150  operational  down 64-QAM 3/4 CINR 29.9 dB (needs 18.0) 1.00 Mbit/s  RSSI -60.4 dBm  up 0 "
              "kbit/s sent, "
              "LOST 100 % (1 requests unanswered)  power 12.3 dBm  late 0  sync_lost 1  frames missed 4");
    later["synchronised"] = false;
    later["frame_number"] = 151;
    EXPECT_NE(console.text(later).find("searching a base station  down 64-QAM 3/4 CINR - (needs 18.0)"),
              std::string::npos)
        << "what it measured before is nothing now";
}

TEST(Console, WhatStandsStillIsSaid) {
    auto status = subscriber_station(100);
    status["stalled_s"] = 3.4;
    EXPECT_EQ(Console().text(status),
              "ss frame 100  STALLED: no frame for 3 s; the PHY, its radio or the channel has stopped");
    status["phy_alive"] = false;
    EXPECT_EQ(Console().text(status), "ss no PHY");
}

}  // namespace
}  // namespace wimax::macd
