// SPDX-License-Identifier: GPL-3.0-or-later
// Ranging of a subscriber station alone: when it asks, its power, and its reaction to responses.
#include "mac/air/ofdm256/test_listener.h"
#include "mac/pdu/pdu.h"
#include "mac/ss/ranging.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_ranging {

struct Bench : Listener {
    Bench() : ranging(config, {clock, view, random, bursts}) {
        ranging.new_phy(20);
        find_network();
    }
    /// The RNG-REQ sent in a frame with these elements, if one is.
    std::optional<RngReq> frame(std::vector<UlMapIe> ies) {
        bursts.take_back(tx.bursts);
        ranging.add_request(uplink_with(std::move(ies)), tx);
        ranging.corrections().put_into(tx, view.density_gain_db(tx));
        if (tx.bursts.empty()) return {};
        EXPECT_EQ(tx.bursts.size(), 1U);
        PduReader reader(tx.bursts[0].payload);
        const auto pdu = reader.next();
        RngReq request;
        EXPECT_TRUE(pdu && decode(pdu->body, request));
        cid = pdu ? pdu->cid() : 0xEEEE;
        return request;
    }
    std::optional<RngReq> open_region() { return frame({element(1, cid::kBroadcast, 40, 6)}); }
    RngRsp answer(RangingStatus status) const {
        RngRsp rsp;
        rsp.status = status;
        rsp.ss_mac = config.mac;
        rsp.frame_number = view.network_frame().value();
        rsp.opportunity_number = 1;
        rsp.basic_cid = 5;
        rsp.primary_cid = 325;
        return rsp;
    }

    SubscriberConfig config;
    Backoff::Random random{1};
    BurstStore bursts;
    Ranging ranging;
    sap::TxFrame tx;
    uint16_t cid = 0;
};

TEST(Ranging, AsksOnceAndRaisesItsPowerWhenNobodyAnswers) {
    Bench b;
    EXPECT_FALSE(b.open_region());  // not begun
    b.ranging.start();
    const auto request = b.open_region();
    ASSERT_TRUE(request);
    EXPECT_EQ(request->ss_mac, b.config.mac);
    EXPECT_EQ(request->requested_profile->diuc, 7);
    EXPECT_EQ(b.cid, cid::kInitialRanging);
    EXPECT_EQ(b.tx.bursts[0].start_slot, 7200U + 40 * 72);
    EXPECT_EQ(b.tx.bursts[0].format.frame_lsb, 4);
    // EIRP 20 dBm, wanted -60 dBm, received -70 dBm: 30 dBm, but the station's limit is 20; it begins 1 dB below.
    EXPECT_FLOAT_EQ(b.tx.power_dbm, 19);
    EXPECT_FALSE(b.open_region());  // T3 runs: eight frames
    b.pass(79);
    EXPECT_FALSE(b.ranging.exhausted());
    EXPECT_FALSE(b.open_region());
    b.pass(1);
    EXPECT_FALSE(b.ranging.exhausted());
    EXPECT_TRUE(b.open_region());
    EXPECT_FLOAT_EQ(b.tx.power_dbm, 20);
    for (int i = 1; i < 16; ++i) {
        b.pass(200);
        EXPECT_FALSE(b.ranging.exhausted());
        EXPECT_TRUE(b.open_region()) << i;
    }
    b.pass(200);
    EXPECT_TRUE(b.ranging.exhausted());
    EXPECT_EQ(b.ranging.counters().attempts, 17U);
}

TEST(Ranging, HighestPowerMayChange) {
    Bench b;
    b.ranging.start();
    b.open_region();
    EXPECT_FLOAT_EQ(b.tx.power_dbm, 19);
    b.ranging.corrections().limit_power(8);
    EXPECT_FLOAT_EQ(b.ranging.corrections().max_power_dbm(), 8);
    EXPECT_FLOAT_EQ(b.ranging.corrections().power_dbm(), 8);
    b.ranging.corrections().limit_power(12);
    EXPECT_FLOAT_EQ(b.ranging.corrections().power_dbm(), 12);
    b.ranging.corrections().limit_power(30);
    EXPECT_FLOAT_EQ(b.ranging.corrections().max_power_dbm(), 30);
    EXPECT_FLOAT_EQ(b.ranging.corrections().power_dbm(), 19);  // no more than it had
}

TEST(Ranging, T2RunsUntilAnOpportunityComes) {
    Bench b;
    b.ranging.start();
    b.pass(9999);
    EXPECT_FALSE(b.ranging.starved());
    b.pass(1);
    EXPECT_TRUE(b.ranging.starved());
    b.ranging.start();
    EXPECT_TRUE(b.open_region());
    b.pass(10'001);
    EXPECT_FALSE(b.ranging.starved());
}

TEST(Ranging, AnswersAreAppliedAndGiveTheCids) {
    Bench b;
    b.ranging.start();
    b.open_region();
    auto rsp = b.answer(RangingStatus::continue_ranging);
    rsp.timing_adjust_samples = 37;
    rsp.power_adjust_qdb = -10;
    rsp.frequency_adjust_hz = 120;
    EXPECT_EQ(b.ranging.on_response(rsp, cid::kInitialRanging), RangingAnswer::corrected);
    EXPECT_EQ(b.ranging.basic_cid(), 5);
    EXPECT_FALSE(b.open_region());  // it is invited now
    const auto invited = b.frame({element(1, 5, 10, 6), element(1, cid::kBroadcast, 40, 6)});
    ASSERT_TRUE(invited);
    EXPECT_FALSE(invited->ss_mac);
    EXPECT_EQ(b.cid, 5);
    EXPECT_EQ(b.tx.timing_advance_samples, 37);
    EXPECT_FLOAT_EQ(b.tx.power_dbm, 16.5F);
    EXPECT_FLOAT_EQ(b.tx.frequency_adjust_hz, 120);
    EXPECT_TRUE(b.ranging.ranging());
    EXPECT_EQ(b.ranging.on_response(b.answer(RangingStatus::success), 5), RangingAnswer::succeeded);
    EXPECT_FALSE(b.ranging.ranging());
    EXPECT_EQ(b.ranging.primary_cid(), 325);
    // Served: it is corrected, and ranges where it is invited.
    rsp.timing_adjust_samples = -7;
    EXPECT_EQ(b.ranging.on_response(rsp, 5), RangingAnswer::corrected);
    EXPECT_EQ(b.ranging.on_response(rsp, 6), RangingAnswer::ignored) << "on the Basic CID of another station";
    EXPECT_EQ(b.ranging.corrections().timing_advance_samples(), 30);
    EXPECT_TRUE(b.frame({element(1, 5, 10, 6)}));
    EXPECT_FALSE(b.open_region());
    EXPECT_EQ(b.ranging.on_response(rsp, cid::kInitialRanging), RangingAnswer::ignored);
    EXPECT_EQ(b.ranging.counters().invited, 2U);
    b.ranging.stop();
    EXPECT_EQ(b.ranging.basic_cid(), 0);
    EXPECT_EQ(b.ranging.corrections().timing_advance_samples(), 30);
    b.ranging.forget();
    EXPECT_EQ(b.ranging.corrections().timing_advance_samples(), 0);
}

TEST(Ranging, FastPowerIsForServedStations) {
    Bench b;
    b.ranging.start();
    b.open_region();
    b.ranging.on_fast_power(-8);
    EXPECT_FLOAT_EQ(b.ranging.corrections().power_dbm(), 19);
    ASSERT_EQ(b.ranging.on_response(b.answer(RangingStatus::success), cid::kInitialRanging), RangingAnswer::succeeded);
    const uint64_t before = b.ranging.counters().corrections;
    b.ranging.on_fast_power(-8);
    b.ranging.on_fast_power(0);
    EXPECT_FLOAT_EQ(b.ranging.corrections().power_dbm(), 17);
    EXPECT_EQ(b.ranging.counters().fast_power, 1U);
    EXPECT_EQ(b.ranging.counters().corrections, before + 1);
}

TEST(Ranging, OthersAnswersAreIgnored) {
    Bench b;
    b.ranging.start();
    EXPECT_EQ(b.ranging.on_response(b.answer(RangingStatus::success), 5), RangingAnswer::ignored);
    b.open_region();
    auto other = b.answer(RangingStatus::success);
    (*other.ss_mac)[5] ^= 1;
    EXPECT_EQ(b.ranging.on_response(other, cid::kInitialRanging), RangingAnswer::ignored);
    auto earlier = b.answer(RangingStatus::success);
    earlier.frame_number = *earlier.frame_number - 1;
    EXPECT_EQ(b.ranging.on_response(earlier, cid::kInitialRanging), RangingAnswer::ignored);
    EXPECT_EQ(b.ranging.on_response(b.answer(RangingStatus::abort), cid::kInitialRanging), RangingAnswer::aborted);
    EXPECT_EQ(b.ranging.on_response(b.answer(RangingStatus::rerange), cid::kInitialRanging), RangingAnswer::rerange);
    // Received and not decoded: addressed by frame and opportunity alone.
    auto unnamed = b.answer(RangingStatus::continue_ranging);
    unnamed.ss_mac.reset();
    unnamed.basic_cid.reset();
    unnamed.opportunity_number = 2;
    EXPECT_EQ(b.ranging.on_response(unnamed, cid::kInitialRanging), RangingAnswer::ignored);
    unnamed.opportunity_number = 1;
    unnamed.power_adjust_qdb = -4;
    EXPECT_EQ(b.ranging.on_response(unnamed, cid::kInitialRanging), RangingAnswer::corrected);
    EXPECT_TRUE(b.open_region());
    EXPECT_FLOAT_EQ(b.tx.power_dbm, 18);
}

/// Once per request for a more robust profile, by its own CID; otherwise only where it is invited.
TEST(Ranging, AServedStationContendsForAProfileOnly) {
    Bench b;
    b.ranging.start();
    b.open_region();
    auto unnamed = b.answer(RangingStatus::continue_ranging);
    unnamed.ss_mac.reset();
    unnamed.basic_cid.reset();
    EXPECT_EQ(b.ranging.on_response(unnamed, cid::kInitialRanging), RangingAnswer::corrected);  // it contends again
    auto named = b.answer(RangingStatus::success);
    named.frame_number.reset();
    EXPECT_EQ(b.ranging.on_response(named, cid::kInitialRanging), RangingAnswer::succeeded);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(b.open_region());
    b.ranging.ask_for_profile();
    unsigned asked = 0;
    for (int i = 0; i < 20; ++i)
        if (b.open_region()) {
            ++asked;
            EXPECT_EQ(b.cid, 5);
        }
    EXPECT_EQ(asked, 1U);
    EXPECT_EQ(b.ranging.counters().attempts, 2U);
}

/// All visible state of ranging, while it is answered and corrected.
std::vector<std::string> life(Bench& b) {
    std::vector<std::string> shown;
    const auto show = [&](const std::optional<RngReq>& request) {
        std::string line = std::to_string(b.tx.power_dbm) + " " + std::to_string(b.tx.timing_advance_samples) + " " +
                           std::to_string(b.tx.frequency_adjust_hz) + " " +
                           std::to_string(b.ranging.corrections().power_dbm()) + " " +
                           std::to_string(b.ranging.basic_cid()) + " " + std::to_string(b.ranging.primary_cid());
        if (request) line += " anomalies " + std::to_string(request->anomalies.value_or(0));
        if (request) line += " profile " + std::to_string(request->requested_profile->diuc);
        if (const auto told = b.ranging.take_profile()) line += " told " + std::to_string(*told);
        shown.push_back(line);
    };
    b.ranging.start();
    show(b.open_region());
    auto rsp = b.answer(RangingStatus::continue_ranging);
    for (const int change : {60, -4, 400}) {
        rsp.power_adjust_qdb = static_cast<int8_t>(std::min(change, 127));
        rsp.timing_adjust_samples = change;
        rsp.frequency_adjust_hz = change;
        b.ranging.on_response(rsp, b.ranging.basic_cid() != 0 ? b.ranging.basic_cid() : cid::kInitialRanging);
        show(b.frame({element(1, 5, 10, 6)}));
        b.ranging.corrections().limit_power(12);
        show(b.frame({element(1, 5, 10, 6)}));
        b.ranging.corrections().limit_power(20);
        show(b.frame({element(1, 5, 10, 6)}));
    }
    b.ranging.on_response(b.answer(RangingStatus::success), 5);
    show(b.open_region());
    return shown;
}

/// Another network sees nothing of an earlier entry: corrections, limits, subchannels and requested profiles.
TEST(Ranging, WhatIsForgottenIsNotInTheNextLife) {
    Bench fresh;
    const auto expected = life(fresh);
    using End = void (*)(Bench&);
    for (const End end : {End([](Bench& b) { b.ranging.forget(); }), End([](Bench& b) { b.ranging.new_phy(20); })}) {
        Bench b;
        life(b);
        for (const uint8_t subchannel : {4, 1}) {  // two subchannels, then one
            UlMapIe narrow = element(11, 5, 10, 6);
            narrow.subchannel = subchannel;
            b.ranging.corrections().on_grants(uplink_with({narrow}).density_gain_db(5).value());
        }
        auto rsp = b.answer(RangingStatus::continue_ranging);
        rsp.power_adjust_qdb = 127;
        rsp.operational_profile.emplace().diuc = 3;
        b.ranging.on_response(rsp, 5);
        EXPECT_GT(b.ranging.corrections().power_dbm(), 20) << "on one subchannel all that it has";
        b.ranging.want_profile(3);
        b.ranging.ask_for_profile();
        end(b);
        EXPECT_EQ(life(b), expected);
    }
}

/// Earlier values have four tries; the fifth begins without them.
TEST(Ranging, OldCorrectionsHaveFourTries) {
    Bench b;
    b.ranging.start();
    b.open_region();
    auto rsp = b.answer(RangingStatus::success);
    rsp.timing_adjust_samples = 37;
    rsp.frequency_adjust_hz = 120;
    ASSERT_EQ(b.ranging.on_response(rsp, cid::kInitialRanging), RangingAnswer::succeeded);
    b.ranging.start();  // as T4 makes it
    for (int tries = 0; tries < 8; ++tries) {
        ASSERT_TRUE(b.open_region()) << tries;
        EXPECT_EQ(b.tx.timing_advance_samples, tries < 4 ? 37 : 0) << tries;
        EXPECT_FLOAT_EQ(b.tx.frequency_adjust_hz, tries < 4 ? 120 : 0) << tries;
        b.pass(200);
        EXPECT_FALSE(b.ranging.exhausted());
    }
}

/// Eight frames, but at least 60 ms and at most 200 ms; or as configured.
TEST(Ranging, T3IsAsLongAsItShallBe) {
    struct Case {
        uint32_t t3_ms, frame_samples;
        int64_t ms;
    };
    for (const auto& [t3_ms, frame_samples, ms] :
         {Case{0, 57'600, 80}, Case{0, 14'400, 60}, Case{0, 43'200, 60}, Case{0, 46'080, 64}, Case{0, 115'200, 160},
          Case{0, 144'000, 200}, Case{0, 150'000, 200}, Case{35, 57'600, 35}, Case{500, 57'600, 500}}) {
        Bench b;
        b.config.t3_ms = t3_ms;
        auto burst = b.burst();
        burst.frame_samples = frame_samples;
        b.view.forget();
        b.view.on_burst(burst, true);
        DlMap map;
        map.bs_id = Bench::kBsid;
        b.hear(map);
        b.hear(lab_ucd());
        ASSERT_EQ(b.view.frame_samples(), frame_samples);
        b.ranging.start();
        for (int i = 0; i < 2; ++i) {
            ASSERT_TRUE(b.open_region());
            b.clock.now += b.clock.from_ms(ms) - 1;
            EXPECT_FALSE(b.ranging.exhausted());
            EXPECT_FALSE(b.open_region()) << ms;
            b.clock.now += 1;
            EXPECT_FALSE(b.ranging.exhausted());
        }
        EXPECT_TRUE(b.open_region()) << ms;
    }
}

/// An invited station waits one second for its invitation, after each response; a served station runs no timer.
TEST(Ranging, T3OfAnInvitationIsASecond) {
    Bench b;
    b.ranging.start();
    b.open_region();
    auto rsp = b.answer(RangingStatus::continue_ranging);
    b.ranging.on_response(rsp, cid::kInitialRanging);
    for (const bool asked : {false, true, false}) {
        b.pass(900);
        EXPECT_FALSE(b.ranging.exhausted());
        if (asked) EXPECT_TRUE(b.frame({element(1, 5, 10, 6)}));
        else b.ranging.on_response(rsp, 5);
    }
    b.clock.now += b.clock.from_ms(1000) - 1;
    EXPECT_FALSE(b.ranging.exhausted());
    EXPECT_FALSE(b.open_region());
    b.clock.now += 1;
    EXPECT_FALSE(b.ranging.exhausted());
    for (int i = 0; i < 3 && b.ranging.counters().attempts < 3; ++i) b.open_region();  // of two opportunities
    EXPECT_EQ(b.ranging.counters().attempts, 3U) << "in contention again";
    ASSERT_EQ(b.ranging.on_response(b.answer(RangingStatus::success), cid::kInitialRanging), RangingAnswer::succeeded);
    for (int i = 0; i < 100; ++i) {
        b.pass(1000);
        EXPECT_FALSE(b.ranging.exhausted());
        EXPECT_FALSE(b.ranging.starved());
    }
}

/// Counted while the station contends, from zero each time.
TEST(Ranging, T2IsOfEachTimeThatItContends) {
    Bench b;
    b.config.t2_ms = 500;
    const auto runs_out = [&b] {
        b.clock.now += b.clock.from_ms(500) - 1;
        EXPECT_FALSE(b.ranging.starved());
        b.clock.now += 1;
        const bool starved = b.ranging.starved();
        EXPECT_FALSE(b.ranging.starved()) << "once";
        return starved;
    };
    b.ranging.start();
    EXPECT_TRUE(runs_out());
    b.ranging.start();
    b.pass(300);
    b.ranging.start();
    EXPECT_TRUE(runs_out()) << "begun again";
    b.ranging.start();
    b.open_region();
    EXPECT_FALSE(runs_out()) << "T3's time";
    EXPECT_FALSE(b.ranging.exhausted());
    EXPECT_TRUE(runs_out()) << "after T3";
    b.ranging.start();
    b.open_region();
    auto unnamed = b.answer(RangingStatus::continue_ranging);
    unnamed.ss_mac.reset();
    unnamed.basic_cid.reset();
    b.ranging.on_response(unnamed, cid::kInitialRanging);
    EXPECT_TRUE(runs_out()) << "heard, not understood";
    b.ranging.start();
    b.pass(300);
    b.ranging.stop();
    EXPECT_FALSE(runs_out()) << "stopped";
}

}  // namespace test_ranging
