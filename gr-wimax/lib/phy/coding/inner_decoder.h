// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutional decoding of a burst while its symbols arrive (internal). Most of a long burst is cut into windows that
// are decoded side by side, as many at once as a vector has lanes; its end, and short bursts, are decoded by the single
// decoder, which has a shorter delay. The partition depends on the burst's length and rate only.
//
//   | group of windows | group of windows | ... | last group | tail of six symbols at least |
//                        first is decoded                      last is decoded
//
// A group is decoded in shares, one per following symbol. After the burst's last symbol only that symbol and the end of
// the single decoder's window are left.
//
// Symbols without a wrong sign are not decoded but followed (clean_path.h): a group whose symbols and margins are all
// clean, and the tail or a short burst up to the first symbol that is not. The decoders would give the same bits.
#pragma once

#include <gnuradio/wimax/phy/coding/batch_viterbi.h>
#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>

#include "phy/coding/clean_path.h"

#include <vector>

namespace gr::wimax::phy {

class InnerDecoder {
public:
    /// Most bytes that one feed() writes.
    static constexpr size_t kMaxOutputBytes = 2 * BatchViterbiDecoder::kLanes * BatchViterbiDecoder::kMaxLaneSteps / 8;

    /// `follow_clean`: false: every symbol is decoded; for comparisons.
    explicit InnerDecoder(bool follow_clean = true);

    void start(CodeRate rate, const Interleaver& interleaver, int symbols);

    /// Soft bits of the next symbol; writes the bytes that became certain and returns how many. After the last symbol
    /// the last byte may be incomplete and zero filled.
    size_t feed(std::span<const SoftBit> soft, uint8_t* out);

    /// Trellis steps left of the group being decoded.
    size_t group_steps_left() const { return lanes_at_work_ > 0 && !group_clean_ ? batch_.steps_left() : 0; }

private:
    size_t symbols_in_windows() const;
    size_t group_end() const { return std::min(group_ + group_symbols_, window_end_); }
    void follow(size_t symbol);
    size_t follow_again_after(size_t symbol) const;
    void begin_group();
    void begin_batch(size_t before, size_t end);
    /// Decodes a share of the current group; returns the bytes written when the group is complete.
    size_t work_on_group(uint8_t* out);
    void begin_single(size_t symbol);
    size_t feed_single(size_t symbol, std::span<uint8_t> out);
    size_t feed_tail(uint8_t* out);
    /// Drops those of `count` decoded bytes that belong to the windows.
    size_t without_run_in(size_t count, uint8_t* bytes);
    SoftBit* slot(size_t symbol) { return soft_.data() + symbol % slots_ * symbol_bits_; }

    ViterbiDecoder single_;
    BatchViterbiDecoder batch_;
    CodeRate rate_ = CodeRate::r1_2;
    std::span<const uint16_t> position_;
    size_t symbol_bits_ = 0, symbol_steps_ = 0, run_in_symbols_ = 0;
    size_t symbols_ = 0, fed_ = 0;  // of the burst; received

    // Side by side. Quantized symbols are in a ring; group_: first symbol of the group being received.
    size_t lane_symbols_ = 0, group_symbols_ = 0, window_end_ = 0, slots_ = 0;
    size_t group_ = 0;
    size_t lanes_at_work_ = 0, shares_left_ = 0;  // of the group before it
    std::vector<SoftBit> soft_;
    std::vector<const SoftBit*> table_;
    std::vector<uint8_t> group_bytes_;

    CleanRun clean_;
    bool group_clean_ = false, single_idle_ = false;  // the group at work; the single decoder was not needed yet

    // The tail. Its first bytes wait for those of the last group.
    std::vector<uint8_t> tail_bytes_;
    size_t tail_waiting_ = 0, run_in_left_ = 0;
};

}  // namespace gr::wimax::phy
