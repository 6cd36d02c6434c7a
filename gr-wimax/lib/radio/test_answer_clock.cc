// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/answer_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace gr::wimax {
namespace {

TEST(Arrivals, APacketIsThereWithItsLastSample) {
    Arrivals arrivals;
    EXPECT_FALSE(arrivals.when(0));
    for (int64_t i = 1; i <= 5; ++i) arrivals.note(100 * i, 1000 * i);
    EXPECT_EQ(arrivals.when(100), 1000);
    EXPECT_EQ(arrivals.when(101), 2000);
    EXPECT_EQ(arrivals.when(200), 2000);
    EXPECT_EQ(arrivals.when(500), 5000);
    EXPECT_FALSE(arrivals.when(501));  // not yet
    EXPECT_EQ(arrivals.when(50), 1000);
}

TEST(Arrivals, WhatIsTooLongAgoIsNotGuessed) {
    Arrivals arrivals;
    for (int64_t i = 1; i <= 5000; ++i) arrivals.note(100 * i, 1000 * i);
    EXPECT_EQ(arrivals.when(500'000 - 100 * 500), 1000 * 4500);
    EXPECT_FALSE(arrivals.when(500'000 - 100 * 512));
    EXPECT_FALSE(arrivals.when(7));
}

TEST(AnswerTimes, Quantiles) {
    AnswerTally tally;
    EXPECT_EQ(tally.times().quantile_us(0.5), 0U);
    for (int i = 0; i < 980; ++i) tally.note(410);  // 400 .. 425
    for (int i = 0; i < 19; ++i) tally.note(1000);  // 1000 .. 1025
    tally.note(55'000);
    const auto t = tally.times();
    EXPECT_EQ(t.count(), 1000U);
    EXPECT_EQ(t.quantile_us(0.5), 425U);
    EXPECT_EQ(t.quantile_us(0.98), 425U);
    EXPECT_EQ(t.quantile_us(0.99), 1025U);
    EXPECT_EQ(t.quantile_us(1), 55'000U);
    EXPECT_EQ(t.longest_us, 55'000U);
    EXPECT_EQ(t.sum_us, 980U * 410 + 19 * 1000 + 55'000);
    EXPECT_EQ(t.within_us(400), 0U);
    EXPECT_EQ(t.within_us(425), 980U);
    EXPECT_EQ(t.within_us(10'000), 999U);
    EXPECT_EQ(t.within_us(20'000), 999U);
}

/// Answers in any order: sum, longest, counts and quantiles against the sorted list, to the width of a bin.
TEST(AnswerTimes, FiguresAreThoseOfAllAnswers) {
    std::mt19937 random(3);
    for (int run = 0; run < 30; ++run) {
        AnswerTally tally;
        std::vector<uint64_t> all;
        for (uint64_t i = 0, count = 1 + random() % 300; i < count; ++i) {
            all.push_back(random() % (run % 3 == 0 ? 30'000 : 2000));
            tally.note(static_cast<int64_t>(all.back()));
        }
        const auto t = tally.times();
        std::sort(all.begin(), all.end());
        EXPECT_EQ(t.count(), all.size());
        EXPECT_EQ(t.longest_us, all.back());
        EXPECT_EQ(t.sum_us, std::accumulate(all.begin(), all.end(), uint64_t{0}));
        for (const int64_t us : {0, 25, 250, 1000, 9975, 10'000})
            EXPECT_EQ(t.within_us(us), std::lower_bound(all.begin(), all.end(), us) - all.begin()) << us;
        for (const double part : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
            const auto rank = static_cast<size_t>(std::ceil(part * static_cast<double>(all.size())));
            const uint64_t exact = all[rank - 1];
            const uint64_t bin_end = exact < 10'000 ? (exact / 25 + 1) * 25 : all.back();
            EXPECT_EQ(t.quantile_us(part), std::min(bin_end, all.back())) << part << " of " << all.size();
        }
    }
}

TEST(AnswerTimes, NoQuantileIsBeyondTheLongest) {
    AnswerTally tally;
    tally.note(3);
    tally.note(-1);  // a clock that was set
    EXPECT_EQ(tally.times().quantile_us(0.5), 3U);
    EXPECT_EQ(tally.times().sum_us, 3U);
}

}  // namespace
}  // namespace gr::wimax
