/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Convolutional decoding of a burst (internal): side by side while there are symbols enough, one after the other
 * otherwise. Which symbols go which way depends on the burst's length and rate only.
 */
#pragma once

#include <gnuradio/wimax/phy/coding/batch_viterbi.h>
#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>

#include <vector>

namespace gr::wimax::phy {

class InnerDecoder {
public:
    /// Most bytes that one feed() writes.
    static constexpr size_t kMaxOutputBytes = 2 * BatchViterbiDecoder::kLanes * BatchViterbiDecoder::kMaxLaneSteps / 8;

    InnerDecoder();

    void start(CodeRate rate, const Interleaver& interleaver, int symbols);

    /// Soft bits of the next symbol; writes the bytes that became certain and returns how many. After the last symbol
    /// the last byte may be incomplete and zero filled.
    size_t feed(std::span<const SoftBit> soft, uint8_t* out);

private:
    size_t decode_group(size_t symbols, uint8_t* out);
    /// What is too little for a group, after one.
    size_t decode_rest(uint8_t* out);
    void drop(size_t symbols);
    SoftBit* slot(size_t symbol) { return soft_.data() + symbol * symbol_bits_; }

    ViterbiDecoder single_;
    BatchViterbiDecoder batch_;
    CodeRate rate_ = CodeRate::r1_2;
    std::span<const uint16_t> position_;
    size_t symbol_bits_ = 0, symbol_steps_ = 0;
    size_t left_ = 0;          // symbols still to come
    size_t lane_symbols_ = 0;  // 0: all symbols go to single_
    // Side by side: quantized symbols, the first `past_` of them decoded already.
    std::vector<SoftBit> soft_;
    std::vector<const SoftBit*> symbols_;
    size_t stored_ = 0, past_ = 0;
};

}  // namespace gr::wimax::phy
