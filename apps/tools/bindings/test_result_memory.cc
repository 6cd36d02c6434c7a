// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/bindings/result_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace wimax::bindings {
namespace test_result_memory {

constexpr size_t kMebi = size_t{1} << 20;

/// Frees all blocks that are kept.
void empty_pool() {
    for (size_t octets = 1; octets <= kMostKeptOctets; octets *= 2) {
        size_t before = 0;
        do {
            before = kept_octets();
            std::free(take_block(octets).release());
        } while (kept_octets() < before);
    }
    ASSERT_EQ(kept_octets(), 0U);
}

TEST(ResultMemory, AReleasedBlockIsUsedForTheNextResultOfItsSize) {
    empty_pool();
    ResultBlock first = take_block(3 * kMebi), second = take_block(3 * kMebi);
    ASSERT_NE(first, nullptr);
    EXPECT_NE(first.get(), second.get());
    std::memset(first.get(), 1, 3 * kMebi);
    const void* const place = first.get();
    first.reset();
    EXPECT_EQ(kept_octets(), 4 * kMebi);  // the next power of two
    const ResultBlock larger = take_block(5 * kMebi);
    EXPECT_NE(larger.get(), place);
    EXPECT_EQ(kept_octets(), 4 * kMebi);
    const ResultBlock again = take_block(4 * kMebi);
    EXPECT_EQ(again.get(), place);
    EXPECT_EQ(kept_octets(), 0U);
    EXPECT_NE(second.get(), again.get());
}

TEST(ResultMemory, NoMoreThanTheLimitIsKept) {
    empty_pool();
    std::vector<ResultBlock> blocks;
    for (size_t n = 0; n < 10; ++n) blocks.push_back(take_block(16 * kMebi));
    blocks.push_back(take_block(2 * kMostKeptOctets));
    blocks.pop_back();
    EXPECT_EQ(kept_octets(), 0U);
    for (size_t n = 1; !blocks.empty(); ++n) {
        blocks.pop_back();
        EXPECT_EQ(kept_octets(), std::min(n * 16 * kMebi, kMostKeptOctets));
    }
    ResultBlock large = take_block(kMostKeptOctets);
    large.reset();  // there is no memory left for it
    EXPECT_EQ(kept_octets(), kMostKeptOctets);
    empty_pool();
}

TEST(ResultMemory, EveryBlockHoldsWhatWasAskedFor) {
    empty_pool();
    for (const size_t octets : {size_t{1}, kLeastBlockOctets, kLeastBlockOctets + 1, 2 * kMebi - 1, 2 * kMebi + 1}) {
        const ResultBlock block = take_block(octets);
        ASSERT_NE(block, nullptr);
        std::memset(block.get(), 0xA5, octets);
        EXPECT_GE(block.get_deleter().octets, octets);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block.get()) % 4096, 0U);
    }
    empty_pool();
}

}  // namespace test_result_memory
}  // namespace wimax::bindings
