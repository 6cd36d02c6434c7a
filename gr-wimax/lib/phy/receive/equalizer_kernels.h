// SPDX-License-Identifier: GPL-3.0-or-later
// Loops over the carriers of one symbol (internal to the equalizer), over all places of SymbolPlanes.
#pragma once

#include "phy/carriers/symbol_planes.h"

namespace gr::wimax::phy {

/// Phase over the carriers, phase + slope * offset, in radians. The slope is that of a fraction of a sample and is
/// limited to kMaxSlope.
struct PhaseLine {
    float phase = 0, slope = 0;
    static constexpr float kMaxSlope = 0.0148F;  ///< rad per carrier: 0.6 samples
};

/// Sums for phase and phase slope of received points against decisions.
struct DecisionSums {
    float quadrature = 0, tilt = 0;     ///< sum w Im(conj(d) z), sum w k Im(conj(d) z)
    float weight = 0, tilt_weight = 0;  ///< sum w |d|^2, sum w k^2 |d|^2
    /// Growth of `quadrature` per phase and of `tilt` per slope, in radians: less than the weights, because doubtful
    /// decisions turn with the points.
    float steepness = 0, tilt_steepness = 0;
};
/// Sums of powers and errors against hard decisions.
struct ErrorSums {
    float reference = 0, error = 0;              ///< weighted with snr
    float point_reference = 0, point_error = 0;  ///< unweighted
};

/// Points from hard decisions.
struct HardPoints {
    SymbolPlanes::Plane re, im;
};

/// Fills the points from the carriers of a symbol, divided by the channel and turned back by `line`.
void divide_by_channel(const Carriers& symbol, PhaseLine line, SymbolPlanes& planes);
/// Subtracts from each point `image` times the conjugate of the one at the mirrored carrier, weighted with `mirror`.
void take_image_off(Complex image, const SymbolPlanes::Plane& mirror, SymbolPlanes& planes);
/// Share of the mirrored carrier's conjugate in the points, from hard decisions; only carriers that are tracked on both
/// sides. 0 if there are none.
Complex image_left(int bits_per_carrier, const SymbolPlanes& planes);
void decide_hard(int bits_per_carrier, const SymbolPlanes& planes, HardPoints& out);
/// Turns the points back by `line`, then decides: conditional means of BPSK and QPSK points given the received ones;
/// nearest points of the others.
DecisionSums decide_points(int bits_per_carrier, PhaseLine line, SymbolPlanes& planes);
/// Turns the points back by `line`, then compares them with hard decisions. Adds to the sums in `planes`, with `weight`
/// to the correction of the channel estimate.
ErrorSums sum_errors(int bits_per_carrier, PhaseLine line, float weight, SymbolPlanes& planes);

/// Fills the correction of the channel estimate from the points against the sent ones, with `weight`. Places without a
/// sent point get 0.
void compare_with_sent(int bits_per_carrier, const HardPoints& sent, float weight, SymbolPlanes& planes);

}  // namespace gr::wimax::phy
