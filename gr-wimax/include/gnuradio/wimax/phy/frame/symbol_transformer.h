// SPDX-License-Identifier: GPL-3.0-or-later
// Interface to an external FFT, for example in a radio's FPGA. The receiver orders the symbols of the
// next frame as soon as it knows their positions. It corrects channel, phase and delay itself.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <array>
#include <cstdint>
#include <optional>

namespace gr::wimax::phy {

/// Consecutive symbols, beginning with the frame's first preamble symbol.
struct SymbolOrder {
    uint16_t tag = 0;              ///< returned with the symbols
    int64_t first_window = 0;      ///< first sample of the first body
    int cp_samples = 32;           ///< 8, 16, 32 or 64
    int symbols = 1;               ///< at least 1
    double cycles_per_sample = 0;  ///< frequency correction, its phase zero at first_window
};

/// Carriers are those of OfdmTransform::demodulate() (ofdm.h): 1 is 0 dBFS on all of them.
struct TransformedSymbol {
    uint16_t tag = 0;
    int number = 0;                                        ///< within the order
    int64_t window = 0;                                    ///< first sample
    std::array<Complex, 2 * kEdgeCarrier + 1> carriers{};  ///< offsets -100..100, 0 in the middle
};

class SymbolTransformer {
public:
    virtual ~SymbolTransformer() = default;
    /// Returns the exact frequency correction, close to the requested one. Nothing: the order is not supported.
    virtual std::optional<double> order(const SymbolOrder& order) = 0;
    /// Gets the next available symbol. False: none. Some symbols may never arrive.
    virtual bool take(TransformedSymbol& symbol) = 0;
};

}  // namespace gr::wimax::phy
