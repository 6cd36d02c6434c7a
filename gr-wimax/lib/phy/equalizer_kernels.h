/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops over the data carriers of one symbol, planar so that they vectorize (internal to the equalizer). Blocks are
 * padded to whole vectors with carriers of zero weight.
 */
#pragma once

#include <gnuradio/wimax/phy/numerology.h>

namespace gr::wimax::phy {

struct alignas(64) DataCarriers {
    using Plane = std::array<float, kDataCarriers>;

    int count = 0;               ///< in use; all loops run to padded()
    Plane offset{};              ///< carrier offset
    Plane snr{};                 ///< |H|^2 / noise variance, 0 in the padding
    Plane re{}, im{};            ///< received points
    Plane want_re{}, want_im{};  ///< decisions: expected values (BPSK, QPSK) or nearest points

    static constexpr int kLanes = 16;
    int padded() const { return (count + kLanes - 1) / kLanes * kLanes; }
};

/// Sums that tell phase and phase slope of received points against decisions.
struct DecisionSums {
    float in_phase = 0, quadrature = 0;  ///< sum w conj(d) z
    float tilt = 0;                      ///< sum w k Im(conj(d) z)
    float weight = 0, tilt_weight = 0;   ///< sum w |d|^2, sum w k^2 |d|^2
};
/// Sums of powers and errors against hard decisions.
struct ErrorSums {
    float reference = 0, error = 0;              ///< weighted with snr
    float point_reference = 0, point_error = 0;  ///< unweighted
};

/// Conditional means of BPSK and QPSK points given the received ones; nearest points of the others.
void decide_points(int bits_per_carrier, DataCarriers& block);
DecisionSums sum_decisions(const DataCarriers& block);
/// Turns point i by exp(-j (phase + slope * offset)) for small angles (third order).
void turn_points(float phase, float slope, DataCarriers& block);
ErrorSums sum_errors(int bits_per_carrier, const DataCarriers& block);

}  // namespace gr::wimax::phy
