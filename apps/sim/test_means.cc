// SPDX-License-Identifier: GPL-3.0-or-later
// What optional means of the PHY bring in a cell: with them and without, by the measured error curves.
#include "sim/simulation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wimax::sim {
namespace test_means {

nlohmann::ordered_json simulate(const std::string& yaml) {
    Scenario scenario;
    config::Schema schema("wimax-sim", "");
    declare(schema, scenario);
    const auto faults = schema.load(yaml, "test.yml");
    EXPECT_TRUE(faults.empty()) << faults.str();
    Simulation simulation(scenario);
    simulation.run();
    return simulation.result();
}

/// Four stations fade to an uplink of -7 dB with all their power: all are lost, or all are kept.
TEST(Subchannelization, KeepsStationsAtTheEdge) {
    const std::string fading =
        "seconds: 25\nstations: 4\nrate: auto\nsnr_series: [{at_s: 0, snr_db: 40}, {at_s: 5, snr_db: 23}]\n"
        "path: {uplink_offset_db: -30}\ntraffic: [{direction: uplink, rate_bps: 16000, packet_bytes: 100}]\n"
        "base_station: {subchannelization: {enable: ";
    const auto without = simulate(fading + "false}}\n"), with = simulate(fading + "true}}\n");
    EXPECT_EQ(without["least_operational"], 0);
    EXPECT_GT(without["total"]["uplink"]["loss"], 0.8);
    EXPECT_EQ(with["least_operational"], 4);
    EXPECT_EQ(with["total"]["uplink"]["offered_packets"], 2000);
    EXPECT_LE(with["total"]["uplink"]["loss"], 0.002);
    EXPECT_LE(with["total"]["uplink"]["delay_ms"]["p99"], 50);
    EXPECT_EQ(with["bursts"]["uplink_collisions"], 0);
}

/// Forty stations that send a request for each packet, in four symbols per frame: two requests or two times 48 codes.
TEST(FocusedContention, ManyStationsAskWithoutCollisions) {
    const std::string asking =
        "seconds: 30\nstations: 40\nsubscriber_station: {t4_ms: 35000}\n"
        "traffic: [{kind: poisson, direction: uplink, rate_bps: 2000, packet_bytes: 100}]\n"
        "base_station: {t27_idle_ms: 5000, t27_active_ms: 5000, unasked_symbols: 0, grant_spare: false, "
        "request_symbols: 4, request_backoff_start: 3, focused_opportunities: ";
    const auto without = simulate(asking + "0}\n"), with = simulate(asking + "2}\n");
    const auto delay = [](const auto& j, const char* which) { return double(j["total"]["uplink"]["delay_ms"][which]); };
    EXPECT_GT(delay(without, "mean"), 150);
    EXPECT_LT(delay(with, "mean"), 45);
    EXPECT_GT(delay(without, "p99"), 1000);
    EXPECT_LT(delay(with, "p99"), 80);
    EXPECT_EQ(with["total"]["uplink"]["loss"], 0);
    const auto success = [](const auto& c) { return double(c["successes"]) / double(c["requests"]); };
    EXPECT_LT(success(without["contention"]), 0.75);
    EXPECT_GT(success(with["codes"]), 0.98);
    EXPECT_EQ(without["codes"]["requests"], 0);
}

/// Below that number of stations there is a region for requests, from it on one for codes.
TEST(FocusedContention, FromANumberOfStationsOn) {
    const std::string cell =
        "traffic: [{kind: poisson, direction: uplink, rate_bps: 2000, packet_bytes: 100}]\n"
        "base_station: {unasked_symbols: 0, grant_spare: false, focused_opportunities: 1, focused_stations: 3}\n";
    const auto two = simulate("stations: 2\n" + cell), three = simulate("stations: 3\n" + cell);
    EXPECT_EQ(two["codes"]["opportunities"], 0);
    EXPECT_GE(two["contention"]["opportunities"], 1000);
    EXPECT_GE(three["codes"]["opportunities"], 1000);
    EXPECT_EQ(three["codes"]["requests"], three["contention"]["opportunities"]);  // only as responses to codes
}

/// All range at once, with values for few stations: with fixed windows hardly any station enters.
TEST(ContentionScale, TwoHundredStationsEnterAndAsk) {
    const std::string many =
        "stations: 200\nseconds: 10\nenter_limit_s: 40\n"
        "traffic: [{kind: poisson, direction: uplink, rate_bps: 1000, packet_bytes: 100}]\n"
        "base_station: {unasked_symbols: 0, grant_spare: false, ranging_interval_ms: 50, ranging_backoff_start: 0, "
        "ranging_backoff_end: 4, request_backoff_start: 0, request_backoff_end: 6, scale: ";
    const auto without = simulate(many + "false}\n"), with = simulate(many + "true}\n");
    EXPECT_LT(without["least_operational"], 20);
    EXPECT_EQ(with["least_operational"], 200);
    EXPECT_LE(with["total"]["uplink"]["loss"], 0.001);
}

}  // namespace test_means
}  // namespace wimax::sim
