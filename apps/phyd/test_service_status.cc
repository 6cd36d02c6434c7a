// SPDX-License-Identifier: GPL-3.0-or-later
// The service between a MAC and the air, both played by the test: its counters and reports, on the console and as JSON.
#include "phyd/signal.h"
#include "phyd/test_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace wimax::phyd::test {
namespace {

TEST_F(ServiceTest, CountsWhatHappens) {
    attach(sap::Role::base_station);
    port.counts = {1, 2, 3, 4, 5, 6};
    air.status.radio = {};
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::late, sap::FrameNumber(7), 300, ""});
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::late, sap::FrameNumber(8), 900, ""});
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::late, sap::FrameNumber(9), 500, ""});
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::overflow, sap::FrameNumber(9), 100'000, ""});
    report(tick(42));
    const auto j = status();
    EXPECT_EQ(j["late"], 3);
    EXPECT_EQ(j["worst_late_us"], 900);
    EXPECT_EQ(j["errors"], 1);
    EXPECT_EQ(j["frame"], 42);
    EXPECT_EQ(j["mac_sessions"], 1);
    EXPECT_EQ(j["mac_losses"], 0);
    EXPECT_EQ(j["mac_attached"], true);
    EXPECT_EQ(j["lock_step"], true);
    EXPECT_EQ(j["sample_rate_hz"], 5'760'000);
    EXPECT_EQ(j["sap"], (nlohmann::json{
                            {"sent", 1}, {"received", 2}, {"unsent", 3}, {"stale", 4}, {"malformed", 5}, {"lost", 6}}));
    const auto errors = port.all<sap::ErrorIndication>();
    ASSERT_EQ(errors.size(), 4U);
    EXPECT_EQ(errors[1].microseconds, 900);
    EXPECT_EQ(errors[1].frame_number, 8U);
    EXPECT_EQ(errors[3].kind, sap::ErrorKind::overflow);
}

TEST_F(ServiceTest, StatusOfTheAir) {
    attach(sap::Role::subscriber_station);
    auto& s = air.status;
    s.frames = 1, s.bursts = 2, s.undetected = 3, s.fec_failures = 4, s.sync_losses = 5, s.synchronised = false;
    s.rssi_dbfs = -20, s.cinr_db = 25, s.frequency_offset_hz = 300, s.clock_offset_ppm = 2.5F, s.position = 99;
    s.front_end = {-31.5F, -40.25F, -200, -52.5F, 450000};
    s.tx = {6, 7, 8, 9};
    s.radio.pieces = 10, s.radio.late = 11, s.radio.underflows = 12, s.radio.overflows = 13;
    s.radio.lost_samples = 14, s.radio.least_slack_samples = 15, s.radio.refused = {16, 17, 18, 19};
    s.radio.sequence_errors = 20, s.radio.clipped_samples = 21;
    s.radio.gate = {22, 23, 24, 25, 26, 27, {30, 31}};
    s.detected_preambles = 28, s.transformed_symbols = 29;
    s.retried = {32, 33, 34};
    const auto j = status();
    const nlohmann::json expected = {
        {"frames", 1},
        {"bursts", 2},
        {"undetected_bursts", 3},
        {"detected_preambles", 28},
        {"transformed_symbols", 29},
        {"fec_failures", 4},
        {"retried_blocks", 32},
        {"saved_blocks", 33},
        {"refused_blocks", 34},
        {"sync_losses", 5},
        {"synchronised", false},
        {"rssi_dbm", -60.0},
        {"cinr_db", 25.0},
        {"frequency_offset_hz", 300.0},
        {"clock_offset_ppm", 2.5},
        {"position_sample", 99},
        {"front_end", {{"dc_dbfs", -31.5}, {"image_dbc", -40.25}, {"tone_dbfs", -52.5}, {"tone_hz", 450000.0}}},
        {"tx_frames", 6},
        {"tx_empty", 7},
        {"radio",
         {{"pieces", 10},
          {"late", 11},
          {"underflows", 12},
          {"overflows", 13},
          {"sequence_errors", 20},
          {"clipped_samples", 21},
          {"tx_gain_db", 50.0},
          {"rx_gain_db", 20.0},
          {"tx_gain_now_db", 37.5},
          {"rx_gain_now_db", 20.0},
          {"lost_samples", 14},
          {"refused", {{"switched_off", 16}, {"too_long", 17}, {"too_often", 18}, {"too_strong", 19}}},
          {"gate",
           {{"bursts", 22},
            {"late", 23},
            {"too_long", 24},
            {"too_often", 25},
            {"silenced", 26},
            {"underflows", 27},
            {"last_late_sample", 30},
            {"last_late_by_samples", 31}}},
          {"least_slack_samples", 15}}}};
    for (const auto& [key, value] : expected.items()) EXPECT_EQ(j[key], value) << key;
    EXPECT_FALSE(j.contains("headroom_db"));  // before anything is received
    s.peak_dbfs = -7.5;
    EXPECT_EQ(status()["headroom_db"], 7.5);
}

/// Each has the time of a clock that other programs on the host share, to distinguish stalls of the host.
TEST_F(ServiceTest, TheLastLateFramesAreListed) {
    attach(sap::Role::base_station);
    const auto now = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    const double before = now();
    EXPECT_TRUE(status()["late_frames"].empty());
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::late, sap::FrameNumber(7), 300, ""});
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::invalid, sap::FrameNumber(8), 0, ""});
    air.status.radio.late = 70, air.status.radio.underflows = 1;  // each packet of a burst may be
    report(tick(42));
    report(tick(43));
    air.status.radio.underflows = 2;
    report(tick(44));
    const auto lates = status()["late_frames"];
    ASSERT_EQ(lates.size(), 3U);
    constexpr std::array kExpected{std::array{7, 300, 1}, std::array{42, 0, 71}, std::array{44, 0, 1}};
    for (size_t i = 0; i < kExpected.size(); ++i)
        EXPECT_EQ((std::array<int, 3>{lates[i]["frame"], lates[i]["late_us"], lates[i]["count"]}), kExpected[i]) << i;
    for (const auto& late : lates) {
        EXPECT_GE(late["at_s"], before);
        EXPECT_LE(late["at_s"], now());
    }
    for (uint32_t n = 0; n < 100; ++n)
        report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::late, sap::FrameNumber(100 + n), 1, ""});
    EXPECT_EQ(status()["late_frames"].size(), 64U);
    EXPECT_EQ(status()["late_frames"].front()["frame"], 136);
    EXPECT_EQ(status()["late_frames"].back()["frame"], 199);
}

/// The gate's own count is part of the radio's.
TEST_F(ServiceTest, TheLastLateBurstOfAGateHasItsLateness) {
    attach(sap::Role::base_station);
    air.status.radio.late = 2;
    air.status.radio.gate = {.late = 2, .last_late = {1000, kSampleRateHz / 1000}};
    report(tick(42));
    air.status.radio.late = 3;  // on the host
    report(tick(43));
    const auto lates = status()["late_frames"];
    ASSERT_EQ(lates.size(), 2U);
    EXPECT_EQ(lates[0]["late_us"], 1000);
    EXPECT_EQ(lates[0]["count"], 2);
    EXPECT_EQ(lates[1]["late_us"], 0);
}

TEST_F(ServiceTest, TimesOfAnswersWhereTimeRunsByItself) {
    attach(sap::Role::base_station);
    EXPECT_FALSE(status().contains("answers"));
    air.lock_step = false;
    auto elsewhere = request();
    elsewhere.carriers.downlink_hz += 1'000'000;
    say(elsewhere);
    ASSERT_TRUE(opened());
    EXPECT_THAT(service->status_line(), testing::Not(testing::HasSubstr("answers")));
    air.answers.bins[16] = 98, air.answers.bins[45] = 1, air.answers.bins[400] = 1;
    air.answers.sum_us = 50'000, air.answers.longest_us = 12'340;
    EXPECT_THAT(service->status_line(), testing::HasSubstr("  answers 0.42 ms, 99 % 1.1, at most 12  MAC"));
    EXPECT_EQ(status()["answers"], nlohmann::json::parse(R"({"count": 100, "sum_us": 50000, "p50_us": 425,
        "p99_us": 1150, "p999_us": 12340, "longest_us": 12340, "within_us": {"250": 0, "500": 98, "750": 98,
        "1000": 98, "1500": 99, "2000": 99, "3000": 99, "4000": 99, "6000": 99, "8000": 99, "10000": 99}})"));
}

TEST_F(ServiceTest, LineOfTheStatus) {
    attach(sap::Role::base_station);
    auto& s = air.status;
    s.frames = 11, s.bursts = 22, s.fec_failures = 33, s.synchronised = true;
    s.rssi_dbfs = -20.26F, s.cinr_db = 25.75F, s.frequency_offset_hz = 301.6F;
    report(gr::wimax::ErrorReport{gr::wimax::ErrorKind::late, sap::FrameNumber(7), 300, ""});
    report(tick(42));
    s.radio.late = 3, s.radio.underflows = 2;
    EXPECT_EQ(service->status_line(),
              "phy bs frame 42  transmitting  bursts 22, undecoded 33  RSSI -60.3 dBm  CINR 25.8 dB  CFO -  late 6 "
              "(software 1, radio 5)  U 2 (+2)  L 3 (+3)  MAC");
    s.radio.overflows = 7, s.radio.underflows = 6, s.radio.sequence_errors = 1, s.radio.clipped_samples = 1200;
    EXPECT_THAT(service->status_line(),
                testing::HasSubstr("radio 9)  U 6 (+4)  O 7 (+7)  L 3 (+0)  S 1 (+1)  clipped 1200 (+1200)  MAC"));
    s.peak_dbfs = -6.04;
    EXPECT_THAT(service->status_line(), testing::HasSubstr("RSSI -60.3 dBm  headroom 6.0 dB  CINR"));
    port.alive = false;
    step();
    EXPECT_TRUE(service->status_line().ends_with("no MAC")) << service->status_line();
}

TEST_F(ServiceTest, LineOfASubscriberStation) {
    attach(sap::Role::subscriber_station);
    air.status.synchronised = false;
    EXPECT_EQ(
        service->status_line(),
        "phy ss frame 0  searching  bursts 0, undecoded 0  RSSI -  CINR -  CFO -  late 0 (software 0, radio 0)  MAC");
    air.status.synchronised = true;
    air.status.frequency_offset_hz = 301.6F;
    EXPECT_NE(service->status_line().find("synchronised  bursts 0, undecoded 0  RSSI -  CINR -  CFO 301.6 Hz"),
              std::string::npos);
}

TEST_F(ServiceTest, ATransmitterThatIsOffIsSaidEverywhere) {
    config.tx_enable = TransmitSwitch::off;
    attach(sap::Role::base_station);
    EXPECT_EQ(
        service->status_line(),
        "phy bs frame 0  ticking  bursts 0, undecoded 0  RSSI -  CINR -  CFO -  late 0 (software 0, radio 0)  MAC  "
        "TRANSMITTER OFF (radio.tx_enable)");
    EXPECT_EQ(status()["transmitter"],
              (nlohmann::json{{"enabled", false}, {"allowed_bands", "3400 .. 3600 MHz"}, {"max_power_dbm", 36.0}}));
}

TEST_F(ServiceTest, WhatIsNotSentIsOnTheLine) {
    attach(sap::Role::subscriber_station);
    air.status.radio.refused = {0, 2, 0, 3};
    EXPECT_TRUE(service->status_line().ends_with(
        "MAC  NOT SENT: 2 too long (radio.longest_burst_ms), 3 too strong (radio.max_power_dbm)"))
        << service->status_line();
    EXPECT_EQ(status()["transmitter"]["enabled"], true);
}

TEST_F(ServiceTest, ABaseStationListensBeforeItTransmits) {
    attach(sap::Role::base_station);
    EXPECT_EQ(air.listened, 1);
    EXPECT_FALSE(status().contains("heard_before"));
    air.heard = Heard{-60, -50, HeardCell{0x20E9FA000012, true, -25, 20, 0}};
    testing::internal::CaptureStderr();
    step();
    step();
    const std::string said = testing::internal::GetCapturedStderr();
    const std::string words =
        "before transmission the channel held -100.0 dBm, at most -90.0 dBm; ANOTHER CELL: BSID 20E9FA000012, -65.0 "
        "dBm, "
        "CINR 20.0 dB, 0 Hz off";
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(said.find(words), said.rfind(words));  // once
    const auto told = port.all<sap::ErrorIndication>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].kind, sap::ErrorKind::another_cell);
    EXPECT_NE(told[0].detail.find("BSID 20E9FA000012"), std::string::npos) << told[0].detail;
    EXPECT_EQ(status()["heard_before"], (nlohmann::json{{"mean_dbm", -100.0},
                                                        {"highest_dbm", -90.0},
                                                        {"another_cell", true},
                                                        {"bsid", "20E9FA000012"},
                                                        {"rssi_dbm", -65.0},
                                                        {"cinr_db", 20.0}}));
    auto another = request();
    another.mac_session = 12;
    say(another);
    EXPECT_EQ(air.opened, 1);
    EXPECT_EQ(air.listened, 2);  // the next MAC, too
}

/// A channel without another cell causes no error report.
TEST_F(ServiceTest, AMacHearsOfOtherCellsAlone) {
    attach(sap::Role::base_station);
    air.heard = Heard{-60, -50, {}};
    step();
    EXPECT_TRUE(port.all<sap::ErrorIndication>().empty());
    EXPECT_EQ(status()["heard_before"],
              (nlohmann::json{{"mean_dbm", -100.0}, {"highest_dbm", -90.0}, {"another_cell", false}}));
}

TEST_F(ServiceTest, WhatIsHeardIsLookedAtWhileSomebodyAsks) {
    air.signal = std::make_shared<gr::wimax::SignalTap>(5'760'000);
    open(sap::Role::base_station);
    EXPECT_EQ(service->signal(), nlohmann::json({{"radio_open", false}}));
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_FALSE(air.signal->watched());
    EXPECT_EQ(service->status()["signal_watched"], false);
    const auto first = service->signal();
    EXPECT_TRUE(air.signal->watched());
    EXPECT_EQ(service->status()["signal_watched"], true);
    EXPECT_EQ(first["bursts"], nlohmann::json::array());
    EXPECT_EQ(first["sample_rate_hz"], 5'760'000);
    air.signal->on_samples(std::vector<gr::wimax::phy::Complex>(5'760'000 / 5, {0.1F, 0}));
    const auto spectrum = service->signal()["spectrum_dbm"];
    ASSERT_EQ(spectrum.size(), 256U);
    EXPECT_EQ(spectrum[128], -61.8);  // -20 dBFS at -40 dBm, two thirds of it in the middle of a Hann window
    EXPECT_TRUE(until([this] { return !air.signal->watched(); }));
}

TEST(SignalPicture, ChannelByCarrier) {
    std::vector<gr::wimax::phy::Complex> response;
    for (int k = -100; k <= 100; ++k)  // 4 samples late, half the amplitude on one side
        response.push_back(
            k == 0 ? 0 : std::polar(k < 0 ? 0.1F : 0.05F, -2 * 3.14159265F * 4 * static_cast<float>(k) / 256));
    const auto channel = channel_picture(response, -40);
    EXPECT_EQ(channel["power_dbm"][0], -60);
    EXPECT_EQ(channel["power_dbm"][200], -66);
    EXPECT_TRUE(channel["power_dbm"][100].is_null());
    EXPECT_EQ(channel["delay_samples"], 4);
    EXPECT_EQ(channel["phase_rad"][0], channel["phase_rad"][200]);
}

}  // namespace
}  // namespace wimax::phyd::test
