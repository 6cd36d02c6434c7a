// SPDX-License-Identifier: GPL-3.0-or-later
// Impairs a recording as radios and their channel do, in this order: transmitter's front; multipath, clock
// offset, delay, carrier offset, gain, noise; receiver's front (channel/radio_front.h).
#pragma once

#include "channel/channel_profile.h"
#include "channel/radio_front.h"
#include "recording/iq_file.h"

#include <functional>
#include <optional>

namespace wimax::iq {

struct Impairments {
    std::optional<double> snr_db;  ///< Es/N0 per data carrier of a signal at the files' scale; absent: no noise
    double cfo_hz = 0.0;           ///< positive: spectrum moves up
    double sfo_ppm = 0.0;          ///< positive: receiver clock fast
    double delay_samples = 0.0;
    double gain_db = 0.0;
    channel::ChannelProfile profile{};
    uint64_t seed = 1;
    channel::FrontConfig transmitter{};
    channel::FrontConfig receiver{};  ///< levels over those of the files' scale times the gain
};

struct ImpairmentRange {
    double low, high;
};
/// Allowed values of Impairments, in the units of their names.
struct ImpairmentRanges {
    static constexpr ImpairmentRange snr_db{-100, 200}, cfo_hz{-1e8, 1e8}, sfo_ppm{-500, 500}, delay_samples{0, 1e8},
        gain_db{-200, 200};
};

/// The result is as long as the input, plus the delay and the channel's spread, in receiver samples.
Outcome impair(std::span<const Complex> in, double sample_rate_hz, const Impairments& impairments,
               const SampleSink& sink);

}  // namespace wimax::iq
