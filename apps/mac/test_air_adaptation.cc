// SPDX-License-Identifier: GPL-3.0-or-later
// Rates that follow the CINR between a base station and a subscriber station, over an air that loses blocks as the
// receiver does in white noise; and descriptors that change while both are served.
#include "mac/pdu/management_messages.h"
#include "mac/rate_adaptation.h"
#include "mac/test_error_model.h"
#include "mac/test_fading.h"
#include "mac/test_link.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_adaptation {

constexpr float kFullPowerCinrDb = 120;  // of a station at its limit, at 0 dB of path loss: both ways
constexpr float kNoiseDb = 0.3F;         // of a measured CINR

BaseStationConfig adaptive() {
    BaseStationConfig config;
    config.profile.broadcast_rate_id = 0;  // maps survive the same conditions as BPSK
    config.dl_lowest_rate_id = config.ul_lowest_rate_id = 0;
    return config;
}

/// A cell on an air with the error model, at a CINR that may change from frame to frame.
struct Channel : Cell {
    explicit Channel(float cinr_db, BaseStationConfig config = adaptive(), uint32_t seed = 1)
        : Cell({10, kFullPowerCinrDb - cinr_db, 0}, std::move(config)), model(seed) {
        keep_numbers = true;
        tamper = [this](sap::RxBurst& burst) { lose_blocks(burst); };
        run(frames(2));
    }
    float cinr_db() const { return kFullPowerCinrDb - station.link.path_loss_db; }
    void set_cinr(float db) { station.link.path_loss_db = kFullPowerCinrDb - db; }

    void lose_blocks(sap::RxBurst& burst) {
        const auto block = static_cast<size_t>(phy::kRateTable[burst.rate_id].uncoded_bytes);
        const bool broadcast = burst.index == 1 && burst.cid == 0;
        const float cinr_db = fading ? fading->effective_db(burst.rate_id, mean_db) : burst.measured.cinr_db;
        for (size_t at = 0; at < burst.payload.size(); at += block) {
            if (!model.block_lost(burst.rate_id, cinr_db)) continue;
            burst.fec_ok = burst.rate_id == 0;  // only the CRCs detect it there
            for (size_t i = at; i < std::min(at + block, burst.payload.size()); ++i) burst.payload[i] ^= 0x55;
        }
        failed += broadcast || burst.fec_ok ? 0 : 1;
        burst.measured.cinr_db += model.noise_db(kNoiseDb);
    }
    /// A packet each way in each frame: half the capacity of BPSK.
    void load() {
        down_taken += bs->push_sdu(ip_packet(kServer, station_address(0), 540, 5000, ++sent));
        up_taken += station.mac->push_sdu(ip_packet(station_address(0), kServer, 540, 5000, sent));
        step();
    }
    int dl_rate() { return entry()["dl_rate_id"].get<int>(); }
    int ul_rate() { return entry()["ul_rate_id"].get<int>(); }
    Json profile() { return station.status()["downlink_profile"]; }

    ErrorModel model;
    std::optional<Sui3> fading;
    float mean_db = 0;  ///< over time, of the fading
    uint32_t sent = 0, down_taken = 0, up_taken = 0;
    uint64_t failed = 0;
};

struct Shares {
    double down = 0, up = 0;
};

/// The ramp, over ten seconds: 4 s at 35 dB, 1 s down, 1 s at 5 dB, 1 s up, 3 s at 35 dB.
float ramp_db(double second) {
    if (second < 4) return 35;
    if (second < 5) return 35 - 30 * static_cast<float>(second - 4);
    if (second < 6) return 5;
    if (second < 7) return 5 + 30 * static_cast<float>(second - 6);
    return 35;
}

Shares lost_on_the_ramp(uint8_t frame_code, uint32_t seed) {
    auto config = adaptive();
    config.frame_duration_code = frame_code;
    Channel air(35, config, seed);
    EXPECT_TRUE(air.entered);
    EXPECT_EQ(air.dl_rate(), 6);
    EXPECT_EQ(air.ul_rate(), 6);
    const auto down = air.station.dl_packets, up = air.ul_packets;
    const auto restarts = air.station.status()["restarts"];
    int lowest_down = 6, lowest_up = 6;
    const char* path = std::getenv("WIMAX_RAMP_CSV");  // for the picture in docs/mac.md
    std::ofstream csv(path ? path : "/dev/null");
    csv << "s,cinr_db,dl_rate_id,ul_rate_id\n";
    const int frames = air.frames(10);
    for (int i = 0; i < frames; ++i) {
        air.set_cinr(ramp_db(10.0 * i / frames));
        air.load();
        if (i % 5 == 0) {
            lowest_down = std::min(lowest_down, air.dl_rate());
            lowest_up = std::min(lowest_up, air.ul_rate());
        }
        if (path)
            csv << 10.0 * i / frames << ',' << air.cinr_db() << ',' << air.dl_rate() << ',' << air.ul_rate() << '\n';
    }
    air.run(20);
    EXPECT_EQ(air.station.status()["restarts"], restarts);
    EXPECT_LE(lowest_down, 1);  // which serves at 5 dB
    EXPECT_LE(lowest_up, 1);
    EXPECT_EQ(air.dl_rate(), 6);
    EXPECT_EQ(air.ul_rate(), 6);
    EXPECT_EQ(air.stray_bursts, 0U);
    return {1 - double(air.station.dl_packets - down) / air.down_taken, 1 - double(air.ul_packets - up) / air.up_taken};
}

class Ramp : public ::testing::TestWithParam<int> {};
TEST_P(Ramp, IsFollowedWithLessThanOneInAThousandLost) {
    Shares mean;
    const int runs = 4;
    for (uint32_t seed = 1; seed <= runs; ++seed) {
        const auto lost = lost_on_the_ramp(static_cast<uint8_t>(GetParam()), seed);
        EXPECT_LT(lost.down, 0.001);
        EXPECT_LT(lost.up, 0.001);
        mean.down += lost.down / runs;
        mean.up += lost.up / runs;
    }
    printf("frame duration code %d: lost %.3f %% down, %.3f %% up\n", GetParam(), 100 * mean.down, 100 * mean.up);
}
INSTANTIATE_TEST_SUITE_P(FrameCodes, Ramp, ::testing::Values(2, 4, 6));

/// Octets each way in a minute of SUI-3, both directions full. `rate_id` -1: auto.
std::array<uint64_t, 2> carried_in_sui3(float mean_db, int rate_id) {
    auto config = adaptive();
    if (rate_id >= 0) {
        config.dl_lowest_rate_id = config.ul_lowest_rate_id = std::nullopt;
        config.dl_rate_id = config.ul_rate_id = static_cast<uint8_t>(rate_id);
    }
    Channel air(35, config);
    air.keep_numbers = false;
    EXPECT_TRUE(air.entered);
    air.fading.emplace(4);
    air.mean_db = mean_db;
    const uint64_t down = air.station.dl_bytes, up = air.ul_bytes[station_address(0)];
    const int frames = air.frames(60);
    const auto to_station = ip_packet(kServer, station_address(0), 1500),
               to_server = ip_packet(station_address(0), kServer, 1500);
    for (int i = 0; i < frames; ++i) {
        air.fading->at(60.0 * i / frames);
        air.set_cinr(mean_db + air.fading->gain_db());
        for (int k = 0; k < 7; ++k) {
            air.bs->push_sdu(to_station);
            air.station.mac->push_sdu(to_server);
        }
        air.step();
    }
    return {air.station.dl_bytes - down, air.ul_bytes[station_address(0)] - up};
}

class Fading : public ::testing::TestWithParam<float> {};
TEST_P(Fading, InSui3CarriesNoLessThanTheBestFixedRate) {
    const auto adapted = carried_in_sui3(GetParam(), -1);
    std::array<uint64_t, 2> best{};
    printf("SUI-3 at %.0f dB, kb/s down / up: auto %lu / %lu; fixed", double(GetParam()), adapted[0] / 7500,
           adapted[1] / 7500);
    for (int rate = 0; rate < 7; ++rate) {
        const auto fixed = carried_in_sui3(GetParam(), rate);
        printf(" %lu / %lu%s", fixed[0] / 7500, fixed[1] / 7500, rate < 6 ? "," : "\n");
        for (size_t way = 0; way < 2; ++way) best[way] = std::max(best[way], fixed[way]);
    }
    for (size_t way = 0; way < 2; ++way) EXPECT_GT(double(adapted[way]), 0.9 * double(best[way])) << way;
}
INSTANTIATE_TEST_SUITE_P(Means, Fading, ::testing::Values(15.0F, 20.0F, 25.0F));

/// Minutes at a CINR on a threshold, or between two: the rate is found once and stays.
TEST(Adaptation, StaysAtAConstantCinr) {
    const auto needs = needs_db(LinkGoal::few_losses, LinkAdaptationConfig{}.target_loss);
    for (const size_t rate : {2, 4, 6})
        for (const float off_db : {0.0F, 2.0F}) {
            Channel air(needs[rate] + off_db);
            ASSERT_TRUE(air.entered);
            for (int i = 0; i < 500; ++i) air.load();
            const Json before = air.entry()["link"];
            const Json asked = air.profile()["requests"];
            for (int i = 0; i < 2000; ++i) air.load();
            const Json after = air.entry()["link"];
            for (const char* key : {"dl_falls", "dl_rises", "ul_falls", "ul_rises"})
                EXPECT_LE(after[key].get<int>() - before[key].get<int>(), 1) << rate << " " << off_db << " " << key;
            EXPECT_LE(air.profile()["requests"].get<int>() - asked.get<int>(), 2);
        }
}

/// The base station's flows have a target, which the station learns from DSA-REQ: both ends follow it.
TEST(Adaptation, BothEndsFollowTheTargetOfTheFlows) {
    constexpr size_t kRow = 4;
    constexpr float kStrict = 1e-5F, kLoose = 0.2F;
    const float between_db =
        (needs_db(LinkGoal::few_losses, kStrict)[kRow] + needs_db(LinkGoal::few_losses, kLoose)[kRow]) / 2;
    for (const auto& [target, rate] : {std::pair{kStrict, kRow - 1}, std::pair{kLoose, kRow}}) {
        auto config = adaptive();
        for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink}) {
            auto& flow = config.unknown_station->flows.emplace_back();
            flow.direction = direction;
            flow.target_loss = target;
        }
        Channel air(between_db, config);
        ASSERT_TRUE(air.entered);
        for (int i = 0; i < 1000; ++i) air.load();
        EXPECT_EQ(air.dl_rate(), static_cast<int>(rate)) << target;
        EXPECT_EQ(air.ul_rate(), static_cast<int>(rate)) << target;
    }
}

TEST(Adaptation, EntersWithTheRateThatTheCinrAllows) {
    const auto needs = needs_db(LinkGoal::few_losses, LinkAdaptationConfig{}.target_loss);
    for (const int rate : {0, 1, 3, 4}) {
        Cell air({10, kFullPowerCinrDb - needs[static_cast<size_t>(rate)] - 0.3F, 0}, adaptive());
        ASSERT_TRUE(air.entered) << rate;
        EXPECT_EQ(air.entry()["dl_rate_id"], rate);
        EXPECT_EQ(air.entry()["ul_rate_id"], rate);
        EXPECT_EQ(air.station.status()["downlink_profile"]["rate_id"], rate);
    }
}

/// Only the downlink adapts, so that requests are received.
BaseStationConfig downlink_adaptive() {
    auto config = adaptive();
    config.ul_rate_id = 0;
    config.ul_lowest_rate_id.reset();
    return config;
}

/// Rates of the data bursts of the frame that carries the next DBPC-RSP, of the frame before it and of that after it.
std::array<int, 3> rates_around_answer(Cell& air) {
    std::array<int, 3> rates{-1, -1, -1};
    bool answered = false;
    for (int i = 0; i < 20 && !answered; ++i) {
        for (const auto& burst : air.last_tx().bursts) {
            PduReader reader(burst.payload);
            while (const auto pdu = reader.next())
                answered = answered || message_type(pdu->body) == MessageType::dbpc_rsp;
        }
        air.bs->push_sdu(ip_packet(kServer, station_address(0), 200));
        air.step();
        const auto& bursts = air.last_tx().bursts;
        rates = {rates[1], rates[2], bursts.size() > 1 ? bursts[1].format.rate_id : -1};
    }
    EXPECT_TRUE(answered);
    return rates;
}

TEST(Adaptation, AnswersToDbpcReqSwitchAsTheStandardSays) {
    Cell air({10, kFullPowerCinrDb - 35, 0}, downlink_adaptive());
    ASSERT_TRUE(air.entered);
    air.run(air.frames(1));
    air.station.link.path_loss_db = kFullPowerCinrDb - 12.3F;
    EXPECT_EQ(rates_around_answer(air), (std::array{6, 3, 3}));  // at once
    air.run(100);
    air.station.link.path_loss_db = kFullPowerCinrDb - 35;
    EXPECT_EQ(rates_around_answer(air), (std::array{3, 3, 6}));  // once it is announced
    EXPECT_EQ(air.station.status()["downlink_profile"]["repetitions"], 0);
}

/// Management messages of that type, lost on the way to the station.
struct Losing {
    MessageType type;
    int left;
    int seen = 0;
    void operator()(sap::RxBurst& burst) {
        PduReader reader(burst.payload);
        size_t at = 0;
        while (const auto pdu = reader.next()) {
            const size_t end = at + pdu->octets.size();
            if (message_type(pdu->body) == type && !pdu->is_request) {
                ++seen;
                if (left-- > 0)
                    for (size_t i = at; i < end; ++i) burst.payload[i] ^= 0x55;
            }
            at = end;
        }
    }
};

TEST(Adaptation, ALostAnswerIsRepeated) {
    Cell air({10, kFullPowerCinrDb - 35, 0}, downlink_adaptive());
    ASSERT_TRUE(air.entered);
    air.run(air.frames(1));
    Losing losing{MessageType::dbpc_rsp, 1};
    air.tamper = [&](sap::RxBurst& burst) { losing(burst); };
    air.station.link.path_loss_db = kFullPowerCinrDb - 12.3F;
    air.run(20);
    const Json status = air.station.status()["downlink_profile"];
    EXPECT_EQ(losing.seen, 2);
    EXPECT_EQ(status["requests"], 1);
    EXPECT_EQ(status["repetitions"], 1);
    EXPECT_EQ(status["rate_id"], 3);
    EXPECT_EQ(air.entry()["dl_rate_id"], 3);
}

TEST(Adaptation, WithoutAnAnswerTheStationAsksByRanging) {
    Cell air({10, kFullPowerCinrDb - 35, 0}, downlink_adaptive());
    ASSERT_TRUE(air.entered);
    air.run(air.frames(1));
    Losing losing{MessageType::dbpc_req, 1000};
    air.tamper = [&](sap::RxBurst& burst) { losing(burst); };
    air.station.link.path_loss_db = kFullPowerCinrDb - 12.3F;
    const Json restarts = air.station.status()["restarts"];
    const int frames = air.run_until([&] { return air.entry()["dl_rate_id"] == 3; }, 60);
    EXPECT_GE(frames, 8);  // two requests first
    EXPECT_GE(losing.seen, 2);
    air.run(10);
    EXPECT_EQ(air.station.status()["downlink_profile"]["rate_id"], 3);
    EXPECT_GE(air.station.status()["downlink_profile"]["ranging_requests"].get<int>(), 1);
    EXPECT_EQ(air.station.status()["restarts"], restarts);
    EXPECT_EQ(air.bs_status()["ranging"]["undecoded"], 0);
    air.tamper = nullptr;
    EXPECT_TRUE(air.pings());
}

/// A forged request in the station's name: the station notices, and requests its previous rate.
TEST(Adaptation, OthersLowerARateForNoLongerThanASecond) {
    Cell air({10, kFullPowerCinrDb - 35, 0}, downlink_adaptive());
    ASSERT_TRUE(air.entered);
    air.run(air.frames(1));
    const auto basic = air.station.status()["basic_cid"].get<uint16_t>();
    const auto forge = [&](uint8_t diuc) {
        sap::RxBurst burst;
        burst.kind = sap::BurstKind::ranging;
        burst.frame_number = air.frame;
        burst.detected = burst.fec_ok = true;
        burst.measured.cinr_db = 20;
        burst.measured.rssi_dbm = -60;
        burst.iuc = uiuc::kInitialRanging;
        RngReq request;
        request.requested_profile = RequestedProfile{1, diuc};
        PduWriter(burst.payload, 60).message(basic, request);
        sap::RxExpect unused;
        air.bs->on_burst(burst, unused);
    };
    Losing losing{MessageType::rng_rsp, 1};
    air.tamper = [&](sap::RxBurst& burst) { losing(burst); };
    forge(1);
    EXPECT_EQ(air.entry()["dl_rate_id"], 0);
    forge(7);
    EXPECT_EQ(air.entry()["dl_rate_id"], 0);  // never up
    air.run(air.frames(1.2));
    EXPECT_EQ(losing.seen, 1);
    EXPECT_EQ(air.entry()["dl_rate_id"], 6);
    EXPECT_EQ(air.station.status()["downlink_profile"]["rate_id"], 6);
}

TEST(Adaptation, AFixedRateIsALimitThatIsAskedAboutOnce) {
    BaseStationConfig config;
    config.profile.broadcast_rate_id = 0;
    config.dl_rate_id = 2;
    Cell air({10, kFullPowerCinrDb - 35, 0}, config);
    ASSERT_TRUE(air.entered);
    air.run(air.frames(5));
    const Json status = air.station.status()["downlink_profile"];
    EXPECT_EQ(status["requests"], 1);
    EXPECT_EQ(status["refusals"], 1);
    EXPECT_EQ(status["rate_id"], 2);
    EXPECT_EQ(air.entry()["dl_rate_id"], 2);
}

TEST(Adaptation, StationsHaveLimitsOfTheirOwn) {
    auto config = Air::with_stations(1, adaptive());
    config.stations[0].dl_rate_id = 5;
    config.stations[0].dl_lowest_rate_id = 3;
    config.stations[0].ul_rate_id = 4;
    config.stations[0].ul_lowest_rate_id = 2;
    Cell air({10, kFullPowerCinrDb - 35, 0}, config);
    ASSERT_TRUE(air.entered);
    air.run(air.frames(1));
    EXPECT_EQ(air.entry()["dl_rate_id"], 5);
    EXPECT_EQ(air.entry()["ul_rate_id"], 4);
    air.station.link.path_loss_db = kFullPowerCinrDb - 6;
    air.run(60);
    EXPECT_EQ(air.entry()["dl_rate_id"], 3);
    EXPECT_EQ(air.entry()["ul_rate_id"], 2);
}

TEST(Adaptation, TheBaseStationKnowsCinrAndPowerOfItsStations) {
    Cell air({10, kNearDb, 0}, adaptive());
    ASSERT_TRUE(air.entered);
    air.run(air.frames(1.2));
    Json link = air.entry()["link"];
    EXPECT_EQ(link["dl_cinr_db"], 53);  // the code ends there
    EXPECT_NEAR(link["power_left_db"].get<float>(), 30, 1.1);
    air.station.link.path_loss_db = kNearDb + 20;
    air.run(air.frames(0.8));  // commands alone tell
    link = air.entry()["link"];
    EXPECT_NEAR(link["power_left_db"].get<float>(), 10, 1.1);
    EXPECT_NEAR(air.power_dbm(), 10, 1.1);
    EXPECT_EQ(air.entry()["ul_rate_id"], 6);
}

/// The UL-MAP's and, where there is one, the DL-MAP's counts in the frame that was just sent, and the descriptors in
/// it.
struct Announced {
    std::optional<int> dl_map, ul_map, dcd, ucd;
};
Announced announced(const Air& air) {
    Announced found;
    PduReader reader(air.last_tx().bursts.at(0).payload);
    while (const auto pdu = reader.next()) {
        const auto note = [&](auto message, auto member, std::optional<int>& count) {
            if (message_type(pdu->body) == message.kType && decode(pdu->body, message)) count = message.*member;
        };
        note(DlMap{}, &DlMap::dcd_count, found.dl_map);
        note(UlMap{}, &UlMap::ucd_count, found.ul_map);
        note(Dcd{}, &Dcd::change_count, found.dcd);
        note(Ucd{}, &Ucd::change_count, found.ucd);
    }
    return found;
}

struct Transition {
    int dcds = 0, ucds = 0;                  ///< new ones, before they are in force
    int dl_in_force = -1, ul_in_force = -1;  ///< frame in which a map first names them
    int last_dcd = -1, last_ucd = -1;        ///< frame of the last announcement before
};

Transition watch(Channel& air, int count, int frames) {
    Transition t;
    for (int i = 0; i < frames; ++i) {
        air.load();
        const auto a = announced(air);
        if (a.dl_map == count && t.dl_in_force < 0) t.dl_in_force = i;
        if (a.ul_map == count && t.ul_in_force < 0) t.ul_in_force = i;
        if (a.dcd == count && t.dl_in_force < 0) ++t.dcds, t.last_dcd = i;
        if (a.ucd == count && t.ul_in_force < 0) ++t.ucds, t.last_ucd = i;
    }
    return t;
}

TEST(Descriptors, AreAnnouncedThreeTimesBeforeMapsNameThem) {
    auto config = adaptive();
    config.profile.dl_map_interval_ms = 0;
    Channel air(35, config);
    ASSERT_TRUE(air.entered);
    const auto down = air.station.dl_packets, up = air.ul_packets;
    const Json restarts = air.station.status()["restarts"];
    auto profile = config.profile;
    for (auto* thresholds : {&profile.exit_db, &profile.entry_db})
        for (auto& db : *thresholds) db += 19;
    profile.request_backoff_end = 9;
    profile.reservation_timeout = 33;
    EXPECT_TRUE(air.bs->change_profile(profile).empty());
    EXPECT_EQ(air.bs->change_profile(profile).count(), 1U);  // one at a time
    const auto t = watch(air, 2, 60);
    EXPECT_EQ(t.dcds, 3);
    EXPECT_EQ(t.ucds, 3);
    EXPECT_EQ(t.dl_in_force, t.last_dcd + 4);
    EXPECT_EQ(t.ul_in_force, t.last_ucd + 4);
    EXPECT_LE(t.dl_in_force, 15);
    // 64-QAM 2/3 now needs 35 dB: both directions follow this threshold.
    EXPECT_EQ(air.dl_rate(), 5);
    EXPECT_EQ(air.ul_rate(), 5);
    air.run(20);
    EXPECT_EQ(air.station.dl_packets - down, 60U);
    EXPECT_EQ(air.ul_packets - up, 60U);
    EXPECT_EQ(air.station.status()["restarts"], restarts);
    EXPECT_EQ(air.station.status()["maps_unusable"], 0);
    // And back, with the next count.
    EXPECT_TRUE(air.bs->change_profile(config.profile).empty());
    const auto back = watch(air, 3, 60);
    EXPECT_EQ(back.dl_in_force, back.last_dcd + 4);
    EXPECT_EQ(air.dl_rate(), 6);
    EXPECT_EQ(air.ul_rate(), 6);
}

TEST(Descriptors, WhatDidNotChangeKeepsItsCount) {
    auto config = adaptive();
    config.profile.dl_map_interval_ms = 0;
    Channel air(35, config);
    ASSERT_TRUE(air.entered);
    auto profile = config.profile;
    profile.ranging_backoff_end = 7;
    EXPECT_TRUE(air.bs->change_profile(profile).empty());
    const auto t = watch(air, 2, 40);
    EXPECT_EQ(t.dcds, 0);
    EXPECT_EQ(t.dl_in_force, -1);
    EXPECT_EQ(t.ucds, 3);
    EXPECT_EQ(t.ul_in_force, t.last_ucd + 4);
}

TEST(Descriptors, ANewConfigurationAnnouncesThemOnlyWhereTheyDiffer) {
    auto config = adaptive();
    config.profile.dl_map_interval_ms = 0;
    Channel air(35, config);
    ASSERT_TRUE(air.entered);
    ASSERT_TRUE(air.bs->reprovision(config));
    const auto same = watch(air, 2, 20);
    EXPECT_EQ(same.dcds, 0);
    EXPECT_EQ(same.ucds, 0);
    config.profile.request_backoff_end = 9;
    config.profile.exit_db[6] = 63.75F;  // with the margin this is more than the descriptor's octet can hold
    config.profile.entry_db[6] = 63.75F;
    ASSERT_TRUE(air.bs->reprovision(config));
    const auto differs = watch(air, 2, 60);
    EXPECT_EQ(differs.dcds, 3);
    EXPECT_EQ(differs.ucds, 3);
    EXPECT_EQ(air.dl_rate(), 5);
    EXPECT_EQ(air.ul_rate(), 5);
}

TEST(Descriptors, OfWhatIsNotAllowedNothingChanges) {
    Channel air(35);
    ASSERT_TRUE(air.entered);
    BaseStationProfile profile;
    profile.request_backoff_start = 7;  // above the end
    profile.entry_db[3] = profile.exit_db[3] - 0.5F;
    const auto faults = air.bs->change_profile(profile);
    EXPECT_EQ(faults.count(), 2U) << faults.str();
    EXPECT_EQ(watch(air, 2, 40).ucds, 0);
}

/// A station that is deaf while the change is announced takes no map of it, and has it from the next descriptors.
TEST(Descriptors, AStationThatMissedThemWaitsAndStays) {
    auto config = adaptive();
    config.profile.ucd_interval_ms = 100;
    Channel air(35, config);
    ASSERT_TRUE(air.entered);
    Losing losing{MessageType::ucd, 3};
    air.tamper = [&](sap::RxBurst& burst) {
        if (burst.cid == 0) losing(burst);
    };
    auto profile = config.profile;
    profile.reservation_timeout = 33;
    const Json restarts = air.station.status()["restarts"];
    EXPECT_TRUE(air.bs->change_profile(profile).empty());
    air.run(40);
    EXPECT_GE(losing.seen, 4);
    const Json status = air.station.status();
    EXPECT_GT(status["maps_unusable"].get<int>(), 0);
    EXPECT_LT(status["maps_unusable"].get<int>(), 15);
    EXPECT_EQ(status["restarts"], restarts);
    EXPECT_TRUE(air.pings());
    EXPECT_EQ(air.stray_bursts, 0U);
}

}  // namespace test_air_adaptation
