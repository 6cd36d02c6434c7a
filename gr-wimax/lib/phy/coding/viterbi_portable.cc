// SPDX-License-Identifier: GPL-3.0-or-later
// The textbook form: states in their natural order, one at a time. Slow on purpose; every other kernel must equal it.
#include "phy/coding/viterbi_portable.h"

#include <algorithm>
#include <cstring>

namespace gr::wimax::phy::viterbi {
namespace {

/// Index into BranchMetrics of the branch that leaves state 2j with input 0; the other three of the butterfly have the
/// same or the opposite metric, because both generators tap the newest and the oldest bit.
constexpr auto kBranchOfButterfly = [] {
    std::array<uint8_t, kStates / 2> table{};
    for (unsigned j = 0; j < table.size(); ++j) table[j] = static_cast<uint8_t>(output_x(2 * j) << 1 | output_y(2 * j));
    return table;
}();

void normalise(PathMetrics& metrics) {
    const int16_t reference = metrics.value[0];
    for (auto& m : metrics.value) m = static_cast<int16_t>(m - reference);
}

/// One step; a decision bit is set where the partner's path won.
uint64_t step(PathMetrics& metrics, const BranchMetrics& branch) {
    PathMetrics next;
    uint64_t decisions = 0;
    for (size_t j = 0; j < kStates / 2; ++j) {
        const int m = branch.value[kBranchOfButterfly[j]];
        const int even = metrics.value[2 * j], odd = metrics.value[2 * j + 1];
        // Equal metrics: state j keeps 2j, state j + 32 keeps 2j + 1, as in the kernels that work in place.
        next.value[j] = static_cast<int16_t>(std::max(even + m, odd - m));
        next.value[j + 32] = static_cast<int16_t>(std::max(even - m, odd + m));
        decisions |= uint64_t{odd - m > even + m} << j | uint64_t{even - m > odd + m} << (j + 32);
    }
    metrics = next;
    return decisions;
}

}  // namespace

// Here the survivors of a round are its six words of decisions.
void portable_add_compare_select(PathMetrics& metrics, const BranchMetrics* branches, Survivors* survivors,
                                 size_t rounds) {
    for (size_t t = 0; t < rounds * kPhases; ++t) {
        if (t % kNormaliseSteps == 0) normalise(metrics);
        const uint64_t decisions = step(metrics, branches[t]);
        std::memcpy(survivors[t / kPhases].value.data() + t % kPhases * sizeof(decisions), &decisions,
                    sizeof(decisions));
    }
}

unsigned portable_best_end(const PathMetrics& metrics) {
    return static_cast<unsigned>(std::max_element(metrics.value.begin(), metrics.value.end()) - metrics.value.begin());
}

void portable_traceback(const Survivors* survivors, size_t rounds, unsigned end, size_t bytes, uint8_t* out) {
    std::fill_n(out, bytes, uint8_t{0});
    unsigned state = end;
    for (size_t t = rounds * kPhases; t-- > 0;) {
        const unsigned newest = state >> 5;
        if (t < 8 * bytes) out[t / 8] = static_cast<uint8_t>(out[t / 8] | newest << (7 - t % 8));
        uint64_t decisions;
        std::memcpy(&decisions, survivors[t / kPhases].value.data() + t % kPhases * sizeof(decisions),
                    sizeof(decisions));
        state = (state << 1 & 63U) | (newest ^ static_cast<unsigned>(decisions >> state & 1U));
    }
}

}  // namespace gr::wimax::phy::viterbi
