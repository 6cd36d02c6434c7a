// SPDX-License-Identifier: GPL-3.0-or-later
// Channel estimation from preambles (clause 8.3.3.6). The even carriers observed in P_2x128 (and every fourth in
// P_4x64) are smoothed to all 200 carriers by a linear MMSE estimator over delays: uniform power over the measured
// delay span, taps half a sample apart. The empty carriers of a preamble give the noise variance.
#pragma once

#include "phy/channel/path_search.h"

#include <gnuradio/wimax/phy/carriers/subchannels.h>

namespace gr::wimax::phy {

/// Estimate over all used carriers, valid for FFT windows at the same position in the symbol.
struct ChannelEstimate {
    Carriers response;                    ///< H
    Carriers inverse;                     ///< conj(H) / |H|^2, 0 where H is 0
    PerCarrier<float> snr;                ///< |H|^2 / snr_noise, times the carrier's purity
    PerCarrier<float> purity;             ///< mean noise over the carrier's noise: 1, less with an interferer
    float noise_variance = 1;             ///< per carrier, without interferers
    float snr_noise = 1;                  ///< noise_variance, but 35 dB below the power at least
    float power = 0;                      ///< mean |H|^2: power per sample of a data symbol
    float first_path = 0;                 ///< delay of the first path after the start of the FFT window, samples
    float early_path = 0, last_path = 0;  ///< delays that the estimate covers
    Carriers change;                      ///< change of the response per symbol; only if `speed` is not 0
    float absorbed = 0;                   ///< DelaySmoother::absorbed() of the estimate
    float speed = 0;                      ///< mean |change|^2 over mean |H|^2 as measured in the preamble
    float change_noise = 0;               ///< noise of `change`; noise_variance is that of `response`

    ChannelEstimate() { purity.values.fill(1); }
    float snr_linear() const { return noise_variance > 0 ? power / noise_variance : 0; }
    /// Fills inverse, snr, snr_noise and power from response, purity and noise_variance.
    void complete();
};

class ChannelEstimator {
public:
    ChannelEstimator();

    /// Long preamble: carriers of both symbols, FFT windows one symbol apart. `cp_samples` limits the delay span.
    /// The observed phase step is averaged with a prior of zero mean and `prior_variance`.
    void observe_long(const Carriers& first, const Carriers& second, int cp_samples, float prior_variance,
                      PreambleObservation& out);
    /// Short preamble or midamble.
    void observe_short(const Carriers& symbol, int cp_samples, PreambleObservation& out);

    /// Preamble of an STC zone: antenna 0 uses the even carriers, antenna 1 the odd ones. No carrier is empty, so the
    /// noise variance per carrier is taken from the frame's preamble.
    void observe_stc(const Carriers& symbol, int antenna, int cp_samples, float noise_variance,
                     PreambleObservation& out);

    /// Subtracts from an observation of P_2x128 the image of the sender's mixer: s + image * conj(s) was sent in place
    /// of s, through the given channel.
    void take_image_off(Complex image, const Carriers& response, PreambleObservation& observation) const;

    /// Smooths an observation.
    void estimate(const PreambleObservation& observation, ChannelEstimate& out);

private:
    using Grid = std::array<Complex, PreambleObservation::kGrid>;
    /// `grid` with the paths of `observation`, on all carriers.
    void smooth(const PreambleObservation& observation, const Grid& grid, PreambleGrid carriers, float snr,
                Carriers& out);
    /// Marks carriers of the grid that have an interferer; in cleaned_ they get the estimate's value. True if there are
    /// any.
    bool clean(const PreambleObservation& observation, ChannelEstimate& out);

    PathSearch paths_;
    FftPlan interpolate_{512, FftPlan::Sign::forward};
    alignas(64) Grid turned_{};
    Carriers ramp_;
    Grid cleaned_;
};

}  // namespace gr::wimax::phy
