/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a preamble showed of the channel (internal to channel_estimator).
 */
#pragma once

#include "phy/carriers/symbol_reader.h"
#include "phy/channel/delay_smoother.h"

namespace gr::wimax::phy {

/// Before smoothing. `grid` is H observed on the carriers of grid_offset(carriers, 0..99).
struct PreambleObservation {
    static constexpr int kGrid = kGridCarriers;
    std::array<Complex, kGrid> grid{};
    PerCarrier<float> noise;  ///< power seen on carriers that a symbol left empty, 0 where none did
    PreambleGrid carriers = PreambleGrid::even;
    bool present = false;     ///< level and structure are those of a preamble
    float concentration = 0;  ///< of the power in few delays: 2 if it is noise, 50 if it is one path
    float noise_variance = 0;
    float power = 0;       ///< mean |H|^2
    float phase_step = 0;  ///< long preamble: phase from the first to the second symbol, rad
    float phase_step_variance = 1;
    float first_path = 0;  ///< delay of the first path for certain, from the start of the FFT window, samples
    float early_path = 0, last_path = 0;  ///< what the estimator covers: weak paths, too
    /// Where the FFT window should start, in samples after where it did: before the first path where the prefix holds
    /// all paths, else where neighbouring symbols disturb least.
    int window_shift = 0;
    /// Change from symbol to symbol, seen on the same carriers; only if `speed` is not 0.
    std::array<Complex, kGrid> change{};
    float speed = 0;         ///< mean |change|^2 over mean |H|^2, 0 if hidden in noise
    float change_noise = 0;  ///< of `change`, as noise_variance is the one of `grid`
};

/// FFT windows start this long before the first path: tolerance for timing errors and sinc skirts.
constexpr int window_backoff(int cp_samples) { return cp_samples / 4 < 4 ? cp_samples / 4 : 4; }

/// 1 / P on the grids of P_2x128 and P_ODD, and of P_4x64 where that has carriers (else 0).
struct PreambleInverse {
    std::array<Complex, kGridCarriers> even{}, fourth{}, odd{};
};
const PreambleInverse& preamble_inverse();

}  // namespace gr::wimax::phy
