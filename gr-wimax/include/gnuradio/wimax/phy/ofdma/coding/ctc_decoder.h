// SPDX-License-Identifier: GPL-3.0-or-later
// Decoder of the CTC: max-log-MAP with a scaled extrinsic value, at most eight iterations, ended when both constituent
// decoders agree on every pair in two iterations in succession.
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/ofdma/coding/ctc_code.h>

#include <memory>

namespace gr::wimax::phy::ofdma {

inline constexpr int kCtcIterations = 8;

struct CtcDecoded {
    int iterations = 0;
    bool converged =
        false;  ///< both decoders agree at the end; a block that has not converged is almost certainly wrong
};

/// One object per thread. decode() does not allocate. All instruction sets give identical results.
class WIMAX_API CtcDecoder {
public:
    /// `most_pairs`: of the largest block.
    explicit CtcDecoder(int most_pairs = 240);
    ~CtcDecoder();
    CtcDecoder(CtcDecoder&&) noexcept;

    /// `received`: soft bits in order of transmission from bit 0 on, at most 6 N; bits that are not sent count as 0.
    /// Writes the octets of the block.
    CtcDecoded decode(const CtcCode& code, std::span<const SoftBit> received, std::span<uint8_t> octets,
                      int most_iterations = kCtcIterations);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy::ofdma
