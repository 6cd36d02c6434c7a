// SPDX-License-Identifier: GPL-3.0-or-later
// The Viterbi decoder of demap_viterbi_rs, decision by decision: K = 7, soft bits -31 .. 31. The trellis is cut into
// blocks of kBlockSteps, the last one shorter. The traceback through the block after it gives the state from which a
// block is decided. That traceback begins in state 0, even if the best path is elsewhere; a block's length makes the
// error negligible. The last block ends in the tail's state 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::fpga {

class BlockViterbi {
public:
    static constexpr int kStates = 64;
    static constexpr size_t kBlockSteps = 256;

    void start();
    /// Soft bits of both outputs of the code; 0 for punctured bits.
    void step(int x, int y);
    /// All bytes of the burst: whole ones, the first bit in the highest place.
    std::vector<uint8_t> finish();

private:
    unsigned trace(size_t first, size_t end, unsigned state, uint8_t* bits) const;

    std::array<int, kStates> cost_{};
    std::vector<uint64_t> decisions_;
};

}  // namespace wimax::fpga
