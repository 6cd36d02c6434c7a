// SPDX-License-Identifier: GPL-3.0-or-later
// A simulation in parts and with changes while it runs; what the frames' maps describe.
#include "sim/cell_snapshot.h"
#include "sim/grant_log.h"
#include "sim/scenario_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wimax::sim {
namespace test_changes {

WrittenScenario read(const std::string& yaml, const std::vector<std::string>& assignments = {}) {
    auto written = WrittenScenario::read(yaml, assignments);
    EXPECT_TRUE(written) << written.error().str();
    return std::move(*written);
}

/// Without values of the wall clock.
std::string timeless(nlohmann::ordered_json result) {
    for (const char* key : {"wall", "wall_s", "memory", "memory_bytes", "idle_station_bytes", "scheduler_us_per_frame"})
        EXPECT_EQ(result.erase(key), 1U) << key;
    return result.dump(1);
}

const std::string kThree =
    "stations: 3\nseconds: 4\nwarmup_s: 0.5\nsnr_db: 20\npath: {doppler_hz: 5, k_factor_db: 12}\ntraffic:\n"
    "  - {kind: poisson, rate_bps: 300000}\n  - {kind: video, rate_bps: 200000, direction: uplink}\n"
    "  - {kind: onoff, rate_bps: 100000}\n  - {kind: tcp}\n";

TEST(Changes, ARunInPartsIsTheSameRun) {
    const auto scenario = read(kThree).scenario;
    Simulation whole(scenario), parts(scenario);
    whole.run();
    uint64_t frames = 0, part = 0;
    do {
        part = parts.step(frames % 7 + 1);
        frames += part;
    } while (part > 0);
    EXPECT_EQ(parts.phase(), Simulation::Phase::over);
    EXPECT_EQ(timeless(whole.result()), timeless(parts.result()));
    EXPECT_EQ(frames, parts.cell().counters().frames);
    EXPECT_GT(parts.course().measured_wall_s, 0);
}

/// A measurement without a fixed end that is ended after four seconds.
TEST(Changes, AMeasurementThatIsEndedEarlyIsAShortOne) {
    const auto scenario = read(kThree).scenario;
    Simulation whole(scenario), ended(read(kThree, {"seconds=1000000"}).scenario);
    whole.run();
    ended.enter();
    while (ended.measured_s() < 4) ended.step(1);
    ended.finish();
    EXPECT_EQ(timeless(whole.result()), timeless(ended.result()));
}

TEST(Changes, ARunThatIsFinishedBeforeItBeganMeasuresOneFrame) {
    Simulation simulation(read(kThree).scenario);
    simulation.finish();
    EXPECT_DOUBLE_EQ(simulation.result()["virtual_s"].get<double>(), 0.01);
    EXPECT_EQ(simulation.step(1), 0U);
}

double goodput_bps(const nlohmann::ordered_json& result, size_t flow) { return result["flows"][flow]["goodput_bps"]; }

const std::string kOne = "stations: 1\nseconds: 10\ntraffic: [{kind: cbr, rate_bps: 80000}]\n";

TEST(Changes, KeysThatAScenarioMayChangeWhileItRuns) {
    const auto running = read(kOne);
    Simulation simulation(running.scenario);
    simulation.enter();
    simulation.step(500);
    const auto fresh =
        read(kOne, {"traffic[0].rate_bps=160000", "snr_db=12", "rate=1", "seed=9", "base_station.dl_symbols=60",
                    "base_station.request_backoff_end=9", "path.uplink_offset_db=3"});
    const auto unchanged = reload(simulation, running, fresh);
    ASSERT_TRUE(unchanged) << unchanged.error().str();
    EXPECT_EQ(*unchanged, (std::vector<std::string>{"base_station.dl_symbols", "seed"}));
    simulation.step(100);
    const CellSnapshot figures(simulation.cell());
    EXPECT_EQ(figures.snr_db[0], 12);
    EXPECT_EQ(figures.dl_rate_id[0], 1);
    EXPECT_EQ(figures.ul_rate_id[0], 1);
    EXPECT_EQ(simulation.cell().path(0).config().uplink_offset_db, 3);
    EXPECT_EQ(simulation.cell().base_station().status()["contention"]["backoff_end"], 9);
    simulation.run();
    EXPECT_NEAR(goodput_bps(simulation.result(), 0), 120'000, 4000);
}

TEST(Changes, FurtherTrafficHasItsServiceFlow) {
    const auto running = read(kOne);
    Simulation simulation(running.scenario);
    simulation.enter();
    simulation.step(500);
    const auto fresh = read(
        "stations: 1\nseconds: 10\ntraffic: [{kind: cbr, rate_bps: 80000}, {kind: cbr, service: UGS, rate_bps: 64000, "
        "packet_bytes: 200, direction: uplink, max_latency_ms: 20}]\n");
    const auto unchanged = reload(simulation, running, fresh);
    ASSERT_TRUE(unchanged) << unchanged.error().str();
    EXPECT_TRUE(unchanged->empty());
    simulation.run();
    const auto result = simulation.result();
    ASSERT_EQ(result["flows"].size(), 2U);
    EXPECT_NEAR(goodput_bps(result, 0), 80'000, 1500);
    EXPECT_NEAR(goodput_bps(result, 1), 32'000, 1500);
    EXPECT_EQ(result["flows"][1]["service"], "UGS");
    const auto status = simulation.cell().base_station().status();
    bool has = false;
    for (const auto& flow : status["stations"][0]["flows"]) has |= flow["name"] == "entry-2" && flow["sdus"] > 150;
    EXPECT_TRUE(has);
}

TEST(Changes, WhatCannotChangeIsAFaultAndNothingChanges) {
    const auto running = read(kOne);
    Simulation simulation(running.scenario);
    simulation.enter();
    const auto refused =
        reload(simulation, running, read("stations: 2\nsnr_db: 7\ntraffic: [{kind: poisson, rate_bps: 80000}]\n"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().lines().size(), 2U) << refused.error().str();
    EXPECT_EQ(simulation.cell().path(0).config().snr_db, 30);
    const auto fewer = reload(simulation, running, read("stations: 1\ntraffic: []\n"));
    ASSERT_FALSE(fewer);
    EXPECT_EQ(fewer.error().str(), "traffic: value 0 entries: allowed at least 1, as it runs");
}

TEST(Changes, OfPacketsAreRead) {
    const auto change = read_change("{rate_bps: 1e5, packet_bytes: 60, on: false}", TrafficKind::cbr);
    ASSERT_TRUE(change);
    EXPECT_EQ(change->rate_bps, 1e5);
    EXPECT_EQ(change->packet_bytes, 60U);
    EXPECT_EQ(change->on, false);
    const auto none = read_change("{on: true}", TrafficKind::tcp);
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->rate_bps);
    const auto wrong = read_change("{rate_bps: 0, packet_bytes: 39, on: maybe, speed: 1}", TrafficKind::cbr);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().lines().size(), 4U) << wrong.error().str();
    const auto senseless = read_change("{rate_bps: 5, packet_bytes: 400}", TrafficKind::tcp);
    ASSERT_FALSE(senseless);
    EXPECT_EQ(senseless.error().lines().size(), 2U);
}

/// The grants of a run are those that its result counts.
TEST(Changes, GrantsAreThoseOfTheMaps) {
    Simulation simulation(read(kThree).scenario);
    simulation.enter();
    CidOwners owners(simulation.cell());
    GrantLog log(simulation.cell().air(), owners);
    const auto before = simulation.cell().counters();
    simulation.cell().tap = &log;
    simulation.step(300);
    simulation.cell().tap = nullptr;
    const auto& after = simulation.cell().counters();
    uint64_t grants = 0, symbols = 0, downlink = 0, first = 0;
    for (const auto& grant : log.grants()) {
        if (grant.uplink != 0 && grant.kind == static_cast<uint8_t>(sap::BurstKind::data)) {
            ++grants;
            symbols += grant.symbols;
            EXPECT_GT(grant.cid, 0);
        }
        if (grant.uplink == 0) downlink += grant.symbols;
        first += grant.uplink == 0 && grant.start_slot == 3 * 72;  // after the preamble and the frame prefix
    }
    EXPECT_EQ(grants, after.ul_grants - before.ul_grants);
    EXPECT_EQ(symbols, after.ul_granted_symbols - before.ul_granted_symbols);
    EXPECT_GT(grants, 100U);
    EXPECT_EQ(first, 300U);
    EXPECT_GT(downlink, after.dl_symbols - before.dl_symbols);  // with the broadcast bursts
    log.clear();
    EXPECT_TRUE(log.grants().empty());
}

}  // namespace test_changes
}  // namespace wimax::sim
