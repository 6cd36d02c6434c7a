// SPDX-License-Identifier: GPL-3.0-or-later
// Parallel decoder of the inner code of clause 8.3.3.2.1 (convolutional.h): one byte of a vector for each of many
// windows of a long burst, or for each of many bursts. Several times as fast as ViterbiDecoder at the same error rate,
// if enough windows are decoded at once.
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>

#include <memory>
#include <span>

namespace gr::wimax::phy {

/// All instruction sets give identical results. Nothing is allocated after construction.
class WIMAX_API BatchViterbiDecoder {
public:
    static constexpr size_t kLanes = 64;
    /// Steps before a window in which its metrics settle, and the same number after it in which the paths merge. More
    /// if puncturing weakens the code, up to 20 times its memory.
    static constexpr size_t margin_steps(CodeRate rate) {
        return rate == CodeRate::r1_2 ? 72 : rate == CodeRate::r2_3 ? 96 : kMaxMarginSteps;
    }
    static constexpr size_t kMaxMarginSteps = 120;
    /// Soft bits are quantized to +-levels, so that path metrics fit into eight bits. Codes with
    /// fewer bits in the six steps to a state have more levels.
    static constexpr int levels(CodeRate rate) {
        return rate == CodeRate::r1_2 ? 12 : rate == CodeRate::r2_3 ? 16 : 18;
    }
    /// Levels per 256 SoftBit units, a compromise of rounding and clipping. Costs up to 0.03 dB.
    static constexpr int level_scale(CodeRate rate) {
        return rate == CodeRate::r2_3 ? 115 : rate == CodeRate::r5_6 ? 98 : 85;
    }
    static constexpr size_t kMaxSymbolBits = 1152, kMaxLaneSteps = 960;

    BatchViterbiDecoder();
    ~BatchViterbiDecoder();
    BatchViterbiDecoder(BatchViterbiDecoder&&) noexcept;

    /// Sets the format of a coded and interleaved symbol: rate, and the position of bit k of the coder's output in it
    /// (interleaver.h), which must stay valid until begin() or decode(). At most kMaxSymbolBits, whole puncturing
    /// periods and whole bytes. `symbols` of a window have at most kMaxLaneSteps in all.
    void start(CodeRate rate, std::span<const uint16_t> position, size_t symbols);

    /// Quantizes soft bits of the scale kSoftBitScale (constellation.h) for this code; in place is allowed.
    void quantize(std::span<const SoftBit> soft, std::span<SoftBit> out) const;

    /// Symbols that a window needs before and after its data.
    size_t symbols_before() const;
    size_t symbols_after() const;
    /// Decoded bytes of a window.
    size_t lane_bytes() const;

    /// A window: symbols_before() + symbols + symbols_after() pointers to quantized soft bits; nullptr before the start
    /// and after the end of the code word (its state is zero there). `out` has lane_bytes().
    struct Lane {
        const SoftBit* const* symbols;
        uint8_t* out;
    };
    /// Decodes at most kLanes windows.
    void decode(std::span<const Lane> lanes);

    /// The same in shares, with the same result: begin(), then advance() until it returns true. The data of the lanes
    /// must not change in between. The trellis is first; one further call traces back.
    void begin(std::span<const Lane> lanes);
    /// Remaining trellis steps.
    size_t steps_left() const;
    /// Processes up to `steps` steps or, if none is left, traces back. True: the outputs are written.
    bool advance(size_t steps);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
