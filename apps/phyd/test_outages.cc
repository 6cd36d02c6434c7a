// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/outages.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace wimax::phyd {
namespace test_outages {

using sap::FrameNumber;

void results(Outages& outages, std::initializer_list<uint32_t> frames, bool good) {
    for (const uint32_t n : frames) outages.result(FrameNumber(n), good);
}

TEST(Outages, OfASubscriberAreFramesWithoutABroadcast) {
    Outages outages(true);
    results(outages, {2}, false);  // before it has found anything
    results(outages, {5, 6, 7, 10, 11}, true);
    EXPECT_EQ(outages.figures().count, 1U);
    EXPECT_EQ(outages.figures().frames, 2U);
    results(outages, {12}, false);
    results(outages, {16, 17}, true);
    EXPECT_EQ(outages.figures().count, 2U);
    EXPECT_EQ(outages.figures().frames, 6U);
    EXPECT_EQ(outages.figures().last, 4U);
    results(outages, {19, 20}, true);
    EXPECT_EQ(outages.figures().last, 1U);
    EXPECT_EQ(outages.figures().longest, 4U);
}

/// Frames in which no station was to send are no outages.
TEST(Outages, OfABaseStationAreBadFrames) {
    Outages outages(false);
    results(outages, {5, 20, 21}, true);
    EXPECT_EQ(outages.figures().count, 0U);
    results(outages, {25}, true);
    results(outages, {25}, false);  // another station's
    results(outages, {25}, true);
    results(outages, {28, 29}, true);
    EXPECT_EQ(outages.figures().count, 1U);
    EXPECT_EQ(outages.figures().frames, 1U);
    results(outages, {30, 33, 34}, false);
    results(outages, {35, 36}, true);
    EXPECT_EQ(outages.figures().count, 2U);
    EXPECT_EQ(outages.figures().last, 3U);
}

TEST(Outages, AnotherRadioBeginsAnew) {
    Outages outages(true);
    results(outages, {5, 6}, true);
    outages.restart();
    results(outages, {40, 41, 42}, true);
    EXPECT_EQ(outages.figures().count, 0U);
}

/// Numbers wrap; those of a base station that was started again count from another begin.
TEST(Outages, NumbersWrapAndJump) {
    Outages outages(true);
    results(outages, {FrameNumber::kLast - 1, 1, 2}, true);
    EXPECT_EQ(outages.figures().frames, 2U);
    results(outages, {5'000'000, 5'000'001, 3, 4}, true);
    EXPECT_EQ(outages.figures().frames, 2U);
}

}  // namespace test_outages
}  // namespace wimax::phyd
