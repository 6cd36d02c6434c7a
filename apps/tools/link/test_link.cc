/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <link/campaign.h>

#include <gtest/gtest.h>

namespace wimax::link {
namespace {

LinkSetup awgn(phy::Direction direction, Estimation estimation, int symbols = 1) {
    LinkSetup setup;
    setup.direction = direction;
    setup.estimation = estimation;
    setup.data_symbols = symbols;
    return setup;
}

TEST(Wilson, KnownValues) {
    EXPECT_NEAR(wilson(5, 10).low, 0.2366, 1e-4);
    EXPECT_NEAR(wilson(5, 10).high, 0.7634, 1e-4);
    EXPECT_EQ(wilson(0, 100).low, 0.0);
    EXPECT_NEAR(wilson(0, 100).high, 0.0370, 1e-4);
    EXPECT_EQ(wilson(100, 100).high, 1.0);
}

TEST(Campaign, EveryRateArrivesWithAmpleSignalAndNoneWithout) {
    for (const auto direction : {phy::Direction::downlink, phy::Direction::uplink})
        for (const auto estimation : {Estimation::real, Estimation::genie})
            for (int rate = 0; rate < phy::kRates; ++rate) {
                const auto setup = awgn(direction, estimation, 3);
                const auto good = measure_point(setup, rate, 35, {30, 1}, 1, 1);
                EXPECT_EQ(good.block_errors, 0) << "rate " << rate;
                EXPECT_EQ(good.blocks, 30);
                EXPECT_EQ(good.missed, 0);
                EXPECT_EQ(good.bits, 10 * 8 * phy::burst_capacity_bytes(rate, 3));
                const auto bad = measure_point(setup, rate, -15, {30, 1000}, 1, 1);
                EXPECT_GT(bad.per(), 0.9) << "rate " << rate;
                EXPECT_NEAR(bad.ber(), 0.5, 0.15) << "rate " << rate;
                EXPECT_TRUE(bad.missed == 0 || estimation == Estimation::real);
            }
}

TEST(Campaign, GenieMeetsTheReferenceOfSixteenQam) {
    // One block in a hundred at 9.66 dB with perfect knowledge: 20 of 2000 expected.
    const auto setup = awgn(phy::Direction::downlink, Estimation::genie);
    const auto point = measure_point(setup, 3, 9.66, {2000, 2000}, 1, 1);
    EXPECT_GE(point.block_errors, 6);
    EXPECT_LE(point.block_errors, 38);
}

TEST(Campaign, ThreadsDoNotChangeTheResult) {
    const auto setup = awgn(phy::Direction::downlink, Estimation::real, 2);
    const auto one = measure_point(setup, 1, 3.0, {500, 40}, 7, 1),
               three = measure_point(setup, 1, 3.0, {500, 40}, 7, 3);
    EXPECT_GT(one.block_errors, 0);
    EXPECT_EQ(one.blocks, three.blocks);
    EXPECT_EQ(one.block_errors, three.block_errors);
    EXPECT_EQ(one.bit_errors, three.bit_errors);
    EXPECT_EQ(one.missed, three.missed);
    EXPECT_NE(one.bit_errors, measure_point(setup, 1, 3.0, {500, 40}, 8, 1).bit_errors);
}

TEST(Campaign, StopsAtTheFirstLimit) {
    const auto setup = awgn(phy::Direction::uplink, Estimation::genie);
    const auto by_errors = measure_point(setup, 6, 0.0, {1000, 10}, 1, 1);
    EXPECT_EQ(by_errors.block_errors, 10);
    EXPECT_EQ(by_errors.blocks, 10);
    EXPECT_EQ(measure_point(setup, 6, 35.0, {70, 10}, 1, 1).blocks, 70);
}

TEST(Trial, GenieKnowsAChannelWithEchoes) {
    auto setup = awgn(phy::Direction::downlink, Estimation::genie);
    setup.profile = *channel::named_profile("sui1");
    EXPECT_EQ(measure_point(setup, 1, 40, {50, 50}, 1, 1).block_errors, 0);
    // The last echo of SUI-4 comes three quarters of a prefix late: a window set a few samples wrong shows.
    setup.profile = *channel::named_profile("sui4");
    EXPECT_LE(measure_point(setup, 6, 40, {500, 500}, 1, 1).block_errors, 2);
}

}  // namespace
}  // namespace wimax::link
