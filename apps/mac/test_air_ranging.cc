// SPDX-License-Identifier: GPL-3.0-or-later
// An uplink that stops carrying data: how it is corrected, when it counts as lost, and how it recovers.
#include "mac/pdu/pdu.h"
#include "mac/test_link.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_ranging {

bool is_uplink_data(const sap::RxBurst& burst) { return burst.kind == sap::BurstKind::data && burst.cid != 0; }

class Step : public ::testing::TestWithParam<float> {};

TEST_P(Step, InPathLossIsCorrectedByPower) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    ASSERT_NEAR(cell.power_dbm(), -10, 1);
    const auto restarts = cell.station.status()["restarts"];
    cell.station.link.path_loss_db = kNearDb + GetParam();
    EXPECT_LT(cell.healed_after(5), 0.5) << cell.entry().dump(1);
    cell.run(20);
    EXPECT_EQ(cell.station.status()["restarts"], restarts);  // corrected, not entered again
    EXPECT_NEAR(cell.entry()["rssi_dbm"].get<float>(), -60, 1.1);
    EXPECT_NEAR(cell.power_dbm(), GetParam() - 10, 1.1);
}
INSTANTIATE_TEST_SUITE_P(All, Step, ::testing::Values(24.0F, 26.0F, 28.0F, 30.0F));

/// Four stations whose path loss grows at once. `fast`: bs.fast_power_stations.
struct FastPowerCell : Air {
    explicit FastPowerCell(uint32_t fast) : Air(with_stations(4, with_fast_power(fast))) {
        for (int i = 0; i < 4; ++i) add({10, kNearDb, 0});
        entered = run_until([&] { return all_operational() && bs->operational(); }, frames(6)) >= 0;
        load(20);
        for (const auto& t : terminals) power_dbm.push_back(t->status()["power_dbm"].get<float>());
    }
    static BaseStationConfig with_fast_power(uint32_t stations) {
        BaseStationConfig config;
        config.fast_power_stations = stations;
        return config;
    }
    /// A packet of each station in each frame.
    void load(int count) {
        for (int i = 0; i < count; ++i) {
            for (size_t n = 0; n < terminals.size(); ++n)
                terminals[n]->mac->push_sdu(ip_packet(station_address(n), kServer, 200));
            run(1);
        }
    }
    /// Of all stations, by FPC and otherwise.
    std::pair<int, int> commands() const {
        int fast = 0, all = 0;
        for (const auto& t : terminals) {
            const Json status = t->status();
            fast += status["ranging"]["fast_power"].get<int>();
            all += status["corrections"].get<int>();
        }
        return {fast, all - fast};
    }
    void expect_power(float more_db) const {
        for (size_t n = 0; n < terminals.size(); ++n)
            EXPECT_NEAR(terminals[n]->status()["power_dbm"].get<float>(), power_dbm[n] + more_db, 1.2) << n;
    }
    std::vector<float> power_dbm;
    bool entered = false;
};

TEST(FastPower, ManyStationsAreCorrectedByOneMessage) {
    for (const uint32_t least : {0U, 2U, 5U}) {
        FastPowerCell cell(least);
        ASSERT_TRUE(cell.entered);
        const auto before = cell.commands();
        EXPECT_EQ(before.first, 0) << least;
        for (auto& t : cell.terminals) t->link.path_loss_db += 6;
        cell.load(60);
        cell.expect_power(6);
        const auto after = cell.commands();
        const bool together = least == 2;
        EXPECT_EQ(after.first >= 4, together) << after.first;
        EXPECT_EQ(after.first > 0, together) << after.first;
        EXPECT_GE(after.second - before.second, together ? 0 : 4) << least;
    }
}

void remove_fast_power(sap::RxBurst& burst) {
    Buffer rest;
    bool found = false;
    PduReader reader(burst.payload);
    while (const auto pdu = reader.next()) {
        if (!pdu->is_request && message_type(pdu->body) == MessageType::fpc) found = true;
        else rest.insert(rest.end(), pdu->octets.begin(), pdu->octets.end());
    }
    if (found) burst.payload = rest;
}

/// Another maker's station may not know the message.
TEST(FastPower, StationsThatIgnoreItAreCorrectedByRanging) {
    FastPowerCell cell(1);
    ASSERT_TRUE(cell.entered);
    cell.tamper = remove_fast_power;
    const auto before = cell.commands();
    for (auto& t : cell.terminals) t->link.path_loss_db += 6;
    cell.load(120);
    cell.expect_power(6);
    EXPECT_EQ(cell.commands().first, 0);
    EXPECT_GT(cell.commands().second, before.second);
}

/// 45 dB of gain: the receiver's full scale is -55 dBm, and bursts of -60 dBm would be clipped.
TEST(Levels, ATargetThatWouldBeClippedIsLowered) {
    BaseStationConfig config;
    config.rx_gain_db = 45;
    Cell cell({10, kNearDb, 0}, config);
    ASSERT_TRUE(cell.entered);
    EXPECT_NEAR(cell.entry()["rssi_dbm"].get<float>(), -70, 1.1);  // 15 dB below
    EXPECT_TRUE(std::any_of(cell.events.begin(), cell.events.end(), [](const auto& event) {
        return event.find(
                   "bs.target_rssi_dbm -60.0 is -5.0 dBFS at air.rx_gain_db 45.0: -70.0 dBm is aimed at; a gain lower "
                   "by 10.0 dB would do for it") != std::string::npos;
    })) << testing::PrintToString(cell.events);
    config.rx_gain_db = 35;  // just enough
    Cell other({10, kNearDb, 0}, config);
    ASSERT_TRUE(other.entered);
    EXPECT_NEAR(other.entry()["rssi_dbm"].get<float>(), -60, 1.1);
}

/// Gain changes by the operator during operation reach all code that computes with levels.
TEST(Levels, TheHighestPowerFollowsTheTransmittersGain) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    ASSERT_NEAR(cell.power_dbm(), -10, 1);
    const auto maximum = [&] { return cell.station.status()["maximum_power_dbm"].get<float>(); };
    EXPECT_FLOAT_EQ(maximum(), 20);
    cell.station.tx_reference_dbm = -15;  // lower than it sends
    cell.run(2);
    EXPECT_FLOAT_EQ(maximum(), -15);
    EXPECT_FLOAT_EQ(cell.power_dbm(), -15);
    cell.run(100);
    EXPECT_LE(cell.power_dbm(), -15);
    EXPECT_TRUE(cell.pings());
    cell.station.tx_reference_dbm = 12;
    cell.run(2);
    EXPECT_FLOAT_EQ(maximum(), 12);
    for (int i = 0; i < 100 && cell.power_dbm() < -11; ++i) EXPECT_TRUE(cell.pings()) << i;
    EXPECT_NEAR(cell.power_dbm(), -10, 1.1);
}

TEST(Levels, WhatIsAnnouncedAndAimedAtFollowsTheBaseStationsGains) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    const auto restarts = cell.station.status()["restarts"];
    cell.bs_tx_reference_dbm = 14;
    cell.bs_rx_reference_dbm = -55;  // bursts at -60 dBm would be clipped
    for (int i = 0; i < 100 && cell.entry()["rssi_dbm"].get<float>() > -69; ++i) EXPECT_TRUE(cell.pings()) << i;
    EXPECT_NEAR(cell.entry()["rssi_dbm"].get<float>(), -70, 1.1);
    std::optional<Dcd> announced;
    EXPECT_GE(cell.run_until(
                  [&] {
                      PduReader reader(cell.last_tx().bursts[0].payload);
                      while (const auto pdu = reader.next())
                          if (Dcd dcd; decode(pdu->body, dcd)) announced = dcd;
                      return announced.has_value();
                  },
                  cell.frames(11)),
              0);
    ASSERT_TRUE(announced);
    EXPECT_EQ(announced->bs_eirp_dbm, 14);
    EXPECT_EQ(announced->rss_ir_max_dbm, -70);
    EXPECT_EQ(announced->change_count, 2);
    cell.run(cell.frames(1));
    EXPECT_EQ(cell.last_tx().dcd_count, 2);  // in force
    EXPECT_TRUE(cell.pings());
    EXPECT_EQ(cell.station.status()["restarts"], restarts);
}

/// A power reference that is 20 dB wrong, at either end and in either direction, changes the uplink by 20 dB against
/// the station's computation.
TEST(Levels, AWrongPowerReferenceDoesNotKeepAStationOut) {
    for (const float error_db : {-20.0F, 20.0F})
        for (const float path_loss_db : {kNearDb, 80.0F}) {
            SCOPED_TRACE(testing::Message() << error_db << " dB, path loss " << path_loss_db << " dB");
            Air air;
            Link link{10, path_loss_db, 0};
            link.uplink_offset_db = error_db;
            air.add(link);
            EXPECT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(3)), 0);
            air.run(air.frames(1));
            const float reached = path_loss_db == kNearDb || error_db < 0 ? -60.0F : 20.0F - path_loss_db - error_db;
            EXPECT_NEAR(air.bs_status()["stations"].at(0)["rssi_dbm"].get<float>(), reached, 2.1);
        }
}

TEST(Healing, StationsWhoseBurstsAllFailAreLostInBoundedTime) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    cell.tamper = [](sap::RxBurst& burst) {  // right level, quality gone: no power will help
        if (!is_uplink_data(burst)) return;
        burst.fec_ok = false;
        burst.measured.cinr_db = 8;
        std::fill(burst.payload.begin(), burst.payload.end(), uint8_t{0x5A});
    };
    const float power = cell.power_dbm();
    cell.run(cell.frames(1.4));
    EXPECT_TRUE(cell.bs->operational());
    EXPECT_NEAR(cell.power_dbm(), power, 0.7);  // 0.6 dB of the level is noise at 8 dB
    cell.run(cell.frames(0.3));
    EXPECT_FALSE(cell.bs->operational());
    EXPECT_FALSE(cell.station.mac->operational());
    EXPECT_EQ(cell.bs_status()["lost_stations"], 1);
    cell.tamper = nullptr;
    EXPECT_LT(cell.healed_after(5), 1.5);
}

/// Another sender's bursts in the station's grants, 20 dB stronger.
void expect_power_stands(bool decodable) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    std::mt19937 random(1);
    cell.tamper = [&](sap::RxBurst& burst) {
        if (!is_uplink_data(burst)) return;
        burst.measured.rssi_dbm = -40;
        burst.measured.timing_offset_samples = 12;
        burst.measured.frequency_offset_hz = -2000;
        burst.fec_ok = decodable;
        for (auto& octet : burst.payload) octet = static_cast<uint8_t>(random());
    };
    const Json before = cell.station.status();
    cell.run(cell.frames(1.2));
    const Json after = cell.station.status();
    EXPECT_FLOAT_EQ(after["power_dbm"].get<float>(), before["power_dbm"].get<float>());
    EXPECT_EQ(after["timing_advance_samples"], before["timing_advance_samples"]);
    EXPECT_EQ(after["frequency_adjust_hz"], before["frequency_adjust_hz"]);
    cell.run(cell.frames(3.8));
    cell.tamper = nullptr;
    EXPECT_LT(cell.healed_after(5), 1.5) << cell.bs_status().dump(1);
}
TEST(Healing, StrongerBurstsThatDecodeDoNotMoveTheStation) { expect_power_stands(true); }
TEST(Healing, StrongerBurstsThatFailDoNotMoveTheStation) { expect_power_stands(false); }

TEST(Healing, NoiseInTheLevelIsNotTakenForTheStation) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    cell.tamper = [](sap::RxBurst& burst) {  // noise of the signal's own level, all decoded
        if (!is_uplink_data(burst)) return;
        burst.measured.rssi_dbm += 3.0F;
        burst.measured.cinr_db = 0;
    };
    const float power = cell.power_dbm();
    cell.run(cell.frames(1));
    EXPECT_NEAR(cell.power_dbm(), power, 0.1F);
}

TEST(Healing, PureNoiseIsNoGroundForACorrection) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    cell.tamper = [](sap::RxBurst& burst) {
        if (!is_uplink_data(burst)) return;
        burst.fec_ok = false;
        std::fill(burst.payload.begin(), burst.payload.end(), uint8_t{0x5A});
        burst.measured.rssi_dbm = -95;
        burst.measured.cinr_db = -3;
        burst.measured.timing_offset_samples = -14;
    };
    cell.run(cell.frames(1.2));
    EXPECT_EQ(cell.entry()["corrections"], 0);
}

/// The delay jumps, one way: both later and earlier, from the window that a grant's bursts may arrive in to a symbol.
class Jump : public ::testing::TestWithParam<MapRelevance> {};

TEST_P(Jump, OfTheDelayIsHealedByRangingInPlace) {
    BaseStationConfig config;
    config.map_relevance = GetParam();
    Cell cell({20, kNearDb, 0}, config);
    ASSERT_TRUE(cell.entered);
    const auto restarts = cell.station.status()["restarts"];
    const auto cid = cell.station.status()["basic_cid"];
    for (const int to : {60, 200, 60, 20, 270, 20}) {
        cell.station.link.delay_samples = to;
        const double healed_s = cell.healed_after(5);
        printf("to %d samples: %.2f s\n", to, healed_s);
        EXPECT_LT(healed_s, 0.2) << to;
        EXPECT_NEAR(cell.station.status()["timing_advance_samples"].get<int>(), 2 * to, 4);
        EXPECT_EQ(cell.station.status()["restarts"], restarts);
        EXPECT_EQ(cell.station.status()["basic_cid"], cid);
        cell.run(60);
    }
    EXPECT_EQ(cell.stray_bursts, 0U);
}
INSTANTIATE_TEST_SUITE_P(All, Jump, ::testing::Values(MapRelevance::same_frame, MapRelevance::next_frame));

}  // namespace test_air_ranging
