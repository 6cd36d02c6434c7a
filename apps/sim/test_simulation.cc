/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scenarios from their keys to their results.
 */
#include "sim/simulation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace wimax::sim {
namespace {

Scenario read(const std::string& yaml) {
    Scenario scenario;
    config::Schema schema("wimax-sim", "");
    declare(schema, scenario);
    const auto faults = schema.load(yaml, "test.yml");
    EXPECT_TRUE(faults.empty()) << faults.str();
    return scenario;
}

std::string faults_of(const std::string& yaml) {
    Scenario scenario;
    config::Schema schema("wimax-sim", "");
    declare(schema, scenario);
    return schema.load(yaml, "test.yml").str();
}

nlohmann::ordered_json simulate(const std::string& yaml) {
    Simulation simulation(read(yaml));
    simulation.run();
    return simulation.result();
}

/// Without what the wall clock says.
nlohmann::ordered_json timeless(nlohmann::ordered_json result) {
    result.erase("wall");
    result.erase("memory");
    return result;
}

void expect_all(const std::string& told, std::initializer_list<const char*> faults) {
    for (const auto* fault : faults) EXPECT_NE(told.find(fault), std::string::npos) << fault << "\nin\n" << told;
}

TEST(Scenario, FaultsAreToldWithTheirLines) {
    expect_all(faults_of("seconds: -1\nstation:\n  snr_db: 200\n  traffic:\n    - {kind: bulk}\n"
                         "bs: {dl_share: 2}\nnoise: 1\n"),
               {"test.yml:1: seconds: value -1", "test.yml:3: station.snr_db: value 200",
                "test.yml:5: station.traffic[0].kind: value bulk", "test.yml:6: bs.dl_share: value 2",
                "test.yml:7: noise: unknown key"});
    expect_all(faults_of("stations: 0\nbs: {request_opportunities: 1}\n"),
               {"test.yml:2: bs.request_opportunities: unknown key"});
}

TEST(Scenario, FaultsBetweenKeysAreTold) {
    expect_all(faults_of("stations: 0\nbs: {dl_symbols: 2000}\nstation:\n"
                         "  snr_series: [{at_s: 5, snr_db: 1}, {at_s: 5, snr_db: 2}]\n"
                         "  service: {ip_addresses: [10.0.0.1]}\n"),
               {"test.yml:1: stations: value 0: allowed at least one", "test.yml:2: bs.dl_symbols: value 2000",
                "station.snr_series[1].at_s: value 5: allowed more than", "test.yml:5: station.service.ip_addresses"});
    expect_all(faults_of("stations: 1\nbs:\n  max_stations: 400\nstation:\n  service: {flows: [video]}\n"),
               {"test.yml:3: bs.max_stations: value 400: allowed at most basic_cids, 320", "flows[0]: value video"});
    expect_all(faults_of("stations: 300\n"), {"test.yml:1: stations: value 300: allowed at most bs.max_stations, 250"});
}

TEST(Scenario, FaultsOfTrafficAreTold) {
    expect_all(faults_of("station:\n  traffic:\n    - {kind: cbr}\n    - {kind: ping, gap_min_ms: 5, gap_max_ms: 1}\n"
                         "    - {kind: tcp, packet_bytes: 60}\n    - {kind: saturating, start_s: 3, stop_s: 2}\n"),
               {"station.traffic[0].kbps: value 0", "station.traffic[1].gap_max_ms: value 1",
                "station.traffic[2].packet_bytes: value 60", "station.traffic[3].stop_s: value 2"});
}

TEST(Simulation, SameSeedSameResult) {
    const std::string yaml =
        "stations: 3\nseconds: 5\nstation:\n  snr_db: 19\n  doppler_hz: 5\n  k_factor_db: 12\n  traffic:\n"
        "    - {kind: poisson, kbps: 300}\n    - {kind: voice, kbps: 80, packet_bytes: 200, direction: uplink}\n"
        "    - {kind: tcp}\n";
    const auto first = timeless(simulate(yaml));
    EXPECT_EQ(first.dump(1), timeless(simulate(yaml)).dump(1));
    EXPECT_NE(first.dump(1), timeless(simulate(yaml + "seed: 2\n")).dump(1));
    EXPECT_GT(first["total"]["downlink"]["received"], 200);
}

/// The bench's figures of the full stack with the same cell: 92.8 and 94.0 symbols of 100 carry IP.
TEST(Simulation, OneStationCarriesWhatTheFullStackDoes) {
    const auto j = simulate("seconds: 10\ndl_kbps: 8500\nul_kbps: 8500\n");
    EXPECT_NEAR(j["total"]["downlink"]["ip_symbols_per_frame"], 92.8, 0.02 * 92.8);
    EXPECT_NEAR(j["total"]["uplink"]["ip_symbols_per_frame"], 94.0, 0.02 * 94.0);
    EXPECT_EQ(j["bursts"]["stray"], 0);
    EXPECT_EQ(j["bursts"]["uplink_wrong"], 0);
    EXPECT_EQ(j["least_operational"], 1);
}

/// And 12.5 ms of a ping's mean round trip, the host's own time included.
TEST(Simulation, AnIdleCellAnswersAsFastAsTheFullStack) {
    const auto j = simulate(
        "seconds: 100\nstation:\n  traffic:\n    - {kind: ping, packet_bytes: 84, gap_min_ms: 100, gap_max_ms: 200}\n"
        "    - {kind: ping, packet_bytes: 84, direction: uplink, gap_min_ms: 100, gap_max_ms: 200}\n");
    for (const auto& flow : j["flows"]) {
        EXPECT_NEAR(flow["delay_ms"]["mean"], 12.0, 1.0);
        EXPECT_GT(flow["received"], 600);
        EXPECT_EQ(flow["lost"], 0);
    }
}

TEST(Simulation, WhatIsDroppedIsLostAndNothingElse) {
    const auto j = simulate(
        "seconds: 200\ndrop: {pdu: 0.1}\nstation:\n  traffic:\n"
        "    - {kind: poisson, kbps: 16, packet_bytes: 100}\n"
        "    - {kind: poisson, kbps: 16, packet_bytes: 100, direction: uplink}\n");
    for (const auto* direction : {"downlink", "uplink"}) {
        const auto& sum = j["total"][direction];
        const double sent = sum["sent"];
        EXPECT_NEAR(sent, 4000, 260);
        // Four standard deviations; a few packets share a PDU.
        EXPECT_NEAR(sum["loss"], 0.1, 4 * std::sqrt(0.1 * 0.9 / sent) + 0.002) << direction;
    }
    EXPECT_EQ(j["least_operational"], 1);
    EXPECT_NEAR(j["drops"]["pdus_dropped"].get<double>() / j["drops"]["pdus"].get<double>(), 0.1, 0.015);
}

TEST(Simulation, ATcpTransferFillsTheLink) {
    const auto j = simulate("seconds: 10\nwarmup_s: 5\nstation:\n  traffic:\n    - {kind: tcp}\n");
    EXPECT_GT(j["total"]["downlink"]["ip_symbols_per_frame"], 90);
    EXPECT_EQ(j["flows"][0]["lost"], 0);
    EXPECT_EQ(j["flows"][0]["tcp"]["timeouts"], 0);
}

}  // namespace
}  // namespace wimax::sim
