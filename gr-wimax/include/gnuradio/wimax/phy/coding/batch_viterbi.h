/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inner code of clause 8.3.3.2.1 (convolutional.h) decoded side by side: one byte of a vector for each of many windows
 * of a long burst, or for each of many bursts. Several times the speed of ViterbiDecoder for the same error rate, if
 * there is enough to decode at once.
 */
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>

#include <memory>
#include <span>

namespace gr::wimax::phy {

/// All instruction sets give identical results. Nothing is allocated after construction.
class WIMAX_API BatchViterbiDecoder {
public:
    static constexpr size_t kLanes = 64;
    /// Steps before a window that bring its metrics in, and as many after it that bring the paths together: more where
    /// puncturing weakens the code, up to 20 times its memory.
    static constexpr size_t margin_steps(CodeRate rate) {
        return rate == CodeRate::r1_2 ? 72 : rate == CodeRate::r2_3 ? 96 : kMaxMarginSteps;
    }
    static constexpr size_t kMaxMarginSteps = 120;
    /// Soft bits are quantized to +-levels, so that path metrics fit into eight bits: more levels for a code that sends
    /// fewer bits in the six steps that lead to any state.
    static constexpr int levels(CodeRate rate) {
        return rate == CodeRate::r1_2 ? 12 : rate == CodeRate::r2_3 ? 16 : 18;
    }
    /// Levels of 256 SoftBits: rounding against clipping. Costs up to 0.03 dB.
    static constexpr int level_scale(CodeRate rate) {
        return rate == CodeRate::r2_3 ? 115 : rate == CodeRate::r5_6 ? 98 : 85;
    }
    static constexpr size_t kMaxSymbolBits = 1152, kMaxLaneSteps = 960;

    BatchViterbiDecoder();
    ~BatchViterbiDecoder();
    BatchViterbiDecoder(BatchViterbiDecoder&&) noexcept;

    /// One coded and interleaved symbol: rate, and where bit k of the coder's output was received (interleaver.h). At
    /// most kMaxSymbolBits, whole puncturing periods and whole bytes. `symbols`: those of a window, at most
    /// kMaxLaneSteps together.
    void start(CodeRate rate, std::span<const uint16_t> position, size_t symbols);

    /// Soft bits of the scale kSoftBitScale (constellation.h) for this code; in place is allowed.
    void quantize(std::span<const SoftBit> soft, std::span<SoftBit> out) const;

    /// Symbols that a window needs before and after its own.
    size_t symbols_before() const;
    size_t symbols_after() const;
    /// Decoded bytes of a window.
    size_t lane_bytes() const;

    /// A window: symbols_before() + symbols + symbols_after() pointers to quantized soft bits; nullptr where the code
    /// word has not begun or is over (its state is zero there). `out` takes lane_bytes().
    struct Lane {
        const SoftBit* const* symbols;
        uint8_t* out;
    };
    /// At most kLanes.
    void decode(std::span<const Lane> lanes);

    /// The same in pieces, with the same result: begin(), then advance() until it says that it is done. What the lanes
    /// point to stays as it is meanwhile. The trellis comes first, then, in one call, the way back through it.
    void begin(std::span<const Lane> lanes);
    /// Trellis steps still to be done.
    size_t steps_left() const;
    /// Takes up to so many steps or, where none is left, finds the way back. True: the outputs are written.
    bool advance(size_t steps);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
