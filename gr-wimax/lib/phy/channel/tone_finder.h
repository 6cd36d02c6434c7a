/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A carrier that does not belong to the signal, anywhere in the band: the oscillator of a radio that is tuned beside,
 * its own or the sender's, or somebody else's (internal). Found in what a preamble lacks once its channel is known. It
 * is taken off the preamble, so that channel and noise are estimated without it, and off the symbols behind, as far as
 * its frequency tells its phase there; what may be left of it makes the carriers that it reaches count less. Where
 * tones were is remembered: this receiver's own stay where they are.
 */
#pragma once

#include "phy/channel/channel_estimator.h"

#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <optional>
#include <span>

namespace gr::wimax::phy {

struct Tone {
    double carrier = 0;    ///< where it is, -100..100, mostly between two; with the frequency taken off the samples
    float variance = 0;    ///< of that
    Complex level{};       ///< on a carrier at its very place, in the symbol that showed it last
    float over_noise = 0;  ///< its power there over a carrier's noise
    int64_t window = 0;    ///< where the FFT window of that symbol was
    float counted = 0;     ///< what is counted in the channel's purity, over the noise

    /// Power that is left, over the noise, if it is taken off a symbol with this window.
    float left(int64_t at) const;
};

/// Of a preamble.
struct Tones {
    static constexpr size_t kMost = 3;
    std::array<Tone, kMost> all{};
    size_t count = 0;

    std::span<Tone> span() { return {all.data(), count}; }
    /// Off a symbol with this window.
    void take_off(int64_t window, Carriers& symbol) const;
    /// Counts in what is left of them in a symbol with this window, if it is more than has been. True if so: snr is to
    /// be completed.
    bool weigh(int64_t window, ChannelEstimate& channel);
};

class ToneFinder {
public:
    /// A preamble symbol as it was read, and what of it the channel explains.
    struct Symbol {
        Carriers& carriers;
        PreambleSymbol kind;
        int64_t window = 0;
        Complex turn{1};  ///< by which it is ahead of the channel's estimate
    };

    /// Nothing is known.
    void reset() { known_ = kept_ = {}; }

    /// Looks at a symbol P_2x128, of which `taken_off` carriers of frequency have been taken off: to be called before
    /// find().
    void begin(double taken_off);
    /// The strongest tone in it; none that noise may well be, unless one has been there before. Not around the place of
    /// this receiver's DC offset nor around the unused carrier: both are the FrontEndTracker's.
    std::optional<Tone> find(const Symbol& symbol, const ChannelEstimate& channel);
    /// The same one once more, with a channel that was estimated without it.
    void place_again(const Symbol& symbol, const ChannelEstimate& channel, Tone& tone);
    /// A symbol P_4x64 before that shows the frequency better.
    void refine(const Symbol& before, const ChannelEstimate& channel, Tone& tone);
    /// By what the symbol itself says of its phase.
    void take_off(const Tone& tone, const Symbol& symbol, const ChannelEstimate& channel);

    /// Once it has been placed: with what is known of its place from preambles before.
    void remember(Tone& tone);
    /// What was found since begin() is known from now on, or never was.
    void keep();
    void forget();

private:
    struct Known {
        double carrier = 0;  // nothing taken off the samples
        float variance = 0;
        int seen = 0, unseen = 0;  // preambles with it, and since
        bool met = false;          // in this preamble
    };
    struct Memory {
        std::array<Known, 2 * Tones::kMost> all{};
        size_t count = 0;
        std::span<Known> span() { return {all.data(), count}; }
    };

    void load(const Symbol& symbol, const ChannelEstimate& channel);
    bool is_kept_clear(double carrier) const;
    /// What is seen where, and what noise reaches nowhere.
    struct Peak {
        double carrier = 0;
        float power = 0, limit = 0;
    };
    Peak strongest(float noise) const;
    void place(Peak& peak) const;
    std::optional<Peak> of_known_place(float limit);
    Complex amplitude(double carrier, int first, int last, float* seen = nullptr) const;
    float power_at(double carrier, int around) const;
    Tone describe(const Peak& peak, int64_t window) const;

    Carriers lacking_;
    double taken_off_ = 0;
    Memory known_, kept_;
};

}  // namespace gr::wimax::phy
