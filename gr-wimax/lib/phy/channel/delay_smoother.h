// SPDX-License-Identifier: GPL-3.0-or-later
// Linear MMSE estimators from 100 observed carriers to delay taps half a sample apart, for a grid of delay spans and
// signal-to-noise ratios (internal to channel_estimator). Built once for the whole process.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <vector>

namespace gr::wimax::phy {

/// The 100 carriers on which preambles show the channel.
enum class PreambleGrid : uint8_t {
    even,        ///< P_2x128: -100, -98 .. 100 without 0
    even_twice,  ///< the same with P_4x64: every second point has three times the weight
    odd,         ///< second antenna of STC: -99, -97 .. 99
};
inline constexpr int kGridCarriers = 100;
constexpr int grid_offset(PreambleGrid grid, int i) {
    if (grid == PreambleGrid::odd) return 2 * i - kEdgeCarrier + 1;
    return i < kGridCarriers / 2 ? 2 * i - kEdgeCarrier : 2 * i - kEdgeCarrier + 2;
}

class DelaySmoother {
public:
    /// Half-sample taps before the first path, for sinc skirts and errors of its position.
    static constexpr int kLeadTaps = 8;

    /// Computes the tables of a grid (some tens of milliseconds, the first time only).
    static void prepare(PreambleGrid grid);
    /// Narrowest estimator that covers `span` samples after the first path, built for at least `snr` (linear).
    static const DelaySmoother& get(PreambleGrid grid, float span, float snr);

    DelaySmoother(PreambleGrid grid, int span, double snr);

    int taps() const { return taps_; }
    /// Weights of the grid points for one tap; tap kLeadTaps is the first path.
    const Complex* row(int tap) const { return rows_.data() + static_cast<size_t>(tap) * kGridCarriers; }

    /// Fraction of P_2x128's noise, or of any signal unlike a channel, that the estimate contains.
    float absorbed() const { return absorbed_; }

private:
    int taps_;
    float absorbed_ = 0;
    std::vector<Complex> rows_;
};

}  // namespace gr::wimax::phy
