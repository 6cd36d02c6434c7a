// SPDX-License-Identifier: GPL-3.0-or-later
// Data modulation of clause 8.3.3.4.1: BPSK, QPSK, 16-QAM, 64-QAM with unit mean power, and its soft demapper.
// A label is the N_cpc bits of a carrier as a number, first bit most significant; first half I, second half Q.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <span>

namespace gr::wimax::phy {

/// Soft-bit units per unit of log-likelihood ratio (natural logarithm). Saturation at LLR 32 has no measurable cost;
/// BPSK at 0 dB (LLR 4) still has 16 steps.
inline constexpr float kSoftBitScale = 4.0F;

/// The 2^N_cpc points by label. `bits_per_carrier` 1, 2, 4 or 6.
WIMAX_API std::span<const Complex> constellation(int bits_per_carrier);

WIMAX_API void map_labels(int bits_per_carrier, std::span<const uint8_t> labels, std::span<Complex> points);

/// Max-log LLRs as soft bits: `out` gets N_cpc per carrier in label order, positive for bit 0, each
/// clamp(kSoftBitScale * LLR, +-127).
/// `equalized`: received point divided by the channel. `snr`: per carrier |H|^2 / E|noise|^2 (0 erases the carrier).
WIMAX_API void soft_demap(int bits_per_carrier, std::span<const Complex> equalized, std::span<const float> snr,
                          std::span<int8_t> out);

/// Label of the nearest point.
WIMAX_API uint8_t hard_label(int bits_per_carrier, Complex equalized);
/// Nearest point, for decision-directed measurements.
WIMAX_API Complex nearest_point(int bits_per_carrier, Complex equalized);

}  // namespace gr::wimax::phy
