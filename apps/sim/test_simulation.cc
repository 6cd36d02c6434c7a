// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios from their keys to their results.
#include "sim/simulation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace wimax::sim {
namespace test_simulation {

Scenario read(const std::string& yaml) {
    Scenario scenario;
    config::Schema schema("wimax-sim", "");
    declare(schema, scenario);
    const auto faults = schema.load(yaml, "test.yml");
    EXPECT_TRUE(faults.empty()) << faults.str();
    return scenario;
}

nlohmann::ordered_json simulate(const std::string& yaml) {
    Simulation simulation(read(yaml));
    simulation.run();
    return simulation.result();
}

/// Without values of the wall clock.
nlohmann::ordered_json timeless(nlohmann::ordered_json result) {
    for (const char* key : {"wall", "wall_s", "memory", "memory_bytes", "idle_station_bytes", "scheduler_us_per_frame"})
        EXPECT_EQ(result.erase(key), 1U) << key;
    return result;
}

TEST(Simulation, SameSeedSameResult) {
    const std::string yaml =
        "stations: 3\nseconds: 5\nsnr_db: 19\npath: {doppler_hz: 5, k_factor_db: 12}\ntraffic:\n"
        "  - {kind: poisson, rate_bps: 300000}\n"
        "  - {kind: voice, rate_bps: 80000, packet_bytes: 200, direction: uplink}\n  - {kind: tcp}\n";
    const auto first = timeless(simulate(yaml));
    EXPECT_EQ(first.dump(1), timeless(simulate(yaml)).dump(1));
    EXPECT_NE(first.dump(1), timeless(simulate(yaml + "seed: 2\n")).dump(1));
    EXPECT_GT(first["total"]["downlink"]["delivered_packets"], 200);
}

/// Two stations leave the range twice, one after the other; the third stays.
TEST(Simulation, StationsThatLeaveAndEnterAreCounted) {
    const auto j = simulate(
        "stations: 3\nseconds: 60\ninterval_s: 7\nstatus: true\nsnr_db: 25\n"
        "snr_series: [{at_s: 0, snr_db: 25}, {at_s: 4, snr_db: 25}, {at_s: 5, snr_db: -25}, {at_s: 10, snr_db: -25}, "
        "{at_s: 11, snr_db: 25}]\nsnr_series_stations: [2, 3]\nsnr_period_s: 30\nsnr_stagger_s: 2\n"
        "traffic: [{rate_bps: 40000}]\n");
    EXPECT_EQ(j["losses"], 4);
    EXPECT_EQ(j["entries"], 4);
    EXPECT_EQ(j["least_operational"], 1);
    EXPECT_EQ(j["operational_at_end"], 3);
    EXPECT_EQ(j["flows"][0]["lost_packets"], 0);
    EXPECT_EQ(j["memory"]["resident_bytes"].size(), 9U);  // at 0, 7, .. 56 s
    EXPECT_GT(j["memory"]["resident_bytes"][8], 1'000'000);
    EXPECT_EQ(j["status"]["base_station"]["stations"].size(), 3U);
    EXPECT_EQ(j["status"]["stations"].size(), 3U);
    EXPECT_EQ(j["status"]["stations"][0]["state"], "operational");
    EXPECT_FALSE(simulate("stations: 1\nseconds: 1\n").contains("status"));
}

/// An idle station needs kilobytes, and no more than its share of the process.
TEST(Simulation, IdleStationsAreMeasuredWhenAllHaveEntered) {
    constexpr int kStations = 200;
    const auto j = simulate("stations: 200\nseconds: 1\ntraffic: []\n");
    EXPECT_GT(j["idle_station_bytes"], 2000);
    EXPECT_LT(j["idle_station_bytes"], j["memory_bytes"].get<int64_t>() / kStations);
}

TEST(Simulation, ProgressGoesFromNothingToAll) {
    Simulation simulation(read("stations: 1\nseconds: 5\n"));
    std::vector<double> shares;
    simulation.on_progress = [&shares](double share) { shares.push_back(share); };
    simulation.run();
    ASSERT_GT(shares.size(), 10U);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GT(shares.front(), 0);
    EXPECT_LE(shares.back(), 1);
    EXPECT_GT(shares.back(), 0.97);
}

/// The bench's figures of the full stack with the same cell: 92.8 and 94.0 symbols of 100 carry IP.
TEST(Simulation, OneStationCarriesWhatTheFullStackDoes) {
    const auto j = simulate(
        "stations: 1\nseconds: 10\nwarmup_s: 1\ntraffic:\n  - {rate_bps: 8.5e6}\n"
        "  - {rate_bps: 8.5e6, direction: uplink}\n");
    EXPECT_NEAR(j["total"]["downlink"]["ip_symbols_per_frame"], 92.8, 0.02 * 92.8);
    EXPECT_NEAR(j["total"]["uplink"]["ip_symbols_per_frame"], 94.0, 0.02 * 94.0);
    EXPECT_EQ(j["bursts"]["stray"], 0);
    EXPECT_EQ(j["bursts"]["uplink_wrong"], 0);
    EXPECT_EQ(j["least_operational"], 1);
}

/// And 12.5 ms of a ping's mean round trip, the host's own time included.
TEST(Simulation, AnIdleCellAnswersAsFastAsTheFullStack) {
    const auto j = simulate(
        "stations: 1\nseconds: 100\ntraffic:\n  - {kind: ping, packet_bytes: 84}\n"
        "  - {kind: ping, packet_bytes: 84, direction: uplink}\n");
    for (const auto& flow : j["flows"]) {
        EXPECT_NEAR(flow["delay_ms"]["mean"], 12.0, 1.0);
        EXPECT_GT(flow["delivered_packets"], 600);
        EXPECT_EQ(flow["lost_packets"], 0);
    }
}

/// A base station that plans a frame before it has the last uplink grants that uplink's requests one frame later.
TEST(Simulation, WhatIsReportedBehindTheTickIsAnsweredAFrameLater) {
    const auto delay_ms = [](const char* lead_us) {
        const auto j = simulate(
            "stations: 1\nseconds: 300\ntraffic:\n"
            "  - {kind: poisson, rate_bps: 2000, packet_bytes: 100, direction: uplink}\n"
            "base_station: {unasked_symbols: 0, grant_spare: false, t27_idle_ms: 2500, t27_active_ms: 2500}\n"
            "phy: {tick_lead_us: " +
            std::string(lead_us) + "}\n");
        EXPECT_EQ(j["flows"][0]["lost_packets"], 0);
        return j["flows"][0]["delay_ms"]["mean"].get<double>();
    };
    EXPECT_NEAR(delay_ms("7000") - delay_ms("1000"), 5.4, 1);  // of a frame of 10: not all ask first
}

TEST(Simulation, WhatIsDroppedIsLostAndNothingElse) {
    const auto j = simulate(
        "stations: 1\nseconds: 200\npdu_loss: 0.1\ntraffic:\n"
        "  - {kind: poisson, rate_bps: 16000, packet_bytes: 100}\n"
        "  - {kind: poisson, rate_bps: 16000, packet_bytes: 100, direction: uplink}\n");
    for (const auto* direction : {"downlink", "uplink"}) {
        const auto& sum = j["total"][direction];
        const double sent = sum["offered_packets"];
        EXPECT_NEAR(sent, 4000, 260);
        // Four standard deviations; a few packets share a PDU.
        EXPECT_NEAR(sum["loss"], 0.1, 4 * std::sqrt(0.1 * 0.9 / sent) + 0.002) << direction;
    }
    EXPECT_EQ(j["least_operational"], 1);
    EXPECT_NEAR(j["drops"]["pdus_dropped"].get<double>() / j["drops"]["pdus"].get<double>(), 0.1, 0.015);
}

TEST(Simulation, ATcpTransferFillsTheLink) {
    const auto j = simulate("stations: 1\nseconds: 10\nwarmup_s: 5\ntraffic:\n  - {kind: tcp}\n");
    EXPECT_GT(j["total"]["downlink"]["ip_symbols_per_frame"], 90);
    EXPECT_EQ(j["flows"][0]["lost_packets"], 0);
    EXPECT_EQ(j["flows"][0]["tcp"]["timeouts"], 0);
}

/// The station that fills the uplink gets the share of two idle stations, although its queue is short.
TEST(Simulation, ATcpTransferBesideIdleStationsFillsTheUplink) {
    for (const int rate : {0, 4, 6}) {
        const auto j = simulate("stations: 3\nseconds: 10\nwarmup_s: 5\nrate: " + std::to_string(rate) +
                                "\ntraffic:\n  - {kind: tcp, direction: uplink, stations: [1]}\n");
        EXPECT_GT(j["total"]["uplink"]["ip_symbols_per_frame"], 92) << rate;
        EXPECT_EQ(j["flows"][0]["tcp"]["timeouts"], 0);
    }
}

/// Thirty stations that each send few packets do not fill the uplink: these need a tenth of the symbols. Short grants
/// of the other symbols reach the packets sooner than requests in contention.
TEST(Simulation, ManyStationsWithLittleToSendWaitAboutTwoFrames) {
    const auto j = simulate(
        "stations: 30\nseconds: 20\ntraffic:\n"
        "  - {kind: poisson, rate_bps: 30000, packet_bytes: 500, direction: uplink}\n");
    EXPECT_NEAR(j["total"]["uplink"]["delay_ms"]["mean"].get<double>(), 23, 4);
    EXPECT_EQ(j["total"]["uplink"]["loss"], 0);
}

/// Each packet that is offered is delivered, lost, or was on its way when the measurement ended.
TEST(Simulation, PacketsInQueuesAtTheEndAreNeitherDeliveredNorLost) {
    // Ten packets each second for ten seconds, and none lost: a packet of the last moment may be on its way.
    const auto even = simulate("stations: 2\ntraffic: [{rate_bps: 80000, packet_bytes: 1000, direction: uplink}]\n");
    ASSERT_EQ(even["flows"].size(), 2U);
    EXPECT_NEAR(even["total"]["uplink"]["jain"], 1, 1e-3);
    for (const auto& flow : even["flows"]) {
        EXPECT_EQ(flow["offered_packets"], 100);
        EXPECT_GE(flow["delivered_packets"], 99);
        EXPECT_EQ(flow["lost_packets"], 0);
        EXPECT_EQ(flow["goodput_bps"].get<double>(), 800 * flow["delivered_packets"].get<double>());
    }
    // 200 packets per second, of which the flow admits 4. The queue has room for 33.
    const auto slow = simulate(
        "stations: 1\nseconds: 4\nbase_station: {codel_target_frames: 0, sdu_buffers: 64}\ntraffic:\n"
        "  - {rate_bps: 800000, packet_bytes: 500, max_rate_bps: 16000}\n");
    const auto& flow = slow["flows"][0];
    EXPECT_EQ(flow["offered_packets"], 800);
    const double left = flow["offered_packets"].get<double>() - flow["delivered_packets"].get<double>() -
                        flow["lost_packets"].get<double>();
    EXPECT_NEAR(flow["delivered_packets"], 16, 5);
    EXPECT_NEAR(left, 16 + 64 / 2, 5);  // the queue's own buffers and its part of the shared ones
}

/// Saturating flows fill the frame, and queue management drops nothing, with ARQ, too.
TEST(Simulation, SaturatingFlowsFillTheFrameAndLoseNothing) {
    const auto symbols = [](const std::string& more, const char* direction) {
        const auto j =
            simulate("seconds: 5\ntraffic:\n  - {kind: saturate}\n  - {kind: saturate, direction: uplink}\n" + more);
        EXPECT_EQ(j["total"]["downlink"]["lost_packets"], 0) << more;
        EXPECT_EQ(j["total"]["uplink"]["lost_packets"], 0) << more;
        return j["total"][direction]["ip_symbols_per_frame"].get<double>();
    };
    EXPECT_GT(symbols("stations: 1\n", "downlink"), 92);
    EXPECT_GT(symbols("stations: 1\n", "uplink"), 92.5);
    EXPECT_GT(symbols("stations: 1\nprofile: 5MHz-5ms\n", "uplink"), 43);
    for (const char* direction : {"downlink", "uplink"}) {  // FDD: all of the frame, both at once
        EXPECT_GT(symbols("stations: 1\nprofile: 5MHz-fdd\n", direction), 191);
        EXPECT_GT(symbols("stations: 8\nrate: 2\nprofile: 7MHz-5ms-fdd-cp4\n", direction), 100);
    }
    EXPECT_GT(symbols("stations: 8\nrate: 2\n", "downlink"), 80);
    EXPECT_GT(symbols("stations: 1\npdu_loss: 0.1\narq: {lifetime_ms: 0}\n", "downlink"), 75);
}

/// Eight half-duplex stations fill both directions of FDD to nine tenths of what full-duplex ones do.
TEST(Simulation, HalfDuplexStationsShareBothCarriers) {
    const auto sums = [](const std::string& half) {
        const auto j = simulate(
            "stations: 8\nseconds: 5\nprofile: 5MHz-fdd\nbase_station: {codel_target_frames: 0}\n"
            "subscriber_station: {codel_target_frames: 0}\ntraffic:\n"
            "  - {kind: cbr, rate_bps: 2.6e6, packet_bytes: 1500}\n"
            "  - {kind: cbr, rate_bps: 2.6e6, packet_bytes: 1500, direction: uplink}\nhalf_duplex_stations: " +
            half + "\n");
        const auto& total = j["total"];
        EXPECT_GT(std::min(total["downlink"]["jain"], total["uplink"]["jain"]), 0.98) << half;
        return std::pair(total["downlink"]["ip_symbols_per_frame"].get<double>(),
                         total["uplink"]["ip_symbols_per_frame"].get<double>());
    };
    const auto full = sums("0");
    for (const char* half : {"8", "4", "1"}) {
        const auto found = sums(half);
        EXPECT_GT(found.first, 0.9 * full.first) << half;
        EXPECT_GT(found.second, 0.9 * full.second) << half;
    }
}

/// Voice of half-duplex stations keeps its bound in addition to saturated data, and loses nothing.
TEST(Simulation, VoiceOfHalfDuplexStationsKeepsItsBound) {
    const auto j = simulate(
        "stations: 8\nhalf_duplex_stations: 8\nseconds: 10\nprofile: 5MHz-fdd\ntraffic:\n"
        "  - {service: UGS, kind: cbr, rate_bps: 80000, packet_bytes: 200, max_latency_ms: 50}\n"
        "  - {service: UGS, kind: cbr, rate_bps: 80000, packet_bytes: 200, max_latency_ms: 50, direction: uplink}\n"
        "  - {kind: saturate}\n  - {kind: saturate, direction: uplink}\n");
    size_t voices = 0;
    for (const auto& flow : j["flows"]) {
        if (flow["service"] != "UGS") continue;
        ++voices;
        EXPECT_EQ(flow["lost_packets"], 0) << flow;
        EXPECT_EQ(flow["late_fraction"], 0) << flow;
        EXPECT_GT(flow["delivered_packets"], 490) << flow;
        EXPECT_LT(flow["delay_ms"]["max"], 50) << flow;
    }
    EXPECT_EQ(voices, 16U);
    for (const char* direction : {"downlink", "uplink"})
        EXPECT_GT(j["total"][direction]["ip_symbols_per_frame"], 160) << direction;
}

/// At 18.6 dB two of five bursts of 64-QAM 3/4 have errors, wherever they are. The errors do not depend on the place,
/// and no symbol is avoided.
TEST(Simulation, LossesAllOverTheFrameCostTheUplinkNoSymbols) {
    for (int seed = 1; seed <= 4; ++seed) {
        const auto j = simulate(
            "stations: 1\nseconds: 20\nwarmup_s: 3\nrate: 6\nsnr_db: 17.5\narq: {lifetime_ms: 0}\ntraffic:\n"
            "  - {kind: saturate, direction: uplink}\nseed: " +
            std::to_string(seed));
        EXPECT_GT(j["bursts"]["uplink_wrong"], 500);
        EXPECT_GT(j["total"]["uplink"]["goodput_bps"], 6.8e6) << seed;
    }
}

/// An entry's packets use its service flow: the rate of one does not touch the other.
TEST(Simulation, EntriesHaveServiceFlowsOfTheirOwn) {
    const auto j = simulate(
        "stations: 2\nseconds: 10\ntraffic:\n"
        "  - {kind: saturate, max_rate_bps: 200000, max_burst_bytes: 3000}\n"
        "  - {kind: cbr, rate_bps: 400000, packet_bytes: 500, stations: [2]}\n"
        "  - {kind: saturate, direction: uplink, max_rate_bps: 300000, max_burst_bytes: 3000}\n");
    ASSERT_EQ(j["flows"].size(), 5U);
    for (const auto& flow : j["flows"]) {
        const double rate = std::array{200e3, 400e3, 300e3}.at(flow["entry"].get<size_t>() - 1);
        EXPECT_NEAR(flow["goodput_bps"].get<double>() / rate, 1, 0.02) << flow.dump();
    }
}

/// Each station gets all packets; on the air each is sent once, at the rate of the farthest station.
TEST(Simulation, MulticastIsSentOnceForAll) {
    const auto run = [](const char* stations, const char* multicast) {
        return simulate(std::string("stations: 6\nseconds: 10\nrate: 3\ntraffic:\n  - {rate_bps: 400000, "
                                    "packet_bytes: 1000, stations: ") +
                        stations + ", multicast: " + multicast + "}\n");
    };
    const auto shared = run("all", "true"), copies = run("all", "false"), alone = run("[1]", "false");
    const auto symbols = [](const auto& result) { return result["bursts"]["downlink_symbols"].template get<double>(); };
    printf("symbols: %.0f once, %.0f for six, %.0f for one\n", symbols(shared), symbols(copies), symbols(alone));
    EXPECT_NEAR(symbols(shared), symbols(alone), 0.02 * symbols(alone));
    EXPECT_GT(symbols(copies), 5.7 * symbols(shared));
    ASSERT_EQ(shared["flows"].size(), 6U);
    for (const auto& flow : shared["flows"]) {
        EXPECT_EQ(flow["offered_packets"], 500);
        EXPECT_GE(flow["delivered_packets"], 499);  // the last may be on its way
        EXPECT_EQ(flow["lost_packets"], 0);
        EXPECT_EQ(flow["duplicated_packets"], 0);
        EXPECT_EQ(flow["reordered_packets"], 0);
    }
}

/// Packets in the shared queue at the end are undelivered at every station, and lost at none.
TEST(Simulation, WhatWaitsInASharedQueueIsNotLost) {
    const auto j = simulate(
        "stations: 2\nseconds: 5\ndrain_s: 0\nbase_station: {codel_target_frames: 0}\ntraffic:\n"
        "  - {rate_bps: 400000, packet_bytes: 1000, multicast: true, max_rate_bps: 360000}\n");
    for (const auto& flow : j["flows"]) {
        EXPECT_EQ(flow["lost_packets"], 0);
        EXPECT_GT(flow["offered_packets"].get<int>() - flow["delivered_packets"].get<int>(), 10);
    }
}

/// In frames of 10 ms, a packet needs at most one and a half frames.
TEST(Simulation, LateAreThosePacketsBeyondTheBound) {
    const auto late_of = [](int bound_ms) {
        const auto j = simulate(
            "stations: 1\nseconds: 20\ntraffic:\n  - {kind: poisson, rate_bps: 50000, packet_bytes: 100,"
            " max_latency_ms: " +
            std::to_string(bound_ms) + "}\n");
        return j["flows"][0]["late_fraction"].get<double>();
    };
    EXPECT_EQ(late_of(0), 0);
    EXPECT_EQ(late_of(15), 0);
    EXPECT_NEAR(late_of(5), 0.5, 0.2);  // the frame begins after up to 10 ms
    EXPECT_GT(late_of(1), 0.9);
}

TEST(Simulation, ArqLosesNothingWhereAPduIn10IsDropped) {
    const std::string traffic =
        "stations: 2\nseconds: 20\npdu_loss: 0.1\ntraffic:\n"
        "  - {kind: poisson, rate_bps: 500000}\n  - {kind: poisson, rate_bps: 500000, direction: uplink}\n";
    const auto with = simulate(traffic + "arq: {lifetime_ms: 0}\n"), without = simulate(traffic);
    for (const char* direction : {"downlink", "uplink"}) {
        EXPECT_EQ(with["total"][direction]["lost_packets"], 0);
        EXPECT_EQ(with["total"][direction]["reordered_packets"], 0);
        EXPECT_GT(with["total"][direction]["delivered_packets"], 1500);
        EXPECT_GT(without["total"][direction]["loss"], 0.08);
    }
}

/// Nine tenths of the rate that remains after the drops.
TEST(Simulation, TcpOverArqKeepsItsRateWhereAPduIn10IsDropped) {
    for (const std::string direction : {"downlink", "uplink"}) {
        const auto goodput = [&](const std::string& more) {
            const auto j = simulate(
                "stations: 1\nseconds: 20\narq: {lifetime_ms: 0}\ntraffic: [{kind: tcp, direction: " + direction +
                "}]\n" + more);
            EXPECT_EQ(j["flows"][0]["lost_packets"], 0);
            EXPECT_EQ(j["flows"][0]["reordered_packets"], 0);
            return j["flows"][0]["goodput_bps"].get<double>();
        };
        EXPECT_GE(goodput("pdu_loss: 0.1\n"), 0.9 * (1 - 0.1) * goodput("")) << direction;
    }
}

/// Each station is received, with identifiers beyond the usual 320.
TEST(Simulation, StationsBeyondTheUsualIdentifiersSimplyEnter) {
    const auto j = simulate("stations: 330\nseconds: 1\ntraffic: [{rate_bps: 4000, packet_bytes: 200}]\n");
    EXPECT_EQ(j["entered"], 330);
    EXPECT_EQ(j["least_operational"], 330);
    EXPECT_EQ(j["flows"].size(), 330U);
    EXPECT_EQ(j["total"]["downlink"]["lost_packets"], 0);
    EXPECT_LT(j["entry_s"]["mean"].get<double>(), j["entry_s"]["max"].get<double>());
}

}  // namespace test_simulation
}  // namespace wimax::sim
