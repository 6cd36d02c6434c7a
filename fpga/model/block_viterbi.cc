// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/block_viterbi.h"

#include <algorithm>

namespace wimax::fpga {
namespace {

/// More than the cost of six steps: the best path begins in state 0.
constexpr int kNotStart = 511;

/// Outputs {X, Y} of a branch that leaves `state` (bit 5: last input) with input 0.
constexpr unsigned outputs(unsigned state) {
    const auto bit = [&](int age) { return state >> (6 - age) & 1U; };
    return (bit(1) ^ bit(2) ^ bit(3) ^ bit(6)) << 1 | (bit(2) ^ bit(3) ^ bit(5) ^ bit(6));
}

}  // namespace

void BlockViterbi::start() {
    cost_.fill(kNotStart);
    cost_[0] = 0;
    decisions_.clear();
}

void BlockViterbi::step(int x, int y) {
    std::array<int, 4> branch;
    for (unsigned o = 0; o < branch.size(); ++o)
        branch[o] = std::max(0, o & 2U ? x : -x) + std::max(0, o & 1U ? y : -y);
    std::array<int, kStates> next;
    uint64_t decisions = 0;
    for (unsigned j = 0; j < kStates / 2; ++j) {
        const int a = branch[outputs(2 * j)], b = branch[3 - outputs(2 * j)];
        const int even = cost_[2 * j], odd = cost_[2 * j + 1];
        next[j] = std::min(even + a, odd + b);
        next[j + 32] = std::min(even + b, odd + a);
        decisions |= uint64_t{odd + b < even + a} << j | uint64_t{odd + a < even + b} << (j + 32);
    }
    cost_ = next;
    decisions_.push_back(decisions);
}

/// Traces back from the end of step end - 1 to the beginning of step `first`; returns the inputs on the way.
unsigned BlockViterbi::trace(size_t first, size_t end, unsigned state, uint8_t* bits) const {
    for (size_t t = end; t-- > first;) {
        if (bits) bits[t - first] = static_cast<uint8_t>(state >> 5);
        state = (state << 1 & 63U) | static_cast<unsigned>(decisions_[t] >> state & 1U);
    }
    return state;
}

std::vector<uint8_t> BlockViterbi::finish() {
    const size_t steps = decisions_.size();
    std::vector<uint8_t> bytes(steps / 8);
    std::array<uint8_t, kBlockSteps> bits;
    for (size_t first = 0; first < steps; first += kBlockSteps) {
        const size_t end = std::min(first + kBlockSteps, steps), after = std::min(end + kBlockSteps, steps);
        trace(first, end, trace(end, after, 0, nullptr), bits.data());
        for (size_t i = 0; i < (end - first) / 8 * 8; ++i)
            bytes[(first + i) / 8] = static_cast<uint8_t>(bytes[(first + i) / 8] << 1 | bits[i]);
    }
    return bytes;
}

}  // namespace wimax::fpga
