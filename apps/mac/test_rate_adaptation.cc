// SPDX-License-Identifier: GPL-3.0-or-later
// The rate that follows from measured CINRs and the fate of bursts, without stations and air.
#include "mac/bs/link_state.h"
#include "mac/bs/uplink_rate.h"
#include "mac/test_error_model.h"

#include <gtest/gtest.h>

#include <functional>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_rate_adaptation {

constexpr Samples kFrame = 57'600;  // 10 ms
constexpr int64_t kRate = 5'760'000;
const RateThresholds kThresholds{receiver_thresholds_db(0), receiver_thresholds_db(kHysteresisDb)};

RateAdaptation::Config lab() { return adaptation_config({}, kFrame, kRate); }

struct Link {
    explicit Link(RateAdaptation::Config config = lab()) : of(config, kThresholds) {}
    /// A frame with a measurement, and a burst of that fate.
    void frame(float cinr_db, bool delivered = true) {
        now += kFrame;
        of.measured(cinr_db, now);
        of.burst(of.id(), delivered, cinr_db, now);
        of.adopt(of.wanted(now), now);
    }
    void frames(int count, float cinr_db) {
        for (int i = 0; i < count; ++i) frame(cinr_db);
    }
    int row() const { return static_cast<int>(row_of(of.id())); }
    uint64_t changes() const { return of.counters().falls + of.counters().rises; }

    RateAdaptation of;
    Samples now = 0;
};

TEST(RateAdaptation, ARateBeyondTheLimitsIsNotAdopted) {
    Link link;
    link.of.set_limits(profile_in_row(2), profile_in_row(4));
    for (const auto& [asked, adopted] : {std::pair{0U, 2}, {6U, 4}, {3U, 3}, {1U, 2}, {5U, 4}}) {
        link.of.adopt(profile_in_row(asked), ++link.now);
        EXPECT_EQ(link.row(), adopted) << asked;
    }
}

TEST(CinrTrend, FollowsALineAndNotOneThatRises) {
    CinrTrend trend;
    for (int i = 0; i < 2; ++i) trend.add(20, i * kFrame);
    EXPECT_FALSE(trend.ready());
    for (int i = 2; i < 30; ++i) trend.add(20 - 0.3F * static_cast<float>(i), i * kFrame);
    ASSERT_TRUE(trend.ready());
    EXPECT_NEAR(trend.predicted_db(29 * kFrame, 2), 20 - 0.3 * 29, 1e-3);
    EXPECT_NEAR(trend.predicted_db(32 * kFrame, 2), 20 - 0.3 * 32, 1e-3);
    EXPECT_NEAR(trend.latest_db(), 20 - 0.3 * 27, 1e-3);
    EXPECT_NEAR(trend.lowest_db(), 20 - 0.3 * 29, 1e-3);
    EXPECT_NEAR(trend.predicted_db(200 * kFrame, 2), 20 - 0.3 * 29 - 2, 1e-3);
    trend.clear();
    for (int i = 0; i < 30; ++i) trend.add(0.3F * static_cast<float>(i), i * kFrame);
    EXPECT_NEAR(trend.predicted_db(40 * kFrame, 2), 0.3 * 29, 1e-3);
}

TEST(CinrTrend, OneDisturbedFrameDoesNotBendIt) {
    CinrTrend trend;
    for (int i = 0; i < 20; ++i) trend.add(i == 17 ? 0.0F : 20.0F, i * kFrame);
    EXPECT_FLOAT_EQ(trend.predicted_db(25 * kFrame, 2), 20);
    EXPECT_FLOAT_EQ(trend.latest_db(), 20);
}

TEST(CinrTrend, BurstsOfOneFrameCountOnce) {
    CinrTrend trend;
    for (int i = 0; i < 9; ++i) trend.add(static_cast<float>(i), kFrame);
    EXPECT_FALSE(trend.ready());
    trend.add(4, 2 * kFrame);
    trend.add(4, 3 * kFrame);
    EXPECT_FLOAT_EQ(trend.latest_db(), 4);  // the nine have a mean of 4
}

TEST(RateAdaptation, ThresholdsAreWhatTheReceiverNeedsInStepsOfTheDescriptors) {
    for (size_t rate = 0; rate < kRateCount; ++rate) {
        const float exit_db = kThresholds.exit_db[rate];
        EXPECT_GE(exit_db, kReceiverNeedsDb[rate]);
        EXPECT_LT(exit_db, kReceiverNeedsDb[rate] + 0.25F);
        EXPECT_FLOAT_EQ(exit_db * 4, std::round(exit_db * 4));
        EXPECT_FLOAT_EQ(kThresholds.entry_db[rate] - exit_db, 2);
    }
    EXPECT_FLOAT_EQ(kThresholds.exit_db[6], 20.25F);
}

TEST(RateAdaptation, StartsAtWhatWorks) {
    Link link;
    for (uint8_t rate = 1; rate < kRateCount; ++rate) {
        link.of.start(kThresholds.exit_db[rate] + 0.1F);
        EXPECT_EQ(link.row(), rate);
        link.of.start(kThresholds.exit_db[rate]);
        EXPECT_EQ(link.row(), rate - 1);
    }
    link.of.set_limits(profile_in_row(2), profile_in_row(4));
    link.of.start(40);
    EXPECT_EQ(link.row(), 4);
    link.of.start(-5);
    EXPECT_EQ(link.row(), 2);
}

/// Each rate is left before its bursts fail: at 30 dB/s, when bursts are in the new rate three frames after.
TEST(RateAdaptation, LeavesARateBeforeARampPassesItsThreshold) {
    Link link;
    link.of.start(35);
    const auto reaction_db = 0.3F * 3;
    float cinr_db = 35;
    link.frames(20, cinr_db);
    for (int i = 0; i < 100; ++i) {
        const int before = link.row();
        link.frame(cinr_db -= 0.3F);
        if (link.row() == before) continue;
        EXPECT_EQ(link.row(), before - 1);
        const float left_db = cinr_db - kThresholds.exit_db[before];
        EXPECT_GT(left_db, reaction_db - 0.35F) << int(before);
        EXPECT_LT(left_db, reaction_db + 0.35F) << int(before);
    }
    EXPECT_EQ(link.row(), 0);
    for (int i = 0; i < 100; ++i) link.frame(cinr_db += 0.3F);
    EXPECT_EQ(link.row(), 6);
    EXPECT_EQ(link.of.counters().falls, 6U);
    EXPECT_EQ(link.of.counters().rises, 6U);
    EXPECT_FLOAT_EQ(link.of.margin_db(), 0);
}

TEST(RateAdaptation, AStepIsFollowedInThreeFramesOverSeveralRates) {
    Link link;
    link.of.start(30);
    link.frames(50, 30);
    link.frames(2, 10);
    EXPECT_EQ(link.row(), 6);  // may be no more than two disturbed frames
    link.frame(10);
    EXPECT_EQ(link.row(), 2);
    link.frames(20, 10);
    EXPECT_EQ(link.row(), 2);
}

TEST(RateAdaptation, RisesWithTheMeanAndNotWithOneFrame) {
    Link link;
    link.of.start(5);
    EXPECT_EQ(link.row(), 0);
    link.frames(50, 5);
    for (int i = 0; i < 2; ++i) link.frame(30);
    EXPECT_EQ(link.row(), 0);
    link.frames(40, 5);
    EXPECT_EQ(link.row(), 0);
    link.frames(40, kThresholds.entry_db[3] - 0.1F);
    EXPECT_EQ(link.row(), 2);
    link.frames(100, kThresholds.entry_db[3] + 0.1F);
    EXPECT_EQ(link.row(), 3);
}

/// Sixty seconds at each of many constant CINRs around each threshold, measured with noise and with bursts that fail as
/// they do there.
TEST(RateAdaptation, DoesNotFlapAtAThreshold) {
    uint64_t most = 0, all = 0, lost = 0, bursts = 0;
    for (size_t rate = 1; rate < kRateCount; ++rate)
        for (const float threshold_db : {kThresholds.exit_db[rate], kThresholds.entry_db[rate]})
            for (const float off_db : {-0.5F, 0.0F, 0.5F}) {
                Link link;
                ErrorModel model(static_cast<uint32_t>(rate * 10));
                const float cinr_db = threshold_db + off_db;
                link.of.start(cinr_db + 1);  // above, so that it has to find its place
                link.frames(20, cinr_db);
                const uint64_t before = link.changes();
                for (int i = 0; i < 6000; ++i) {
                    const bool delivered = model.failed_blocks(row_of(link.of.id()), 40, cinr_db) == 0;
                    lost += delivered ? 0 : 1;
                    ++bursts;
                    link.frame(cinr_db + model.noise_db(0.4F), delivered);
                }
                most = std::max(most, link.changes() - before);
                all += link.changes() - before;
            }
    printf("at 36 CINRs: %lu changes in all, %lu at one at most, %.4f %% of bursts lost\n", all, most,
           100.0 * double(lost) / double(bursts));
    EXPECT_LE(most, 2U);
    EXPECT_LT(double(lost) / double(bursts), 0.01);
}

/// Share of bursts that are lost where 3 dB more are needed than in white noise.
double loss_on_a_worse_channel(float target) {
    auto config = lab();
    config.target_loss = target;
    Link link(config);
    ErrorModel model(3);
    uint64_t lost = 0, bursts = 0;
    for (int i = 0; i < 40'000; ++i) {
        const float cinr_db = 21.5F + 5 * std::sin(static_cast<float>(i) / 300);
        const bool delivered = model.failed_blocks(row_of(link.of.id()), 40, cinr_db - 3) == 0;
        if (i > 4000) {
            ++bursts;
            lost += delivered ? 0 : 1;
        }
        link.frame(cinr_db, delivered);
    }
    return double(lost) / double(bursts);
}

TEST(RateAdaptation, TheOuterLoopFindsTheMarginThatAChannelNeeds) {
    const double without = loss_on_a_worse_channel(0), coarse = loss_on_a_worse_channel(0.05F),
                 fine = loss_on_a_worse_channel(0.01F);
    printf("lost %.4f without outer loop, %.4f of 0.05, %.4f of 0.01\n", without, coarse, fine);
    EXPECT_GT(without, 0.02);
    EXPECT_LT(coarse, without / 2);
    EXPECT_LT(fine, 0.01);
    EXPECT_GT(fine, 0.001);  // no more careful than it is asked to be
}

TEST(RateAdaptation, WhatTheThresholdsForetellTeachesNothing) {
    Link link;
    link.of.start(30);
    link.frames(20, 30);
    for (int i = 0; i < 4; ++i) link.of.burst(profile_in_row(6), false, kThresholds.exit_db[6], link.now);
    EXPECT_FLOAT_EQ(link.of.margin_db(), 0);
    link.of.burst(profile_in_row(5), false, 25, link.now);  // granted before the last change
    EXPECT_FLOAT_EQ(link.of.margin_db(), 0);
    link.of.burst(profile_in_row(6), false, kThresholds.exit_db[6] + 0.1F, link.now);
    EXPECT_FLOAT_EQ(link.of.margin_db(), 0.5F);
    link.of.burst(profile_in_row(6), false, 25, link.now);  // of the same cause
    EXPECT_FLOAT_EQ(link.of.margin_db(), 0.5F);
    link.of.burst(profile_in_row(6), true, 40, link.now);  // no wonder
    EXPECT_FLOAT_EQ(link.of.margin_db(), 0.5F);
    link.of.burst(profile_in_row(6), true, 25, link.now);
    EXPECT_NEAR(link.of.margin_db(), 0.5 - 0.5 / 99, 1e-6);
}

/// Frames until the highest rate is tried again.
int frames_below(Link& link, float cinr_db) {
    int frames = 0;
    for (; link.row() < 6 && frames < 10'000; ++frames) link.frame(cinr_db);
    return frames;
}

TEST(RateAdaptation, WhatFailsInSpiteOfItsCinrIsTriedLaterAndLater) {
    Link link;
    link.of.start(40);
    link.frames(30, 40);
    std::vector<int> waits;
    for (int tries = 0; tries < 4; ++tries) {
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(link.row(), 6) << i;
            link.frame(40, false);
        }
        EXPECT_EQ(link.row(), 5);
        waits.push_back(frames_below(link, 40));
    }
    EXPECT_EQ(waits, (std::vector<int>{50, 100, 200, 400}));
    link.frames(300, 40);  // it works again
    for (int i = 0; i < 5; ++i) link.frame(40, false);
    EXPECT_EQ(frames_below(link, 40), 50);
}

TEST(RateAdaptation, FixedIsFixed) {
    Link link;
    link.of.set_limits(profile_in_row(4), profile_in_row(4));
    link.of.start(40);
    for (int i = 0; i < 100; ++i) link.frame(i < 50 ? 40.0F : 1.0F, i % 3 == 0);
    EXPECT_EQ(link.row(), 4);
    EXPECT_EQ(link.changes(), 0U);
}

TEST(AveragingCode, IsTheWeightOfAFrame) {
    LinkAdaptationConfig config;
    const auto code = [&](uint32_t ms, double frame_ms) {
        config.averaging_ms = ms;
        return int(averaging_code(config, static_cast<Samples>(frame_ms * 5760), kRate));
    };
    EXPECT_EQ(code(100, 10), 3);  // 0.095 of 32
    EXPECT_EQ(code(100, 20), 6);
    EXPECT_EQ(code(1000, 2.5), 1);
    EXPECT_EQ(code(0, 10), 15);
    EXPECT_FLOAT_EQ(adaptation_config(config, kFrame, kRate).averaging, 15.0F / 32);
}

TEST(UplinkRate, WaitsForPowerThatIsLeft) {
    const auto run = [](float left_db) {
        UplinkRate of(profile_in_row(6), profile_in_row(0), lab(), kThresholds);
        of.start(30);
        for (int i = 0; i < 20; ++i) of.on_burst(of.id(), true, 30, 0, false, i * kFrame);
        for (int i = 20; i < 30; ++i) of.on_burst(of.id(), row_of(of.id()) <= 2, 10, left_db, false, i * kFrame);
        return int(row_of(of.id()));
    };
    EXPECT_EQ(run(20), 6);
    EXPECT_EQ(run(0), 2);
    EXPECT_EQ(run(6), 4);
}

TEST(UplinkRate, ExhaustedMeansDown) {
    UplinkRate of(profile_in_row(6), profile_in_row(0), lab(), kThresholds);
    of.start(30);
    of.on_burst(profile_in_row(6), false, 30, 0, true, kFrame);
    EXPECT_EQ(row_of(of.id()), 5U);
    of.on_burst(profile_in_row(6), false, 30, 0, true, kFrame);  // granted before
    EXPECT_EQ(row_of(of.id()), 5U);
    UplinkRate fixed(profile_in_row(6), profile_in_row(6), lab(), kThresholds);
    fixed.on_burst(profile_in_row(6), false, 30, 0, true, kFrame);
    EXPECT_EQ(row_of(fixed.id()), 6U);
    EXPECT_TRUE(fixed.possible(18));  // one block in twenty is lost
    EXPECT_FALSE(fixed.possible(17.8F));
}

TEST(PowerHeadroom, FollowsReportsAndCommands) {
    PowerHeadroom power;
    EXPECT_FALSE(power.left_db());
    power.maximum(20);
    power.corrected(3);
    EXPECT_FALSE(power.left_db());
    power.reported(12);
    EXPECT_FLOAT_EQ(*power.left_db(), 8);
    power.corrected(3);
    EXPECT_FLOAT_EQ(*power.left_db(), 5);
    power.corrected(9);
    EXPECT_FLOAT_EQ(*power.left_db(), 0);
    power.corrected(-2);
    EXPECT_FLOAT_EQ(*power.left_db(), 2);  // it was at its limit, not beyond
}

}  // namespace test_rate_adaptation
