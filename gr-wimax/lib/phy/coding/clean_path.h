// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding without a decoder (internal): where the signs of all soft bits form a code word of the inner code, that is
// what a Viterbi decoder would find, because every other path contradicts some of them. Following the trellis along the
// signs costs a small part of a Viterbi decoder's work, and ends at the first error.
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>

#include <array>
#include <cstdint>
#include <span>

namespace gr::wimax::phy {

/// Nothing is allocated.
class CleanPath {
public:
    /// Begins a code word, with state zero.
    void start(CodeRate rate, const Interleaver& interleaver);
    /// False: symbols of this format are not whole bytes, and follow() must not be called.
    bool usable() const { return usable_; }

    /// Follows the soft bits of one symbol, as received. True: all are on the path, and `out` has the symbol's data
    /// (trellis_steps() / 8 bytes). False: some are not, or are zero, or more than one state can begin here; the state
    /// is unknown from then on. From an unknown state it looks for the only one that can begin here.
    bool follow(std::span<const SoftBit> soft, uint8_t* out);
    /// The state is zero, as at the end of a code word.
    bool at_zero() const { return state_ == 0; }

private:
    static constexpr int kUnknown = -1;
    static constexpr size_t kMostRows = 96, kMostStrides = 3;
    /// The sent bits of each stride of the trellis: stride s of row r of the interleaver.
    using Signs = std::array<std::array<uint8_t, kMostRows>, kMostStrides>;

    bool find_state();

    CodeRate rate_ = CodeRate::r1_2;
    size_t rows_ = 0, group_bits_ = 1;
    bool usable_ = false;
    int state_ = 0;  ///< times the number of patterns of sent bits
    Signs signs_{};
};

}  // namespace gr::wimax::phy
