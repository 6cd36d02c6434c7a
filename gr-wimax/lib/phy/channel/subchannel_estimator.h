// SPDX-License-Identifier: GPL-3.0-or-later
// Channel estimation from the preamble of a subchannelized uplink burst (clauses 8.3.2.4 and 8.3.3.6), whose carriers
// are those of its data. The estimate is the posterior mean under the likeliest of several models of the channel. A
// model is a range of delays of uniform power and a signal-to-noise ratio. Its likelihood over that of noise alone
// shows at any level whether there is a preamble. Stations on other subchannels have no influence (internal).
#pragma once

#include "phy/channel/channel_estimator.h"

namespace gr::wimax::phy {

/// Possible delays of the strongest path, samples from the start of the FFT window.
struct DelayRange {
    float earliest, latest;
};

class SubchannelEstimator {
public:
    /// Computes all tables (some tens of milliseconds, the first time only).
    SubchannelEstimator();

    /// Fills `out` from the carriers of a preamble or midamble, 0 outside the group. False: no preamble found, `out` is
    /// unchanged.
    bool estimate(const Carriers& symbol, int subchannel_index, DelayRange range, ChannelEstimate& out);

    /// Logarithm of the last estimate's likelihood over that of noise alone.
    float evidence() const { return evidence_; }

private:
    static constexpr int kMaxCarriers = 112;  // of half the band, padded
    using Plane = std::array<float, kMaxCarriers>;
    struct Model {
        int span = 0, snr = 0;
        float centre = 0;  ///< range of delays, samples
        float likelihood = -1e30F;
    };

    void load(const Carriers& symbol, int subchannel_index);
    float strongest_delay(DelayRange range);
    void try_model(int span, int snr, float centre, Model& best);
    Model likeliest(float delay);
    void turn(float delay);

    FftPlan delays_{512, FftPlan::Sign::inverse};
    int index_ = 0, count_ = 0;
    std::array<int16_t, kMaxCarriers> offsets_{};
    alignas(64) Plane raw_re_{}, raw_im_{};  // received over sent
    alignas(64) Plane re_{}, im_{};          // the same with a delay compensated
    alignas(64) Plane weighted_re_{}, weighted_im_{};
    float power_ = 0;
    float evidence_ = 0;
};

}  // namespace gr::wimax::phy
