// SPDX-License-Identifier: GPL-3.0-or-later
// A burst being received: takes its symbols one by one as they arrive, from samples or from a transformer. Waiting
// between two symbols costs nothing (internal).
#pragma once

#include "phy/carriers/symbol_reader.h"

#include <gnuradio/wimax/phy/base/burst_types.h>

namespace gr::wimax::phy {

/// Position of a symbol's FFT window, predicted from the symbols before it.
struct FftWindow {
    int symbol = 0;     ///< from the first preamble symbol of the frame (downlink) or burst (uplink)
    int64_t start = 0;  ///< first sample
    int shift = 0;      ///< samples after the place of the channel estimate's window

    int64_t end() const { return start + kFftSize; }
};

/// Correction of samples before the transform: frequency lowered by `cycles_per_sample`, phase zero at
/// `phase_reference`.
struct FrequencyCorrection {
    double cycles_per_sample = 0;
    int64_t phase_reference = 0;
};

class Reception {
public:
    virtual ~Reception() = default;

    /// False: all symbols have been taken.
    virtual bool wants_symbol() const = 0;
    /// Window of the next symbol; only while wants_symbol().
    virtual FftWindow next_window() = 0;
    virtual FrequencyCorrection correction() const = 0;
    /// Takes the next symbol, from a window `shift` samples after that of the channel estimate.
    virtual void take(const Carriers& symbol, int shift) = 0;
    /// Fills payload, FEC state and measurements from the symbols taken.
    virtual void finish(ReceivedBurst& result) = 0;

    /// Takes the next symbol from samples; missing samples are zero.
    void take_from(const SampleView& samples, SymbolReader& reader) { take_from(samples, next_window(), reader); }
    /// The same with a known next_window().
    void take_from(const SampleView& samples, const FftWindow& window, SymbolReader& reader) {
        const FrequencyCorrection by = correction();
        reader.read(samples, window.start, by.cycles_per_sample, by.phase_reference, symbol_);
        take(symbol_, window.shift);
    }

private:
    Carriers symbol_;
};

}  // namespace gr::wimax::phy
