// SPDX-License-Identifier: GPL-3.0-or-later
// The buffer of the receivers: samples are found by number, in any order of storing and dropping.
#include "phy/base/sample_buffer.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gr::wimax::phy {
namespace test_sample_buffer {

constexpr size_t kCapacity = 1000;

/// Samples whose values are their numbers.
std::vector<Complex> numbered(int64_t first, size_t count) {
    std::vector<Complex> samples(count);
    for (size_t i = 0; i < count; ++i) samples[i] = {static_cast<float>(first + static_cast<int64_t>(i)), 1};
    return samples;
}

void expect_numbers(const SampleBuffer& buffer) {
    const auto all = buffer.view();
    ASSERT_EQ(static_cast<int64_t>(all.size()), buffer.end() - buffer.begin());
    for (size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], Complex(static_cast<float>(buffer.begin() + static_cast<int64_t>(i)), 1));
}

/// Position of a sample in its cache line.
size_t place(const SampleBuffer& buffer) { return reinterpret_cast<uintptr_t>(buffer.view().data()) % 128 / 8; }

TEST(SampleBuffer, HoldsWhatWasNotDroppedAtPlacesOfItsNumbers) {
    std::mt19937 random(1);
    SampleBuffer buffer(kCapacity);
    buffer.reset(123);
    while (buffer.end() < 200'000) {
        const size_t count = std::min<size_t>(random() % 300, buffer.space());
        buffer.append(numbered(buffer.end(), count));
        expect_numbers(buffer);
        ASSERT_LE(buffer.end() - buffer.begin(), static_cast<int64_t>(kCapacity));
        ASSERT_EQ(place(buffer), static_cast<size_t>(buffer.begin()) % 16);
        buffer.drop_before(buffer.begin() + static_cast<int64_t>(random() % 350) - 20);
        expect_numbers(buffer);
    }
    buffer.drop_before(buffer.end());
    buffer.store(numbered(buffer.end(), 20));
    EXPECT_EQ(buffer.ahead(), 20U);
    buffer.reset(7);
    EXPECT_EQ(buffer.ahead(), 0U);
    EXPECT_EQ(buffer.begin(), 7);
    EXPECT_TRUE(buffer.view().empty());
    EXPECT_EQ(buffer.space(), kCapacity);
}

TEST(SampleBuffer, ShowsThePartThatIsThere) {
    SampleBuffer buffer(kCapacity);
    buffer.reset(50);
    buffer.append(numbered(50, 100));
    EXPECT_EQ(buffer.view(0, 60).size(), 10U);
    EXPECT_EQ(buffer.view(60, 70).front(), Complex(60, 1));
    EXPECT_EQ(buffer.view(140, 500).size(), 10U);
    EXPECT_TRUE(buffer.view(500, 600).empty());
    EXPECT_TRUE(buffer.view(70, 60).empty());
}

TEST(SampleBuffer, WhatIsAheadIsShownOrForgotten) {
    SampleBuffer buffer(kCapacity);
    buffer.reset(0);
    buffer.store(numbered(0, 100));
    EXPECT_EQ(buffer.end(), 0);
    buffer.show(30);
    EXPECT_EQ(buffer.end(), 30);
    EXPECT_EQ(buffer.ahead(), 70U);
    buffer.forget_ahead();
    buffer.store(numbered(30, 50));
    buffer.show(50);
    EXPECT_EQ(buffer.end(), 80);
    expect_numbers(buffer);
}

TEST(SampleBuffer, WhatIsLentIsCopiedOnlyIfItStays) {
    std::mt19937 random(2);
    SampleBuffer buffer(kCapacity);
    buffer.reset(5);
    size_t in_place = 0;
    while (buffer.end() < 200'000) {
        auto samples = numbered(buffer.end(), std::min<size_t>(1 + random() % 300, buffer.space()));
        buffer.lend(samples);
        in_place += buffer.view().data() == samples.data();
        expect_numbers(buffer);
        buffer.drop_before(buffer.begin() + static_cast<int64_t>(random() % 400));
        expect_numbers(buffer);
        buffer.keep();
        std::fill(samples.begin(), samples.end(), Complex{});  // no longer in use
        expect_numbers(buffer);
        ASSERT_EQ(place(buffer), static_cast<size_t>(buffer.begin()) % 16);
    }
    EXPECT_GT(in_place, 100U);
}

}  // namespace test_sample_buffer
}  // namespace gr::wimax::phy
