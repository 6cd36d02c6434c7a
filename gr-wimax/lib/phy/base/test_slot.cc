// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/base/slot.h>

#include <gtest/gtest.h>

#include <concepts>

namespace gr::wimax::phy {
namespace test_slot {

// No implicit conversion between the types, nor from a number.
static_assert(!std::convertible_to<uint32_t, Slot> && !std::convertible_to<Slot, uint32_t>);
static_assert(sizeof(Slot) == sizeof(uint32_t));
static_assert(Slot(7).samples() == 28);

TEST(Slot, IsFourSamples) {
    EXPECT_EQ(Slot().samples(), 0);
    EXPECT_EQ(Slot(7272).samples(), 29'088);
    EXPECT_EQ(Slot(0xFFFFFFFF).samples(), 17'179'869'180);
    EXPECT_EQ(samples_in_slots(-3), -12);
    EXPECT_EQ(slots_in_samples(57'600), 14'400);
    EXPECT_EQ(slots_in_samples(57'603), 14'400);
    EXPECT_EQ(slots_for_samples(57'600), 14'400);
    EXPECT_EQ(slots_for_samples(57'601), 14'401);
    EXPECT_EQ(slots_for_samples(0), 0);
}

TEST(Slot, SymbolsAreAsLongAsTheirPrefixSays) {
    EXPECT_EQ(slots_in_symbol(0), 0U);
    for (const CyclicPrefix cp : kCyclicPrefixes) {
        const Numerology numerology = *Numerology::make(7'000'000, cp);
        const uint32_t slots = slots_in_symbol(static_cast<uint8_t>(cp));
        EXPECT_EQ(slots, static_cast<uint32_t>(numerology.symbol_slots()));
        for (const int symbol : {0, 1, 100, 2047}) {
            const Slot at = Slot::of_symbol(symbol, slots);
            EXPECT_EQ(at.samples(), int64_t{symbol} * numerology.symbol_samples());
            EXPECT_EQ(at.symbol(slots), symbol);
            EXPECT_EQ(Slot(5).after(symbol, slots) - at, 5);
            EXPECT_TRUE(at.begins_symbol(slots));
            EXPECT_EQ((at + (slots - 1)).symbol(slots), symbol);
            EXPECT_FALSE((at + 1).begins_symbol(slots));
            EXPECT_FALSE((at + (slots - 1)).begins_symbol(slots));
            EXPECT_DOUBLE_EQ((at + slots / 2).symbols(slots), symbol + 0.5);
        }
    }
}

TEST(Slot, OrderAndDifference) {
    const Slot early(215), late(216);
    EXPECT_LT(early, late);
    EXPECT_EQ(late - early, 1);
    EXPECT_EQ(early - late, -1);
    EXPECT_EQ(early + 1, late);
    EXPECT_EQ(late + -1, early);
    EXPECT_EQ(late, 216U);
    EXPECT_NE(late, 215U);
    EXPECT_EQ(late.value(), 216U);
}

}  // namespace test_slot
}  // namespace gr::wimax::phy
