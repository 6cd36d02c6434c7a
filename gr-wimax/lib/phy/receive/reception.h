/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A burst on its way in: symbols are taken one after the other, as they come, whoever transformed them. Between two
 * symbols it costs nothing to wait (internal).
 */
#pragma once

#include "phy/carriers/symbol_reader.h"

#include <gnuradio/wimax/phy/base/burst_types.h>

namespace gr::wimax::phy {

/// Where a symbol's FFT window belongs, as far as the symbols before it tell.
struct SymbolWindow {
    int symbol = 0;     ///< from the first preamble symbol of the frame (downlink) or burst (uplink)
    int64_t start = 0;  ///< first sample
    int shift = 0;      ///< samples behind where the channel estimate's window would be

    int64_t end() const { return start + kFftSize; }
};

/// How samples become carriers: lowered by `cycles_per_sample`, a correction whose phase is zero at `phase_reference`.
struct FrequencyCorrection {
    double cycles_per_sample = 0;
    int64_t phase_reference = 0;
};

class Reception {
public:
    virtual ~Reception() = default;

    /// False: all symbols have been taken.
    virtual bool wants_symbol() const = 0;
    /// Of the next symbol; while wants_symbol().
    virtual SymbolWindow next_window() = 0;
    virtual FrequencyCorrection correction() const = 0;
    /// The next symbol, from a window `shift` samples behind that of the channel estimate.
    virtual void take(const Carriers& symbol, int shift) = 0;
    /// Fills payload, FEC state and measurements with what the symbols taken have given.
    virtual void finish(ReceivedBurst& result) = 0;

    /// Takes the next symbol out of samples; what is missing counts as zero.
    void take_from(const SampleView& samples, SymbolReader& reader) { take_from(samples, next_window(), reader); }
    /// The same, where next_window() is known.
    void take_from(const SampleView& samples, const SymbolWindow& window, SymbolReader& reader) {
        const FrequencyCorrection by = correction();
        reader.read(samples, window.start, by.cycles_per_sample, by.phase_reference, symbol_);
        take(symbol_, window.shift);
    }

private:
    Carriers symbol_;
};

}  // namespace gr::wimax::phy
