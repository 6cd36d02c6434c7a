/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One data symbol: pilots and decisions correct the tracker, carriers are divided by the channel and demapped to soft
 * bits weighted with their signal-to-noise ratio; errors against decisions are counted (internal).
 */
#pragma once

#include "channel_estimator.h"
#include "equalizer_kernels.h"
#include "measurements.h"
#include "tracking.h"

#include <gnuradio/wimax/phy/burst_coder.h>
#include <gnuradio/wimax/phy/subchannels.h>

namespace gr::wimax::phy {

class Equalizer {
public:
    /// Carriers and modulation of the symbols to come.
    void configure(int bits_per_carrier, int subchannel_index);
    /// Channel of the symbols to come; must stay valid.
    void use_channel(const ChannelEstimate& channel);

    /// `symbol`: carriers of an FFT window `window_shift` samples later than the one of the channel estimate.
    /// `pilots`: the eight sent values. The tracker must stand at this symbol. Returns the soft bits.
    std::span<const SoftBit> equalize(const Carriers& symbol, int window_shift,
                                      const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker,
                                      QualityMeter& meter);

    /// Points of the last symbol after all corrections, in data carrier order.
    std::span<const Complex> points();

    SymbolPlanes& planes() { return planes_; }

    /// After a symbol: what errors against decisions show of interferers on single carriers goes into `channel`, the one
    /// in use. Now and then only; true if it has changed.
    bool learn_interference(ChannelEstimate& channel);

private:
    /// Both correct the tracker and return by how much: what is still to be taken off this symbol.
    PhaseLine correct_by_pilots(const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker);
    PhaseLine correct_by_decisions(const DecisionSums& sums, LinkTracker& tracker) const;
    /// Returns the error power over what the preamble's noise variance makes of it.
    float measure(const ErrorSums& sums, const std::array<float, kPilotCarriers>& pilots, QualityMeter& meter);
    /// What a symbol's errors say about its soft bits: their signal-to-noise ratio counts by this much.
    float trust(float excess);
    Complex point(int offset) const {
        return {planes_.re[SymbolPlanes::place(offset)], planes_.im[SymbolPlanes::place(offset)]};
    }

    int bits_per_carrier_ = 1;
    const CarrierSet* carriers_ = &carrier_set(kFullSubchannel);
    const ChannelEstimate* channel_ = nullptr;
    SymbolPlanes planes_;
    float noise_excess_ = 0;  // 0: no symbol seen
    float impulse_ = 1;       // noise of this symbol's pilots over that of the others, 1 unless far more
    int error_symbols_ = 0, next_look_ = 0;  // in the sums of errors; when to look at them
    alignas(64) std::array<Complex, kDataCarriers> points_{};
    alignas(64) std::array<SoftBit, 6 * kDataCarriers> soft_{};
};

}  // namespace gr::wimax::phy
