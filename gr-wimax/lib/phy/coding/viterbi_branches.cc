// SPDX-License-Identifier: GPL-3.0-or-later
// Depuncturing: soft bits of one stream to the branch metrics of each trellis step. A bit that was not sent is zero.
#include "phy/coding/viterbi_kernels.h"

#include <algorithm>
#include <cstring>

namespace gr::wimax::phy::viterbi {
namespace {

constexpr size_t kBlockSteps = 240;  // whole periods of every rate

/// Soft bits of the steps of a block, unsent ones zero.
struct Block {
    int8_t x[kBlockSteps], y[kBlockSteps];
};

inline BranchMetrics metrics_of(int x, int y) {
    const auto sum = static_cast<int16_t>(x + y), difference = static_cast<int16_t>(x - y);
    return {{sum, difference, static_cast<int16_t>(-difference), static_cast<int16_t>(-sum)}};
}

using Bytes8 = int8_t __attribute__((vector_size(8)));
using Words8 = int16_t __attribute__((vector_size(16)));
using Pairs4 = int32_t __attribute__((vector_size(16)));

/// Eight steps at once: the four metrics of a step are made in four registers and brought side by side.
inline void combine8(const int8_t* x_in, const int8_t* y_in, BranchMetrics* out) {
    Bytes8 x_bytes, y_bytes;
    std::memcpy(&x_bytes, x_in, sizeof(x_bytes));
    std::memcpy(&y_bytes, y_in, sizeof(y_bytes));
    const Words8 x = __builtin_convertvector(x_bytes, Words8), y = __builtin_convertvector(y_bytes, Words8);
    const Words8 sum = x + y, difference = x - y;
    const auto low = [](Words8 a, Words8 b) { return Pairs4(__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)); };
    const auto high = [](Words8 a, Words8 b) {
        return Pairs4(__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
    };
    const Pairs4 first[2] = {low(sum, difference), high(sum, difference)};
    const Pairs4 second[2] = {low(-difference, -sum), high(-difference, -sum)};
    for (size_t half = 0; half < 2; ++half) {
        const Pairs4 a = __builtin_shufflevector(first[half], second[half], 0, 4, 1, 5);
        const Pairs4 b = __builtin_shufflevector(first[half], second[half], 2, 6, 3, 7);
        std::memcpy(out + 4 * half, &a, sizeof(a));
        std::memcpy(out + 4 * half + 2, &b, sizeof(b));
    }
}

void combine(const Block& block, size_t steps, BranchMetrics* out) {
    size_t i = 0;
    for (; i + 8 <= steps; i += 8) combine8(block.x + i, block.y + i, out + i);
    for (; i < steps; ++i) out[i] = metrics_of(block.x[i], block.y[i]);
}

/// `get(k)` is bit k of the coder's output.
template <CodeRate Rate, class Get> size_t fill(size_t count, BranchMetrics* branches, Get get) {
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
        combine(block, n, branches + done);
        done += n;
    }
    return steps;
}

template <class Get> size_t fill(CodeRate rate, size_t count, BranchMetrics* branches, Get get) {
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
