// SPDX-License-Identifier: GPL-3.0-or-later
// Shaping of the transmitted signal (internal to the modulator), see TransmitShape.
#pragma once

#include "phy/carriers/fft_plan.h"

#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>

#include <vector>

namespace gr::wimax::phy {

/// Raised-cosine slopes between symbols. Works on finished samples: the cyclic continuation of a symbol is the start of
/// its body.
class SymbolWindow {
public:
    SymbolWindow(const Numerology& numerology, int window_samples);

    /// Samples after the last symbol.
    size_t tail() const { return slope_.size(); }
    /// `out`: contiguous symbols (silent ones included) and space for the tail.
    void apply(std::span<Complex> out) const;

private:
    size_t symbol_samples_, cp_samples_;
    std::vector<float> slope_;  // rising
};

/// Clips the oversampled symbol several times and keeps only the part of the error on its data carriers. Pilots and
/// empty carriers stay exact. The allowed error accrues symbol by symbol, so that rare high peaks can use the savings
/// of other symbols.
class CrestReducer {
public:
    explicit CrestReducer(double target_papr_db);

    void start_burst(int rate_id, const CarrierSet& carriers);
    /// Carriers of the burst's next symbol in bin order.
    void reduce(std::span<Complex, kFftSize> bins);

private:
    /// Time signal of bins and error. True if it has peaks; these alone are then in the forward transform's input.
    bool clip(std::span<const Complex, kFftSize> bins);
    /// Moves the error against the clipped part and keeps its power within `allowed`.
    void correct(double allowed);

    static constexpr int kOversampled = 2 * kFftSize;
    double peak_ratio_;
    FftPlan to_time_{kOversampled, FftPlan::Sign::inverse}, to_carriers_{kOversampled, FftPlan::Sign::forward};
    const CarrierSet* carriers_ = nullptr;
    double budget_ = 0, account_ = 0;  // sum |error|^2 per symbol; saved
    std::array<Complex, kDataCarriers> error_{};
};

}  // namespace gr::wimax::phy
