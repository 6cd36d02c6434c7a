// SPDX-License-Identifier: GPL-3.0-or-later
// Finds foreign carriers (tones) anywhere in the band: the oscillator of this receiver, the sender or another radio
// with an offset tuning (internal). A tone is found in the residual of a preamble whose channel is known. It is
// subtracted from the preamble, so that channel and noise are estimated without it. It is also subtracted from the
// following symbols, with a phase predicted from its frequency; the possible remainder lowers the weight of the
// carriers around it. Frequencies of tones are remembered, because those of this receiver are constant.
#pragma once

#include "phy/channel/channel_estimator.h"

#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <optional>
#include <span>

namespace gr::wimax::phy {

struct Tone {
    double carrier = 0;    ///< position, -100..100, fractions allowed, after frequency correction of the samples
    float variance = 0;    ///< of the position
    Complex level{};       ///< on a carrier at exactly its position, in the last symbol that showed it
    float over_noise = 0;  ///< its power there over a carrier's noise
    int64_t window = 0;    ///< start of that symbol's FFT window
    float counted = 0;     ///< part that the channel's purity accounts for, over the noise

    /// Power over the noise that remains after subtraction from a symbol with this window.
    float left(int64_t at) const;
};

/// Tones of a preamble.
struct Tones {
    static constexpr size_t kMost = 3;
    std::array<Tone, kMost> all{};
    size_t count = 0;

    void clear() { count = 0; }
    std::span<Tone> span() { return {all.data(), count}; }
    /// Subtracts the tones from a symbol with this window.
    void take_off(int64_t window, Carriers& symbol) const;
    /// Accounts for their remainder in a symbol with this window in the channel's purity, if it is larger than before.
    /// True if so: the caller has to complete snr.
    bool weigh(int64_t window, ChannelEstimate& channel);
};

class ToneFinder {
public:
    /// A preamble symbol as read, with its phase against the channel estimate.
    struct Symbol {
        Carriers& carriers;
        PreambleSymbol kind;
        int64_t window = 0;
        Complex turn{1};  ///< phase factor against the channel's estimate
    };

    /// Forgets everything.
    void reset() { known_ = kept_ = {}; }

    /// Begins a symbol P_2x128 with a frequency correction of `taken_off` carriers. Call it before find().
    void begin(double taken_off);
    /// The strongest tone of the symbol; none if it may be noise, unless it is known from before. Ignores the
    /// surroundings of this receiver's DC offset and of the unused carrier: the FrontEndTracker handles both.
    std::optional<Tone> find(const Symbol& symbol, const ChannelEstimate& channel);
    /// Locates the same tone again, with a channel that was estimated without it.
    void place_again(const Symbol& symbol, const ChannelEstimate& channel, Tone& tone);
    /// Refines the frequency with a preceding symbol P_4x64.
    void refine(const Symbol& before, const ChannelEstimate& channel, Tone& tone);
    /// Subtracts the tone with the phase measured in this symbol.
    void take_off(const Tone& tone, const Symbol& symbol, const ChannelEstimate& channel);

    /// Merges the position of a located tone with its position in earlier preambles.
    void remember(Tone& tone);
    /// Keeps or forgets what was found since begin().
    void keep();
    void forget();

private:
    struct Known {
        double carrier = 0;  // without frequency correction of the samples
        float variance = 0;
        int seen = 0, unseen = 0;  // number of preambles with it, and since
        bool met = false;          // found in this preamble
    };
    struct Memory {
        std::array<Known, 2 * Tones::kMost> all{};
        size_t count = 0;
        std::span<Known> span() { return {all.data(), count}; }
    };

    void load(const Symbol& symbol, const ChannelEstimate& channel);
    bool is_kept_clear(double carrier) const;
    /// A peak of the residual, and the power that noise does not reach.
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
