// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/test_daemon.h"
#include "macd/event_limit.h"

#include <algorithm>

namespace wimax::macd::test {
namespace {

struct Result {
    int status;
    Strings lines;
    nlohmann::json json;
};

Result run(const MacdConfig& config, std::deque<sap::Message> incoming) {
    Bench bench(config);
    bench.trace.incoming = std::move(incoming);
    const int status = bench.daemon.run();
    return {status, bench.trace.lines, bench.status()};
}

TEST(Daemon, BaseStationFrame) {
    MacdConfig config;
    config.traffic = {{.start_s = 0.01, .period_s = 0.005, .count = 2, .size_bytes = 100}};
    sap::RxBurst burst;
    burst.detected = true;
    burst.payload = {1, 2, 3};
    burst.measured.rssi_dbm = -71.5F;
    burst.measured.cinr_db = 21.5F;
    sap::ErrorIndication late;
    const auto result =
        run(config, {sap::ConfigConfirm{}, tick(1), burst, sap::RxContention{}, late, tick(2), tick(5)});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.lines, (Strings{"send config", "start", "sdu 100", "on_tick", "send expect 1", "send tx 1",
                                     "on_burst", "on_contention", "on_error", "sdu 100", "on_tick", "send expect 2",
                                     "send tx 2", "on_tick", "send expect 5", "send tx 5"}));
    EXPECT_EQ(result.json["frames"], 3);
    EXPECT_EQ(result.json["missed_frames"], 2);
    EXPECT_EQ(result.json["errors"]["late"], 1);
    EXPECT_EQ(result.json["bursts"]["bad"], 1);
    EXPECT_EQ(result.json["rssi_dbm"], -71.5);
    EXPECT_EQ(result.json["cinr_db"], 21.5);
    EXPECT_EQ(result.json["traffic"]["received"], 1);
    EXPECT_EQ(result.json["station"]["x"], 1);
    EXPECT_EQ(result.json["simulated_s"], 0.05);
}

/// The report of the last frame has the uplink's bursts also after the first of them has been received.
TEST(Daemon, ReportOfAFrameKeepsItsUplink) {
    MacdConfig config;
    Bench bench(config);
    bench.handle({sap::ConfigConfirm{}, tick(1)});
    const auto uplink_bursts = [&bench] {
        const auto frame = nlohmann::json::parse(bench.control.answer(R"({"get":"frame"})"))["frame"];
        return std::count_if(frame["bursts"].begin(), frame["bursts"].end(),
                             [](const auto& burst) { return burst["direction"] == "uplink"; });
    };
    EXPECT_EQ(uplink_bursts(), 2);
    bench.handle({sap::RxBurst{}});
    EXPECT_EQ(uplink_bursts(), 2);
}

TEST(Daemon, SubscriberStationFrame) {
    MacdConfig config;
    config.role = sap::Role::subscriber_station;
    sap::RxBurst burst;
    burst.detected = burst.fec_ok = true;
    burst.frame_number = sap::FrameNumber(8);
    sap::FrameTick searching = tick(9);
    searching.synchronised = false;
    const auto result = run(config, {sap::ConfigConfirm{}, searching, burst, tick(1)});
    EXPECT_EQ(result.lines, (Strings{"send config", "start", "on_tick", "send tx 9", "send config", "on_burst",
                                     "send expect 8", "send profiles", "on_tick", "send tx 1"}));
    EXPECT_EQ(result.json["frames"], 1);
    EXPECT_EQ(result.json["missed_frames"], 0);
    EXPECT_EQ(result.json["role"], "ss");
}

/// An interface whose MTU was raised by another program gives packets that no SDU can carry.
TEST(Daemon, PacketsLongerThanAnSduGoInPieces) {
    MacdConfig config;
    config.traffic = {{.start_s = 0.01, .period_s = 0.001, .count = 2, .size_bytes = 2040},
                      {.start_s = 0.01, .period_s = 0.001, .count = 3, .size_bytes = 2041}};
    const auto result = run(config, {sap::ConfigConfirm{}, tick(5)});
    EXPECT_EQ(std::count(result.lines.begin(), result.lines.end(), "sdu 2040"), 2);
    EXPECT_EQ(std::count(result.lines.begin(), result.lines.end(), "sdu 2036"), 3);
    EXPECT_EQ(std::count(result.lines.begin(), result.lines.end(), "sdu 25"), 3);
    EXPECT_EQ(std::count_if(result.lines.begin(), result.lines.end(), [](auto& l) { return l.starts_with("sdu"); }), 8);
    EXPECT_EQ(result.json["sdus"]["in"], 5);
    EXPECT_EQ(result.json["sdus"]["in_bytes"], 2 * 2040 + 3 * (2036 + 25));
    EXPECT_EQ(result.json["sdus"]["too_long"], 3);
    EXPECT_EQ(result.json["sdus"]["fragmented"], 3);
    EXPECT_EQ(result.json["sdus"]["refused"], 0);
}

/// Another MAC has taken the PHY: this one waits, and continues when it has the PHY again.
TEST(Daemon, SupersededItWaits) {
    sap::ConfigConfirm taken;
    taken.superseded = true;
    taken.faults = {"mac_session: a newer MAC has taken this PHY"};
    const auto result = run(MacdConfig{}, {sap::ConfigConfirm{}, tick(1), taken, sap::ConfigConfirm{}, tick(7)});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.lines, (Strings{"send config", "start", "on_tick", "send expect 1", "send tx 1", "start",
                                     "on_tick", "send expect 7", "send tx 7"}));
    EXPECT_EQ(result.json["superseded"], 1);
    EXPECT_EQ(result.json["phy_starts"], 2);
    EXPECT_EQ(result.json["missed_frames"], 0);
}

TEST(Daemon, RefusalEndsIt) {
    sap::ConfigConfirm refusal;
    refusal.faults = {"bandwidth_hz: 1, allowed 2", "role: this PHY is a bs"};
    testing::internal::CaptureStderr();
    const auto result = run(MacdConfig{}, {refusal, tick(1)});
    const std::string said = testing::internal::GetCapturedStderr();
    for (const auto& fault : refusal.faults)
        EXPECT_NE(said.find("the PHY refuses: " + fault + "\n"), std::string::npos) << said;
    EXPECT_EQ(result.status, static_cast<int>(ExitStatus::configuration_refused));
    EXPECT_EQ(result.lines, Strings{"send config"});
}

/// A refusal after the first start is temporary: a subscriber station continues its search, a base station waits.
TEST(Daemon, RefusalAfterTheStartIsNoEnd) {
    sap::ConfigConfirm refusal;
    refusal.faults = {"radio.frequency_hz: value 3600000000"};
    for (const auto role : {sap::Role::subscriber_station, sap::Role::base_station}) {
        MacdConfig config;
        config.role = role;
        const bool ss = role == sap::Role::subscriber_station;
        const auto result =
            run(config, {sap::ConfigConfirm{}, tick(1), refusal, tick(2), sap::ConfigConfirm{}, tick(7)});
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.json["phy_refusals"], 1);
        EXPECT_EQ(result.json["phy_starts"], 2);
        EXPECT_EQ(result.json["frames"], 3);
        EXPECT_EQ(std::count(result.lines.begin(), result.lines.end(), "refused"), 1);
        EXPECT_EQ(std::count(result.lines.begin(), result.lines.end(), "send config"), ss ? 2 : 1);
    }
}

/// Lines of log and journal have a budget, whatever the number of refusals.
TEST(Daemon, RefusalsAndStartsHaveABudgetOfLines) {
    sap::ConfigConfirm refusal, start;
    refusal.faults = {"radio.frequency_hz: value 3600000000"};
    Bench bench{MacdConfig{}};
    testing::internal::CaptureStderr();
    for (int i = 0; i < 500; ++i) bench.handle({start, refusal});
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 20) << said;
    EXPECT_LE(bench.daemon.journal().last()["events"].size(), 20U);
    EXPECT_EQ(bench.status()["phy_refusals"], 500);
}

TEST(EventLimit, AllowsSoManyInEachSecond) {
    constexpr int64_t kRate = 1000;
    EventLimit limit(2);
    const auto allowed = [&](mac::Samples now, int tries) {
        int count = 0;
        for (int i = 0; i < tries; ++i) count += limit.allow(now, kRate) ? 1 : 0;
        return count;
    };
    EXPECT_EQ(allowed(0, 5), 2);
    EXPECT_EQ(allowed(999, 5), 0);
    EXPECT_EQ(allowed(1000, 1), 1);
    EXPECT_EQ(allowed(1500, 5), 1);
    EXPECT_EQ(allowed(2000, 5), 2);
    EXPECT_EQ(allowed(100, 5), 2) << "the clock began again";
}

}  // namespace
}  // namespace wimax::macd::test
