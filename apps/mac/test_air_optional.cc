// SPDX-License-Identifier: GPL-3.0-or-later
// Optional means of the PHY over the burst-moving PHY: STC zones, subchannelized grants and focused contention, from
// the map of one MAC to the burst of the other. The tests select the stations.
#include "mac/test_cells.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_optional {

size_t zone_bursts_sent(const sap::TxFrame& tx) {
    return static_cast<size_t>(
        std::count_if(tx.bursts.begin(), tx.bursts.end(), [](const auto& b) { return b.format.stc; }));
}

bool push_down(Air& air, size_t station, size_t octets) {
    return air.bs->push_sdu(ip_packet(kServer, station_address(station), octets));
}

/// Stations of one rate inside and outside of the zone; each gets its own packets, by a burst where it listens.
class ZoneBeside : public ::testing::TestWithParam<uint8_t> {};
INSTANTIATE_TEST_SUITE_P(OutsideRates, ZoneBeside, ::testing::Values(uint8_t{6}, uint8_t{2}));

TEST_P(ZoneBeside, ItsStationsAreServedThereAndTheOthersBefore) {
    auto config = Air::with_stations(4);
    config.stations[0].dl_rate_id = config.stations[2].dl_rate_id = GetParam();
    config.stations[1].dl_stc = config.stations[3].dl_stc = true;
    config.stations[3].dl_rate_id = 2;
    Air air(config);
    air.antennas = 2;
    air.restart_bs_phy();
    for (int i = 0; i < 4; ++i) air.add();
    enter(air);
    size_t zones = 0, bursts = 0;
    const uint64_t before = air.zone_bursts;
    for (int frame = 0; frame < 60; ++frame) {
        for (size_t i = 0; i < 4 && frame < 50; ++i) ASSERT_TRUE(push_down(air, i, 400 + 100 * i));
        air.step();
        const size_t sent = zone_bursts_sent(air.last_tx());
        zones += sent > 0;
        bursts += sent;
        for (const auto& b : air.last_tx().bursts) EXPECT_TRUE(!b.format.stc || b.format.data_symbols % 2 == 0);
    }
    EXPECT_GE(zones, 50U);
    EXPECT_GE(bursts, zones + 45);                    // of two rates
    EXPECT_EQ(air.zone_bursts - before, 4 * bursts);  // each station hears each of them
    for (const auto& t : air.terminals) EXPECT_EQ(t->dl_packets, 50U);
    expect_clean(air);
}

TEST(StcZone, NoneWhereThePhyHasOneAntenna) {
    auto config = Air::with_stations(1);
    config.stations[0].dl_stc = true;
    Air air(config);
    air.add();
    enter(air);
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(push_down(air, 0, 1000));
        air.step();
        EXPECT_EQ(zone_bursts_sent(air.last_tx()), 0U);
    }
    air.run(5);
    EXPECT_EQ(air.terminals[0]->dl_packets, 10U);
    expect_clean(air);
}

/// The frame prefix has four entries: after more bursts than that only the DL-MAP announces the zone.
TEST(StcZone, BehindMoreBurstsThanTheFramePrefixHolds) {
    for (const size_t outside : {3U, 5U}) {  // and burst #1
        SCOPED_TRACE(outside);
        auto config = Air::with_stations(outside + 1);
        for (size_t i = 0; i < outside; ++i) config.stations[i].dl_rate_id = static_cast<uint8_t>(1 + i);
        config.stations[outside].dl_stc = true;
        config.profile.dl_map_interval_ms = 500;
        Air air(config);
        air.antennas = 2;
        air.restart_bs_phy();
        for (size_t i = 0; i <= outside; ++i) air.add();
        enter(air);
        size_t hidden = 0;
        for (int frame = 0; frame < 30; ++frame) {
            for (size_t i = 0; i <= outside; ++i) ASSERT_TRUE(push_down(air, i, 300));
            air.step();
            hidden +=
                air.last_tx().bursts.size() == outside + 2 && air.terminals[outside]->expect.stc_zone_slots.size() == 1;
        }
        air.run(5);
        EXPECT_GE(hidden, 25U);
        for (const auto& t : air.terminals) EXPECT_EQ(t->dl_packets, 30U);
        expect_clean(air);
    }
}

/// A station in the zone adapts its rate to the CINR that it measures there, not to the CINR outside.
TEST(StcZone, TheRateFollowsWhatIsHeardWhereItListens) {
    const auto rate_with = [](bool zone, float inside_db, float outside_db) {
        auto config = Air::with_stations(1);
        config.dl_lowest_rate_id = 0;
        config.stations[0].dl_stc = zone;
        Air air(config);
        air.antennas = 2;
        air.restart_bs_phy();
        air.tamper = [=](sap::RxBurst& r) {
            if (r.cid == 0) r.measured.cinr_db = r.index > phy::kStcZoneIndex ? inside_db : outside_db;
        };
        air.add();
        enter(air);
        for (int frame = 0; frame < 300; ++frame) {
            push_down(air, 0, 200);
            air.step();
        }
        EXPECT_EQ(air.zone_bursts > 0, zone);
        return air.bs_status()["stations"][0]["dl_rate_id"].get<int>();
    };
    const int good = rate_with(false, 0, 30), poor = rate_with(false, 0, 12);
    EXPECT_GT(good, poor);
    EXPECT_EQ(rate_with(true, 12, 30), poor);
    EXPECT_EQ(rate_with(true, 30, 12), good);
}

/// Grants of one, two, four and eight subchannels; a grant's octets are those that its carriers hold.
TEST(SubchannelizedGrants, CarryDataAndRequests) {
    for (const int count : {1, 2, 4, 8}) {
        SCOPED_TRACE(count);
        auto config = bare(2, 2);
        config.stations[1].ul_subchannels = static_cast<uint8_t>(count);
        Air air(config);
        air.add();
        air.add();
        enter(air);
        const uint64_t before = air.subchannel_bursts;
        for (uint32_t i = 0; i < 5; ++i)
            for (const size_t station : {0U, 1U}) ASSERT_TRUE(send(air, station, 400, 5000, i));
        EXPECT_GE(frames_until(air, 10, 200), 0);
        EXPECT_GT(air.subchannel_bursts, before);
        EXPECT_EQ(air.ul_bytes[station_address(1)], 2000U);
        expect_clean(air);
    }
}

TEST(SubchannelizedGrants, SymbolsAndOctetsAgree) {
    for (uint8_t rate = 0; rate < 7; ++rate)
        for (uint8_t index = 1; index <= 31; ++index)
            for (const size_t octets : {1U, 5U, 6U, 11U, 12U, 100U, 1000U}) {
                const uint32_t symbols = symbols_for(rate, octets, index);
                ASSERT_GE(bytes_in(rate, symbols, index), octets) << int{rate} << " " << int{index};
                if (symbols > 1) {
                    ASSERT_LT(bytes_in(rate, symbols - 1, index), octets) << int{rate} << " " << int{index};
                }
            }
    EXPECT_EQ(subchannels_in(16), 16U);
    EXPECT_EQ(subchannels_in(4), 4U);
    EXPECT_EQ(subchannels_in(31), 1U);
    EXPECT_EQ(bytes_in(1, 10, 4), 10U * 24 / 4 - 1);
}

/// Nothing is granted unasked and no other region is there: packets come by code, answer, request and grant.
class FocusedContentionCell : public ::testing::TestWithParam<MapRelevance> {
protected:
    BaseStationConfig cell(size_t stations) const {
        auto config = bare(stations, 3, GetParam());
        config.profile.request_symbols = 0;
        config.profile.focused_opportunities = 2;
        return config;
    }
    static Json requests_of(const Air::Terminal& t) { return t.status()["requests"]; }
};
INSTANTIATE_TEST_SUITE_P(Maps, FocusedContentionCell,
                         ::testing::Values(MapRelevance::same_frame, MapRelevance::next_frame));

TEST_P(FocusedContentionCell, ACodeItsAnswerARequestAndItsGrant) {
    Air air(cell(1));
    air.add();
    enter(air);
    const auto codes = air.codes;
    const auto before = requests_of(*air.terminals[0]);
    ASSERT_TRUE(send(air, 0, 600));
    const int frames = frames_until(air, 1, 40);
    EXPECT_GE(frames, 3);  // code, request, data: a map between each
    EXPECT_LE(frames, 12);
    const auto after = requests_of(*air.terminals[0]);
    EXPECT_EQ(air.codes, codes + 1);
    EXPECT_EQ(after["codes"].get<int>(), before["codes"].get<int>() + 1);
    EXPECT_EQ(after["codes_answered"].get<int>(), before["codes_answered"].get<int>() + 1);
    EXPECT_EQ(after["contention"].get<int>(), before["contention"].get<int>() + 1);
    EXPECT_EQ(after["contention_lost"], before["contention_lost"]);
    const auto status = air.bs_status()["focused_contention"];
    EXPECT_EQ(status["codes"], air.codes);
    EXPECT_EQ(status["answers"], air.codes);
    expect_clean(air);
}

/// Twenty at once: opportunities, channels and codes separate them, and a station that collides tries again.
TEST_P(FocusedContentionCell, ManyAtOnce) {
    Air air(cell(20));
    for (int i = 0; i < 20; ++i) air.add();
    enter(air);
    for (size_t i = 0; i < 20; ++i) ASSERT_TRUE(send(air, i, 300));
    const int frames = frames_until(air, 20, 400);
    EXPECT_GE(frames, 0);
    expect_clean(air);
}

/// A response that the code's sender does not receive is requested again, and no other station takes it.
TEST_P(FocusedContentionCell, AnAnswerThatIsLost) {
    Air air(cell(2));
    air.add();
    air.add();
    enter(air);
    const auto others = requests_of(*air.terminals[1])["contention"];
    ASSERT_TRUE(send(air, 0, 600));
    ASSERT_GE(air.run_until([&] { return !air.terminals[0]->tx.codes.empty(); }, 30), 0);
    air.total_damage = true;
    air.terminals[0]->link.downlink_loss = 1;
    air.run(4);
    air.terminals[0]->link.downlink_loss = 0;
    const auto lost = requests_of(*air.terminals[0])["contention_lost"].get<int>();
    EXPECT_GE(frames_until(air, 1, 300), 0);
    EXPECT_EQ(requests_of(*air.terminals[0])["contention_lost"].get<int>(), lost + 1);
    EXPECT_EQ(requests_of(*air.terminals[1])["contention"], others);  // it has heard an answer, which is not its own
    expect_clean(air);
}

}  // namespace test_air_optional
