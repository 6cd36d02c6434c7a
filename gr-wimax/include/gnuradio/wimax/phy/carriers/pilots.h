// SPDX-License-Identifier: GPL-3.0-or-later
// Pilot subcarriers and their modulation, clause 8.3.3.4.2: BPSK of amplitude 1, PRBS x^11 + x^9 + 1.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

namespace gr::wimax::phy {

inline constexpr std::array<int, kPilotCarriers> kPilotOffsets{-88, -63, -38, -13, 13, 38, 63, 88};

/// FFT bin of a subcarrier offset -128..127.
constexpr int bin_of(int offset) { return offset & (kFftSize - 1); }

/// The 192 data subcarriers of the full band in rising order.
inline constexpr std::array<int, kDataCarriers> kDataOffsets = [] {
    std::array<int, kDataCarriers> data{};
    size_t n = 0;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        bool pilot = k == 0;
        for (int p : kPilotOffsets) pilot = pilot || p == k;
        if (!pilot) data[n++] = k;
    }
    return data;
}();

/// PRBS output w_k. Downlink: k counts symbols from the frame start; uplink: from the burst start; the first preamble
/// symbol is k = 0, and preamble and midamble symbols count. Period 2047.
WIMAX_API int pilot_bit(Direction direction, int k);

/// The eight pilot values (+1 or -1) of symbol k, for kPilotOffsets.
WIMAX_API const std::array<float, kPilotCarriers>& pilot_values(Direction direction, int k);

}  // namespace gr::wimax::phy
