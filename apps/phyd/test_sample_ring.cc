// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/sample_ring.h"

#include <gtest/gtest.h>

namespace wimax::phyd {
namespace {

/// Each sample is its own number.
void take(SampleRing& ring, int64_t first, size_t count) {
    std::vector<SampleRing::Complex> samples;
    for (size_t i = 0; i < count; ++i) samples.emplace_back(static_cast<float>(first + static_cast<int64_t>(i)), 0.0F);
    ring.take(first, samples);
}

/// Number of the first one, and how many follow it one by one.
std::pair<int64_t, size_t> numbers(const SampleRing& ring) {
    const auto stretch = ring.stretch();
    std::vector<SampleRing::Complex> all(stretch.parts[0].begin(), stretch.parts[0].end());
    all.insert(all.end(), stretch.parts[1].begin(), stretch.parts[1].end());
    for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i].real(), static_cast<float>(stretch.first + static_cast<int64_t>(i)));
    return {stretch.first, all.size()};
}

TEST(SampleRing, HoldsWhatIsAroundAnEvent) {
    SampleRing ring(1000);
    for (int64_t n = 0; n < 5000; n += 70) take(ring, n, 70);
    EXPECT_TRUE(ring.idle());
    ASSERT_TRUE(ring.want(5050, 300));
    EXPECT_FALSE(ring.want(1, 1));  // another event meanwhile
    for (int64_t n = 5040; n < 6000; n += 70) {
        EXPECT_EQ(ring.held(), n >= 5390) << n;
        take(ring, n, 70);
    }
    EXPECT_EQ(numbers(ring), std::pair(int64_t{4350}, size_t{1000}));
    EXPECT_EQ(ring.stretch().event, 5050);
    ring.release();
    take(ring, 6020, 10);  // samples in between are missing: restarts
    ASSERT_TRUE(ring.want(6025, 10));
    take(ring, 6030, 10);
    ASSERT_TRUE(ring.held());
    EXPECT_EQ(numbers(ring), std::pair(int64_t{6020}, size_t{15}));
}

TEST(SampleRing, AnEventOfThePastIsHeldAtOnce) {
    SampleRing ring(100);
    take(ring, 0, 90);
    ASSERT_TRUE(ring.want(10, 20));
    take(ring, 90, 5);
    ASSERT_TRUE(ring.held());
    EXPECT_EQ(numbers(ring), std::pair(int64_t{0}, size_t{90}));
}

TEST(SampleRing, AJumpOfTimeForgetsWhatWasBefore) {
    SampleRing ring(100);
    take(ring, 0, 50);
    take(ring, 60, 30);
    ASSERT_TRUE(ring.want(80, 10));
    take(ring, 90, 1);
    ASSERT_TRUE(ring.held());
    EXPECT_EQ(numbers(ring), std::pair(int64_t{60}, size_t{30}));
}

TEST(SampleRing, PacketsLongerThanIt) {
    SampleRing ring(100);
    take(ring, 0, 1050);
    ASSERT_TRUE(ring.want(1050, 500));  // at most as many after the event as fit
    take(ring, 1050, 1000);
    ASSERT_TRUE(ring.held());
    EXPECT_EQ(numbers(ring), std::pair(int64_t{1050}, size_t{100}));
}

TEST(SampleRing, OneOfNoLengthTakesNothing) {
    SampleRing ring(0);
    take(ring, 0, 10);
    EXPECT_FALSE(ring.want(5, 1));
}

}  // namespace
}  // namespace wimax::phyd
