// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/tone_remover.h"

#include <complex>

namespace gr::wimax::phy {
namespace {

/// A tone in a preamble and its channel are estimated in turn.
constexpr int kTonePasses = 3;

}  // namespace

bool ToneRemover::clean(const SeenPreamble& seen, ChannelEstimator& estimator, LinkEstimate& link) {
    auto& tones = link.tones;
    const bool both = seen.fourth != nullptr;
    const ToneFinder::Symbol even{seen.even, PreambleSymbol::p_even, link.window(both ? 1 : 0, 0)};
    tones.clear();
    finder_.begin(link.cycles_per_sample * kFftSize);
    while (tones.count < Tones::kMost) {
        auto tone = finder_.find(even, link.channel);
        if (!tone) break;
        even_ = seen.even;
        if (both) fourth_ = *seen.fourth;
        // The channel's estimate had absorbed some of it.
        for (int pass = 0; pass < kTonePasses; ++pass) {
            seen.even = even_;
            if (both) *seen.fourth = fourth_;
            if (pass > 0) finder_.place_again(even, link.channel, *tone);
            take_off(seen, even, estimator, *tone, link);
        }
        finder_.remember(*tone);
        tones.all[tones.count++] = *tone;
    }
    return tones.count > 0;
}

void ToneRemover::take_off(const SeenPreamble& seen, const ToneFinder::Symbol& even, ChannelEstimator& estimator,
                           Tone& tone, LinkEstimate& link) {
    auto& observation = seen.observation;
    if (seen.fourth != nullptr) {
        const ToneFinder::Symbol fourth{*seen.fourth, PreambleSymbol::p_4x64, link.window(0, 0),
                                        std::polar(1.0F, -observation.phase_step)};
        finder_.refine(fourth, link.channel, tone);
        finder_.take_off(tone, fourth, link.channel);
        finder_.take_off(tone, even, link.channel);
        estimator.observe_long(*seen.fourth, seen.even, link.cp_samples, seen.prior_variance, observation);
    } else {
        finder_.take_off(tone, even, link.channel);
        estimator.observe_short(seen.even, link.cp_samples, observation);
    }
    estimator.estimate(observation, link.channel);
}

}  // namespace gr::wimax::phy
