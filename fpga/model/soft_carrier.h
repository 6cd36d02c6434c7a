// SPDX-License-Identifier: GPL-3.0-or-later
// Soft bits of one carrier in demap_viterbi_rs. A carrier is one word, because the transport to a radio has no
// sidebands:
//
//   [31:20] I, [19:8] Q of the equalized point, Q3.9 (1.0 = 512, +-4)
//   [7:0]   weight: signal-to-noise ratio (16 + [3:0]) * 2^([7:4] - 9), -15 to 33 dB in steps of half a decibel at
// most; 0: erased
//
// A soft bit is the max-log likelihood ratio (natural logarithm) rounded, -31 .. 31, positive for bit 0.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <array>
#include <cstdint>

namespace wimax::fpga {

inline constexpr int kPointUnit = 512;
inline constexpr int kMaxSoft = 31;

/// `snr`: |H|^2 / E|noise|^2 of the carrier, as in the host's demapper.
uint32_t soft_carrier(gr::wimax::phy::Complex equalized, float snr);

/// For a constellation of 1, 2, 4 or 6 bits per carrier: distance of neighbouring levels in units of the word.
int level_distance(int bits_per_carrier);
/// Weight of a distance, times 16: 4 LLR per unit of amplitude and of signal-to-noise ratio and level.
int soft_gain(int bits_per_carrier);

/// The soft bits, first `bits_per_carrier` of them.
std::array<int8_t, 6> soft_bits(int bits_per_carrier, uint32_t carrier);

}  // namespace wimax::fpga
