// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/convert.h"

#include <gtest/gtest.h>

namespace wimax::phyd {
namespace test_convert {

AirContext context(sap::Role role) {
    AirContext air;
    air.role = role;
    air.bsid_lsb = 5;
    air.frame_lsb = 9;
    air.tx_reference_dbm = 24;
    air.rx_reference_dbm = -30;
    return air;
}

sap::TxFrame tx_frame() {
    sap::TxFrame tx;
    tx.frame_number = sap::FrameNumber(0x123456);
    tx.dcd_count = 0x1F;
    tx.timing_advance_samples = 20;
    tx.frequency_adjust_hz = -100;
    tx.power_dbm = 10;
    for (uint8_t n = 1; n <= 2; ++n) {
        sap::TxBurst b;
        b.start_slot = sap::Slot(n * 720u);
        b.format.rate_id = n;
        b.format.iuc = n + 3;
        b.format.preamble = static_cast<gr::wimax::phy::Preamble>(n);
        b.format.data_symbols = n * 2;
        b.format.midamble_interval = n;
        b.format.subchannel_index = 16;
        b.format.frame_lsb = n + 7;
        b.payload.assign(n * 10u, n);
        tx.bursts.push_back(b);
    }
    return tx;
}

gr::wimax::Tick tick() {
    gr::wimax::Tick t;
    t.frame_number = sap::FrameNumber(0x123456);
    t.frame_start_sample = 1'000'000;
    t.deadline_sample = 990'000;
    t.frequency_offset_hz = 3000;
    t.rssi_dbfs = -40;
    t.cp = gr::wimax::phy::CyclicPrefix::g1_16;
    return t;
}

TEST(Convert, FocusedContentionAndZones) {
    sap::TxFrame tx = tx_frame();
    tx.codes = {{sap::Slot(100), {47, 7}, 3.5F}, {sap::Slot(200), {1, 2}, 0}};
    tx.bursts[1].format.stc = true;
    const auto m = to_blocks(std::move(tx), tick(), context(sap::Role::subscriber_station));
    ASSERT_EQ(m.codes.size(), 2U);
    EXPECT_EQ(m.codes[0].start_slot, 100U);
    EXPECT_EQ(m.codes[0].what, (gr::wimax::phy::ContentionCode{47, 7}));
    EXPECT_EQ(m.codes[0].boost_db, 3.5F);
    EXPECT_EQ(m.codes[1].what, (gr::wimax::phy::ContentionCode{1, 2}));
    EXPECT_FALSE(m.bursts[0].format.stc);
    EXPECT_TRUE(m.bursts[1].format.stc);

    sap::RxExpect expect;
    expect.contention_slots = {sap::Slot(3), sap::Slot(5)};
    expect.stc_zone_slots = {sap::Slot(7)};
    expect.allocations.resize(2);
    expect.allocations[1].format.stc = true;
    expect.allocations[1].format.subchannel_index = 4;
    const auto e = to_blocks(std::move(expect), context(sap::Role::base_station));
    EXPECT_EQ(e.contention_slots, (std::vector{sap::Slot(3), sap::Slot(5)}));
    EXPECT_EQ(e.stc_zone_slots, (std::vector{sap::Slot(7)}));
    EXPECT_FALSE(e.bursts[0].format.stc);
    EXPECT_TRUE(e.bursts[1].format.stc);
    EXPECT_EQ(e.bursts[1].format.subchannel_index, 4);

    const auto heard = to_sap(
        gr::wimax::ContentionReport{
            sap::FrameNumber(9), gr::wimax::phy::Slot(36), true, {{{47, 7}, 12.5F, -50, 0.75F}}},
        context(sap::Role::base_station));
    EXPECT_EQ(heard.frame_number, 9U);
    EXPECT_EQ(heard.start_slot, 36U);
    ASSERT_EQ(heard.codes.size(), 1U);
    EXPECT_EQ(heard.codes[0].what.channel, 47);
    EXPECT_EQ(heard.codes[0].what.code, 7);
    EXPECT_EQ(heard.codes[0].snr_db, 12.5F);
    EXPECT_EQ(heard.codes[0].rssi_dbm, -80);  // 0 dBFS is -30 dBm
    EXPECT_EQ(heard.codes[0].certainty, 0.75F);
}

TEST(Convert, DownlinkTakesItsSeedsFromTheFrame) {
    const auto m = to_blocks(tx_frame(), tick(), context(sap::Role::base_station));
    EXPECT_EQ(m.direction, gr::wimax::phy::Direction::downlink);
    EXPECT_EQ(m.frame_start_sample, 1'000'000);
    EXPECT_EQ(m.deadline_sample, 990'000);
    EXPECT_EQ(m.cp, gr::wimax::phy::CyclicPrefix::g1_16);
    EXPECT_EQ(m.change_count_lsb, 0xF);
    EXPECT_EQ(m.timing_advance_samples, 0);
    EXPECT_EQ(m.frequency_hz, 0);
    EXPECT_EQ(m.power_dbfs, 0);
    ASSERT_EQ(m.bursts.size(), 2U);
    EXPECT_EQ(m.bursts[1].format.frame_lsb, 6);
    EXPECT_EQ(m.bursts[1].format.bsid_lsb, 5);
    EXPECT_EQ(m.bursts[1].format.iuc, 5);
    EXPECT_EQ(m.bursts[0].payload, std::vector<uint8_t>(10, 1));
    EXPECT_EQ(m.bursts[1].payload, std::vector<uint8_t>(20, 2));
}

/// The offset seen on the downlink's carrier is scaled to the uplink's, the base station's correction is not.
TEST(Convert, AFrequencyErrorIsInProportionToTheCarrier) {
    auto air = context(sap::Role::subscriber_station);
    air.uplink_per_downlink = 0.5F;
    EXPECT_FLOAT_EQ(to_blocks(tx_frame(), tick(), air).frequency_hz,
                    0.5F * tick().frequency_offset_hz + tx_frame().frequency_adjust_hz);
}

TEST(Convert, UplinkIsMovedInTimeFrequencyAndPower) {
    const auto m = to_blocks(tx_frame(), tick(), context(sap::Role::subscriber_station));
    EXPECT_EQ(m.direction, gr::wimax::phy::Direction::uplink);
    EXPECT_EQ(m.timing_advance_samples, 20);
    EXPECT_FLOAT_EQ(m.frequency_hz, 2900);
    EXPECT_FLOAT_EQ(m.power_dbfs, -14);
    EXPECT_EQ(m.bursts[0].format.frame_lsb, 8);  // of the frame whose map granted the burst
    EXPECT_EQ(m.bursts[0].format.preamble, gr::wimax::phy::Preamble::short_);
    EXPECT_EQ(m.bursts[1].format.preamble, gr::wimax::phy::Preamble::long_);
}

TEST(Convert, ReferencesOfAllocationsComeBack) {
    sap::RxExpect e;
    sap::RxAllocation a;
    a.kind = sap::BurstKind::contention;
    a.cid = 0xFFFE;
    a.search_slots = 30;
    a.format.frame_lsb = 3;
    e.allocations.push_back(a);
    const auto bs = to_blocks(sap::RxExpect(e), context(sap::Role::base_station));
    EXPECT_EQ(bs.bursts[0].format.frame_lsb, 3);
    EXPECT_EQ(bs.bursts[0].search_slots, 30U);
    EXPECT_EQ(to_blocks(sap::RxExpect(e), context(sap::Role::subscriber_station)).bursts[0].format.frame_lsb, 9);

    gr::wimax::BurstReport r;
    r.kind = bs.bursts[0].kind;
    r.cid = bs.bursts[0].cid;
    r.burst.index = 300;
    r.burst.corrected_bytes = 100'000;
    r.burst.measured.rssi_dbfs = -12;
    const auto m = to_sap(std::move(r), context(sap::Role::base_station));
    EXPECT_EQ(m.kind, sap::BurstKind::contention);
    EXPECT_EQ(m.cid, 0xFFFE);
    EXPECT_FLOAT_EQ(m.measured.rssi_dbm, -42);
    EXPECT_EQ(m.index, 255);
    EXPECT_EQ(m.corrected_bytes, 65535);
}

TEST(Convert, TicksAndErrors) {
    EXPECT_FLOAT_EQ(to_sap(tick(), context(sap::Role::base_station)).rssi_dbm, -70);
    using Block = gr::wimax::ErrorKind;
    using Sap = sap::ErrorKind;
    for (const auto& [block, kind] : {std::pair(Block::late, Sap::late),
                                      {Block::underflow, Sap::underflow},
                                      {Block::overflow, Sap::overflow},
                                      {Block::sync_lost, Sap::sync_lost},
                                      {Block::invalid, Sap::invalid},
                                      {Block::time_jump, Sap::time_jump}}) {
        const auto m = to_sap(gr::wimax::ErrorReport{block, sap::FrameNumber(7), 12, "x"});
        EXPECT_EQ(m.kind, kind) << to_string(block);
        EXPECT_EQ(m.frame_number, 7U);
        EXPECT_EQ(m.microseconds, 12);
        EXPECT_EQ(m.detail, "x");
    }
}

}  // namespace test_convert
}  // namespace wimax::phyd
