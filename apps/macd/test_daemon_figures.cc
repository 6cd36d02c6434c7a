// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the daemon: status line, JSON, what counts as what.
#include "common/scratch.h"
#include "macd/test_daemon.h"

#include <algorithm>
#include <fstream>

namespace wimax::macd::test {
namespace {

using nlohmann::json;

sap::FrameTick level_tick(uint32_t n) {
    sap::FrameTick t = tick(n);
    t.rssi_dbm = -60.5;
    t.cinr_db = 25.5;
    t.frequency_offset_hz = 120;
    t.clock_offset_ppm = 1.5;
    return t;
}

sap::RxBurst data_burst(std::vector<uint8_t> payload) {
    sap::RxBurst burst;
    burst.detected = burst.fec_ok = true;
    burst.measured.rssi_dbm = -70.5;
    burst.measured.cinr_db = 21.5;
    burst.rate_id = 3;
    burst.payload = std::move(payload);
    return burst;
}

sap::ErrorIndication error(sap::ErrorKind kind) {
    sap::ErrorIndication e;
    e.kind = kind;
    return e;
}

MacdConfig with_traffic(sap::Role role, uint16_t size_bytes, uint32_t count) {
    MacdConfig config;
    config.role = role;
    config.traffic = {{.start_s = 0.01, .period_s = 0.001, .count = count, .size_bytes = size_bytes}};
    return config;
}

/// In and out, between the last two lines.
json kbps(Bench& bench) {
    const json status = bench.status();
    return {status["in_kbps"], status["out_kbps"]};
}

/// Without values of the wall clock.
json steady(json status) {
    EXPECT_GE(status["stalled_s"], 0);
    EXPECT_LT(status["stalled_s"], 60);
    status.erase("stalled_s");
    return status;
}

/// 200 octets in and 25 out in 50 ms; 250 octets in two packets out in the next 100 ms.
TEST(DaemonFigures, LineOfABaseStation) {
    Bench bench(with_traffic(sap::Role::base_station, 100, 2), true);
    bench.handle({sap::ConfigConfirm{}, level_tick(1), level_tick(2), data_burst(std::vector<uint8_t>(25)),
                  error(sap::ErrorKind::late), error(sap::ErrorKind::late), error(sap::ErrorKind::overflow),
                  level_tick(5)});
    EXPECT_EQ(bench.console_line(), "bs frame 5  0 of 0 stations operational  late 2  overflow 1  frames missed 2\n");
    EXPECT_EQ(kbps(bench), (json{32, 4}));
    bench.trace.operational = false;
    bench.handle({data_burst(std::vector<uint8_t>(100)), data_burst(std::vector<uint8_t>(150)), level_tick(15)});
    EXPECT_EQ(bench.console_line(), "bs frame 15  0 of 0 stations operational  late 2  overflow 1  frames missed 11\n");
    EXPECT_EQ(kbps(bench), (json{0, 20}));
    bench.handle({data_burst(std::vector<uint8_t>(150))});  // and no tick: no time has passed
    EXPECT_EQ(bench.console_line(), "bs frame 15  0 of 0 stations operational  late 2  overflow 1  frames missed 11\n");
    EXPECT_EQ(kbps(bench), (json{0, 0}));
    bench.trace.peer_alive = false;
    EXPECT_EQ(bench.console_line(), "bs no PHY\n");
}

/// Its levels are the tick's, of the preamble of each frame.
TEST(DaemonFigures, LineOfASubscriberStation) {
    Bench bench(with_traffic(sap::Role::subscriber_station, 250, 4), true);
    EXPECT_EQ(bench.console_line(), "ss frame 0  searching a base station  down - -  RSSI -  up -  power -  late 0\n");
    sap::FrameTick searching = level_tick(100);
    searching.synchronised = false;
    bench.handle({sap::ConfigConfirm{}, data_burst({}), searching});
    EXPECT_EQ(bench.console_line(),
              "ss frame 100  searching a base station  down - -  RSSI -  up -  power -  late 0\n");
    EXPECT_EQ(kbps(bench), (json{8, 0}));
    bench.trace.peer_alive = false;
    EXPECT_EQ(bench.console_line(), "ss no PHY\n");
}

/// Neither undetected bursts count nor ranging bursts, which any station may send.
TEST(DaemonFigures, LevelsAreThoseOfDataBurstsHeard) {
    Bench bench(MacdConfig{});
    sap::RxBurst nothing = data_burst({}), ranging = data_burst({});
    nothing.detected = false;
    ranging.kind = sap::BurstKind::ranging;
    bench.handle({sap::ConfigConfirm{}, nothing, ranging});
    EXPECT_EQ(bench.status()["rssi_dbm"], -200);
    EXPECT_EQ(bench.status()["bursts"], (json{{"received", 2}, {"detected", 1}, {"bad", 0}}));
}

TEST(DaemonFigures, EveryFieldOfTheStatus) {
    MacdConfig config = with_traffic(sap::Role::subscriber_station, 100, 3);
    config.traffic.push_back({.start_s = 0.01, .period_s = 0.001, .count = 2, .size_bytes = 99});
    config.traffic.push_back({.start_s = 0.01, .period_s = 0.001, .count = 1, .size_bytes = 2041});
    const auto file = Scratch::path("macd_status.json");
    Bench bench(config, false, file);
    bench.trace.port = {.sent = 11, .received = 12, .unsent = 13, .stale = 14, .malformed = 15, .lost = 16};
    bench.trace.station_status = {{"flows", {{{"name", "voice \xFF"}}}}};  // as a base station may name it
    sap::ConfigConfirm taken;
    taken.superseded = true;
    sap::RxBurst damaged = data_burst({}), missing = data_burst({});
    damaged.fec_ok = missing.detected = missing.fec_ok = false;
    sap::FrameTick searching = level_tick(1);
    searching.synchronised = false;
    using Kind = sap::ErrorKind;
    const std::vector<uint8_t> payload{1, 2, 3, 4, 5};
    bench.handle({sap::ConfigConfirm{}, taken, taken, taken, sap::ConfigConfirm{}, searching, searching, level_tick(3),
                  level_tick(8), level_tick(10), data_burst(payload), damaged, damaged, missing});
    int times = 1;
    for (const Kind kind : {Kind::late, Kind::underflow, Kind::overflow, Kind::sync_lost, Kind::invalid,
                            Kind::time_jump, Kind::another_cell})
        for (int i = 0; i < times + static_cast<int>(kind); ++i) bench.handle({error(kind)});
    bench.daemon.write_status();
    TrafficSink sink;
    sink.take(payload);
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(sink.hash()));
    const json expected = {
        {"role", "ss"},
        {"operational", true},
        {"frame_number", 10},
        {"frame_start_sample", 100},
        {"sample_rate_hz", 1000},
        {"simulated_s", 0.1},
        {"synchronised", true},
        {"frames", 3},
        {"missed_frames", 5},
        {"phy_starts", 2},
        {"phy_refusals", 0},
        {"superseded", 3},
        {"phy_alive", true},
        {"mac_session", "000000000000001a"},
        {"phy_session", "000000000000002b"},
        {"rssi_dbm", -60.5},
        {"cinr_db", 25.5},
        {"in_kbps", 188.88},
        {"out_kbps", 0.4},
        {"bursts", {{"received", 4}, {"detected", 3}, {"bad", 2}}},
        {"sdus",
         {{"in", 6},
          {"in_bytes", 300 + 2036 + 25},
          {"refused", 2},
          {"too_long", 1},
          {"fragmented", 1},
          {"frag_needed", 0},
          {"out", 1},
          {"out_bytes", 5}}},
        {"sap", {{"sent", 11}, {"received", 12}, {"unsent", 13}, {"stale", 14}, {"malformed", 15}, {"lost", 16}}},
        {"traffic", {{"made", 6}, {"received", 1}, {"bytes", 5}, {"hash", hash}}},
        {"station", {{"flows", {{{"name", "voice \xEF\xBF\xBD"}}}}}},
        {"errors",
         {{"late", 1},
          {"underflow", 2},
          {"overflow", 3},
          {"sync_lost", 4},
          {"invalid", 5},
          {"time_jump", 6},
          {"another_cell", 7}}},
        {"frequency_offset_hz", 120.0},
        {"clock_offset_ppm", 1.5}};
    EXPECT_EQ(json::diff(steady(bench.status()), expected), json::array());
    std::string line, rest;
    std::ifstream in(file);
    std::getline(in, line);
    EXPECT_FALSE(std::getline(in, rest)) << "one line";
    EXPECT_EQ(json::diff(steady(json::parse(line)), expected), json::array());
}

/// Numbers wrap at 2^24; a step of 1000 or more is a reset clock.
TEST(DaemonFigures, MissedFrames) {
    const auto missed = [](uint32_t before, uint32_t after) {
        Bench bench(MacdConfig{});
        bench.handle({sap::ConfigConfirm{}, tick(before), tick(after)});
        return bench.status()["missed_frames"].get<int>();
    };
    EXPECT_EQ(missed(7, 8), 0);
    EXPECT_EQ(missed(7, 10), 2);
    EXPECT_EQ(missed(0xFFFFFE, 1), 2);
    EXPECT_EQ(missed(1, 1001), 999);
    EXPECT_EQ(missed(1, 1002), 0);
    EXPECT_EQ(missed(7, 6), 0);
}

/// Each kind has a budget; the count has the omitted ones, too.
TEST(DaemonFigures, ShowersOfErrorsAreLoggedNowAndThen) {
    Bench bench(MacdConfig{});
    sap::ErrorIndication e = error(sap::ErrorKind::sync_lost);
    e.microseconds = 42;
    e.detail = "gone";
    e.frame_number = sap::FrameNumber(77);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 250; ++i) bench.handle({e});
    bench.handle({error(sap::ErrorKind::late)});
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 4) << said;
    for (const char* text : {"77 ", "sync_lost (1 so far) 42 us gone", "sync_lost (3 so far)", "late (1 so far) 0 us"})
        EXPECT_NE(said.find(text), std::string::npos) << text << " in\n" << said;
    EXPECT_EQ(std::count(bench.trace.lines.begin(), bench.trace.lines.end(), "on_error"), 251);
}

}  // namespace
}  // namespace wimax::macd::test
