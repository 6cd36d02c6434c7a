// SPDX-License-Identifier: GPL-3.0-or-later
// Downlink preambles, IEEE 802.16-2009 clause 8.4.6.1.1: every third carrier of a segment, one of 114 sequences.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_numerology.h>

#include <span>

namespace gr::wimax::phy::ofdma {

inline constexpr int kPreambles = 114;
inline constexpr int kPreambleCarriers = 284;  // of a segment; one of segment 0 is DC and not sent
inline constexpr int kPreambleFirstCarrier = 86;
/// Against a mean amplitude of data of 1. Two sources of text; no recorded preamble has confirmed it.
inline constexpr float kPreambleAmplitude = 2.8284271F;

/// Segment and IDcell by preamble index (Table 439).
constexpr int preamble_segment(int index) { return index < 96 ? index / kIdCells : (index - 96) % kSegments; }
constexpr int preamble_id_cell(int index) { return index < 96 ? index % kIdCells : index - 96; }

/// Carrier of bit `n` of a sequence.
constexpr int preamble_carrier(int segment, int n) { return kPreambleFirstCarrier + segment + kSegments * n; }

/// Bits of the sequence; bit 0 sends +kPreambleAmplitude, bit 1 the negative.
WIMAX_API std::span<const uint8_t, kPreambleCarriers> preamble_bits(int index);
/// Writes all 1024 carriers of the preamble symbol.
WIMAX_API void preamble_carriers(int index, std::span<Complex, kFft> carriers);

}  // namespace gr::wimax::phy::ofdma
