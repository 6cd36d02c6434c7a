// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidths, frame durations, cyclic prefixes and map relevance; and octets that mean nothing.
#include "mac/test_air.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_profiles {

constexpr int64_t kSpacingHz = -100'000'000;  // FDD

struct Profile {
    uint32_t bandwidth_hz;
    uint8_t frame_code, cp;
    MapRelevance relevance = MapRelevance::automatic;
    double dl_share = 0.5;
    int64_t duplex_spacing_hz = 0;
};

class Numerology : public ::testing::TestWithParam<Profile> {};

TEST_P(Numerology, EntryAndSaturation) {
    BaseStationConfig config;
    config.bandwidth_hz = GetParam().bandwidth_hz;
    config.frame_duration_code = GetParam().frame_code;
    config.cp_denominator = GetParam().cp;
    config.map_relevance = GetParam().relevance;
    config.dl_share = GetParam().dl_share;
    config.carriers.duplex_spacing_hz = GetParam().duplex_spacing_hz;
    config.sdu_buffers = 16384;
    config.unknown_station->flows.resize(2);
    config.unknown_station->flows[1].direction = FlowDirection::uplink;
    config.unknown_station->flows[0].queue_limit_bytes = 4'000'000;
    ASSERT_EQ(validate(config).str(), "");
    Air air(config);
    auto& station = air.add();
    station.config.queue_limit_bytes = 4'000'000;
    station.config.sdu_buffers = 8192;
    air.restart(station);
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(4)), 0)
        << air.bs_status().dump(1) << station.status().dump(1);
    const size_t per_frame = air.layout.frame_symbols * 108UL / 1500 + 3;
    const auto load = [&](int frames) {
        for (int i = 0; i < frames; ++i) {
            for (size_t k = 0; k < per_frame; ++k) {
                air.bs->push_sdu(ip_packet(kServer, station_address(0), 1500));
                station.mac->push_sdu(ip_packet(station_address(0), kServer, 1500));
            }
            air.step();
        }
    };
    load(40);
    const auto down = station.dl_bytes, up = air.ul_bytes[station_address(0)];
    const int frames = 60;
    load(frames);
    const double kbps = 8.0 / 1000 / (frames * air.layout.frame_seconds());
    const auto capacity = air.bs_status()["capacity_kbps"];
    EXPECT_NEAR(static_cast<double>(station.dl_bytes - down) * kbps / capacity["downlink"].get<double>(), 1.0, 0.05);
    EXPECT_NEAR(static_cast<double>(air.ul_bytes[station_address(0)] - up) * kbps / capacity["uplink"].get<double>(),
                1.0, 0.05);
    EXPECT_EQ(air.stray_bursts, 0U);
    EXPECT_EQ(air.overlaps, 0U);
    EXPECT_EQ(air.too_late_maps, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Numerology,
                         ::testing::Values(Profile{5'000'000, 4, 8}, Profile{5'000'000, 0, 8}, Profile{5'000'000, 1, 8},
                                           Profile{5'000'000, 2, 8}, Profile{5'000'000, 5, 8}, Profile{5'000'000, 6, 8},
                                           Profile{3'500'000, 4, 8}, Profile{7'000'000, 2, 4},
                                           Profile{10'000'000, 4, 16}, Profile{20'000'000, 4, 32},
                                           Profile{20'000'000, 6, 8}, Profile{1'750'000, 4, 4},
                                           Profile{5'000'000, 4, 8, MapRelevance::next_frame},
                                           Profile{3'500'000, 0, 8, MapRelevance::next_frame},
                                           Profile{5'000'000, 4, 8, MapRelevance::automatic, 0.5, kSpacingHz},
                                           Profile{3'500'000, 0, 8, MapRelevance::automatic, 0.5, kSpacingHz},
                                           Profile{7'000'000, 2, 4, MapRelevance::next_frame, 0.5, kSpacingHz},
                                           Profile{1'750'000, 4, 8, MapRelevance::automatic, 0.5, -kSpacingHz}));

/// Frames so short that one ranging region takes more than half of the uplink.
class ShortUplink : public ::testing::TestWithParam<Profile> {};

TEST_P(ShortUplink, StationsEnter) {
    BaseStationConfig config;
    config.bandwidth_hz = GetParam().bandwidth_hz;
    config.frame_duration_code = GetParam().frame_code;
    config.cp_denominator = GetParam().cp;
    ASSERT_EQ(validate(config).str(), "");
    Air air(config);
    ASSERT_GT(config.profile.ranging_symbols + 2, air.layout.uplink.symbols / 2);
    air.add();
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(4)), 0)
        << air.bs_status().dump(1);
    EXPECT_EQ(air.stray_bursts, 0U);
    EXPECT_EQ(air.overlaps, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, ShortUplink, ::testing::Values(Profile{3'000'000, 0, 8}, Profile{1'250'000, 2, 8}));

TEST(Numerology, LongUplinkIsSplit) {
    BaseStationConfig config;
    config.bandwidth_hz = 20'000'000;
    config.frame_duration_code = 6;
    config.dl_share = 0.2;
    config.unknown_station->flows.resize(2);
    config.unknown_station->flows[1].direction = FlowDirection::uplink;
    Air air(config);
    auto& station = air.add();
    station.config.queue_limit_bytes = 4'000'000;
    station.config.sdu_buffers = 8192;
    air.restart(station);
    ASSERT_GT(air.layout.uplink.symbols, 1023U);
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(4)), 0);
    for (int i = 0; i < 30; ++i) {
        for (int k = 0; k < 120; ++k) station.mac->push_sdu(ip_packet(station_address(0), kServer, 1500));
        air.step();
    }
    uint32_t data = 0;
    size_t bursts = 0;
    for (const auto& a : air.last_expect().allocations) {
        EXPECT_LE(a.format.total_symbols(), 1023);
        if (a.kind != sap::BurstKind::data) continue;
        data += a.format.data_symbols;
        ++bursts;
    }
    EXPECT_GE(bursts, 2U);
    EXPECT_GT(data, 1200U);
    EXPECT_EQ(air.stray_bursts, 0U);
    EXPECT_GT(air.ul_packets, 20 * 80U);
}

TEST(Numerology, MapsForTheNextFrameWhereTprocAsksForIt) {
    BaseStationConfig config;
    config.frame_duration_code = 0;
    EXPECT_TRUE(FrameLayout::make(config)->maps_next_frame);
    config.frame_duration_code = 4;
    EXPECT_FALSE(FrameLayout::make(config)->maps_next_frame);
}

/// Five symbols of contention hold two opportunities; the fifth is unused.
TEST(FieldProfiles, AnOddRegionHasASymbolThatNobodyUses) {
    BaseStationConfig config;
    config.profile = *BaseStationProfile::named("Default", 10'000);
    Air air(config);
    air.add();
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(4)), 0);
    for (int i = 0; i < 20; ++i) {
        air.step();
        std::vector<uint32_t> starts;
        uint32_t next = air.layout.uplink.symbols;
        const auto symbol = [&](const auto& a) {
            return (a.start_slot - air.layout.uplink.first) / air.layout.symbol_slots;
        };
        for (const auto& a : air.last_expect().allocations)
            if (a.kind == sap::BurstKind::contention) starts.push_back(symbol(a));
        ASSERT_EQ(starts.size(), 2U);
        EXPECT_EQ(starts[1], starts[0] + 2);
        for (const auto& a : air.last_expect().allocations)
            if (symbol(a) > starts[1]) next = std::min<uint32_t>(next, symbol(a));
        EXPECT_GE(next, starts[1] + 3) << "two of the second opportunity and the odd one";
    }
    EXPECT_EQ(air.overlaps, 0U);
}

TEST(Validation, EveryFaultAtOnce) {
    BaseStationConfig config;
    config.bandwidth_hz = 28'000'000;
    config.frame_duration_code = 6;
    config.cp_denominator = 32;
    config.profile.broadcast_rate_id = 9;
    config.profile.request_symbols = 199;
    config.unknown_station->flows.resize(1);
    const auto faults = validate(config);
    EXPECT_EQ(
        faults.lines(),
        (std::vector<std::string>{
            "profile.broadcast_rate_id: value 9: allowed 0..6", "profile.request_symbols: value 199: allowed 0..128",
            "unknown_station.flows: value of one direction: allowed at least one downlink and one uplink flow",
            "frame_duration_code: value 6: allowed frames of at most 2047 symbols; with this bandwidth and cyclic "
            "prefix it has 2424"}));
    SubscriberConfig station;
    station.bandwidth_hz = 1;
    station.mac[0] = 1;
    EXPECT_EQ(validate(station).count(), 2U);
}

TEST(Malformed, RandomOctetsAreNeverFatal) {
    Air air(Air::with_stations(2));
    for (int i = 0; i < 2; ++i) air.add();
    ASSERT_GE(air.run_until([&] { return air.all_operational(); }, air.frames(4)), 0);
    std::mt19937 random(3);
    // Whole PDUs with right check sequences and wrong contents, and plain noise.
    air.tamper = [&](sap::RxBurst& burst) {
        const auto kind = random() % 4;
        if (kind == 0) return;
        if (kind == 1) {
            for (auto& octet : burst.payload) octet = static_cast<uint8_t>(random());
            return;
        }
        Buffer forged;
        PduWriter writer(forged, burst.payload.size());
        while (writer.room() > 80) {
            const uint16_t cids[] = {0,   1,   2,   321,    322,    641,
                                     642, 643, 644, 0xFFFF, 0xFFFE, static_cast<uint16_t>(random())};
            if (!writer.begin(cids[random() % std::size(cids)], random() % 2, random() % 2)) break;
            const auto which = random() % 4;
            if (which == 0) writer.grant_management({static_cast<uint16_t>(random())});
            if (which == 1)
                writer.fragmentation(
                    {static_cast<FragmentControl>(random() % 4), static_cast<uint16_t>(random() % 2048)});
            std::vector<uint8_t> body(random() % 60);
            for (auto& octet : body) octet = static_cast<uint8_t>(random() % (which == 3 ? 40 : 256));
            if (which == 2)
                writer.packed(static_cast<FragmentControl>(random() % 4), static_cast<uint16_t>(random() % 2048), body);
            writer.payload(body);
            writer.finish();
            if (random() % 5 == 0)
                writer.request({static_cast<RequestType>(random() % 2), static_cast<uint32_t>(random() % 500000),
                                static_cast<uint16_t>(random() % 700)});
        }
        std::copy(forged.begin(), forged.end(), burst.payload.begin());
    };
    for (int i = 0; i < 1500; ++i) {
        air.bs->push_sdu(ip_packet(kServer, station_address(0), 1500));
        air.terminals[0]->mac->push_sdu(ip_packet(station_address(0), kServer, 700));
        air.step();
    }
    EXPECT_EQ(air.overlaps, 0U);
    EXPECT_EQ(air.oversized, 0U);
    air.tamper = nullptr;
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(20)), 0)
        << air.terminals[0]->status().dump(1) << air.terminals[1]->status().dump(1);
    air.run(air.frames(3));
    EXPECT_TRUE(air.all_operational());
}

}  // namespace test_air_profiles
