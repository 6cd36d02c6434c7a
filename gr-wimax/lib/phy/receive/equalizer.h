// SPDX-License-Identifier: GPL-3.0-or-later
// One data symbol: pilots and decisions correct the tracker, carriers are divided by the channel and demapped to soft
// bits weighted with their signal-to-noise ratio; errors against decisions are counted (internal).
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
    /// Sets carriers and modulation of the following symbols.
    void configure(int bits_per_carrier, int subchannel_index);
    /// Sets the channel of the following symbols; must stay valid.
    void use_channel(const ChannelEstimate& channel);

    /// Image of the sender's mixer: each carrier has this share of its mirror's conjugate. 0: none, until configure().
    /// `follow`: it changes, or is partly the receiver's, or is not known yet.
    void set_sender_image(Complex image, bool follow);
    Complex sender_image() const { return sender_image_; }
    /// Call after a symbol: updates the image from its decisions.
    void follow_image();

    /// `symbol`: carriers of an FFT window `window_shift` samples later than the one of the channel estimate.
    /// `pilots`: the eight sent values. The tracker must be at this symbol; it is corrected.
    void equalize(const Carriers& symbol, int window_shift, const std::array<float, kPilotCarriers>& pilots,
                  LinkTracker& tracker, QualityMeter& meter);
    /// True if the symbol's errors show an inaccurate channel estimate.
    bool strained() const;
    /// Equalizes the same symbol again, after use_channel() with an improved channel.
    void equalize_again(const Carriers& symbol, int window_shift, const LinkTracker& tracker);
    /// Replaces the decisions that the last symbol adds to the correction of the channel: its data carriers were sent
    /// with `labels`. No earlier symbol may be in the sums. The channel in use is the one to be corrected.
    void learn_sent(const Carriers& symbol, int window_shift, const std::array<float, kPilotCarriers>& pilots,
                    const LinkTracker& tracker, std::span<const uint8_t> labels);
    /// Soft bits of the last symbol.
    std::span<const SoftBit> soft_bits();

    /// Points of the last symbol after all corrections, in data carrier order.
    std::span<const Complex> points();

    /// The last symbol as sent, from hard decisions.
    void decided(const std::array<float, kPilotCarriers>& pilots, Carriers& out) const;

    SymbolPlanes& planes() { return planes_; }

    /// Call after a symbol. Adds interferers on single carriers, as seen in errors against decisions, to `channel`, the
    /// one in use. It acts only now and then; true if `channel` has changed.
    bool learn_interference(ChannelEstimate& channel);

private:
    /// Both correct the tracker and return the correction still due for this symbol.
    PhaseLine correct_by_pilots(const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker);
    PhaseLine correct_by_decisions(const DecisionSums& sums, LinkTracker& tracker) const;
    /// Computes the points of a symbol without the sender's image.
    void divide(const Carriers& symbol, int window_shift, const LinkTracker& tracker);
    /// Adds the pilots to the correction of the channel; returns the sum of their errors over the noise.
    float compare_pilots(const std::array<float, kPilotCarriers>& pilots);
    /// Returns the error power over that expected from the preamble's noise variance.
    float measure(const ErrorSums& sums, const std::array<float, kPilotCarriers>& pilots, QualityMeter& meter);
    /// Weight of the soft bits' signal-to-noise ratio, from the symbol's errors.
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
        SymbolPlanes::Plane mirror_{};  // weight of a carrier's mirror: SNR / (1 + SNR); only with a sender's image
    std::array<int32_t, SymbolPlanes::kPlaces> has_data_{};  // 1 or 0; as wide as a float, for vectors
    float noise_excess_ = 0;                                 // 0: no symbol seen
    float excess_ = 0;   // error power of this symbol over that expected from the preamble's noise variance
    float impulse_ = 1;  // noise of this symbol's pilots over that of the others, 1 unless far more
    int error_symbols_ = 0, next_look_ = 0;  // in the sums of errors; next look at them
    alignas(64) std::array<Complex, kDataCarriers> points_{};
    alignas(64) std::array<SoftBit, 6 * kDataCarriers> soft_{};
};

}  // namespace gr::wimax::phy
