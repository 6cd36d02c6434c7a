/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Symbols of a frame transformed elsewhere, by a radio's FPGA for instance: the receiver orders those of the
 * next frame as soon as it knows where they will be. Channel, phase and delay are left for the receiver to correct.
 */
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <array>
#include <cstdint>
#include <optional>

namespace gr::wimax::phy {

/// Symbols in a row, the first of which is the frame's first preamble symbol.
struct SymbolOrder {
    uint16_t tag = 0;              ///< comes back with them
    int64_t first_window = 0;      ///< first sample of the first body
    int cp_samples = 32;           ///< 8, 16, 32 or 64
    int symbols = 1;               ///< at least 1
    double cycles_per_sample = 0;  ///< frequency to take off, its phase zero at first_window
};

/// Carriers are those of OfdmTransform::demodulate() (ofdm.h): 1 is 0 dBFS on all of them.
struct TransformedSymbol {
    uint16_t tag = 0;
    int number = 0;                                        ///< of the order
    int64_t window = 0;                                    ///< first sample
    std::array<Complex, 2 * kEdgeCarrier + 1> carriers{};  ///< offsets -100..100, 0 in the middle
};

class SymbolTransformer {
public:
    virtual ~SymbolTransformer() = default;
    /// What is taken off exactly, near what was asked for. Nothing: it takes no such order.
    virtual std::optional<double> order(const SymbolOrder& order) = 0;
    /// The next one that has come. False: none. Some may never come.
    virtual bool take(TransformedSymbol& symbol) = 0;
};

}  // namespace gr::wimax::phy
