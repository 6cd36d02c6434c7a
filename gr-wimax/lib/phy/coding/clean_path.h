// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding without a decoder (internal): where the signs of all soft bits form a code word of the inner code, that is
// what a Viterbi decoder would find, because every other path contradicts some of them. A filter without feedback
// inverts the encoder, and its other outputs are checks: sums of sent bits that are zero in every code word. It costs a
// small part of a Viterbi decoder's work, and ends at the first error.
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

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
    bool at_zero() const { return known_ && ahead_ == 0; }

    /// Bits of a part of the interleaver at most: 64-QAM, the whole band.
    static constexpr size_t kMostRows = 96;
    using Rows = std::array<uint8_t, kMostRows>;
    /// Sent bits of each row of the interleaver: the first six of twelve, and the others; the first most significant.
    using Signs = std::array<Rows, 2>;

private:
    bool find_state();

    CodeRate rate_ = CodeRate::r1_2;
    size_t rows_ = 0, group_bits_ = 1;
    bool usable_ = false;
    bool known_ = true;   ///< the state
    uint64_t ahead_ = 0;  ///< the state as what it adds to the filter's next outputs
    Signs signs_{};
};

/// The last run of symbols of a burst that a path could be followed through, with their data.
class CleanRun {
public:
    /// Data of the last symbols are kept, at most `bits` sent bits. `on`: false: no symbol is ever followed.
    CleanRun(size_t bits, bool on) : on_(on), bytes_(bits / 8) {}

    void start(CodeRate rate, const Interleaver& interleaver);
    /// Symbols before `symbol` are not followed any more.
    void wait_until(size_t symbol) { next_ = symbol; }
    bool waits(size_t symbol) const { return symbol < next_; }
    /// Follows the soft bits of this symbol; `last`: of the burst, which must end with state zero. True: it belongs to
    /// the run.
    bool follow(size_t symbol, std::span<const SoftBit> soft, bool last);
    /// All symbols of [from, to) belong to the run.
    bool has(size_t from, size_t to) const { return from_ <= from && to <= to_; }
    /// Data of these symbols; returns their number of bytes.
    size_t copy(size_t from, size_t to, uint8_t* out) const;

private:
    size_t place(size_t symbol) const { return symbol % kept_ * symbol_bytes_; }

    const bool on_;
    CleanPath path_;
    size_t from_ = 0, to_ = 0, next_ = 0;
    size_t symbol_bytes_ = 0, kept_ = 1;
    std::vector<uint8_t> bytes_;
};

}  // namespace gr::wimax::phy
