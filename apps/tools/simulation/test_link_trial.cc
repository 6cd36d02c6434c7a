// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/simulation/simulator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace wimax::link {
namespace {

LinkSetup awgn(phy::Direction direction, Estimation estimation, int symbols = 1) {
    LinkSetup setup;
    setup.direction = direction;
    setup.estimation = estimation;
    setup.data_symbols = symbols;
    return setup;
}

Point measure_point(const LinkSetup& setup, int rate_id, double snr_db, const StopRule& stop, uint64_t seed = 1,
                    int threads = 1) {
    return Simulator(setup, threads).measure(rate_id, snr_db, stop, seed);
}

TEST(Wilson, KnownValues) {
    EXPECT_NEAR(wilson(5, 10).low, 0.2366, 1e-4);
    EXPECT_NEAR(wilson(5, 10).high, 0.7634, 1e-4);
    EXPECT_EQ(wilson(0, 100).low, 0.0);
    EXPECT_NEAR(wilson(0, 100).high, 0.0370, 1e-4);
    EXPECT_EQ(wilson(100, 100).high, 1.0);
}

TEST(Simulator, EveryRateArrivesWithAmpleSignalAndNoneWithout) {
    for (const auto direction : {phy::Direction::downlink, phy::Direction::uplink})
        for (const auto estimation : {Estimation::real, Estimation::genie})
            for (int rate = 0; rate < phy::kRates; ++rate) {
                const auto setup = awgn(direction, estimation, 3);
                const auto good = measure_point(setup, rate, 35, {30, 1});
                EXPECT_EQ(good.block_errors, 0) << "rate " << rate;
                EXPECT_EQ(good.blocks, 30);
                EXPECT_EQ(good.missed, 0);
                EXPECT_EQ(good.bits, 10 * 8 * phy::burst_capacity_bytes(rate, 3));
                const auto bad = measure_point(setup, rate, -15, {30, 1000});
                EXPECT_GT(bad.per(), 0.9) << "rate " << rate;
                EXPECT_NEAR(bad.ber(), 0.5, 0.15) << "rate " << rate;
                EXPECT_TRUE(bad.missed == 0 || estimation == Estimation::real);
            }
}

TEST(Simulator, GenieMeetsTheReferenceOfEveryRate) {
    // SNR at which an independent simulation with perfect knowledge loses one block in a hundred.
    constexpr std::array<double, phy::kRates> kReferenceDb{-0.23, 4.08, 6.58, 9.66, 12.87, 16.76, 18.37};
    for (const auto direction : {phy::Direction::downlink, phy::Direction::uplink})
        for (int rate = 0; rate < phy::kRates; ++rate) {
            const auto setup = awgn(direction, Estimation::genie);
            const auto point = measure_point(setup, rate, kReferenceDb[static_cast<size_t>(rate)], {4000, 4000});
            EXPECT_NEAR(static_cast<double>(point.block_errors), 40, 4 * std::sqrt(40.0)) << "rate " << rate;
        }
}

TEST(Simulator, MidamblesSubchannelsPrefixesAndBandwidths) {
    for (const auto estimation : {Estimation::real, Estimation::genie}) {
        auto setup = awgn(phy::Direction::uplink, estimation, 20);
        setup.midamble_interval = 1;  // two midambles in 20 symbols
        EXPECT_EQ(measure_point(setup, 3, 20, {400, 1}).block_errors, 0);
        for (const auto cp : {phy::CyclicPrefix::g1_4, phy::CyclicPrefix::g1_32}) {
            auto other = awgn(phy::Direction::downlink, estimation, 3);
            other.cp = cp;
            other.bandwidth_hz = cp == phy::CyclicPrefix::g1_4 ? 1'750'000 : 20'000'000;
            EXPECT_EQ(measure_point(other, 4, 25, {60, 1}).block_errors, 0);
        }
    }
    auto setup = awgn(phy::Direction::uplink, Estimation::genie, 20);
    setup.subchannel_index = 8;
    auto point = measure_point(setup, 2, 20, {400, 1});
    EXPECT_EQ(point.block_errors, 0);
    EXPECT_EQ(point.blocks, 400);
    EXPECT_EQ(point.bits, 20 * 8 * (36 / 2 * 20 - 1));
    setup.subchannel_index = 1;  // six bits per symbol: the tail byte is the last block, and two bits of the one before
    point = measure_point(setup, 0, -30, {400, 1000});
    EXPECT_EQ(point.bits % (8 * (20 * 6 / 8 - 1)), 0);
    EXPECT_EQ(point.bits / (8 * (20 * 6 / 8 - 1)), point.blocks / 19);
    EXPECT_GT(point.per(), 0.7);
}

TEST(Simulator, ThreadsDoNotChangeTheResult) {
    auto moving = awgn(phy::Direction::downlink, Estimation::real, 20);
    moving.profile = *channel::named_profile("vehicular-a");  // nothing of a trial's channel is left in the receiver
    for (const auto& setup : {awgn(phy::Direction::downlink, Estimation::real, 2), moving}) {
        const double snr_db = setup.profile.constant() ? 3.0 : 12.0;
        const auto one = measure_point(setup, 1, snr_db, {2000, 40}, 7, 1),
                   three = measure_point(setup, 1, snr_db, {2000, 40}, 7, 3);
        EXPECT_GT(one.block_errors, 0);
        EXPECT_EQ(one.blocks, three.blocks);
        EXPECT_EQ(one.block_errors, three.block_errors);
        EXPECT_EQ(one.bit_errors, three.bit_errors);
        EXPECT_EQ(one.missed, three.missed);
        EXPECT_NE(one.bit_errors, measure_point(setup, 1, snr_db, {2000, 40}, 8, 1).bit_errors);
    }
}

TEST(Simulator, StopsAtTheFirstLimit) {
    const auto setup = awgn(phy::Direction::uplink, Estimation::genie);
    const auto by_errors = measure_point(setup, 6, 0.0, {1000, 10});
    EXPECT_EQ(by_errors.block_errors, 10);
    EXPECT_EQ(by_errors.blocks, 10);
    EXPECT_EQ(measure_point(setup, 6, 35.0, {70, 10}).blocks, 70);
}

TEST(Trial, WrongBlocksThatWereNotReportedAreUndetected) {
    // BPSK has no Reed-Solomon code: the decoder reports no block.
    for (const auto estimation : {Estimation::real, Estimation::genie}) {
        const auto bpsk = measure_point(awgn(phy::Direction::uplink, estimation, 5), 0, -2, {2000, 2000});
        EXPECT_GT(bpsk.undetected, 500);
        EXPECT_EQ(bpsk.undetected, bpsk.block_errors - 5 * bpsk.missed);
        EXPECT_EQ(bpsk.failed, 0);
    }
    // At QPSK 3/4 one of 80 random blocks has a word nearby. In bursts of one block the count is exact.
    auto setup = awgn(phy::Direction::downlink, Estimation::real);
    setup.second_chance = false;
    const auto once = measure_point(setup, 2, 3, {4000, 4000});
    EXPECT_NEAR(static_cast<double>(once.undetected), 50, 4 * std::sqrt(50.0));
    EXPECT_LE(std::abs(once.block_errors - once.missed - once.failed - once.undetected), 10);
    setup.second_chance = true;  // which examines the words of blocks with the most errors
    const auto twice = measure_point(setup, 2, 3, {4000, 4000});
    EXPECT_LE(twice.undetected, 1);
    EXPECT_GT(twice.failed, 3900);
}

TEST(Trial, GenieKnowsAChannelWithEchoes) {
    auto setup = awgn(phy::Direction::downlink, Estimation::genie);
    setup.profile = *channel::named_profile("sui1");
    EXPECT_EQ(measure_point(setup, 1, 40, {50, 50}).block_errors, 0);
    // The last echo of SUI-4 arrives three quarters of a prefix late: a window set a few samples wrong shows.
    setup.profile = *channel::named_profile("sui4");
    EXPECT_LE(measure_point(setup, 6, 40, {500, 500}).block_errors, 2);
}

}  // namespace
}  // namespace wimax::link
