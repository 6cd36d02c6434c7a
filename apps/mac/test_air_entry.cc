// SPDX-License-Identifier: GPL-3.0-or-later
// Network entry, corrections, loss and re-entry over the burst-moving PHY.
#include "mac/pdu/cid.h"
#include "mac/test_air.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_entry {

void expect_clean(const Air& air) {
    EXPECT_EQ(air.stray_bursts, 0U);
    EXPECT_EQ(air.overlaps, 0U);
    EXPECT_EQ(air.oversized, 0U);
    EXPECT_EQ(air.too_late_maps, 0U);
}

TEST(Entry, OneStationQuickly) {
    Air air;
    auto& station = air.add();
    air.run(air.frames(0.7));  // the base station's silence
    const int frames = air.run_until([&] { return air.all_operational() && air.bs->operational(); });
    ASSERT_GE(frames, 0) << station.status().dump(1) << air.bs_status().dump(1);
    EXPECT_LT(frames * air.layout.frame_seconds(), 1.3);
    expect_clean(air);
}

int enter(Air& air, double limit_s = 8) {
    return air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(limit_s));
}
Json station_of(Air& air, size_t i) {
    const Json status = air.bs_status();
    for (const auto& s : status["stations"])
        if (s["mac"].get<std::string>().ends_with("0" + std::to_string(i + 1))) return s;
    return {};
}
/// A packet each way gets through within a few frames.
void expect_traffic(Air& air, size_t i = 0) {
    auto& t = *air.terminals[i];
    const auto down = t.dl_packets, up = air.ul_packets;
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(i), 200)));
    EXPECT_TRUE(t.mac->push_sdu(ip_packet(station_address(i), kServer, 200)));
    air.run(6);
    EXPECT_EQ(t.dl_packets, down + 1);
    EXPECT_EQ(air.ul_packets, up + 1);
}

TEST(Entry, EightStationsAtOnceResolveTheirCollisions) {
    Air air(Air::with_stations(8));
    for (int i = 0; i < 8; ++i) air.add();
    air.run(air.frames(0.7));
    ASSERT_GE(enter(air, 4), 0) << air.bs_status().dump(1);
    EXPECT_GT(air.collisions, 0U);  // backoff starts at 0: the first attempts must collide
    for (size_t i = 0; i < 8; ++i) expect_traffic(air, i);
    expect_clean(air);
}

/// What a peer follows is not negotiated. Without midambles the two editions understand each other.
TEST(Entry, StationsOfEitherEditionUseACellOfTheOther) {
    for (const auto of_cell : {Edition::ieee2004, Edition::cor1})
        for (const auto of_station : {Edition::ieee2004, Edition::cor1}) {
            SCOPED_TRACE(testing::Message() << int(of_cell) << " " << int(of_station));
            BaseStationConfig config;
            config.edition = of_cell;
            Air air(Air::with_stations(1, config));
            auto& terminal = air.add();
            terminal.config.edition = of_station;
            air.restart(terminal);
            air.run(air.frames(0.7));
            ASSERT_GE(enter(air, 4), 0);
            expect_traffic(air);
            expect_clean(air);
        }
}

TEST(Entry, CorrectionsConverge) {
    Air air;
    auto& station = air.add({70, 85, 900});
    ASSERT_GE(enter(air), 0) << station.status().dump(1) << air.bs_status().dump(1);
    air.run(50);
    auto s = station_of(air, 0);
    EXPECT_EQ(station.status()["timing_advance_samples"], 140);
    EXPECT_LE(std::abs(s["timing_offset_samples"].get<float>()), 4.0F);
    EXPECT_LE(std::abs(s["frequency_offset_hz"].get<float>()), 450.0F);
    // 85 dB of loss and 20 dBm at most: it is at its limit, and accepted there.
    EXPECT_NEAR(s["rssi_dbm"].get<float>(), -65, 0.5);

    station.link.path_loss_db = 60;  // moves nearer, by 10 microseconds and 25 dB, and drifts
    station.link.delay_samples = 62;
    station.link.carrier_offset_hz = 1600;
    air.run(100);
    s = station_of(air, 0);
    EXPECT_LE(std::abs(s["timing_offset_samples"].get<float>()), 4.0F);
    EXPECT_LE(std::abs(s["frequency_offset_hz"].get<float>()), 450.0F);
    EXPECT_NEAR(s["rssi_dbm"].get<float>(), -60, 1.1);
    EXPECT_TRUE(station.mac->operational());
    expect_traffic(air);
}

TEST(Entry, FirstPowerFollowsTheComputedMaximum) {
    Air air;
    auto& station = air.add({10, 70, 0});
    ASSERT_GE(air.run_until([&] { return station.status()["ranging"]["attempts"].get<int>() > 0; }, air.frames(3)), 0);
    // EIRxP -60 dBm + EIRP 20 dBm - RSSI -50 dBm = 10 dBm, less the configured 1 dB
    EXPECT_NEAR(station.status()["power_dbm"].get<float>(), 9.0F, 0.01F);
    ASSERT_GE(enter(air), 0);
}

TEST(Entry, PowerStepsUpWhenNobodyAnswers) {
    Air air;
    auto& station = air.add({10, 70, 0});
    station.link.uplink_loss = 1;  // RNG-REQs arrive damaged
    station.config.ranging_power_step_db = 1;
    station.config.first_power_backoff_db = 3;
    air.restart(station);
    ASSERT_GE(air.run_until([&] { return station.status()["ranging"]["attempts"].get<int>() >= 3; }, air.frames(6)), 0);
    EXPECT_NEAR(station.status()["power_dbm"].get<float>(), 9.0F, 0.01F);
    station.link.uplink_loss = 0;
    ASSERT_GE(enter(air), 0);
}

/// A broadcast burst with these octets as a message.
wimax::sap::RxBurst broadcast_of(const Air& air, Octets message) {
    wimax::sap::RxBurst burst;
    burst.index = 1;
    burst.detected = burst.fec_ok = true;
    burst.frame_number = air.frame + -1;
    PduWriter writer(burst.payload, 200);
    writer.begin(cid::kBroadcast, true, false);
    writer.payload(message);
    writer.finish();
    return burst;
}

TEST(Operation, FastPowerControlCorrectsTheStationThatItNames) {
    Air air(Air::with_stations(2));
    auto& one = air.add({10, 70, 0});
    auto& two = air.add({10, 70, 0});
    ASSERT_GE(enter(air), 0);
    const auto power = [](const auto& station) { return station.status()["power_dbm"].template get<float>(); };
    const float before = power(one), other = power(two);
    const auto basic = station_of(air, 0)["basic_cid"].get<uint16_t>();
    const Buffer message{38, 1, 0, static_cast<uint8_t>(basic >> 8), static_cast<uint8_t>(basic), 0xF8};
    wimax::sap::RxExpect none;
    for (auto* station : {&one, &two}) station->mac->on_burst(broadcast_of(air, message), none);
    EXPECT_FLOAT_EQ(power(one), before - 2);
    EXPECT_FLOAT_EQ(power(two), other);
    const auto malformed = one.status()["drops"]["malformed"].get<uint64_t>();
    one.mac->on_burst(broadcast_of(air, Octets(message).first(5)), none);
    EXPECT_EQ(one.status()["drops"]["malformed"], malformed + 1);
    EXPECT_FLOAT_EQ(power(one), before - 2);
    EXPECT_EQ(one.status()["ranging"]["fast_power"], 1);
    EXPECT_EQ(two.status()["ranging"]["fast_power"], 0);
}

TEST(Operation, ChannelIsReportedWhenAskedFor) {
    Air air;
    auto& station = air.add({10, 70, 0});  // RSSI -50 dBm
    ASSERT_GE(enter(air), 0);
    const auto basic_cid = station_of(air, 0)["basic_cid"].get<uint16_t>();
    RepReq asked;
    asked.request = ReportRequest{0b1010'0111, 9};  // everything, averaging 4/32
    wimax::sap::RxBurst burst;
    burst.index = 2;
    burst.detected = burst.fec_ok = true;
    PduWriter(burst.payload, 200).message(basic_cid, asked);
    std::vector<RepRsp> answers;
    air.tamper = [&](wimax::sap::RxBurst& r) {
        PduReader reader(r.payload);
        while (const auto pdu = reader.next()) {
            RepRsp answer;
            if (!pdu->is_request && pdu->cid() == basic_cid && decode(pdu->body, answer)) answers.push_back(answer);
        }
    };
    wimax::sap::RxExpect none;
    station.mac->on_burst(burst, none);
    air.run(10);
    ASSERT_EQ(answers.size(), 1U);
    ASSERT_TRUE(answers[0].report);
    const auto& report = *answers[0].report;
    EXPECT_EQ(report.channel, 9);
    EXPECT_EQ(report.basic, tlv::report::not_measured);
    EXPECT_EQ(report.rssi, (std::array<uint8_t, 2>{123 - 50, 0}));
    ASSERT_TRUE(report.cinr);
    EXPECT_EQ((*report.cinr)[0], std::min(63L, 10 + std::lround(station.status()["cinr_mean_db"].get<float>())));
    EXPECT_EQ(answers[0].current_transmit_power, std::lround(2 * (station.status()["power_dbm"].get<float>() + 64)));
    EXPECT_TRUE(station.mac->operational());
}

/// A fifth of all bursts lost, both ways: of three stations the last is in after 2.3 s (median of 40 runs), 4.1 s at
/// most.
TEST(Entry, SurvivesLossOfMessages) {
    std::vector<double> seconds;
    for (uint32_t seed = 1; seed <= 40; ++seed) {
        Air air(Air::with_stations(3));
        air.seed(seed);
        for (int i = 0; i < 3; ++i) {
            auto& t = air.add();
            t.link.downlink_loss = t.link.uplink_loss = 0.2;
        }
        seconds.push_back(enter(air, 30) * air.layout.frame_seconds());
        ASSERT_GE(seconds.back(), 0) << air.bs_status().dump(1);
    }
    std::sort(seconds.begin(), seconds.end());
    EXPECT_LT(seconds[20], 2.6);
    EXPECT_LT(seconds[35], 4.0);
    EXPECT_LT(seconds[39], 5.0);
}

TEST(Entry, UnknownStationIsRefusedIfConfigured) {
    BaseStationConfig config;
    config.unknown_station.reset();
    Air air(config);
    auto& station = air.add();
    air.run(air.frames(3));
    EXPECT_FALSE(station.mac->operational());
    EXPECT_GT(air.bs_status()["ranging"]["refused"].get<int>(), 0);
    EXPECT_LT(air.bs_status()["ranging"]["refused"].get<int>(), 5);  // it stays away for a while
}

TEST(Entry, OtherBaseStationIsNotEntered) {
    Air air;
    auto& station = air.add();
    station.config.bsid = 0x123456789ABC;
    air.restart(station);
    air.run(air.frames(2));
    EXPECT_EQ(station.status()["state"], "DL-MAP wait");
    EXPECT_EQ(station.status()["ranging"]["attempts"], 0);
}

TEST(Reentry, AfterTheStationRestarts) {
    Air air(Air::with_stations(2));
    auto& station = air.add();
    air.add();
    ASSERT_GE(enter(air), 0);
    const int cid = station.status()["basic_cid"];
    air.restart(station);
    ASSERT_GE(enter(air, 1.5), 0) << air.bs_status().dump(1);
    EXPECT_NE(station.status()["basic_cid"].get<int>(),
              cid);  // the old context stays until the station has shown itself
    air.run(5);
    expect_traffic(air, 0);
    expect_traffic(air, 1);
    EXPECT_EQ(air.bs_status()["stations"].size(), 2U);
}

TEST(Reentry, AfterTheBaseStationRestarts) {
    Air air(Air::with_stations(2));
    for (int i = 0; i < 2; ++i) air.add();
    ASSERT_GE(enter(air), 0);
    air.restart_bs();
    const int frames = air.run_until(
        [&] { return air.bs_status()["stations"].size() == 2 && air.all_operational() && air.bs->operational(); },
        air.frames(5));
    ASSERT_GE(frames, 0) << air.bs_status().dump(1);
    EXPECT_LT(frames * air.layout.frame_seconds(), 2.5);
    air.run(10);
    for (size_t i = 0; i < 2; ++i) expect_traffic(air, i);
}

TEST(Reentry, AfterEitherPhyRestarts) {
    Air air;
    auto& station = air.add();
    ASSERT_GE(enter(air), 0);
    air.restart_phy(station);
    EXPECT_FALSE(station.mac->operational());
    ASSERT_GE(enter(air, 2), 0);
    expect_traffic(air);
    air.restart_bs_phy();
    ASSERT_GE(air.run_until([&] { return !station.mac->operational(); }, air.frames(1)), 0);
    ASSERT_GE(enter(air, 3), 0);
    expect_traffic(air);
}

TEST(Reentry, LostStationIsDeletedAndComesBack) {
    Air air;
    auto& station = air.add();
    ASSERT_GE(enter(air), 0);
    station.link.connected = false;
    ASSERT_GE(air.run_until([&] { return air.bs_status()["stations"].empty(); }, air.frames(3)), 0);
    EXPECT_EQ(air.bs_status()["lost_stations"], 1);
    air.run(air.frames(1));
    EXPECT_FALSE(station.mac->operational());
    station.link.connected = true;
    ASSERT_GE(enter(air, 2), 0);
    expect_traffic(air);
}

TEST(Reentry, UplinkOutageAlone) {
    Air air;
    auto& station = air.add();
    ASSERT_GE(enter(air), 0);
    station.link.carrier_offset_hz = 1e6F;  // nothing of it is detected any more
    ASSERT_GE(air.run_until([&] { return air.bs_status()["stations"].empty(); }, air.frames(3)), 0);
    air.run(air.frames(0.5));
    EXPECT_FALSE(station.mac->operational());  // by RES-CMD
    station.link.carrier_offset_hz = 0;
    ASSERT_GE(enter(air, 3), 0);
    expect_traffic(air);
}

TEST(Reentry, ShortFadeIsBridged) {
    Air air;
    auto& station = air.add();
    ASSERT_GE(enter(air), 0);
    const auto restarts = station.status()["restarts"];
    station.link.connected = false;
    air.run(air.frames(0.3));
    station.link.connected = true;
    air.run(10);
    EXPECT_TRUE(station.mac->operational());
    EXPECT_EQ(station.status()["restarts"], restarts);
    expect_traffic(air);
}

TEST(Entry, HundredStations) {
    Air air(Air::with_stations(100));
    for (int i = 0; i < 100; ++i) air.add();
    ASSERT_GE(enter(air, 60), 0) << air.bs_status()["registered"];
    air.run(30);
    for (size_t i = 0; i < 100; i += 9) {
        const auto down = air.terminals[i]->dl_packets;
        EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(i), 200)));
        air.run(2);
        EXPECT_EQ(air.terminals[i]->dl_packets, down + 1);
    }
    expect_clean(air);
}

}  // namespace test_air_entry
