/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear MMSE estimators from the 100 even carriers to delay taps half a sample apart, for a grid of delay spans and
 * signal-to-noise ratios (internal to channel_estimator). Built once for the whole process.
 */
#pragma once

#include <gnuradio/wimax/phy/numerology.h>

#include <vector>

namespace gr::wimax::phy {

class DelaySmoother {
public:
    /// Half-sample taps before the first path: skirts and errors of its position.
    static constexpr int kLeadTaps = 8;

    /// Computes all tables (some tens of milliseconds, the first time only).
    static void prepare();
    /// Narrowest estimator that covers `span` samples after the first path, built for at least `snr` (linear).
    static const DelaySmoother& get(bool both_symbols, float span, float snr);

    DelaySmoother(bool both_symbols, int span, double snr);

    int taps() const { return taps_; }
    /// Weights of the grid points for one tap; tap kLeadTaps is the first path.
    const Complex* row(int tap) const { return rows_.data() + static_cast<size_t>(tap) * 100; }

private:
    int taps_;
    std::vector<Complex> rows_;
};

}  // namespace gr::wimax::phy
