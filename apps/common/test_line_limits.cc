// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/line_limits.h"

#include <gtest/gtest.h>

#include <string>

namespace wimax {
namespace {

constexpr uint64_t kPeer = 100;

/// Lines of the given number each second for `seconds`, kinds in turn.
int written(LineLimits& limits, uint64_t source, int each_second, int kinds, int seconds, double from_s = 0) {
    std::string note;
    int lines = 0;
    for (int i = 0; i < each_second * seconds; ++i)
        lines += limits.allow(source, static_cast<uint64_t>(i % kinds), from_s + double(i) / each_second, note);
    return lines;
}

TEST(LineLimits, AKindHasABurstAndThenOneInFourSeconds) {
    LineLimits limits;
    std::string note;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(limits.allow(kPeer, 1, 10, note)) << i;
    EXPECT_FALSE(limits.allow(kPeer, 1, 10, note));
    EXPECT_FALSE(limits.allow(kPeer, 1, 13.99, note));
    EXPECT_TRUE(limits.allow(kPeer, 2, 13.99, note)) << "another kind has its own";
    EXPECT_EQ(note, "");
    EXPECT_TRUE(limits.allow(kPeer, 1, 14, note));
    EXPECT_EQ(note, " (2 more of this kind before)");
    EXPECT_FALSE(limits.allow(kPeer, 1, 14, note));
    EXPECT_TRUE(limits.allow(kPeer, 1, 1000, note));
    EXPECT_EQ(note, " (1 more of this kind before)");
    EXPECT_TRUE(limits.allow(kPeer, 1, 1000, note));
    EXPECT_EQ(note, "");
    EXPECT_EQ(limits.left_out(), 3U);
}

/// A minute of every rate and number of kinds: the burst and a line each second.
TEST(LineLimits, ASourceHasABudgetForAllItsKinds) {
    for (const int kinds : {1, 2, 7, 40, 1000})
        for (const int each_second : {3, 50, 400}) {
            LineLimits limits;
            const int lines = written(limits, kPeer, each_second, kinds, 60);
            EXPECT_LE(lines, 16 + 60) << kinds << " kinds, " << each_second << "/s";
            EXPECT_GE(lines, kinds == 1 ? 15 : 30) << kinds << " kinds, " << each_second << "/s";
        }
}

TEST(LineLimits, OneSourceTakesNothingFromAnother) {
    LineLimits limits;
    written(limits, kPeer, 400, 20, 10);
    std::string note;
    for (uint64_t kind = 0; kind < 10; ++kind) {
        EXPECT_TRUE(limits.allow(kPeer + 1, kind, 10, note)) << kind;
        EXPECT_TRUE(limits.allow(LineLimits::kOwn, kind, 10, note)) << kind;
        EXPECT_TRUE(limits.allow(LineLimits::kShared, kind, 10, note)) << kind;
    }
}

/// Each line has a different source: memory and lines stay bounded.
TEST(LineLimits, InventedSourcesShareABudget) {
    LineLimits limits;
    std::string note;
    int lines = 0;
    for (uint64_t i = 0; i < 60'000; ++i) lines += limits.allow(1000 + i, i % 3, double(i) / 1000, note);
    EXPECT_LE(limits.sources(), LineLimits::kMostSources);
    EXPECT_LE(lines, 64 + 60 / 4 + 16 + 60);
}

/// The source used longest ago is forgotten.
TEST(LineLimits, TheOneUsedLongestAgoIsForgotten) {
    LineLimits limits;
    std::string note;
    for (uint64_t i = 0; i < 2000; ++i) limits.allow(1000 + i, 1, 10.0 * double(i), note);
    EXPECT_EQ(limits.sources(), LineLimits::kMostSources);
}

TEST(LineLimits, TimeThatGoesBackRefillsNothing) {
    LineLimits limits;
    std::string note;
    for (int i = 0; i < 3; ++i) limits.allow(kPeer, 1, 100, note);
    for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(limits.allow(kPeer, 1, 0, note));
        EXPECT_FALSE(limits.allow(kPeer, 1, 100, note));
    }
}

TEST(LineLimits, PlacesAndVariantsAreKinds) {
    EXPECT_NE(line_kind("a.cc", 1), line_kind("a.cc", 2));
    EXPECT_NE(line_kind("a.cc", 1), line_kind("b.cc", 1));
    EXPECT_NE(line_kind("a.cc", 1, 1), line_kind("a.cc", 1, 2));
    EXPECT_EQ(line_kind("a.cc", 1, 1), line_kind("a.cc", 1, 1));
}

}  // namespace
}  // namespace wimax
