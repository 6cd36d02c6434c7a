// SPDX-License-Identifier: GPL-3.0-or-later
// Carriers of all symbols of a subframe or zone, filled in any order (internal).
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_transform.h>

#include <algorithm>
#include <vector>

namespace gr::wimax::phy::ofdma {

class CarrierGrid {
public:
    explicit CarrierGrid(int most_symbols) : carriers_(static_cast<size_t>(most_symbols) * kFft) {}

    int most_symbols() const { return static_cast<int>(carriers_.size()) / kFft; }
    void clear() { std::ranges::fill(carriers_, Complex{}); }
    std::span<Complex, kFft> symbol(int index) {
        return std::span<Complex, kFft>(carriers_.data() + static_cast<size_t>(index) * kFft, kFft);
    }
    std::span<const Complex, kFft> symbol(int index) const {
        return std::span<const Complex, kFft>(carriers_.data() + static_cast<size_t>(index) * kFft, kFft);
    }
    /// Writes the samples of the first `symbols`.
    void modulate(OfdmaTransform& transform, const OfdmaNumerology& numerology, int symbols, std::span<Complex> out) {
        const auto samples = static_cast<size_t>(numerology.symbol_samples());
        for (int i = 0; i < symbols; ++i)
            transform.modulate(symbol(i), numerology.cp_samples(),
                               out.subspan(static_cast<size_t>(i) * samples, samples));
    }

private:
    std::vector<Complex> carriers_;
};

}  // namespace gr::wimax::phy::ofdma
