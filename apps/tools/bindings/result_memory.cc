// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/bindings/result_memory.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <vector>

namespace wimax::bindings {
namespace {

constexpr size_t kLargePage = size_t{2} << 20;

/// Released blocks by the logarithm of their size. The interpreter lock protects them.
struct Kept {
    std::array<std::vector<void*>, 64> blocks;
    size_t octets = 0;
};

/// Never destroyed: Python may release results after static objects are gone.
Kept& kept() {
    static Kept& all = *new Kept;
    return all;
}

void* new_block(size_t octets) {
    const size_t alignment = octets < kLargePage ? size_t{4096} : kLargePage;
    void* block = std::aligned_alloc(alignment, octets);
    if (block != nullptr && octets >= kLargePage) ::madvise(block, octets, MADV_HUGEPAGE);  // a wish
    return block;
}

}  // namespace

void ReleaseBlock::operator()(void* block) const {
    Kept& all = kept();
    if (all.octets + octets > kMostKeptOctets) return std::free(block);
    all.blocks[static_cast<size_t>(std::countr_zero(octets))].push_back(block);
    all.octets += octets;
}

size_t kept_octets() { return kept().octets; }

ResultBlock take_block(size_t octets) {
    const size_t size = std::bit_ceil(octets);
    Kept& all = kept();
    auto& blocks = all.blocks[static_cast<size_t>(std::countr_zero(size))];
    if (blocks.empty()) return ResultBlock(new_block(size), ReleaseBlock{size});
    ResultBlock block(blocks.back(), ReleaseBlock{size});
    blocks.pop_back();
    all.octets -= size;
    return block;
}

}  // namespace wimax::bindings
