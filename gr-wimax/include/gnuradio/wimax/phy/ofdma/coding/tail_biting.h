// SPDX-License-Identifier: GPL-3.0-or-later
// Tail-biting convolutional code of OFDMA with its bit interleaver, IEEE 802.16-2009 clauses 8.4.9.2.1 and 8.4.9.3. The
// code, its puncturing and the kernels are those of OFDM (phy/coding/convolutional.h).
#pragma once

#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/ofdma/coding/fec_code.h>

#include <memory>
#include <vector>

namespace gr::wimax::phy::ofdma {

/// Interleaver over one FEC block.
class WIMAX_API BlockInterleaver {
public:
    BlockInterleaver(int bits_per_carrier, int coded_bits);

    /// Position after interleaving of each bit of the coder's output.
    std::span<const uint16_t> positions() const { return position_; }

    /// Table of a block of `slots`; made at the first call of any.
    static const BlockInterleaver& get(const FecCode& code, int slots);

private:
    std::vector<uint16_t> position_;
};

/// Encodes randomized octets to `bits`, one per octet, in the order before interleaving. Returns their number.
WIMAX_API size_t tail_biting_encode(CodeRate rate, std::span<const uint8_t> octets, std::span<uint8_t> bits);

/// Decoder that runs over the block's end and start again; all instruction sets give identical results.
class WIMAX_API TailBitingDecoder {
public:
    TailBitingDecoder();
    ~TailBitingDecoder();
    TailBitingDecoder(TailBitingDecoder&&) noexcept;

    /// Bit k of the coder's output is received[positions[k]]. Writes the octets of the block, at most 36.
    void decode(CodeRate rate, std::span<const SoftBit> received, std::span<const uint16_t> positions,
                std::span<uint8_t> octets);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy::ofdma
