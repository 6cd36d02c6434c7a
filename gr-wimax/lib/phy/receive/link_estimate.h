// SPDX-License-Identifier: GPL-3.0-or-later
// State of the link from one transmitter and the preamble that begins it. Shared by both receivers (internal).
#pragma once

#include "phy/carriers/symbol_reader.h"
#include "phy/channel/response_tracker.h"
#include "phy/channel/tone_finder.h"
#include "phy/channel/tracking.h"

namespace gr::wimax::phy {

/// State of the link from one transmitter, in a frame or an uplink burst. Symbol numbers count from the first preamble
/// symbol.
struct LinkEstimate {
    Direction direction = Direction::downlink;
    double cycles_per_sample = 0;  ///< frequency correction applied to samples; the tracker has the rest
    int64_t window_origin = 0;     ///< FFT window of symbol 0; the correction's phase is zero here
    int symbol_samples = 0;
    int cp_samples = 0;
    double sample_rate_hz = 0;
    ChannelEstimate channel;
    LinkTracker tracker;
    ResponseState response;
    Tones tones;             ///< in the last preamble
    Complex sender_image{};  ///< the sender sent s + image * conj(s) in place of s; 0 if not certain

    /// A link of this direction and numerology, of which nothing else is known yet.
    void begin(Direction sent, int cp, int64_t rate_hz) {
        direction = sent;
        cp_samples = cp;
        symbol_samples = kFftSize + cp;
        sample_rate_hz = static_cast<double>(rate_hz);
    }
    /// Where its symbols lie, and the correction of the samples there.
    void place(int64_t origin, double cycles) {
        window_origin = origin;
        cycles_per_sample = cycles;
    }
    /// The next sender may not move, or has too few carriers for it.
    void forget_response() { response = {}; }

    int64_t window(int symbol, int shift) const {
        return window_origin + static_cast<int64_t>(symbol) * symbol_samples + shift;
    }
    SymbolPace pace() const { return {symbol_samples / sample_rate_hz, static_cast<double>(symbol_samples)}; }
    /// Carrier offset including what the tracker found, in cycles per sample.
    double total_cycles_per_sample() const;
};

/// The transmitter's sampling clock as known before a preamble, which does not show it: samples per symbol.
struct ClockDrift {
    double rate = 0, variance = 0;
};

/// Prior variance of a preamble's phase step if nothing is known.
inline constexpr float kNoPrior = 1e6F;

/// A preamble's symbols and their observation.
struct SeenPreamble {
    PreambleObservation& observation;
    Carriers& even;                   ///< P_2x128
    Carriers* fourth;                 ///< P_4x64 before it; nullptr: a short preamble
    float prior_variance = kNoPrior;  ///< as given to observe_long()
    bool as_received = false;         ///< `even` is not from the receiver's reader: it has no correction
};

}  // namespace gr::wimax::phy
