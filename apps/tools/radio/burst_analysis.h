// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how transmitter, cable and receiver changed a known burst. Everything follows from the sent
// samples: nothing is decided, so that figures hold down to 0 dB. Errors are those of a plain receiver that corrects
// frequency, delay, the linear channel and the common phase of each symbol: images, noise, phase noise and clipping
// stay in.
//
// The PHY core's FrontEndMeter measures DC offset and images, too, but of bursts that are not known beforehand: it
// uses a receiver's decisions, which have to be right, and its channel, symbol by symbol. Here there is no
// receiver that could fail where gains are tried out, noise and clipping included; there, no burst that is known.
// Neither can do the other's work.
#pragma once

#include "tools/radio/known_burst.h"

#include <optional>
#include <span>
#include <vector>

namespace wimax::radio {

/// Start and frequency offset of a burst of which nothing is known before.
struct FoundBurst {
    int64_t start = 0;             ///< index of the burst's first sample
    double cycles_per_sample = 0;  ///< frequency offset
    double correlation = 0;        ///< 0..1; below kLeastCorrelation it is not there
};
inline constexpr double kLeastCorrelation = 0.3;

/// Searches starts [from, to); offsets up to 0.015 cycles per sample (86 kHz at 5 MHz).
FoundBurst find_burst(const KnownBurst& burst, std::span<const Complex> received, int64_t from, int64_t to);

struct BurstAnalysis {
    double start = 0;            ///< of the burst's first sample, a fraction of a sample exact
    double frequency_hz = 0;     ///< received too high
    double drift_samples = 0;    ///< delay of the last symbol against the first (sampling clocks)
    double level_dbfs = 0;       ///< mean power of the burst
    std::vector<double> error;   ///< by symbol, power over that of the symbol
    double image = 0;            ///< power over that of the burst; of transmitter and receiver
    double carrier = 0;          ///< the same of what is constant: DC of the receiver, leakage of the transmitter
    size_t clipped_samples = 0;  ///< at full scale
    double mask_margin_db = 0;   ///< least distance to the transmit mask within the sample rate, 8.3.10
};

/// nullopt: the burst is not wholly within `received`, or is not there.
std::optional<BurstAnalysis> analyse_burst(const KnownBurst& burst, std::span<const Complex> received,
                                           const FoundBurst& found);

double evm_db(const BurstAnalysis& analysis);

}  // namespace wimax::radio
