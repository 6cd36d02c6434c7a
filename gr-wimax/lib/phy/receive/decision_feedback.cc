// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/decision_feedback.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>

#include <algorithm>
#include <cstdlib>

namespace gr::wimax::phy {
namespace {

/// Change of the channel per symbol over the noise from which a symbol is decoded. A constant channel shows less,
/// except for a few symbols after a preamble, while its speed is a guess.
constexpr float kLeastChange = 1e-3F;
/// A symbol has wrong decisions where more than this share of its soft bits is below a magnitude, one of 50 of which is
/// wrong.
constexpr double kLeastDoubt = 0.03;
constexpr int kDoubtful = static_cast<int>(4 * kSoftBitScale);
/// Work allowed, in trellis steps. A burst begins with the most that can be saved up: two symbols of 64-QAM 3/4.
constexpr double kStepsPerSecond = 20e6;
constexpr int kMostSteps = 2080;

bool in_doubt(std::span<const SoftBit> soft) {
    const auto doubtful = std::ranges::count_if(soft, [](int bit) { return std::abs(bit) < kDoubtful; });
    return static_cast<double>(doubtful) > kLeastDoubt * static_cast<double>(soft.size());
}

}  // namespace

void DecisionFeedback::start(const SymbolPace& pace) {
    work_ = kMostSteps;
    work_of_symbol_ = static_cast<int>(kStepsPerSecond * pace.seconds);
}

std::span<const uint8_t> DecisionFeedback::labels(const ResponseState& response, const ChannelEstimate& channel,
                                                  std::span<const SoftBit> soft, BurstDecoder& decoder) {
    work_ = std::min(work_ + work_of_symbol_, kMostSteps);
    if (!response.active || response.speed * channel.snr_linear() < kLeastChange || !in_doubt(soft)) return {};
    const int steps = decoder.decision_steps();
    if (steps == 0 || steps > work_) return {};
    work_ -= steps;
    return decoder.decide(labels_);
}

}  // namespace gr::wimax::phy
