// SPDX-License-Identifier: GPL-3.0-or-later
// Inner code of clause 8.3.3.2.1: K = 7, generators 171 and 133 octal, punctured (Table 214). A burst is one code word:
// state zero at its start, driven to zero by the 0x00 tail byte.
//
// Soft bits: int8, positive means bit 0, magnitude is reliability, 0 is an erasure (see constellation.h for the scale).
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <memory>
#include <span>

namespace gr::wimax::phy {

using SoftBit = int8_t;

/// Puncturing of one inner rate: `sent` marks, per period, which of X1 Y1 X2 Y2 ... are sent, in that order.
struct PuncturePattern {
    int input_bits;   ///< trellis steps per period
    int output_bits;  ///< bits sent per period
    std::array<uint8_t, 10> sent;
};
inline constexpr std::array<PuncturePattern, 4> kPuncturePatterns{{
    {1, 2, {1, 1}},
    {2, 3, {1, 1, 0, 1}},
    {3, 4, {1, 1, 0, 1, 1, 0}},
    {5, 6, {1, 1, 0, 1, 1, 0, 0, 1, 1, 0}},
}};
constexpr const PuncturePattern& puncture_pattern(CodeRate rate) {
    return kPuncturePatterns[static_cast<size_t>(rate)];
}
/// Trellis steps of `sent_bits` (whole periods).
constexpr size_t trellis_steps(CodeRate rate, size_t sent_bits) {
    const auto& p = puncture_pattern(rate);
    return sent_bits / static_cast<size_t>(p.output_bits) * static_cast<size_t>(p.input_bits);
}

/// Encoder with puncturing. Bits are stored one per byte (0 or 1).
class WIMAX_API ConvolutionalEncoder {
public:
    void start(CodeRate rate);
    /// Starts in the state that six bits leave, oldest first; a tail-biting code word starts with its own last six.
    void start(CodeRate rate, std::span<const uint8_t, 6> before);

    /// Encodes the next input bits (whole puncturing periods) and returns how many bits were written to `out`.
    size_t encode(std::span<const uint8_t> bits, std::span<uint8_t> out);

private:
    CodeRate rate_ = CodeRate::r1_2;
    std::array<uint8_t, 6> memory_{};  // last inputs, newest first
};

/// Soft-decision Viterbi decoder with windowed traceback: decided bits lag the input by kTracebackSteps, so a
/// burst of any length needs the same memory. All instruction sets give identical results.
class WIMAX_API ViterbiDecoder {
public:
    /// Distance from the best state after which a decision is final; at rate 5/6 more than 25 constraint lengths.
    static constexpr int kTracebackSteps = 192;
    static constexpr int kWindowSteps = 1056;
    static constexpr int kEmitSteps = kWindowSteps - kTracebackSteps;

    ViterbiDecoder();
    ~ViterbiDecoder();
    ViterbiDecoder(ViterbiDecoder&&) noexcept;

    void start(CodeRate rate);
    /// The same inside a code word, with unknown state; the first bits are unreliable.
    void start_inside(CodeRate rate);

    /// Most bytes that a feed() of `steps` trellis steps can write.
    static constexpr size_t max_output_bytes(size_t steps) {
        return (steps + kWindowSteps) / kEmitSteps * (kEmitSteps / 8);
    }

    /// Processes soft bits (whole puncturing periods), writes the decided bytes and returns their number.
    size_t feed(std::span<const SoftBit> soft, std::span<uint8_t> out);

    /// The same for interleaved soft bits: bit k of the coder's output is received[position[k]] (interleaver.h).
    size_t feed(std::span<const SoftBit> received, std::span<const uint16_t> position, std::span<uint8_t> out);

    /// End of the code word (state zero): writes what is left (at most kWindowSteps / 8 bytes, the last one possibly
    /// incomplete and zero filled), returns the number of bytes.
    size_t finish(std::span<uint8_t> out);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
