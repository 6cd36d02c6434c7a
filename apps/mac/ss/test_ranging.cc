/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranging of a subscriber station alone: when it asks, with what power, what it makes of answers.
 */
#include "mac/pdu/pdu.h"
#include "mac/ss/ranging.h"
#include "mac/ss/test_listener.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace {

struct Bench : Listener {
    Bench() : ranging(config, {clock, view, random, bursts}) {
        ranging.new_phy(20);
        find_network();
    }
    /// The RNG-REQ sent in a frame with these elements, if one is.
    std::optional<RngReq> frame(std::vector<UlMapIe> ies) {
        bursts.take_back(tx.bursts);
        ranging.add_request(uplink_with(std::move(ies)), tx);
        ranging.put_into(tx);
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
    // EIRP 20 dBm, wanted -60 dBm, heard at -70 dBm: 30 dBm, but the station ends at 20, and begins 1 dB below.
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
    b.ranging.limit_power(8);
    EXPECT_FLOAT_EQ(b.ranging.max_power_dbm(), 8);
    EXPECT_FLOAT_EQ(b.ranging.power_dbm(), 8);
    b.ranging.limit_power(12);
    EXPECT_FLOAT_EQ(b.ranging.power_dbm(), 12);
    b.ranging.limit_power(30);
    EXPECT_FLOAT_EQ(b.ranging.max_power_dbm(), 30);
    EXPECT_FLOAT_EQ(b.ranging.power_dbm(), 19);  // no more than it had
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
    EXPECT_EQ(b.ranging.timing_advance_samples(), 30);
    EXPECT_TRUE(b.frame({element(1, 5, 10, 6)}));
    EXPECT_FALSE(b.open_region());
    EXPECT_EQ(b.ranging.on_response(rsp, cid::kInitialRanging), RangingAnswer::ignored);
    EXPECT_EQ(b.ranging.counters().invited, 2U);
    b.ranging.stop();
    EXPECT_EQ(b.ranging.basic_cid(), 0);
    EXPECT_EQ(b.ranging.timing_advance_samples(), 30);
    b.ranging.forget();
    EXPECT_EQ(b.ranging.timing_advance_samples(), 0);
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
    // Heard and not understood: told by frame and opportunity alone.
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

/// Once for each time that it asks for a more robust profile, by its own CID; else only where it is invited.
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

}  // namespace
