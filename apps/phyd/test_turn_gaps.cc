// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/turn_gaps.h"

#include <gtest/gtest.h>

namespace wimax::phyd {
namespace test_turn_gaps {

namespace phy = gr::wimax::phy;
using sap::Slot;

constexpr int64_t kRate = 5'760'000;
constexpr uint32_t kSymbol = 72;  ///< slots, CP 1/8: 50 us
const sap::FrameInForce kFrame{sap::Role::base_station, 8, 57'600};

phy::BurstFormat symbols(int count) {
    phy::BurstFormat format;
    format.data_symbols = count;
    return format;
}

/// Downlink up to symbol 99, uplink from `gap` symbols after it to symbol `end`.
struct Cell {
    TurnGaps gaps;
    uint32_t number = 0;

    explicit Cell(std::optional<gr::wimax::TurnTimes> needed) { gaps.restart(needed, kRate); }

    std::optional<std::string> frame(int gap, int end) {
        const sap::FrameNumber now(++number);
        sap::TxFrame tx;
        tx.frame_number = now;
        tx.bursts = {{Slot::of_symbol(4, kSymbol), symbols(3), {}}, {Slot::of_symbol(20, kSymbol), symbols(79), {}}};
        sap::RxExpect rx;
        rx.frame_number = now;
        rx.allocations.resize(2);
        rx.allocations[0].start_slot = Slot::of_symbol(120, kSymbol);
        rx.allocations[0].format = symbols(end - 120);
        rx.allocations[1].start_slot = Slot::of_symbol(99 + gap, kSymbol);
        rx.allocations[1].format = symbols(2);
        gaps.expects(rx, kFrame);
        return gaps.sends(tx, kFrame);
    }
};

TEST(TurnGaps, AreToHoldWhatTheAmplifierNeeds) {
    for (const double needed : {99.0, 101.0}) {
        Cell cell(gr::wimax::TurnTimes{100, needed});
        const auto told = cell.frame(2, 198);
        ASSERT_EQ(told.has_value(), needed > 100);
        EXPECT_EQ(told.value_or(""),
                  needed > 100
                      ? "the amplifier needs 101 us from sending to receiving, the MAC leaves 100: raise its bs.ttg_us"
                      : "");
    }
    for (const double needed : {99.0, 101.0}) {
        Cell cell(gr::wimax::TurnTimes{needed, 100});
        const auto told = cell.frame(2, 198);
        ASSERT_EQ(told.has_value(), needed > 100);
        EXPECT_EQ(told.value_or(""),
                  needed > 100
                      ? "the amplifier needs 101 us from receiving to sending, the MAC leaves 100: raise its bs.rtg_us"
                      : "");
    }
}

TEST(TurnGaps, AreToldOnceEach) {
    Cell cell(gr::wimax::TurnTimes{120, 120});
    EXPECT_TRUE(cell.frame(2, 198)->find("ttg_us") != std::string::npos);
    EXPECT_TRUE(cell.frame(2, 198)->find("rtg_us") != std::string::npos);
    EXPECT_FALSE(cell.frame(1, 199));
    cell.gaps.restart(gr::wimax::TurnTimes{120, 120}, kRate);
    EXPECT_TRUE(cell.frame(2, 198));
}

TEST(TurnGaps, WithoutAnAmplifierAreAnything) {
    Cell cell(gr::wimax::TurnTimes{});
    EXPECT_FALSE(cell.frame(0, 200));
}

TEST(TurnGaps, AreNeededOnOneCarrierOnly) {
    Cell cell(std::nullopt);
    EXPECT_FALSE(cell.frame(-40, 200)) << "the uplink begins during the downlink";
}

/// Subframes in which nothing is sent, or nothing is received.
TEST(TurnGaps, OfEmptySubframesAreNone) {
    TurnGaps gaps;
    gaps.restart(gr::wimax::TurnTimes{300, 300}, kRate);
    sap::TxFrame tx;
    tx.bursts = {{Slot::of_symbol(4, kSymbol), symbols(3), {}}};
    EXPECT_FALSE(gaps.sends(tx, kFrame));
    sap::RxExpect rx;
    gaps.expects(rx, kFrame);
    EXPECT_FALSE(gaps.sends(tx, kFrame));
    rx.contention_slots = {Slot::of_symbol(194, kSymbol)};  // of two symbols: 200 us are left
    gaps.expects(rx, kFrame);
    EXPECT_FALSE(gaps.sends({}, kFrame));
    tx.frame_number = sap::FrameNumber(1);
    EXPECT_FALSE(gaps.sends(tx, kFrame)) << "of another frame";
    tx.frame_number = {};
    EXPECT_TRUE(gaps.sends(tx, kFrame));
}

}  // namespace test_turn_gaps
}  // namespace wimax::phyd
