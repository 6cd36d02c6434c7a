// SPDX-License-Identifier: GPL-3.0-or-later
// Add-compare-select and traceback of the K = 7 Viterbi decoder: one portable form, the oracle, and SIMD forms chosen
// at run time. Internal to the PHY core.
//
// The SIMD forms work in place: a butterfly stores its two new states at the positions of its two old ones. The states
// therefore move through the 64 positions with period 6 and most steps need no data movement. A position has 6 address
// bits. In step t one of them distinguishes the partners of a butterfly; after the step it holds the newest input bit.
// State zero is always at position 0. In addition to its metric every position has the position its path had at the
// start of the round of 6 steps; as a position after the round holds exactly the 6 bits decided in it, traceback is one
// table look-up per round.
#pragma once

#include <gnuradio/wimax/phy/base/instruction_set.h>
#include <gnuradio/wimax/phy/coding/convolutional.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace gr::wimax::phy::viterbi {

inline constexpr int kStates = 64;
inline constexpr size_t kPhases = 6;  // steps after which the states are at their first positions again

/// Correlation of the soft bits of one step with the outputs 00, 01, 10, 11 (X, Y): x+y, x-y, y-x, -x-y.
struct BranchMetrics {
    int16_t value[4];
};

/// Path metrics in the kernel's own order; larger is likelier.
struct alignas(64) PathMetrics {
    std::array<int16_t, kStates> value;
};

/// Start of a code word: state zero certain. Other states cannot make up for the handicap in 6 steps.
inline constexpr int16_t kImpossible = -4096;
/// Steps between renormalisations: 16 bits hold 48 steps of growth (254 each), the spread of 3048 and the handicap.
inline constexpr size_t kNormaliseSteps = 48;

/// Survivors of one round of kPhases steps, in the kernel's own form.
struct alignas(64) Survivors {
    std::array<uint8_t, kStates> value;
};

struct Kernel {
    void (*add_compare_select)(PathMetrics& metrics, const BranchMetrics* branches, Survivors* survivors,
                               size_t rounds);
    /// Position or state (as traceback() expects) in which the best path ends.
    unsigned (*best_end)(const PathMetrics& metrics);
    /// Follows the path that ends at `end` back through `rounds`; packs the decided bits of the first `bytes` bytes,
    /// most significant first.
    void (*traceback)(const Survivors* survivors, size_t rounds, unsigned end, size_t bytes, uint8_t* out);
};

/// Fills a round after the end of a code word. The steps keep the path in state zero there, against any lead (3048) of
/// another path; 16 bits can still add them to kNormaliseSteps of growth.
inline constexpr BranchMetrics kStayInStateZero{{3600, 0, 0, -3600}};

/// `which` must be available on this processor.
const Kernel& kernel(InstructionSet which);

/// Fills branch metrics from `count` soft bits (whole puncturing periods): soft[k] or soft[position[k]] is
/// bit k of the coder's output. Returns the number of steps.
size_t fill_branches(CodeRate rate, const SoftBit* soft, size_t count, BranchMetrics* branches);
size_t fill_branches(CodeRate rate, const SoftBit* soft, std::span<const uint16_t> position, BranchMetrics* branches);

// Coder outputs for the register (newest bit is bit 6): generators 171 and 133 octal.
constexpr unsigned parity(unsigned v) {
    unsigned p = 0;
    for (; v != 0; v &= v - 1) p ^= 1U;
    return p;
}
constexpr unsigned output_x(unsigned shift_register) { return parity(shift_register & 0171U); }
constexpr unsigned output_y(unsigned shift_register) { return parity(shift_register & 0133U); }

}  // namespace gr::wimax::phy::viterbi
