// SPDX-License-Identifier: GPL-3.0-or-later
// What was sent on the carriers of one symbol, from decoding it at once (internal). The decoder of a burst has its
// result many symbols later; a receiver that follows a fast channel needs decisions now. In a fade the code corrects
// most of the wrong ones. Nothing allocates after construction.
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include <array>

namespace gr::wimax::phy {

class SymbolDecisions {
public:
    void start(CodeRate rate, const Interleaver& interleaver, const ReedSolomon& outer);

    /// Trellis steps that one call costs.
    size_t steps() const { return run_in_ + trellis_steps(rate_, interleaver_->position().size()); }

    /// Fills the labels of a symbol. `soft`: its soft bits in label order; `before`: those of the symbol before it,
    /// empty at the start of the code word; `last`: the code word ends with this symbol. A block that Reed-Solomon
    /// cannot correct is used as the inner decoder has it; false if there is such a block.
    bool decide(std::span<const SoftBit> before, std::span<const SoftBit> soft, bool last, std::span<uint8_t> labels);

private:
    /// Most steps before a symbol, in a symbol and after it.
    static constexpr size_t kMostRunIn = 80, kMostSteps = 960, kRunOut = 10;
    static constexpr size_t kMostDecoded = kMostRunIn + kMostSteps;

    /// Decoded octets from the run-in on.
    std::span<uint8_t> decode(std::span<const SoftBit> before, std::span<const SoftBit> soft, bool last);

    CodeRate rate_ = CodeRate::r1_2;
    const Interleaver* interleaver_ = nullptr;
    const ReedSolomon* outer_ = nullptr;
    size_t run_in_ = 0;  // steps of the symbol before, from which the decoder learns its state
    ViterbiDecoder inner_;
    ConvolutionalEncoder encoder_;
    std::array<uint8_t, ViterbiDecoder::max_output_bytes(kMostDecoded + kRunOut) + ViterbiDecoder::kWindowSteps / 8>
        octets_;
    std::array<uint8_t, kMostDecoded> bits_;
    std::array<uint8_t, 2 * kMostDecoded> coded_;
};

}  // namespace gr::wimax::phy
