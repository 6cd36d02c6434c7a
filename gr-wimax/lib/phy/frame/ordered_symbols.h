// SPDX-License-Identifier: GPL-3.0-or-later
// Symbols of the current and the next frame from a SymbolTransformer (internal). The caller reads missing ones from
// samples.
#pragma once

#include "phy/carriers/symbol_reader.h"
#include "phy/receive/reception.h"

#include <gnuradio/wimax/phy/frame/symbol_transformer.h>

#include <memory>
#include <optional>
#include <vector>

namespace gr::wimax::phy {

class OrderedSymbols {
public:
    /// nullptr: there are no symbols.
    explicit OrderedSymbols(std::shared_ptr<SymbolTransformer> transformer);

    /// The frame after the current one.
    struct Frame {
        int64_t first_window = 0;
        int cp_samples = 32;
        int symbols = 1;
        double cycles_per_sample = 0;
        double phase_variance = 0;  ///< of the carrier's remaining phase step, at the time of the order
    };
    void order(const Frame& frame);
    /// Makes the frame with this first window the current one. Returns its order, with the exact frequency in it;
    /// nullptr: not ordered.
    const Frame* begin(int64_t first_window);
    /// Discards all orders.
    void forget();

    /// A symbol of the current frame with this frequency correction; nullptr: read it from samples.
    const Carriers* find(const FftWindow& at, const FrequencyCorrection& by);
    uint64_t found() const { return found_; }

private:
    /// Farther from a window's nominal place the cyclic prefix may end.
    static constexpr int kMostShift = 4;

    struct Slot {
        Frame frame;
        uint16_t tag = 0;
        bool ordered = false;
        std::vector<Carriers> symbols;
        std::vector<uint8_t> here;
    };
    void collect();

    const std::shared_ptr<SymbolTransformer> transformer_;
    std::array<Slot, 2> slots_;
    size_t at_hand_ = 0;  ///< slot; the other one is of the next or the previous frame
    bool begun_ = false;
    uint16_t tag_ = 0;
    uint64_t found_ = 0;
    TransformedSymbol symbol_;
};

}  // namespace gr::wimax::phy
