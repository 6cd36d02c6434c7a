/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The textbook form: states in their natural order, one at a time. Slow on purpose; every other kernel must equal it.
 */
#include "viterbi_portable.h"

#include <algorithm>

namespace gr::wimax::phy::viterbi {
namespace {

/// Index into BranchMetrics of the branch that leaves state 2j with input 0; the other three of the butterfly have the
/// same or the opposite metric, because both generators tap the newest and the oldest bit.
constexpr auto kBranchOfButterfly = [] {
    std::array<uint8_t, kStates / 2> table{};
    for (unsigned j = 0; j < table.size(); ++j)
        table[j] = static_cast<uint8_t>(output_x(2 * j) << 1 | output_y(2 * j));
    return table;
}();

void normalise(PathMetrics& metrics) {
    const int16_t reference = metrics.value[0];
    for (auto& m : metrics.value) m = static_cast<int16_t>(m - reference);
}

}  // namespace

void portable_add_compare_select(PathMetrics& metrics, const BranchMetrics* branches, uint64_t* decisions, size_t steps) {
    for (size_t t = 0; t < steps; ++t) {
        if (t % kNormaliseSteps == 0) normalise(metrics);
        PathMetrics next;
        uint64_t word = 0;
        for (size_t j = 0; j < kStates / 2; ++j) {
            const int m = branches[t].value[kBranchOfButterfly[j]];
            const int even = metrics.value[2 * j], odd = metrics.value[2 * j + 1];
            // Equal metrics: state j keeps 2j, state j + 32 keeps 2j + 1, as in the kernels that work in place.
            next.value[j] = static_cast<int16_t>(std::max(even + m, odd - m));
            next.value[j + 32] = static_cast<int16_t>(std::max(even - m, odd + m));
            word |= uint64_t{odd - m > even + m} << j | uint64_t{even - m > odd + m} << (j + 32);
        }
        metrics = next;
        decisions[t] = word;
    }
}

unsigned portable_best_end(const PathMetrics& metrics) {
    return static_cast<unsigned>(std::max_element(metrics.value.begin(), metrics.value.end()) - metrics.value.begin());
}

void portable_traceback(const uint64_t* decisions, size_t steps, unsigned end, size_t emit, uint8_t* out) {
    std::fill_n(out, (emit + 7) / 8, uint8_t{0});
    unsigned state = end;
    for (size_t t = steps; t-- > 0;) {
        const unsigned newest = state >> 5;
        if (t < emit) out[t / 8] = static_cast<uint8_t>(out[t / 8] | newest << (7 - t % 8));
        const auto decision = static_cast<unsigned>(decisions[t] >> state & 1U);
        state = (state << 1 & 63U) | (newest ^ decision);
    }
}

}  // namespace gr::wimax::phy::viterbi
