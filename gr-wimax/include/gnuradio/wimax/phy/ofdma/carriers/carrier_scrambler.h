// SPDX-License-Identifier: GPL-3.0-or-later
// Subcarrier randomization, IEEE 802.16-2009 clause 8.4.9.4.1: PRBS x^11 + x^9 + 1, one bit for each used carrier with
// DC. Bit w multiplies data and pilots of its carrier by 1 - 2 w. Symbol n of a zone starts n bits later (mod 32).
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_numerology.h>

#include <span>

namespace gr::wimax::phy::ofdma {

/// Bits of the PRBS from a register b0 (highest bit of `seed`) .. b10: the last stage is sent.
WIMAX_API void scrambler_bits(uint16_t seed, std::span<uint8_t> bits);

/// The four bits of the frame number in the uplink's seed: high bit in b7. Memory; the published example (5) has 0101,
/// which is also 10 with the low bit first.
inline constexpr bool kUlScramblerFrameMsbFirst = true;

class WIMAX_API CarrierScrambler {
public:
    /// First zone of a downlink subframe. Zones with a PRBS_ID are not built: their seed has not been confirmed.
    static CarrierScrambler downlink(int id_cell, int segment);
    /// `frame_number`: of the frame on air. That it is not the UL-MAP's frame is memory.
    static CarrierScrambler uplink(int id_cell, uint32_t frame_number);

    explicit CarrierScrambler(uint16_t seed);

    /// Signs (+1, -1) of the carriers 92..932 in symbol `symbol` of the zone.
    std::span<const float, kUsed> signs(int symbol) const {
        return std::span<const float, kUsed>(signs_.data() + symbol % kOffsets, kUsed);
    }
    /// Sign of one carrier, 92..932.
    float sign(int symbol, int carrier) const {
        return signs_[static_cast<size_t>(symbol % kOffsets + carrier - kLeftGuard)];
    }

private:
    static constexpr int kOffsets = 32;
    std::array<float, kUsed + kOffsets> signs_{};
};

}  // namespace gr::wimax::phy::ofdma
