// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios: the meaning of their keys, their faults and where these are reported.
#include "sim/fitting.h"
#include "sim/scenario_flows.h"

#include <gtest/gtest.h>

namespace wimax::sim {
namespace test_scenario {

Faults load(Scenario& scenario, const std::string& yaml, const std::vector<std::string>& options = {}) {
    config::Schema schema("wimax-sim", "");
    declare(schema, scenario);
    return schema.load(yaml, "test.yml", options);
}

Scenario read(const std::string& yaml, const std::vector<std::string>& options = {}) {
    Scenario scenario;
    EXPECT_EQ(load(scenario, yaml, options).str(), "");
    return scenario;
}

std::vector<std::string> faults_of(const std::string& yaml, const std::vector<std::string>& options = {}) {
    Scenario scenario;
    return load(scenario, yaml, options).lines();
}

using Lines = std::vector<std::string>;

TEST(Scenario, EveryKeyHasADefault) {
    const auto s = read("");
    EXPECT_EQ(s.stations, 10U);
    EXPECT_EQ(s.seconds, 10);
    EXPECT_EQ(s.snr_db, std::vector<double>{30});
    EXPECT_EQ(s.rate, std::optional<uint8_t>(6));
    EXPECT_FALSE(s.arq.enable);
    EXPECT_EQ(s.bs.profile.name, "Lab");
    EXPECT_EQ(s.bs.bandwidth_hz, 5'000'000U);
    EXPECT_EQ(s.bs.stations.size(), 10U);
    const auto t = read("traffic: [{}]").traffic.at(0);
    EXPECT_EQ(t.kind, TrafficKind::cbr);
    EXPECT_EQ(t.direction, Direction::downlink);
    EXPECT_EQ(t.service, mac::SchedulingType::best_effort);
    EXPECT_TRUE(t.is_of(9));
}

TEST(Scenario, OptionsReplaceKeysOfTheFile) {
    const auto s = read("stations: 3\nseconds: 5\nseed: 7\n", {"stations=4", "seconds=2", "seed=8"});
    EXPECT_EQ(s.stations, 4U);
    EXPECT_EQ(s.seconds, 2);
    EXPECT_EQ(s.seed, 8U);
    EXPECT_EQ(s.bs.stations.size(), 4U);
}

TEST(Scenario, ProfilesHaveBandwidthFrameAndCyclicPrefix) {
    const auto bs = read("profile: 3.5MHz-20ms-cp4").bs;
    EXPECT_EQ(bs.bandwidth_hz, 3'500'000U);
    EXPECT_EQ(bs.frame_duration_code, 6);
    EXPECT_EQ(bs.cp_denominator, 4);
    EXPECT_EQ(read("profile: 5MHz-2.5ms").bs.frame_duration_code, 0);
    for (const char* wrong : {"5MHz", "5MHz-10", "5-10ms", "5MHz-9ms", "1MHz-10ms", "29MHz-5ms", "5MHz-10ms-cp5",
                              "5MHz-10ms-cp64", "5MHz-10msx", "MHz-ms", "xMHz-10ms", "5MHz-fdd-10ms", "5MHz-cp8",
                              "5MHz-fddx", "5MHz-10ms-fdd-cp5", "5MHz-10ms-cp8-fdd", "5MHz-fdd-"}) {
        const auto lines = faults_of("profile: " + std::string(wrong));
        ASSERT_EQ(lines.size(), 1U) << wrong;
        EXPECT_TRUE(lines[0].starts_with("test.yml:1: profile: value " + std::string(wrong) + ": allowed <MHz>MHz"));
    }
    for (const auto& [name, frame_code, prefix] : {std::tuple("7MHz-fdd", 4, 8),
                                                   {"7MHz-5ms-fdd", 2, 8},
                                                   {"7MHz-fdd-cp4", 4, 4},
                                                   {"7MHz-20ms-fdd-cp16", 6, 16}}) {
        const auto pair = read("profile: " + std::string(name));
        EXPECT_EQ(pair.bs.bandwidth_hz, 7'000'000U);
        EXPECT_EQ(pair.bs.frame_duration_code, frame_code) << name;
        EXPECT_EQ(pair.bs.cp_denominator, prefix) << name;
        EXPECT_FALSE(pair.bs.carriers.shared());
        EXPECT_EQ(pair.ss.carriers, pair.bs.carriers);
    }
    EXPECT_TRUE(bs.carriers.shared());
    const auto half = read("profile: 5MHz-fdd\nstations: 3\nhalf_duplex_stations: 2\n");
    EXPECT_TRUE(half.bs.half_duplex_stations);
    std::string which;
    for (const auto& station : half.cell().stations) which += station.mac.half_duplex ? "h" : "f";
    EXPECT_EQ(which, "hhf");
    EXPECT_FALSE(read("profile: 5MHz-fdd\n").bs.half_duplex_stations);
    EXPECT_EQ(
        faults_of("profile: 28MHz-20ms"),
        Lines{"test.yml:1: profile: value 28MHz-20ms: allowed frames of at most 2047 symbols; with this bandwidth "
              "and cyclic prefix it has 2222"});
    EXPECT_EQ(
        faults_of("profile: 1.25MHz-2.5ms"),
        Lines{
            "test.yml:1: profile: value 1.25MHz-2.5ms: allowed at least 8 symbols of each subframe in addition to the "
            "gaps"});
}

TEST(Scenario, OneWordOrKeys) {
    const auto speedy = read("base_station: Speedy\narq: true\nsnr_db: 12\n");
    EXPECT_EQ(speedy.bs.profile.name, "Speedy");
    EXPECT_EQ(speedy.bs.profile.unasked_symbols, 0U);
    EXPECT_TRUE(speedy.arq.enable);
    EXPECT_EQ(speedy.cell().stations[9].path.snr_db, 12);
    const auto own = read(
        "base_station: {name: Default, request_symbols: 8, dl_scheduler: weighted, t7_ms: 7}\n"
        "arq: {window: 64, block_size: 32, lifetime_ms: 0}\nstations: 2\nsnr_db: [10, 20]\n");
    EXPECT_EQ(own.bs.profile.request_symbols, 8U);
    EXPECT_EQ(own.bs.profile.broadcast_rate_id, 0);
    EXPECT_EQ(own.bs.dl_scheduler, mac::SchedulerPolicy::weighted);
    EXPECT_EQ(own.bs.t7_ms, 7U);
    EXPECT_TRUE(own.arq.enable);
    EXPECT_EQ(own.arq.window_blocks, 64);
    EXPECT_EQ(own.arq.block_octets, 32);
    EXPECT_EQ(own.arq.block_lifetime_ms, 0);
    EXPECT_EQ(own.arq.rx_purge_timeout_ms, 0);
    EXPECT_EQ(own.cell().stations[1].path.snr_db, 20);
    EXPECT_FALSE(read("arq: false").arq.enable);
    EXPECT_FALSE(read("arq:\n").arq.enable);
    EXPECT_EQ(read("arq: {lifetime_ms: 300}").arq.rx_purge_timeout_ms, 400);
    EXPECT_EQ(read("arq: {lifetime_ms: 655}").arq.sync_loss_timeout_ms, 0);
}

TEST(Scenario, RatesAreFixedOrFollowTheCinr) {
    EXPECT_EQ(read("rate: 3").bs.ul_rate_id, 3);
    EXPECT_EQ(read("rate: 16-QAM 1/2").bs.ul_rate_id, 3);
    EXPECT_FALSE(read("rate: 3").bs.dl_lowest_rate_id.has_value());
    EXPECT_EQ(read("rate: 3").bs.profile.broadcast_rate_id, 1);
    const auto automatic = read("rate: auto").bs;
    EXPECT_EQ(automatic.dl_rate_id, 6);
    EXPECT_EQ(automatic.ul_lowest_rate_id, std::optional<uint8_t>(0));
    EXPECT_EQ(automatic.profile.broadcast_rate_id, 0);  // maps reach as far as data
}

TEST(Scenario, EachFaultHasItsLineItsKeyAndWhatIsAllowed) {
    EXPECT_EQ(
        faults_of("stations: 0\nseconds: -1\nrate: 7\nsnr_db: 200\npdu_loss: 2\narq: 1\nseed: x\n"),
        (Lines{"test.yml:1: stations: value 0: allowed integers 1..5000",
               "test.yml:2: seconds: value -1: allowed numbers 0.01..1000000",
               "test.yml:3: rate: value 7: allowed 0..6, auto, BPSK 1/2, QPSK 1/2, QPSK 3/4, 16-QAM 1/2, 16-QAM 3/4, "
               "64-QAM 2/3, 64-QAM 3/4",
               "test.yml:4: snr_db: value 200: allowed -30..80, or a list of 1..5000 elements",
               "test.yml:5: pdu_loss: value 2: allowed numbers 0..1",
               "test.yml:6: arq: value 1: allowed false, true, or keys: window, block_size, lifetime_ms, retry_ms",
               "test.yml:7: seed: value x: allowed integers 0..1.84467440737e+19"}));
    EXPECT_EQ(faults_of("arq: {window: 2000, lifetime_ms: -1}\nbase_station:\n  name: X\n  request_symbols: 500\n"),
              (Lines{"test.yml:1: arq.window: value 2000: allowed integers 1..1024",
                     "test.yml:1: arq.lifetime_ms: value -1: allowed numbers 0..655.35",
                     "test.yml:3: base_station.name: value X: allowed Lab, Default, Speedy",
                     "test.yml:4: base_station.request_symbols: value 500: allowed integers 0..128"}));
    EXPECT_EQ(faults_of("statons: 3\nseconds: 1\n", {"rate=9"}),
              (Lines{"--set rate=9: rate: value 9: allowed 0..6, auto, BPSK 1/2, QPSK 1/2, QPSK 3/4, 16-QAM 1/2, "
                     "16-QAM 3/4, 64-QAM 2/3, 64-QAM 3/4",
                     "test.yml:1: statons: unknown key, did you mean stations?"}));
}

TEST(Scenario, FaultsOfTrafficAreTold) {
    EXPECT_EQ(faults_of("traffic:\n  - {service: ugs}\n  - {kind: udp}\n  - {rate_bps: 0}\n  - {stations: []}\n"
                        "  - {kind: tcp, packet_bytes: 80}\n  - {kind: ping, gap_min_ms: 5, gap_max_ms: 1}\n"
                        "  - {start_s: 3, stop_s: 2}\n  - {stations: 2}\n"),
              (Lines{"test.yml:2: traffic[0].service: value ugs: allowed UGS, rtPS, ertPS, nrtPS, BE",
                     "test.yml:3: traffic[1].kind: value udp: allowed cbr, poisson, saturate, tcp, voice, ping, "
                     "onoff, video, trace",
                     "test.yml:4: traffic[2].rate_bps: value 0: allowed numbers 1..1000000000",
                     "test.yml:5: traffic[3].stations: value 0 elements: allowed all, or a list of 1..5000 elements",
                     "test.yml:6: traffic[4].packet_bytes: value 80: allowed 81..1500 with tcp",
                     "test.yml:7: traffic[5].gap_max_ms: value 1: allowed at least gap_min_ms",
                     "test.yml:8: traffic[6].stop_s: value 2: allowed 0, or more than start_s",
                     "test.yml:9: traffic[7].stations: value 2: allowed all, or a list of 1..5000 elements"}));
}

TEST(Scenario, FaultsBetweenKeysAreTold) {
    EXPECT_EQ(faults_of("stations: 2\nsnr_db: [1, 2, 3]\nsnr_series: [{at_s: 5}, {at_s: 5}]\ntraffic:\n"
                        "  - {stations: [1, 3, 1]}\n  - {min_rate_bps: 5000, max_rate_bps: 1000}\n"
                        "  - {service: UGS, kind: tcp}\n"),
              (Lines{"test.yml:2: snr_db: value 3 values: allowed one, or one for each of the 2 stations",
                     "test.yml:3: snr_series[1].at_s: value 5: allowed more than the point's before",
                     "test.yml:5: traffic[0].stations[1]: value 3: allowed 1..2, numbers of stations",
                     "test.yml:5: traffic[0].stations[2]: value 1: allowed each number once",
                     "test.yml:6: traffic[1].min_rate_bps: value 5000: allowed at most max_rate_bps",
                     "test.yml:7: traffic[2].max_rate_bps: value 0: allowed 1..4294967295, as the service needs a rate "
                     "and the kind has none"}));
    EXPECT_EQ(
        faults_of("traffic:\n  - {weight: 2}\n  - {weight: 3, stations: [4]}\n"),
        Lines{"test.yml:3: traffic[1].weight: value 3: allowed 2 as before: a weight is the whole station's, here "
              "of 4"});
    EXPECT_EQ(faults_of("base_station:\n  request_symbols: 100\n"),
              Lines{"test.yml:2: base_station.request_symbols: value 100: allowed fewer: request and ranging regions "
                    "have 106 symbols, the uplink 99"});
    std::string many = "stations: 1\ntraffic:\n";
    for (int i = 0; i < 16; ++i) many += "  - {direction: uplink}\n";
    EXPECT_EQ(faults_of(many),
              Lines{"test.yml:18: traffic[15]: value entry 16 of one direction for station 1: allowed at most 15"});
    EXPECT_EQ(faults_of("stations: 5000\ntraffic: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]\n"),
              Lines{"test.yml:2: traffic: value 70000 flows of all stations together: allowed at most 65535"});
}

TEST(Scenario, EntriesMayShareAServiceFlow) {
    const auto s = read("traffic:\n  - {kind: tcp}\n  - {kind: saturate, same_flow_as: 1}\n");
    ASSERT_EQ(s.bs.stations[0].flows.size(), 2U);  // and that of the acknowledgements
    EXPECT_EQ(s.bs.stations[0].flows[0].classifiers.size(), 2U);
    EXPECT_EQ(faults_of("traffic:\n  - {same_flow_as: 1}\n  - {direction: uplink, same_flow_as: 1}\n"
                        "  - {same_flow_as: 1, service: UGS}\n"),
              Lines{"test.yml:4: traffic[2].service: value its own: allowed none with same_flow_as: the other entry's "
                    "counts"});
    EXPECT_EQ(
        faults_of("traffic:\n  - {stations: [1]}\n  - {direction: uplink, stations: [1], same_flow_as: 1}\n"
                  "  - {same_flow_as: 1}\n  - {same_flow_as: 4}\n"),
        (Lines{"test.yml:3: traffic[1].same_flow_as: value 1: allowed an entry of the same direction",
               "test.yml:4: traffic[2].same_flow_as: value 1: allowed an entry of the same stations, it is none of 2",
               "test.yml:5: traffic[3].same_flow_as: value 4: allowed the number of an entry before this, from 1"}));
}

TEST(Scenario, AnEntryMayBeSentOnceForItsStations) {
    const auto s = read("stations: 3\narq: true\ntraffic:\n  - {multicast: true, stations: [1, 3]}\n  - {}\n");
    const auto& shared = s.bs.stations[0].flows.at(0);
    EXPECT_TRUE(shared.multicast);
    EXPECT_FALSE(shared.arq.enable);
    ASSERT_EQ(shared.classifiers.size(), 1U);
    EXPECT_EQ(shared.classifiers[0].destination.at(0).address, mac::IpAddress(group_of(0)));
    EXPECT_EQ(s.bs.stations[2].flows.at(0), shared);
    EXPECT_FALSE(s.bs.stations[1].flows.at(0).multicast);
    EXPECT_TRUE(s.bs.stations[1].flows.at(0).arq.enable);
    EXPECT_EQ(faults_of("traffic:\n  - {multicast: true}\n  - {kind: ping, multicast: true}\n  - {same_flow_as: 1}\n"
                        "  - {direction: uplink, multicast: true}\n"),
              (Lines{"test.yml:3: traffic[1].kind: value one with answers: allowed all kinds but tcp and "
                     "ping, with multicast",
                     "test.yml:4: traffic[2].same_flow_as: value 1: allowed an entry that is multicast as this is",
                     "test.yml:5: traffic[3].direction: value uplink: allowed downlink, with multicast"}));
}

TEST(Provisioning, EachEntryHasAServiceFlowOfEachOfItsStations) {
    const auto s = read(
        "stations: 3\ntraffic:\n"
        "  - {stations: [2], direction: uplink, service: UGS, rate_bps: 80000, max_latency_ms: 25, weight: 5}\n"
        "  - {stations: [2, 3], direction: uplink, service: rtPS, rate_bps: 64000.5}\n"
        "  - {direction: downlink, service: nrtPS, kind: tcp, max_rate_bps: 2e6, min_rate_bps: 1e6, max_burst_bytes: "
        "9000}\n");
    const auto& one = s.bs.stations[0];
    ASSERT_EQ(one.flows.size(), 2U);
    EXPECT_EQ(one.flows[0].name, "entry-3");
    EXPECT_EQ(one.flows[0].scheduling, mac::SchedulingType::nrtps);
    EXPECT_EQ(one.flows[0].max_sustained_rate_bps, 2'000'000U);
    EXPECT_EQ(one.flows[0].min_reserved_rate_bps, 1'000'000U);
    EXPECT_EQ(one.flows[0].max_burst_bytes, 9000U);
    EXPECT_TRUE(one.flows[1].classifiers.empty());  // the rest, for acknowledgements
    EXPECT_EQ(one.flows[1].direction, mac::FlowDirection::uplink);
    EXPECT_EQ(one.weight, 1U);
    const auto& two = s.bs.stations[1];
    ASSERT_EQ(two.flows.size(), 4U);
    EXPECT_EQ(two.weight, 5U);
    EXPECT_EQ(two.flows[0].max_sustained_rate_bps, 80'000U);
    EXPECT_EQ(two.flows[0].max_latency_ms, 25U);
    EXPECT_EQ(two.flows[1].max_sustained_rate_bps, 0U);
    EXPECT_EQ(two.flows[1].min_reserved_rate_bps, 64'001U);
    EXPECT_EQ(two.flows[0].classifiers.at(0).protocols, std::vector<uint8_t>{17});
    EXPECT_EQ(two.flows[2].classifiers.at(0).protocols, std::vector<uint8_t>{6});
    EXPECT_NE(two.flows[0].classifiers.at(0).destination_ports, two.flows[1].classifiers.at(0).destination_ports);
    EXPECT_EQ(s.bs.stations[2].flows.size(), 3U);
}

TEST(Scenario, SomeStationsFollowTheSeriesOneAfterTheOther) {
    const auto s = read(
        "stations: 3\nsnr_db: 17\nsnr_series: [{at_s: 1, snr_db: 9}]\nsnr_series_stations: [1, 3]\nsnr_period_s: 60\n"
        "snr_stagger_s: 4\n");
    const auto cell = s.cell();
    EXPECT_EQ(cell.stations[0].path.snr_series.size(), 1U);
    EXPECT_TRUE(cell.stations[1].path.snr_series.empty());
    EXPECT_EQ(cell.stations[1].path.snr_db, 17);
    EXPECT_EQ(cell.stations[2].path.snr_series.size(), 1U);
    EXPECT_EQ(cell.stations[2].path.snr_period_s, 60);
    EXPECT_EQ(cell.stations[0].path.snr_delay_s, 0);
    EXPECT_EQ(cell.stations[2].path.snr_delay_s, 8);
    EXPECT_EQ(read("snr_series: [{at_s: 1}]").cell().stations[9].path.snr_series.size(), 1U);
    EXPECT_EQ(
        faults_of("stations: 2\nsnr_series: [{at_s: 1}, {at_s: 9}]\nsnr_series_stations: [2, 3]\nsnr_period_s: 8\n"),
        (Lines{"test.yml:3: snr_series_stations[1]: value 3: allowed 1..2, numbers of stations",
               "test.yml:4: snr_period_s: value 8: allowed 0, or at least the last point's at_s"}));
}

TEST(Scenario, AnEntryMayDoWithoutArq) {
    const auto s = read("stations: 1\narq: true\ntraffic:\n  - {arq: false}\n  - {}\n");
    EXPECT_FALSE(s.bs.stations[0].flows.at(0).arq.enable);
    EXPECT_TRUE(s.bs.stations[0].flows.at(1).arq.enable);
    EXPECT_FALSE(read("stations: 1\ntraffic:\n  - {arq: true}\n").bs.stations[0].flows.at(0).arq.enable);
}

TEST(Scenario, KeysThatAreNotThereAreNamed) {
    const auto lines = faults_of("stations: 1\nprivacy: {keys: /nowhere}\n");
    ASSERT_EQ(lines.size(), 6U);  // the authorities of both ends, and that the base station needs them
    for (const char* file : {"/nowhere/ca.pem", "/nowhere/revoked.pem", "/nowhere/stations/02-00-00-01-00-00.pem",
                             "/nowhere/stations/02-00-00-01-00-00.key"})
        EXPECT_TRUE(std::ranges::any_of(lines, [file](const auto& line) { return line.find(file) != line.npos; }))
            << file;
    EXPECT_EQ(faults_of("privacy: {keys: /nowhere, ak_lifetime_s: 10, tek_lifetime_s: 20}\n"),
              Lines{"test.yml:1: privacy.tek_lifetime_s: value 20: allowed no more than privacy.ak_lifetime_s"});
}

/// Values that the scenario does not give follow from others; given values stay.
TEST(Fitting, ManyStationsHaveIdentifiersAndMapsGoAsFarAsData) {
    const auto few = read("stations: 10");
    EXPECT_EQ(few.bs.basic_cids, 320U);
    EXPECT_EQ(few.bs.profile.broadcast_rate_id, mac::BaseStationConfig{}.profile.broadcast_rate_id);
    const auto many = read("stations: 1000\nrate: 0");
    EXPECT_EQ(many.bs.max_stations, 1000U);
    EXPECT_EQ(many.bs.basic_cids, 1064U);
    EXPECT_EQ(many.bs.profile.broadcast_rate_id, 0);
    EXPECT_EQ(read("rate: auto").bs.profile.broadcast_rate_id, 0);
    EXPECT_EQ(enter_limit_s(many), 620);
    EXPECT_FALSE(read("stations: 16\nbase_station: Speedy").bs.profile.scale);
    EXPECT_TRUE(read("stations: 17\nbase_station: Speedy").bs.profile.scale);
    EXPECT_FALSE(read("stations: 17\nbase_station: {scale: false}").bs.profile.scale);
    EXPECT_EQ(enter_limit_s(few), 125);
    const auto said =
        read("stations: 300\nrate: 0\nbase_station: {max_stations: 310, basic_cids: 330, broadcast_rate_id: 1}");
    EXPECT_EQ(said.bs.max_stations, 310U);
    EXPECT_EQ(said.bs.basic_cids, 330U);
    EXPECT_EQ(said.bs.profile.broadcast_rate_id, 1);
    EXPECT_EQ(read("stations: 300\nbase_station: {max_stations: 290}").bs.max_stations, 290U);
}

}  // namespace test_scenario
}  // namespace wimax::sim
