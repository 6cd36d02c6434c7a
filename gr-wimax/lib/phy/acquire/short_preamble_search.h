// SPDX-License-Identifier: GPL-3.0-or-later
// Finds P_2x128 (short preamble, clause 8.3.3.6) by its two equal halves, and its frequency offset from the phase
// between them: unambiguous within one carrier spacing (internal to the uplink receiver).
#pragma once

#include "phy/carriers/symbol_reader.h"

#include <optional>

namespace gr::wimax::phy {

class ShortPreambleSearch {
public:
    explicit ShortPreambleSearch(int cp_samples) : cp_samples_(cp_samples) {}

    /// Known DC offset of the samples; subtracted.
    void set_offset(Complex value) { offset_ = value; }

    /// Frequency offset of the 256 samples from `from` on, in cycles per sample.
    double frequency(const SampleView& samples, int64_t from);

    /// Start of the next FFT window in [from, to) that lies inside a symbol of two equal halves.
    std::optional<int64_t> next(const SampleView& samples, int64_t from, int64_t to);

private:
    /// Sum of later * conj(earlier).
    Complex correlate(const Complex* later, const Complex* earlier, int count) const;

    int cp_samples_;
    Complex offset_{};
    alignas(64) std::array<Complex, kFftSize> body_{};
};

}  // namespace gr::wimax::phy
