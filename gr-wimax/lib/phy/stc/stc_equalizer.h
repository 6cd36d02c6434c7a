// SPDX-License-Identifier: GPL-3.0-or-later
// Two symbols of an STC zone (clause 8.3.8): pilots and decisions correct the tracker. Alamouti's combination recovers
// both sent symbols with the sum of both channels' powers, which weights the soft bits (internal).
#pragma once

#include "phy/channel/channel_estimator.h"
#include "phy/channel/tracking.h"
#include "phy/receive/equalizer_kernels.h"
#include "phy/receive/measurements.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/stc/stc.h>

namespace gr::wimax::phy {

class StcEqualizer {
public:
    using Pilots = std::array<float, kPilotCarriers>;

    void configure(int bits_per_carrier);
    /// Channels of the following pairs; must stay valid. The noise variance is that of the first.
    void use_channels(const ChannelEstimate& antenna_0, const ChannelEstimate& antenna_1);

    /// `symbols`: carriers in FFT windows `window_shift` samples later than the channel estimates'. `pilots`: values of
    /// the two symbols before coding. The tracker must be at the first symbol; it is at the second afterwards.
    void equalize(const std::array<Carriers, 2>& symbols, int window_shift, const std::array<Pilots, 2>& pilots,
                  LinkTracker& tracker, QualityMeter& meter);

    /// Points of one of the two symbols sent, in data carrier order.
    std::span<const Complex> points(int which);
    /// Its pilots divided by the values given to equalize().
    std::span<const Complex> pilots(int which);

    /// Soft bits of one of the two symbols sent.
    std::span<const SoftBit> soft(int which) { return demap(sent_[static_cast<size_t>(which)], 1.0F); }
    /// Soft bits if both symbols sent were the same.
    std::span<const SoftBit> soft_of_repeated();

private:
    void correct_by_pilots(const Carriers& symbol, int which, int window_shift, const std::array<Pilots, 2>& pilots,
                           LinkTracker& tracker, QualityMeter& meter);
    void correct_by_decisions(LinkTracker& tracker);
    /// Compensates the tracked phase and delay in both symbols and combines them.
    void combine(const std::array<Carriers, 2>& symbols, int window_shift, const LinkTracker& tracker);
    /// Both symbols sent on carrier `offset`, from both received ones.
    std::array<Complex, 2> combined(int offset) const;
    std::span<const SoftBit> demap(const SymbolPlanes& symbol, float snr_factor);
    float noise_variance() const { return channels_[0]->noise_variance; }

    int bits_per_carrier_ = 1;
    std::array<const ChannelEstimate*, kStcAntennas> channels_{};
    std::array<Carriers, 2> received_;  // phase and delay compensated
    std::array<SymbolPlanes, 2> sent_;  // estimates of the symbols sent
    double expectation_variance_ = 0;   // of a received carrier about its expected value
    float noise_excess_ = 0;            // 0: no symbol seen
    std::array<Pilots, 2> pilots_{};
    std::array<Complex, kPilotCarriers> pilot_points_{};
    alignas(64) std::array<Complex, kDataCarriers> points_{};
    Carriers ramp_;
    alignas(64) std::array<SoftBit, 6 * kDataCarriers> soft_{};
};

}  // namespace gr::wimax::phy
