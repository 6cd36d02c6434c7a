// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_preamble.h>

#include "phy/ofdma/carriers/preamble_sequences.h"

#include <algorithm>

namespace gr::wimax::phy::ofdma {
namespace {

using Bits = std::array<uint8_t, kPreambleCarriers>;

constexpr unsigned hex_digit(char digit) {
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'A' + 10);
}

Bits bits_of(std::string_view digits) {
    Bits bits;
    for (size_t n = 0; n < bits.size(); ++n)
        bits[n] = static_cast<uint8_t>(hex_digit(digits[n / 4]) >> (3 - n % 4) & 1U);
    return bits;
}

}  // namespace

std::span<const uint8_t, kPreambleCarriers> preamble_bits(int index) {
    static_assert(kPreambleSequences.size() == kPreambles && kPreambleSequences[0].size() * 4 == kPreambleCarriers);
    static const auto all = [] {
        std::array<Bits, kPreambles> table;
        std::ranges::transform(kPreambleSequences, table.begin(), bits_of);
        return table;
    }();
    return all[static_cast<size_t>(index)];
}

void preamble_carriers(int index, std::span<Complex, kFft> carriers) {
    std::ranges::fill(carriers, Complex{});
    const auto bits = preamble_bits(index);
    const int segment = preamble_segment(index);
    for (int n = 0; n < kPreambleCarriers; ++n) {
        const auto carrier = static_cast<size_t>(preamble_carrier(segment, n));
        carriers[carrier] = bits[static_cast<size_t>(n)] != 0 ? -kPreambleAmplitude : kPreambleAmplitude;
    }
    carriers[kDcCarrier] = {};
}

}  // namespace gr::wimax::phy::ofdma
