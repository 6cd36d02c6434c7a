// SPDX-License-Identifier: GPL-3.0-or-later
// The part of each frame in which one direction is used.
#pragma once

#include <gnuradio/wimax/phy/base/slot.h>

#include <cstdint>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

struct SubframeLayout {
    phy::Slot first;     ///< from the frame's start
    uint32_t slots = 0;  ///< gap after the last symbol included
    uint32_t symbols = 0, symbol_slots = 0;

    phy::Slot slot(uint32_t symbol) const { return first.after(symbol, symbol_slots); }
    uint32_t symbol(phy::Slot slot) const { return static_cast<uint32_t>((slot - first) / symbol_slots); }
    uint32_t gap_slots() const { return slots - symbols * symbol_slots; }
    /// Whole symbols in the gap.
    uint32_t gap_symbols() const { return gap_slots() / symbol_slots; }
    /// Length in symbols, gap included.
    double length_symbols() const { return static_cast<double>(slots) / symbol_slots; }
};

}  // namespace wimax::mac
