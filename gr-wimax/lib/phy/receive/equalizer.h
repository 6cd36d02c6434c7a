/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One data symbol: pilots and decisions correct the tracker, carriers are divided by the channel and demapped to soft
 * bits weighted with their signal-to-noise ratio; errors against decisions are counted (internal).
 */
#pragma once

#include "phy/channel/channel_estimator.h"
#include "phy/channel/tracking.h"
#include "phy/receive/equalizer_kernels.h"
#include "phy/receive/measurements.h"

#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>

namespace gr::wimax::phy {

class Equalizer {
public:
    /// Carriers and modulation of the symbols to come.
    void configure(int bits_per_carrier, int subchannel_index);
    /// Channel of the symbols to come; must stay valid.
    void use_channel(const ChannelEstimate& channel);

    /// Of the sender's mixer: each carrier has this of its mirror's conjugate on it. 0: none, until configure().
    /// `follow`: it moves, or part of it is the receiver's, or is not known yet.
    void set_sender_image(Complex image, bool follow);
    Complex sender_image() const { return sender_image_; }
    /// After a symbol: what decisions show of it counts for those to come.
    void follow_image();

    /// `symbol`: carriers of an FFT window `window_shift` samples later than the one of the channel estimate.
    /// `pilots`: the eight sent values. The tracker must stand at this symbol; it is corrected.
    void equalize(const Carriers& symbol, int window_shift, const std::array<float, kPilotCarriers>& pilots,
                  LinkTracker& tracker, QualityMeter& meter);
    /// True if the symbol's errors say that the channel is not quite what it was thought to be.
    bool strained() const;
    /// The same symbol once more, after use_channel(): with what the first time has shown of the channel.
    void equalize_again(const Carriers& symbol, int window_shift, const LinkTracker& tracker);
    /// Of the last symbol.
    std::span<const SoftBit> soft_bits();

    /// Points of the last symbol after all corrections, in data carrier order.
    std::span<const Complex> points();

    /// The last symbol as sent, by hard decisions.
    void decided(const std::array<float, kPilotCarriers>& pilots, Carriers& out) const;

    SymbolPlanes& planes() { return planes_; }

    /// After a symbol: what errors against decisions show of interferers on single carriers goes into `channel`, the
    /// one in use. Now and then only; true if it has changed.
    bool learn_interference(ChannelEstimate& channel);

private:
    /// Both correct the tracker and return by how much: what is still to be taken off this symbol.
    PhaseLine correct_by_pilots(const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker);
    PhaseLine correct_by_decisions(const DecisionSums& sums, LinkTracker& tracker) const;
    /// Points of a symbol without the sender's image.
    void divide(const Carriers& symbol, int window_shift, const LinkTracker& tracker);
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
    Complex sender_image_{};
    bool image_followed_ = false;
    alignas(64)
        SymbolPlanes::Plane mirror_{};  // what a carrier's mirror is worth: SNR / (1 + SNR); only with a sender's image
    std::array<int32_t, SymbolPlanes::kPlaces> has_data_{};  // 1 or 0; as wide as a float, for vectors
    float noise_excess_ = 0;                                 // 0: no symbol seen
    float excess_ = 0;   // error power of this symbol over what the preamble's noise variance makes of it
    float impulse_ = 1;  // noise of this symbol's pilots over that of the others, 1 unless far more
    int error_symbols_ = 0, next_look_ = 0;  // in the sums of errors; when to look at them
    alignas(64) std::array<Complex, kDataCarriers> points_{};
    alignas(64) std::array<SoftBit, 6 * kDataCarriers> soft_{};
};

}  // namespace gr::wimax::phy
