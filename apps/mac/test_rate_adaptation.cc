// SPDX-License-Identifier: GPL-3.0-or-later
// The rate that follows from measured CINRs and the fate of bursts, without stations and air.
#include "mac/bs/link_state.h"
#include "mac/bs/uplink_rate.h"
#include "mac/rate_adaptation.h"
#include "mac/test_error_model.h"

#include <gtest/gtest.h>

#include <functional>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_rate_adaptation {

constexpr Samples kFrame = 57'600;  // 10 ms
constexpr int64_t kRate = 5'760'000;
constexpr int kBlocks = 40;  // of a burst
const RateThresholds kNoLimits{};
const RateNeeds kNeedsDb = needs_db(LinkGoal::few_losses, LinkAdaptationConfig{}.target_loss);

RateAdaptation::Config lab() { return adaptation_config({}, kFrame, kRate); }
std::unique_ptr<RatePolicy> policy() { return std::make_unique<RateAdaptation>(lab(), kNoLimits); }

struct Link {
    explicit Link(RateAdaptation::Config config = lab()) : of(config, kNoLimits) {}
    /// A frame with a measurement, and a burst with that many lost blocks.
    void frame(float cinr_db, int failed = 0) {
        now += kFrame;
        of.measured(cinr_db, now);
        of.burst(of.id(), {kBlocks, failed}, cinr_db, now);
        of.adopt(of.wanted(now), now);
    }
    /// The same with measurements of 0.4 dB deviation, blocks lost as in white noise `worse_db` lower, and the new rate
    /// used three frames later.
    void noisy_frame(ErrorModel& model, float cinr_db, float worse_db = 0) {
        now += kFrame;
        const ProfileId used = rates[static_cast<size_t>(now / kFrame) % rates.size()];
        const int failed = model.failed_blocks(row_of(used), kBlocks, cinr_db - worse_db);
        blocks += kBlocks;
        lost_blocks += failed;
        octets += kBlockOctets[row_of(used)] * static_cast<float>(kBlocks - failed);
        const float measured_db = cinr_db + model.noise_db(0.4F);
        of.measured(measured_db, now);
        of.burst(used, {kBlocks, failed}, measured_db, now);
        of.adopt(of.wanted(now), now);
        rates[static_cast<size_t>(now / kFrame + 3) % rates.size()] = of.id();
    }
    void start(float cinr_db) {
        of.start(cinr_db);
        rates.fill(of.id());
    }
    void frames(int count, float cinr_db) {
        for (int i = 0; i < count; ++i) frame(cinr_db);
    }
    int row() const { return static_cast<int>(row_of(of.id())); }
    uint64_t changes() const { return of.changes().falls + of.changes().rises; }

    RateAdaptation of;
    Samples now = 0;
    std::array<ProfileId, 4> rates{};  ///< by frame, the present and the next three
    int64_t blocks = 0, lost_blocks = 0;
    double octets = 0;
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

/// Equal measurements make a level line; others bend it until they are forgotten.
TEST(CinrTrend, AConstantCinrIsALevelLine) {
    constexpr float kLevelDb = 17.3F;
    CinrTrend trend;
    Samples now = 0;
    const auto add = [&](float cinr_db) { trend.add(cinr_db, now += kFrame); };
    const auto ahead_db = [&] { return trend.predicted_db(now + 3 * kFrame, 100); };
    for (int n = 0; n < 30; ++n) {
        add(kLevelDb);
        if (n >= 2) {
            EXPECT_EQ(ahead_db(), kLevelDb) << n;
        }
    }
    for (int n = 0; n < 4; ++n) add(kLevelDb - 2);
    EXPECT_LT(ahead_db(), kLevelDb - 0.1F);
    for (int n = 0; n < 20; ++n) add(kLevelDb);
    EXPECT_EQ(ahead_db(), kLevelDb);
    for (int n = 0; n < 4; ++n) {  // the second measurement of a frame differs
        add(kLevelDb);
        trend.add(kLevelDb - 4, now);
    }
    EXPECT_LT(ahead_db(), kLevelDb - 0.1F);
}

TEST(CinrTrend, BurstsOfOneFrameCountOnce) {
    CinrTrend trend;
    for (int i = 0; i < 9; ++i) trend.add(static_cast<float>(i), kFrame);
    EXPECT_FALSE(trend.ready());
    trend.add(4, 2 * kFrame);
    trend.add(4, 3 * kFrame);
    EXPECT_FLOAT_EQ(trend.latest_db(), 4);  // the nine have a mean of 4
}

constexpr int kMemoryFrames = 300;
constexpr Samples kRestless = 5 * kRate;

TEST(LinkLevel, IsTheMeanWhileTheCinrIsConstant) {
    LinkLevel level(kMemoryFrames, kRestless);
    ErrorModel noise(7);
    Samples now = 0;
    for (int i = 0; i < 1000; ++i) {
        level.add(15 + noise.noise_db(0.4F), now += kFrame);
        EXPECT_EQ(level.steady(), i >= 23) << i;
        EXPECT_FALSE(level.restless(now));
    }
    EXPECT_NEAR(level.db(), 15, 0.1F);
}

/// Also on a slow one: between two changes the mean follows it by less than the change.
TEST(LinkLevel, IsNeverSteadyOnARamp) {
    for (const float db_per_frame : {0.1F, 0.15F, 0.3F, 0.6F, -0.1F, -0.15F, -0.3F, -0.6F}) {
        LinkLevel level(kMemoryFrames, kRestless);
        Samples now = 0;
        for (int i = 0; i < 100; ++i) level.add(20, now += kFrame);
        EXPECT_TRUE(level.steady());
        for (int i = 0; i < 200; ++i) {
            level.add(20 + db_per_frame * static_cast<float>(i), now += kFrame);
            EXPECT_FALSE(i > 30 && level.steady()) << db_per_frame << " " << i;
        }
    }
}

TEST(LinkLevel, IsRestlessAfterTwoChanges) {
    LinkLevel level(kMemoryFrames, kRestless);
    Samples now = 0;
    const auto stay = [&](float db, int frames) {
        for (int i = 0; i < frames; ++i) level.add(db, now += kFrame);
    };
    stay(20, 100);
    stay(18.7F, 100);
    EXPECT_FALSE(level.restless(now));
    stay(20, 100);
    EXPECT_TRUE(level.restless(now));
    EXPECT_TRUE(level.steady());
    EXPECT_NEAR(level.db(), 20, 0.2F);
    stay(20, 600);
    EXPECT_FALSE(level.restless(now));
    stay(21.3F, 100);  // one in a long time
    EXPECT_FALSE(level.restless(now));
    level.clear();
    EXPECT_FALSE(level.ready());
    EXPECT_FALSE(level.steady());
}

TEST(RateNeeds, FollowFromTheErrorRatesOfTheReceiver) {
    const auto goodput = needs_db(LinkGoal::goodput, 0.001F);
    for (size_t rate = 0; rate < kRateCount; ++rate) {
        const auto profile = profile_in_row(rate);
        EXPECT_NEAR(block_error(profile, kOneInHundredDb[rate]), 1e-2, 1e-4);
        EXPECT_NEAR(block_error(profile, kReceiverNeedsDb[rate]), 1e-4, 1e-6);
        for (const float error : {0.5F, 0.01F, 1e-5F})
            EXPECT_NEAR(block_error(profile, needed_db(profile, error)), error, 1e-2F * error);
        // The loss of a packet of 1500 octets is that of its blocks.
        const float blocks = 1500 / kBlockOctets[rate];
        EXPECT_NEAR(blocks * block_error(profile, kNeedsDb[rate]), 0.001, 1e-5);
        EXPECT_LT(goodput[rate], kNeedsDb[rate]);
        if (rate == 0) continue;
        const float pdu_blocks = 1 + 1500 / kBlockOctets[rate];
        const float share = std::pow(1 - block_error(profile, goodput[rate]), pdu_blocks);
        EXPECT_NEAR(share * kBlockOctets[rate], 1.04 * double(kBlockOctets[rate - 1]), 0.05);
    }
}

TEST(RateAdaptation, StartsAtWhatWorks) {
    Link link;
    for (uint8_t rate = 1; rate < kRateCount; ++rate) {
        link.of.start(kNeedsDb[rate] + 0.1F);
        EXPECT_EQ(link.row(), rate);
        link.of.start(kNeedsDb[rate]);
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
    const auto reaction_db = 0.3F * 3 + 1;  // and what is needed beyond while the CINR changes
    float cinr_db = 35;
    link.frames(20, cinr_db);
    for (int i = 0; i < 115; ++i) {
        const int before = link.row();
        link.frame(cinr_db -= 0.3F, 0);
        if (link.row() == before) continue;
        EXPECT_EQ(link.row(), before - 1);
        const float left_db = cinr_db - kNeedsDb[static_cast<size_t>(before)];
        EXPECT_GT(left_db, reaction_db - 0.35F) << before;
        EXPECT_LT(left_db, reaction_db + 0.35F) << before;
    }
    EXPECT_EQ(link.row(), 0);
    for (int i = 0; i < 115; ++i) link.frame(cinr_db += 0.3F);
    EXPECT_EQ(link.row(), 6);
    EXPECT_EQ(link.of.changes().falls, 6U);
    EXPECT_EQ(link.of.changes().rises, 6U);
    EXPECT_LE(link.of.margin_db(), 0);
}

TEST(RateAdaptation, AStepIsFollowedInThreeFramesOverSeveralRates) {
    Link link;
    link.of.start(30);
    link.frames(50, 30);
    link.frames(2, 9.5F);
    EXPECT_EQ(link.row(), 6);  // may be no more than two disturbed frames
    link.frame(9.5F);
    EXPECT_EQ(link.row(), 2);
    link.frames(20, 9.5F);
    EXPECT_EQ(link.row(), 2);
}

TEST(RateAdaptation, RisesWithTheMeanAndNotWithOneFrame) {
    Link link;
    link.of.start(3);
    EXPECT_EQ(link.row(), 0);
    link.frames(50, 3);
    for (int i = 0; i < 2; ++i) link.frame(30);
    EXPECT_EQ(link.row(), 0);
    link.frames(40, 3);
    EXPECT_EQ(link.row(), 0);
    link.frames(500, kNeedsDb[3] - 0.1F);
    EXPECT_EQ(link.row(), 2);
    link.frames(500, kNeedsDb[3] + 0.15F);
    EXPECT_EQ(link.row(), 3);
}

TEST(RateAdaptation, TheBaseStationsThresholdsAreLimits) {
    RateThresholds limits;
    limits.exit_db.fill(20);
    limits.entry_db.fill(25);
    limits.exit_db[6] = 30;
    limits.entry_db[6] = 32;
    RateAdaptation of(lab(), limits);
    Samples now = 0;
    const auto at = [&](float cinr_db) {
        for (int i = 0; i < 1500; ++i) {
            of.measured(cinr_db, now += kFrame);
            of.adopt(of.wanted(now), now);
        }
        return static_cast<int>(row_of(of.id()));
    };
    of.start(40);
    EXPECT_EQ(at(32.2F), 6);
    EXPECT_EQ(at(31.3F), 6);
    EXPECT_EQ(at(30.4F), 6);
    EXPECT_EQ(at(29.5F), 5);
    EXPECT_EQ(at(31.5F), 5);
    EXPECT_EQ(at(32.2F), 6);
    EXPECT_EQ(at(19.5F), 0);
    EXPECT_EQ(at(24.5F), 0);
    EXPECT_EQ(at(25.2F), 5);
}

/// A link at a constant CINR for `seconds`, after `settling_s`.
struct Stay {
    double share = 0;  ///< goodput, against the best fixed rate that serves the goal
    double lost = 0;   ///< packets
    int64_t lost_blocks = 0;
    uint64_t changes = 0;
    bool clear = false;  ///< no rate is within 0.15 dB of its need there
};
Stay stay(LinkGoal goal, float cinr_db, uint32_t seed, int settling_s, int seconds) {
    ErrorModel model(seed);
    Link link;
    link.of.set_aim({goal});
    link.start(cinr_db + model.noise_db(0.4F));
    for (int i = 0; i < 100 * settling_s; ++i) link.noisy_frame(model, cinr_db);
    const uint64_t before = link.changes();
    link.octets = 0;
    link.blocks = link.lost_blocks = 0;
    for (int i = 0; i < 100 * seconds; ++i) link.noisy_frame(model, cinr_db);
    Stay of;
    of.changes = link.changes() - before;
    of.clear = true;
    float best = 0;
    const auto needs = needs_db(goal, LinkAdaptationConfig{}.target_loss);
    for (size_t rate = 0; rate < kRateCount; ++rate) {
        of.clear = of.clear && std::abs(cinr_db - needs[rate]) > 0.15F;
        if (rate > 0 && cinr_db < needs[rate]) continue;
        best = std::max(best, kBlockOctets[rate] * (1 - block_error(profile_in_row(rate), cinr_db)));
    }
    of.share = link.octets / (100.0 * seconds * kBlocks * double(best));
    of.lost_blocks = link.lost_blocks;
    of.lost = double(link.lost_blocks) / double(link.blocks) * 1500 / double(kBlockOctets[size_t(link.row())]);
    return of;
}

class ConstantCinr : public ::testing::TestWithParam<LinkGoal> {};
TEST_P(ConstantCinr, CarriesWhatTheBestFixedRateDoes) {
    double least = 1, most_lost = 0;
    int unclear = 0;
    for (int half_db = 0; half_db <= 60; ++half_db) {
        const float cinr_db = 0.5F * static_cast<float>(half_db);
        const auto found = stay(GetParam(), cinr_db, static_cast<uint32_t>(half_db) + 1, 0, 20);
        unclear += found.clear ? 0 : 1;
        if (!found.clear) continue;
        EXPECT_GT(found.share, 0.97) << cinr_db;
        least = std::min(least, found.share);
        if (GetParam() == LinkGoal::goodput || cinr_db < kNeedsDb[0]) continue;
        most_lost = std::max(most_lost, found.lost);
        EXPECT_TRUE(found.lost <= 0.001 || found.lost_blocks <= 2) << cinr_db << " dB: " << found.lost;
    }
    printf("20 s at 61 SNRs: at least %.3f of the best fixed rate, at most %.5f of packets lost; %d on a limit\n",
           least, most_lost, unclear);
    EXPECT_LT(unclear, 12);
}
TEST_P(ConstantCinr, ChangesTheRateOnceAMinuteAtMost) {
    uint64_t most = 0, all = 0;
    for (int half_db = 0; half_db <= 60; ++half_db) {
        const auto found =
            stay(GetParam(), 0.5F * static_cast<float>(half_db), static_cast<uint32_t>(half_db) + 1, 5, 240);
        most = std::max(most, found.changes);
        all += found.changes;
    }
    printf("240 s at 61 SNRs: %lu changes in all, %lu at most\n", all, most);
    EXPECT_LE(most, 4U);
}
INSTANTIATE_TEST_SUITE_P(Goals, ConstantCinr, ::testing::Values(LinkGoal::few_losses, LinkGoal::goodput));

/// What is learned of a link that needs more or less than white noise does, from bursts that tell of it.
TEST(RateAdaptation, LearnsWhatALinkNeedsInBothDirections) {
    const auto needs = needs_db(LinkGoal::goodput, 0);
    for (const float worse_db : {-0.4F, -0.2F, 0.0F, 0.4F, 0.8F}) {
        Link link;
        link.of.set_aim({LinkGoal::goodput});
        ErrorModel model(5);
        const float cinr_db = needs[4] + 0.2F + std::max(0.0F, worse_db);
        link.start(cinr_db + 0.3F);
        for (int i = 0; i < 3000; ++i) link.noisy_frame(model, cinr_db, worse_db);
        EXPECT_NEAR(link.of.margin_db(), worse_db, 0.1F) << worse_db;
        EXPECT_EQ(link.row(), 4) << worse_db;
    }
}

/// What was learned before a fade does not delay what is learned after it.
TEST(RateAdaptation, AFadeMakesItLearnAnew) {
    const float cinr_db = needs_db(LinkGoal::goodput, 0)[4] + 0.6F;
    const auto frames_to_learn = [&](bool fade) {
        Link link;
        link.of.set_aim({LinkGoal::goodput});
        ErrorModel model(5);
        link.start(cinr_db + 0.3F);
        for (int i = 0; i < 3000; ++i) link.noisy_frame(model, cinr_db);
        for (int i = 0; i < 480; ++i) link.noisy_frame(model, cinr_db + (fade && i % 160 < 80 ? 1.5F : 0.0F));
        for (int i = 0; i < 600; ++i) link.noisy_frame(model, cinr_db);  // no longer restless
        const float before_db = link.of.margin_db();
        int frames = 0;
        for (; link.of.margin_db() < before_db + 0.3F && frames < 1000; ++frames)
            link.noisy_frame(model, cinr_db, 0.5F);
        return frames;
    };
    const int after_fade = frames_to_learn(true), undisturbed = frames_to_learn(false);
    printf("frames until 0.3 dB of 0.5 are learned: %d after a fade, %d without\n", after_fade, undisturbed);
    EXPECT_LT(2 * after_fade, undisturbed);
}

/// Blocks that are lost together have one cause: a disturbed burst, not a rate that is too high.
TEST(RateAdaptation, OneBurstThatIsLostChangesLittle) {
    for (const int failed : {1, 5, kBlocks}) {
        Link link;
        link.of.start(kNeedsDb[5] + 0.3F);
        link.frames(100, kNeedsDb[5] + 0.3F);
        link.frame(kNeedsDb[5] + 0.3F, failed);
        EXPECT_NEAR(link.of.margin_db(), 0.05F, 0.02F) << failed;
        EXPECT_EQ(link.row(), 5);
    }
}

TEST(RateAdaptation, TheTargetOfTheFlowsDecides) {
    constexpr float kStrict = 1e-5F, kLoose = 0.2F;
    for (const size_t row : {1U, 3U, 6U}) {
        // Far above what the loose target needs, far below what the strict one does.
        const float strict_db = needs_db(LinkGoal::few_losses, kStrict)[row];
        const float cinr_db = (strict_db + needs_db(LinkGoal::few_losses, kLoose)[row]) / 2;
        ErrorModel model(7);
        Link link;
        link.of.set_aim({LinkGoal::few_losses, kStrict});
        link.start(cinr_db);
        const auto seconds = [&](int count) {
            for (int i = 0; i < 100 * count; ++i) link.noisy_frame(model, cinr_db);
        };
        seconds(10);
        EXPECT_EQ(link.row(), static_cast<int>(row) - 1);
        link.of.set_aim({LinkGoal::few_losses, kLoose});
        seconds(10);
        EXPECT_EQ(link.row(), static_cast<int>(row));
        link.of.set_aim({LinkGoal::few_losses, kStrict});
        seconds(10);
        EXPECT_EQ(link.row(), static_cast<int>(row) - 1);
    }
}

TEST(RateAdaptation, WithoutATargetNothingChangesTheMargin) {
    for (const auto goal : {LinkGoal::few_losses, LinkGoal::goodput}) {
        auto config = lab();
        config.target_loss = 0;
        Link link(config);
        link.of.set_aim({goal, 0});
        ErrorModel model(6);
        const float cinr_db = needs_db(goal, 0)[4] - 0.2F;  // where the next rate would be tried
        link.start(cinr_db);
        for (int i = 0; i < 1000; ++i) {
            link.noisy_frame(model, cinr_db);
            EXPECT_FLOAT_EQ(link.of.margin_db(), 0);
        }
        EXPECT_EQ(link.row(), 3);
    }
}

/// Losses and goodput where 3 dB more are needed than in white noise, in a slow fade.
TEST(RateAdaptation, WhileItFadesTheMarginThatAChannelNeedsIsFound) {
    const auto run = [](float target) {
        auto config = lab();
        config.target_loss = target;
        Link link(config);
        ErrorModel model(3);
        link.start(21);
        for (int i = 0; i < 40'000; ++i) link.noisy_frame(model, 21.5F + 5 * std::sin(static_cast<float>(i) / 300), 3);
        return double(link.lost_blocks) / double(link.blocks);
    };
    const double without = run(0), fine = run(0.001F), finer = run(0.0002F);
    printf("blocks lost: %.4f without learning, %.4f with a target of 0.001, %.4f of 0.0002\n", without, fine, finer);
    EXPECT_GT(without, 0.02);
    EXPECT_LT(fine, 0.005);
    EXPECT_LT(finer, fine);
}

/// A link whose bursts fail now and then whatever the rate keeps its rate.
TEST(RateAdaptation, LossesThatNoRateHelpsAgainstAreBorne) {
    Link link;
    link.of.start(25);
    for (int i = 0; i < 40'000; ++i) link.frame(25, i % 200 == 0 ? 1 : 0);
    EXPECT_EQ(link.row(), 6);
    EXPECT_EQ(link.changes(), 0U);
}

/// Frames until the highest rate is tried again.
int frames_below(Link& link, float cinr_db) {
    int frames = 0;
    for (; link.row() < 6 && frames < 100'000; ++frames) link.frame(cinr_db);
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
            link.frame(40, kBlocks);
        }
        EXPECT_EQ(link.row(), 5);
        waits.push_back(frames_below(link, 40));
    }
    EXPECT_EQ(waits, (std::vector<int>{50, 200, 800, 3200}));
    link.frames(30'000, 40);  // it works again
    for (int i = 0; i < 5; ++i) link.frame(40, kBlocks);
    EXPECT_EQ(frames_below(link, 40), 50);
}

/// A notch that the mean does not show, for three seconds: after it the rates return within seconds, one by one.
TEST(RateAdaptation, RatesReturnWhereTheCinrHasShownNothing) {
    Link link;
    ErrorModel model(8);
    link.start(18.5F);
    for (int i = 0; i < 500; ++i) link.noisy_frame(model, 18.5F);
    EXPECT_EQ(link.row(), 6);
    for (int i = 0; i < 300; ++i) link.noisy_frame(model, 18.5F, 7);
    EXPECT_LE(link.row(), 4);
    for (int i = 0; i < 600; ++i) link.noisy_frame(model, 18.5F);
    EXPECT_GE(link.row(), 5);
}

/// At a CINR that has changed, what failed before may work.
TEST(RateAdaptation, AnotherCinrEndsTheWait) {
    Link link;
    link.of.start(40);
    link.frames(30, 40);
    for (int tries = 0; tries < 3; ++tries) {
        for (int i = 0; i < 5; ++i) link.frame(40, kBlocks);
        frames_below(link, 40);
    }
    for (int i = 0; i < 5; ++i) link.frame(40, kBlocks);
    EXPECT_LT(frames_below(link, 42), 100);
}

TEST(RateAdaptation, FixedIsFixed) {
    Link link;
    link.of.set_limits(profile_in_row(4), profile_in_row(4));
    link.of.start(40);
    for (int i = 0; i < 100; ++i) link.frame(i < 50 ? 40.0F : 1.0F, i % 3 == 0 ? 0 : kBlocks);
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
        UplinkRate of(profile_in_row(6), profile_in_row(0), policy());
        of.start(30);
        for (int i = 0; i < 20; ++i) of.on_burst(of.id(), {kBlocks, 0}, 30, 0, false, i * kFrame);
        for (int i = 20; i < 30; ++i)
            of.on_burst(of.id(), {kBlocks, row_of(of.id()) <= 2 ? 0 : kBlocks}, 9.5F, left_db, false, i * kFrame);
        return int(row_of(of.id()));
    };
    EXPECT_EQ(run(20), 6);
    EXPECT_EQ(run(0), 2);
    EXPECT_EQ(run(6), 4);
}

TEST(UplinkRate, ExhaustedMeansDown) {
    UplinkRate of(profile_in_row(6), profile_in_row(0), policy());
    of.start(30);
    of.on_burst(profile_in_row(6), {kBlocks, kBlocks}, 30, 0, true, kFrame);
    EXPECT_EQ(row_of(of.id()), 5U);
    of.on_burst(profile_in_row(6), {kBlocks, kBlocks}, 30, 0, true, kFrame);  // granted before
    EXPECT_EQ(row_of(of.id()), 5U);
    UplinkRate fixed(profile_in_row(6), profile_in_row(6), policy());
    fixed.on_burst(profile_in_row(6), {kBlocks, kBlocks}, 30, 0, true, kFrame);
    EXPECT_EQ(row_of(fixed.id()), 6U);
    EXPECT_TRUE(fixed.possible(17.15F));  // one block in twenty is lost
    EXPECT_FALSE(fixed.possible(17.1F));
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
