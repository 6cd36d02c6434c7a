// SPDX-License-Identifier: GPL-3.0-or-later
// Subchannels of a station's grants: groups of Table 213, and the number that its CINR requires.
#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/bs/uplink_width.h"

#include <gtest/gtest.h>

using namespace wimax::mac;

namespace test_uplink_width {

constexpr float kNeedsDb = 3;
constexpr Samples kFrame = 10, kPatience = 500;

struct Width : ::testing::Test {
    UplinkWidth width{{1, 2, kPatience}};
    Samples now = 100'000;

    uint32_t after(float cinr_db, int bursts) {
        for (int i = 0; i < bursts; ++i) width.on_burst(cinr_db, kNeedsDb, now += kFrame);
        return width.count();
    }
};

/// Table 213: groups and their members, written out.
TEST(Subchannels, GroupsShareTheirMembersCarriers) {
    const auto members = [](uint8_t index) {
        uint32_t mask = 0;
        const int size = index & -index;
        for (int k = 0; k < 16; ++k)
            if (2 * k + 1 > index - size && 2 * k + 1 < index + size) mask |= 1U << k;
        return mask;
    };
    EXPECT_EQ(members(4), 0x000FU);
    EXPECT_EQ(members(31), 0x8000U);
    for (uint8_t a = 1; a <= 31; ++a)
        for (uint8_t b = 1; b <= 31; ++b)
            ASSERT_EQ(share_carriers(a, b), (members(a) & members(b)) != 0) << int{a} << " " << int{b};
}

TEST(Subchannels, ABandIsHandedOutWithoutOverlap) {
    SubchannelBand band;
    EXPECT_EQ(band.take(4), 4);
    EXPECT_EQ(band.take(1), 9);
    EXPECT_EQ(band.take(8), 24);
    EXPECT_EQ(band.take(2), 14);
    EXPECT_EQ(band.take(8), std::nullopt);
    EXPECT_EQ(band.take(1), 11);
    EXPECT_EQ(band.take(1), std::nullopt);
    EXPECT_EQ(SubchannelBand().take(16), 16);
    EXPECT_NEAR(density_gain_db(1), 12.04, 0.01);
    EXPECT_NEAR(density_gain_db(8), 3.01, 0.01);
    EXPECT_EQ(density_gain_db(16), 0);
}

TEST_F(Width, AsManyAsTheCinrAllows) {
    EXPECT_EQ(after(3.1F, 20), 16U);
    EXPECT_EQ(after(2.9F, 2), 16U);
    EXPECT_EQ(after(2.9F, 1), 8U);
    EXPECT_EQ(after(-5.9F, 3), 2U);  // 12 - 9.03 are too little for two: -5.9 + 9.03 = 3.13 is enough
    EXPECT_EQ(after(-6.1F, 3), 1U);
    EXPECT_EQ(after(-30, 10), 1U);
    EXPECT_EQ(width.changes(), 3U);
}

TEST_F(Width, OneWeakBurstSaysNothing) {
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(after(0, 2), 16U);
        EXPECT_EQ(after(5, 1), 16U);
    }
}

TEST_F(Width, NarrowsOnlyAsFarAsAllThreeSay) {
    after(-8, 1);
    after(-8, 1);
    EXPECT_EQ(after(2, 1), 8U);
}

TEST_F(Width, WiderStepByStepWithHysteresis) {
    after(-8, 3);
    ASSERT_EQ(width.count(), 1U);
    now += kPatience;
    EXPECT_EQ(after(-4.5F, 100), 1U);  // two subchannels would have 4.53 dB, with hysteresis 5 are needed
    EXPECT_EQ(after(-3.9F, 40), 2U);   // 5.13
    EXPECT_EQ(after(-3.9F, 100), 2U);
    const Samples before = now;
    EXPECT_EQ(after(20, 200), 16U);
    EXPECT_GE(now - before, 3 * kPatience);
}

TEST_F(Width, WhatHadToBeTakenBackIsTriedLaterAndLater) {
    after(0, 3);
    ASSERT_EQ(width.count(), 8U);
    std::vector<Samples> waits;
    for (int i = 0; i < 7; ++i) {
        const Samples narrow_since = now;
        while (width.count() == 8) after(6, 1);
        waits.push_back(now - narrow_since);
        after(0, 3);
        ASSERT_EQ(width.count(), 8U);
    }
    for (size_t i = 0; i + 1 < waits.size(); ++i)
        EXPECT_NEAR(double(waits[i + 1]), double(std::min(2 * waits[i], 32 * kPatience)), 5 * kFrame) << i;
}

TEST_F(Width, LostBurstsNarrowAStationAtItsLimit) {
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(width.on_loss(false, now));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(width.on_loss(true, now));
    width.on_delivery();
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(width.on_loss(true, now));
    EXPECT_TRUE(width.on_loss(true, now));
    EXPECT_EQ(width.count(), 8U);
}

TEST(WidthOfAFixedStation, NeverChanges) {
    UplinkWidth fixed(4), all;
    for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(fixed.on_burst(-20, kNeedsDb, i));
        EXPECT_FALSE(all.on_burst(-20, kNeedsDb, i));
        EXPECT_FALSE(fixed.on_loss(true, i));
    }
    EXPECT_EQ(fixed.count(), 4U);
    EXPECT_EQ(all.count(), 16U);
}

}  // namespace test_uplink_width
