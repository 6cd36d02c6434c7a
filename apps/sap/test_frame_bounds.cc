// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/frame_bounds.h"

#include <gtest/gtest.h>

namespace wimax::sap {
namespace test_frame_bounds {

// 5 MHz, 10 ms, cyclic prefix 1/8: 57 600 samples, 14 400 slots, 200 symbols of 72 slots.
constexpr FrameInForce kBs{Role::base_station, 8, 57'600}, kSs{Role::subscriber_station, 8, 57'600};

TxFrame frame_with(std::initializer_list<std::pair<uint32_t, uint16_t>> bursts) {
    TxFrame m;
    for (const auto& [slot, symbols] : bursts) {
        TxBurst b;
        b.start_slot = Slot(slot);
        b.format.data_symbols = symbols;
        m.bursts.push_back(b);
    }
    return m;
}

TEST(FrameBounds, BurstsThatFillTheFrameToTheSlot) {
    EXPECT_EQ(check_bounds(frame_with({{3 * 72, 197}}), kBs).str(), "");
    EXPECT_EQ(check_bounds(frame_with({{3 * 72, 100}, {103 * 72, 97}}), kBs).str(), "");
    EXPECT_EQ(check_bounds(frame_with({{0, 200}}), kSs).str(), "");
    EXPECT_EQ(check_bounds(frame_with({{100 * 72, 100}, {0, 100}}), kSs).str(), "");  // in any order
    EXPECT_EQ(check_bounds(TxFrame{}, kBs).str(), "");
    EXPECT_EQ(check_bounds(TxFrame{}, {Role::subscriber_station, 8, 0}).str(), "");
}

TEST(FrameBounds, NotASlotBeyondTheFrame) {
    EXPECT_EQ(check_bounds(frame_with({{3 * 72, 198}}), kBs).str(),
              "bursts[0].end slot: value 14472: allowed at most 14400 (the frame)");
    EXPECT_EQ(check_bounds(frame_with({{3 * 72 + 1, 197}}), kBs).str(),
              "bursts[0].end slot: value 14401: allowed at most 14400 (the frame)");
    EXPECT_EQ(check_bounds(frame_with({{7272, 2000}}), kSs).str(),
              "bursts[0].end slot: value 151272: allowed at most 14400 (the frame)");
    EXPECT_EQ(check_bounds(frame_with({{14'401, 0}}), kSs).str(),
              "bursts[0].start_slot: value 14401: allowed 0..14400 (the frame)");
    EXPECT_EQ(check_bounds(frame_with({{3 * 72 - 1, 1}}), kBs).str(),
              "bursts[0].start_slot: value 215: allowed 216..14400 (the frame)");
    // Preamble and midambles count: 1 + 97 + 12 symbols.
    TxFrame m = frame_with({{90 * 72, 97}});
    m.bursts[0].format.preamble = gr::wimax::phy::Preamble::short_;
    m.bursts[0].format.midamble_interval = 1;
    EXPECT_EQ(check_bounds(m, kSs).str(), "");
    m.bursts[0].format.preamble = gr::wimax::phy::Preamble::long_;
    EXPECT_EQ(check_bounds(m, kSs).list().size(), 1U);
}

TEST(FrameBounds, SymbolsAreAsLongAsTheirPrefixSays) {
    for (const auto& [cp, slots] : {std::pair<uint8_t, uint32_t>{4, 80}, {8, 72}, {16, 68}, {32, 66}}) {
        const FrameInForce frame{Role::subscriber_station, cp, 100 * slots * 4};
        EXPECT_TRUE(check_bounds(frame_with({{0, 100}}), frame).empty()) << +cp;
        EXPECT_FALSE(check_bounds(frame_with({{1, 100}}), frame).empty()) << +cp;
    }
}

/// FDD: an uplink frame ends in the next downlink frame. The downlink's bounds are the same as with one carrier.
TEST(FrameBounds, AnUplinkOnItsOwnCarrierEndsInTheNextFrame) {
    constexpr FrameInForce kPairSs{Role::subscriber_station, 8, 57'600, false},
        kPairBs{Role::base_station, 8, 57'600, false};
    EXPECT_EQ(check_bounds(frame_with({{14'000, 200}}), kPairSs).str(), "");
    EXPECT_EQ(check_bounds(frame_with({{14'401, 199}}), kPairSs).str(), "");
    EXPECT_EQ(check_bounds(frame_with({{14'401, 200}}), kPairSs).str(),
              "bursts[0].end slot: value 28801: allowed at most 28800 (the frame and the next)");
    EXPECT_EQ(check_bounds(frame_with({{28'801, 0}}), kPairSs).list().size(), 1U);
    EXPECT_EQ(check_bounds(frame_with({{3 * 72, 198}}), kPairBs).list().size(), 1U) << "a downlink keeps its frame";
    RxExpect e;
    RxAllocation a;
    a.start_slot = Slot(14'400);
    a.format.data_symbols = 200;
    e.allocations = {a};
    e.contention_slots = {Slot(28'800 - 144)};
    EXPECT_EQ(check_bounds(e, kPairBs).str(), "");
    EXPECT_EQ(check_bounds(e, kBs).list().size(), 2U);
    EXPECT_EQ(check_bounds(e, kPairSs).list().size(), 1U) << "the allocation is of the downlink";
    e = {};
    e.first_uplink_slot = e.next_uplink_slot = Slot(28'800);
    EXPECT_EQ(check_bounds(e, kPairSs).str(), "");
    EXPECT_EQ(check_bounds(e, kSs).list().size(), 2U);
    TxFrame codes;
    codes.codes.resize(1);
    codes.codes[0].start_slot = Slot(28'800 - 143);
    EXPECT_EQ(check_bounds(codes, kPairSs).list().size(), 1U);
    codes.codes[0].start_slot = Slot(28'800 - 144);
    EXPECT_EQ(check_bounds(codes, kPairSs).str(), "");
}

TEST(FrameBounds, OpportunitiesAndZonesWithinTheFrame) {
    RxExpect expect;
    expect.contention_slots = {Slot(0), Slot(198 * 72)};
    EXPECT_EQ(check_bounds(expect, kBs).str(), "");
    expect.stc_zone_slots = {Slot(14'400)};
    EXPECT_EQ(check_bounds(expect, kSs).str(), "");
    expect.contention_slots[1] = Slot(198 * 72 + 1);
    expect.stc_zone_slots[0] = Slot(14'401);
    EXPECT_EQ(check_bounds(expect, kSs).str(),
              "contention_slots[1]: value 14257: allowed 0..14256 (the frame less an opportunity); "
              "stc_zone_slots[0]: value 14401: allowed 0..14400 (the frame)");
    TxFrame m;
    m.codes = {{Slot(198 * 72), {0, 0}, 0}};
    m.timing_advance_samples = 28'800;
    EXPECT_EQ(check_bounds(m, kSs).str(), "");
    m.codes[0].start_slot = Slot(198 * 72 + 1);
    m.timing_advance_samples += 1;  // codes leave as early as bursts do
    EXPECT_EQ(check_bounds(m, kSs).list().size(), 2U);
}

TEST(FrameBounds, StcIsForTheDownlink) {
    TxFrame m = frame_with({{216, 2}, {360, 2}});
    m.bursts[1].format.stc = true;
    EXPECT_EQ(check_bounds(m, kBs).str(), "");
    EXPECT_EQ(check_bounds(m, kSs).str(), "bursts[1].stc: value true: allowed false (the uplink has no STC zones)");
    RxExpect expect;
    expect.allocations.resize(2);
    expect.allocations[0].format.stc = true;
    expect.stc_zone_slots = {Slot(7), Slot(72)};
    EXPECT_EQ(check_bounds(expect, kSs).str(), "");
    EXPECT_EQ(check_bounds(expect, kBs).str(),
              "allocations[0].stc: value true: allowed false (the uplink has no STC zones); "
              "stc_zone_slots: value 2 zones: allowed none (the uplink has no STC zones)");
}

TEST(FrameBounds, NothingWithoutAFrame) {
    EXPECT_EQ(check_bounds(frame_with({{0, 1}}), {Role::subscriber_station, 8, 0}).str(),
              "bursts[0].end slot: value 72: allowed at most 0 (the frame)");
}

TEST(FrameBounds, BurstsDoNotOverlap) {
    for (const auto& frame : {kBs, kSs}) {
        EXPECT_EQ(check_bounds(frame_with({{1000, 10}, {1720, 1}}), frame).str(), "");
        EXPECT_EQ(check_bounds(frame_with({{1719, 1}, {1000, 10}}), frame).str(),
                  "bursts[0].start_slot: value 1719: allowed not before the end of the burst in front of it, 1720");
    }
    // A burst within another one, and a third burst after it: the latest end counts.
    EXPECT_EQ(check_bounds(frame_with({{0, 100}, {72, 1}, {144, 1}}), kSs).list().size(), 2U);
    TxFrame forty = frame_with({});
    for (int i = 0; i < 40; ++i) forty.bursts.push_back(frame_with({{7272, 98}}).bursts[0]);
    EXPECT_EQ(check_bounds(forty, kSs).count(), 39U);
    EXPECT_LT(check_bounds(forty, kSs).str().size(), 250U);  // a line of the log
}

TEST(FrameBounds, AdvanceOfHalfAFrame) {
    TxFrame m = frame_with({{7200, 10}});
    for (const int32_t most : {28'800, -28'800}) {
        m.timing_advance_samples = most;
        EXPECT_EQ(check_bounds(m, kSs).str(), "");
        m.timing_advance_samples += most > 0 ? 1 : -1;
        EXPECT_EQ(check_bounds(m, kSs).str(), "timing_advance_samples: value " +
                                                  std::to_string(most > 0 ? 28801 : -28801) +
                                                  ": allowed -28800..28800 (half a frame)");
    }
    EXPECT_EQ(check_bounds(m, kBs).str(), "");  // has no meaning there
}

TEST(FrameBounds, Expectations) {
    RxExpect m;
    m.allocations.resize(1);
    auto& a = m.allocations[0];
    a.start_slot = Slot(100 * 72);
    a.format.preamble = gr::wimax::phy::Preamble::short_;
    a.format.data_symbols = 99;
    a.search_slots = 60'000;
    m.first_uplink_slot = m.next_uplink_slot = Slot(14'400);
    EXPECT_EQ(check_bounds(m, kBs).str(), "");
    a.format.data_symbols = 100;
    m.first_uplink_slot = Slot(14'401);
    m.next_uplink_slot = Slot(14'402);
    EXPECT_EQ(check_bounds(m, kSs).str(),
              "allocations[0].end slot: value 14472: allowed at most 14400 (the frame); "
              "first_uplink_slot: value 14401: allowed 0..14400 (the frame); 1 more faults");
    m.first_uplink_slot = Slot();
    EXPECT_EQ(check_bounds(m, kSs).str(),
              "allocations[0].end slot: value 14472: allowed at most 14400 (the frame); "
              "next_uplink_slot: value 14402: allowed 0..14400 (the frame)");
}

}  // namespace test_frame_bounds
}  // namespace wimax::sap
