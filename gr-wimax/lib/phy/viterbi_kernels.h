/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Add-compare-select and traceback of the K = 7 Viterbi decoder: one portable form, the oracle, and SIMD forms chosen at
 * run time. Internal to the PHY core.
 *
 * The SIMD forms work in place: a butterfly leaves its two new states where its two old ones were, so the states wander
 * through the 64 positions with period 6 and most steps need no data movement at all. Position is meant as 6 address
 * bits. In step t one of them, paired_bit(t), tells the partners of a butterfly apart; after the step it holds the newest
 * input bit. State zero is at position 0 at all times.
 */
#pragma once

#include <gnuradio/wimax/phy/convolutional.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace gr::wimax::phy::viterbi {

inline constexpr int kStates = 64;
inline constexpr size_t kPhases = 6;  // steps after which the states are back where they were

/// Correlation of the soft bits of one step with the outputs 00, 01, 10, 11 (X, Y): x+y, x-y, y-x, -x-y.
struct BranchMetrics {
    int16_t value[4];
};

/// Path metrics in the kernel's own order; larger is likelier.
struct alignas(64) PathMetrics {
    std::array<int16_t, kStates> value;
};

/// Start of a code word: state zero certain. The handicap exceeds what other states could make up for in 6 steps.
inline constexpr int16_t kImpossible = -4096;
/// Steps between renormalisations: 16 bits hold 48 steps of growth (254 each), the spread of 3048 and the handicap.
inline constexpr size_t kNormaliseSteps = 48;

struct Kernel {
    /// `steps` is a multiple of kPhases and begins in phase 0. A decision bit is set where the partner's path won.
    void (*add_compare_select)(PathMetrics& metrics, const BranchMetrics* branches, uint64_t* decisions, size_t steps);
    /// Where (as address or state, whatever traceback() takes) the best path ends, at a multiple of kPhases.
    unsigned (*best_end)(const PathMetrics& metrics);
    /// Follows the path that ends at `end` after `steps` steps; packs the first `emit` decided bits, most significant
    /// first. `out` has (emit + 7) / 8 bytes.
    void (*traceback)(const uint64_t* decisions, size_t steps, unsigned end, size_t emit, uint8_t* out);
};

/// The kernel must be available on this processor.
const Kernel& kernel(ViterbiKernel which);

/// Fills branch metrics from whole puncturing periods of soft bits; returns the number of steps.
size_t fill_branches(CodeRate rate, const SoftBit* soft, size_t count, BranchMetrics* branches);

// Coder outputs for the register (newest bit is bit 6): generators 171 and 133 octal.
constexpr unsigned parity(unsigned v) {
    unsigned p = 0;
    for (; v != 0; v &= v - 1) p ^= 1U;
    return p;
}
constexpr unsigned output_x(unsigned shift_register) { return parity(shift_register & 0171U); }
constexpr unsigned output_y(unsigned shift_register) { return parity(shift_register & 0133U); }

}  // namespace gr::wimax::phy::viterbi
