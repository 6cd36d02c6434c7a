/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Symbols of the frame at hand, and of the next one, that a SymbolTransformer gives (internal). Whoever does not find
 * one here reads it from samples.
 */
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
    /// Without a transformer there are none.
    explicit OrderedSymbols(std::shared_ptr<SymbolTransformer> transformer);

    /// Of the frame behind the one at hand.
    struct Frame {
        int64_t first_window = 0;
        int cp_samples = 32;
        int symbols = 1;
        double cycles_per_sample = 0;
        double phase_variance = 0;  ///< of the carrier's phase step that is left, as it was known then
    };
    void order(const Frame& frame);
    /// The frame whose first window is this is at hand now: how it was ordered, its exact frequency in it; nullptr:
    /// not.
    const Frame* begin(int64_t first_window);
    /// Nothing that was ordered counts any more.
    void forget();

    /// A symbol of the frame at hand for a receiver that takes this frequency off; nullptr: read it from samples.
    const Carriers* find(const SymbolWindow& at, const FrequencyCorrection& by);
    uint64_t found() const { return found_; }

private:
    /// Farther from where a window belongs the cyclic prefix may end.
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
    size_t at_hand_ = 0;  ///< slot; the other one is of the next frame, or the one before
    bool begun_ = false;
    uint16_t tag_ = 0;
    uint64_t found_ = 0;
    TransformedSymbol symbol_;
};

}  // namespace gr::wimax::phy
