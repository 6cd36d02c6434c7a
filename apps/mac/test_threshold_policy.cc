// SPDX-License-Identifier: GPL-3.0-or-later
// Policy "thresholds": the mean of the CINR against the thresholds of the burst profiles, and rates that fail.
#include "mac/threshold_policy.h"

#include <gtest/gtest.h>

using namespace wimax::mac;

namespace test_threshold_policy {

constexpr Samples kFrame = 57'600, kPatience = 50 * kFrame;
constexpr float kHysteresis = 0.5F, kLast = 15.0F / 32, kSlow = 1.0F / 32;
constexpr BurstFate kWhole{40, 0}, kLost{40, 21}, kHalf{40, 20};

RateThresholds thresholds() {
    RateThresholds of;
    of.entry_db = kReceiverNeedsDb;
    of.exit_db = kReceiverNeedsDb;
    for (float& db : of.exit_db) db -= kHysteresis;
    return of;
}
const RateThresholds kThresholds = thresholds();

struct Link {
    explicit Link(float averaging = kLast) : of(averaging, kPatience, kThresholds) {}
    void frame(float cinr_db, const BurstFate& fate = kWhole) {
        now += kFrame;
        of.measured(cinr_db, now);
        of.burst(of.id(), fate, cinr_db, now);
        of.adopt(of.wanted(now), now);
    }
    void frames(int count, float cinr_db, const BurstFate& fate = kWhole) {
        for (int i = 0; i < count; ++i) frame(cinr_db, fate);
    }
    size_t row() const { return row_of(of.id()); }

    ThresholdPolicy of;
    Samples now = 0;
};

TEST(ThresholdPolicy, EveryRateIsEnteredAtItsEntryThresholdAndLeftAtItsExitThreshold) {
    for (size_t row = 1; row < kRateCount; ++row) {
        Link link;
        link.of.start(kThresholds.entry_db[row - 1]);
        ASSERT_EQ(link.row(), row - 1);
        link.frames(200, kThresholds.entry_db[row] - 0.01F);
        EXPECT_EQ(link.row(), row - 1) << row;
        link.frames(200, kThresholds.entry_db[row] + 0.01F);
        EXPECT_EQ(link.row(), row);
        link.frames(200, kThresholds.exit_db[row] + 0.01F);
        EXPECT_EQ(link.row(), row);
        link.frames(200, kThresholds.exit_db[row] - 0.01F);
        EXPECT_EQ(link.row(), row - 1) << row;
        EXPECT_EQ(link.of.changes().rises, 1U);
        EXPECT_EQ(link.of.changes().falls, 1U);
    }
}

TEST(ThresholdPolicy, BeginsWithTheHighestRateThatMayStay) {
    Link link;
    link.of.start(100);
    EXPECT_EQ(link.row(), kRateCount - 1);
    link.of.start(kThresholds.exit_db[3]);
    EXPECT_EQ(link.row(), 2U);
    link.of.start(-20);
    EXPECT_EQ(link.row(), 0U);
    link.of.set_limits(profile_in_row(2), profile_in_row(4));
    EXPECT_EQ(link.row(), 2U);
    link.of.start(100);
    EXPECT_EQ(link.row(), 4U);
    link.frames(200, -20);
    EXPECT_EQ(link.row(), 2U);
    link.frames(400, 40);
    EXPECT_EQ(link.row(), 4U);
}

TEST(ThresholdPolicy, TheMeanDecidesAndTakesOneMeasurementPerFrame) {
    Link slow(kSlow);
    slow.of.start(kThresholds.entry_db[3]);
    slow.frame(kThresholds.entry_db[3]);
    slow.frame(10 + kThresholds.entry_db[6]);
    const size_t after_one = slow.row();
    EXPECT_LT(after_one, 6U);
    for (int i = 0; i < 100; ++i) slow.of.measured(60, slow.now);
    EXPECT_EQ(row_of(slow.of.wanted(slow.now)), after_one);

    Link early(kSlow), late(kSlow);
    late.of.set_averaging(kLast);
    for (Link* link : {&early, &late}) {
        link->of.start(kThresholds.entry_db[6]);
        link->frame(kThresholds.entry_db[6]);
        link->frames(6, -20);
    }
    EXPECT_GT(early.row(), late.row());
}

TEST(ThresholdPolicy, FiveLostBurstsInARowEndARateForAWhile) {
    constexpr float kGoodDb = 40;
    Link link;
    link.of.start(kGoodDb);
    link.frames(4, kGoodDb, kLost);
    link.frame(kGoodDb);
    link.frames(4, kGoodDb, kLost);
    EXPECT_EQ(link.row(), 6U);
    link.frame(kGoodDb, kLost);
    EXPECT_EQ(link.row(), 5U);
    const Samples left = link.now;
    while (link.row() == 5U) link.frame(kGoodDb);
    EXPECT_EQ(link.row(), 6U);
    EXPECT_EQ(link.now - left, kPatience);

    link.frames(100, kGoodDb, kHalf);  // half of the blocks arrive
    EXPECT_EQ(link.row(), 6U);
    for (int i = 0; i < 100; ++i) link.of.burst(profile_in_row(5), kLost, kGoodDb, link.now);
    EXPECT_EQ(link.of.wanted(link.now), link.of.id()) << "bursts in another rate";
}

TEST(ThresholdPolicy, TheLowestRateIsNotGivenUp) {
    Link link;
    link.of.set_limits(profile_in_row(2), profile_in_row(6));
    link.of.start(-20);
    link.of.give_up(link.now);
    EXPECT_EQ(row_of(link.of.wanted(link.now)), 2U);
    link.frame(40);
    EXPECT_EQ(link.row(), 6U);
}

TEST(ThresholdPolicy, ANewStartForgetsWhatFailed) {
    Link link;
    link.of.start(40);
    link.frames(4, 40, kLost);
    link.of.start(40);
    link.frame(40, kLost);
    EXPECT_EQ(link.row(), 6U);
    link.frames(4, 40, kLost);
    EXPECT_EQ(link.row(), 5U);
    link.of.start(kThresholds.entry_db[1]);
    link.frame(40);
    EXPECT_EQ(link.row(), 6U) << "the wait is over";

    Link slow(kSlow);
    slow.of.start(40);
    slow.frames(50, 40);
    slow.of.start(kThresholds.entry_db[1]);
    slow.frame(kThresholds.entry_db[1]);
    EXPECT_EQ(slow.row(), 1U) << "the mean of before";
}

}  // namespace test_threshold_policy
