// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

using Carriers = std::array<Complex, kFftSize>;

/// A = 1+j, B = 1-j, C = -1+j, D = -1-j, ten carriers per group.
constexpr std::string_view kPAllLower =
    "BBDABBCBBB"
    "ADAADADDBC"
    "BBDABBCBBB"
    "ADAADADDBC"
    "BBDABBCBBB"  // -100..-51
    "ADAADADDBC"
    "AABCAADAAA"
    "CBCCBCBBAD"
    "DDCBDDADDD"
    "BCBBCBCCDA";  // -50..-1
constexpr std::string_view kPAllUpper =
    "DACCDAAADA"
    "BBBCCCCBDD"
    "CBAACBBBCB"
    "DDDAAAADCC"
    "ADBBADDDAD"  // 1..50
    "CCCBBBBCAA"
    "DACCDAAADA"
    "BBBCCCCBDD"
    "BCDDBCCCBC"
    "AAADDDDABB";  // 51..100
static_assert(kPAllLower.size() == kEdgeCarrier && kPAllUpper.size() == kEdgeCarrier);

constexpr float kSqrt2 = std::numbers::sqrt2_v<float>;

Complex carrier_value(PreambleSymbol symbol, int offset) {
    const Complex p = p_all(offset);
    switch (symbol) {
        case PreambleSymbol::p_4x64: return offset % 4 == 0 ? 2.0F * std::conj(p) : Complex{};
        case PreambleSymbol::p_even: return offset % 2 == 0 ? kSqrt2 * p : Complex{};
        case PreambleSymbol::p_odd: return offset % 2 != 0 ? kSqrt2 * p : Complex{};
    }
    return {};
}

struct Symbol {
    Carriers carriers{};
    Carriers body{};
};

const Symbol& preamble_symbol(PreambleSymbol symbol) {
    static const auto all = [] {
        std::array<Symbol, 3> symbols{};
        OfdmTransform transform;
        for (size_t i = 0; i < symbols.size(); ++i) {
            for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
                symbols[i].carriers[static_cast<size_t>(bin_of(k))] = carrier_value(static_cast<PreambleSymbol>(i), k);
            std::copy(symbols[i].carriers.begin(), symbols[i].carriers.end(), transform.carriers().begin());
            transform.modulate(0, symbols[i].body);
        }
        return symbols;
    }();
    return all[static_cast<size_t>(symbol)];
}

Carriers make_subchannel_preamble(int index) {
    Carriers carriers{};
    const auto& set = carrier_set(index);
    const auto put = [&](int offset) {
        carriers[static_cast<size_t>(bin_of(offset))] = kSubchannelPreambleAmplitude * p_all(offset);
    };
    for (int offset : set.data()) put(offset);
    for (size_t pilot : set.pilot_indices()) put(kPilotOffsets[pilot]);
    return carriers;
}

}  // namespace

Complex p_all(int offset) {
    if (offset == 0 || std::abs(offset) > kEdgeCarrier) return {};
    const char letter = offset < 0 ? kPAllLower[static_cast<size_t>(offset + kEdgeCarrier)]
                                   : kPAllUpper[static_cast<size_t>(offset - 1)];
    return {letter == 'A' || letter == 'B' ? 1.0F : -1.0F, letter == 'A' || letter == 'C' ? 1.0F : -1.0F};
}

std::span<const Complex, kFftSize> preamble_carriers(PreambleSymbol symbol) { return preamble_symbol(symbol).carriers; }
std::span<const Complex, kFftSize> preamble_body(PreambleSymbol symbol) { return preamble_symbol(symbol).body; }

std::span<const Complex, kFftSize> subchannel_preamble_carriers(int subchannel_index) {
    static const auto all = [] {
        std::array<Carriers, 32> sets{};
        for (int i = 1; i < 32; ++i)
            if (i != kFullSubchannel) sets[static_cast<size_t>(i)] = make_subchannel_preamble(i);
        return sets;
    }();
    if (subchannel_index == kFullSubchannel) return preamble_carriers(PreambleSymbol::p_even);
    return all[static_cast<size_t>(subchannel_index & 31)];
}

}  // namespace gr::wimax::phy
