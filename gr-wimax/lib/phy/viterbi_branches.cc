/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Depuncturing: soft bits of one stream to the branch metrics of each trellis step. A bit that was not sent is zero.
 */
#include "simd.h"
#include "viterbi_kernels.h"

#include <algorithm>

namespace gr::wimax::phy::viterbi {
namespace {

constexpr size_t kBlockSteps = 240;  // whole periods of every rate

/// Soft bits of the steps of a block, unsent ones zero.
struct Block {
    int8_t x[kBlockSteps], y[kBlockSteps];
};

WIMAX_SIMD_CLONES void combine(const Block& block, size_t steps, int16_t* out) {
    for (size_t i = 0; i < steps; ++i) {
        const int sum = block.x[i] + block.y[i], difference = block.x[i] - block.y[i];
        out[4 * i] = static_cast<int16_t>(sum);
        out[4 * i + 1] = static_cast<int16_t>(difference);
        out[4 * i + 2] = static_cast<int16_t>(-difference);
        out[4 * i + 3] = static_cast<int16_t>(-sum);
    }
}

/// `get(k)` is bit k of the coder's output.
template <CodeRate Rate, class Get>
size_t fill(size_t count, BranchMetrics* branches, Get get) {
    constexpr const auto& pattern = puncture_pattern(Rate);
    constexpr auto period_in = static_cast<size_t>(pattern.input_bits);
    constexpr auto period_out = static_cast<size_t>(pattern.output_bits);
    Block block{};
    size_t done = 0, k = 0;
    const size_t steps = count / period_out * period_in;
    while (done < steps) {
        const size_t n = std::min(kBlockSteps, steps - done);
        for (size_t i = 0; i < n; i += period_in)
            for (size_t j = 0; j < period_in; ++j) {
                if (pattern.sent[2 * j]) block.x[i + j] = get(k++);
                if (pattern.sent[2 * j + 1]) block.y[i + j] = get(k++);
            }
        combine(block, n, branches[done].value);
        done += n;
    }
    return steps;
}

template <class Get>
size_t fill(CodeRate rate, size_t count, BranchMetrics* branches, Get get) {
    switch (rate) {
        case CodeRate::r1_2: return fill<CodeRate::r1_2>(count, branches, get);
        case CodeRate::r2_3: return fill<CodeRate::r2_3>(count, branches, get);
        case CodeRate::r3_4: return fill<CodeRate::r3_4>(count, branches, get);
        case CodeRate::r5_6: return fill<CodeRate::r5_6>(count, branches, get);
    }
    return 0;
}

}  // namespace

size_t fill_branches(CodeRate rate, const SoftBit* soft, size_t count, BranchMetrics* branches) {
    return fill(rate, count, branches, [soft](size_t k) { return soft[k]; });
}

size_t fill_branches(CodeRate rate, const SoftBit* soft, std::span<const uint16_t> position, BranchMetrics* branches) {
    return fill(rate, position.size(), branches, [soft, at = position.data()](size_t k) { return soft[at[k]]; });
}

}  // namespace gr::wimax::phy::viterbi
