// SPDX-License-Identifier: GPL-3.0-or-later
// The channel as observed in a preamble (internal to channel_estimator).
#pragma once

#include "phy/carriers/symbol_reader.h"
#include "phy/channel/delay_smoother.h"

namespace gr::wimax::phy {

/// Before smoothing. `grid` is H observed on the carriers of grid_offset(carriers, 0..99).
struct PreambleObservation {
    static constexpr int kGrid = kGridCarriers;
    std::array<Complex, kGrid> grid{};
    PerCarrier<float> noise;  ///< power on carriers that a symbol left empty, 0 elsewhere
    PreambleGrid carriers = PreambleGrid::even;
    bool present = false;     ///< level and structure are those of a preamble
    float concentration = 0;  ///< of the power in few delays: 2 for noise, 50 for one path
    float noise_variance = 0;
    float power = 0;       ///< mean |H|^2
    float phase_step = 0;  ///< long preamble: phase from the first to the second symbol, rad
    float phase_step_variance = 1;
    float first_path = 0;  ///< delay of the first certain path, from the start of the FFT window, samples
    float early_path = 0, last_path = 0;  ///< covered by the estimator: weak paths included
    /// Where the FFT window should start, in samples after its actual start: before the first path if the prefix covers
    /// all paths, else at the least interference from neighbouring symbols.
    int window_shift = 0;
    /// Change from symbol to symbol on the same carriers; only if `speed` is not 0.
    std::array<Complex, kGrid> change{};
    float speed = 0;         ///< mean |change|^2 over mean |H|^2, 0 if hidden in noise
    float change_noise = 0;  ///< noise of `change`; noise_variance is that of `grid`
};

/// FFT windows start this long before the first path: tolerance for timing errors and sinc skirts.
constexpr int window_backoff(int cp_samples) { return cp_samples / 4 < 4 ? cp_samples / 4 : 4; }

/// 1 / P on the grids of P_2x128 and P_ODD, and of P_4x64 where that has carriers (else 0).
struct PreambleInverse {
    std::array<Complex, kGridCarriers> even{}, fourth{}, odd{};
};
const PreambleInverse& preamble_inverse();

}  // namespace gr::wimax::phy
