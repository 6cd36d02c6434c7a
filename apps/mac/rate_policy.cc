// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/rate_policy.h"

#include "mac/rate_adaptation.h"
#include "mac/threshold_policy.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {

uint8_t averaging_code(const LinkAdaptationConfig& config, Samples frame_samples, int64_t sample_rate_hz) {
    const double frame_ms = 1000 * static_cast<double>(frame_samples) / static_cast<double>(sample_rate_hz);
    const double weight = config.averaging_ms == 0 ? 1 : 1 - std::exp(-frame_ms / config.averaging_ms);
    return static_cast<uint8_t>(std::clamp(std::lround(weight / static_cast<double>(phy::kAveragingStep)), 1L, 15L));
}

std::unique_ptr<RatePolicy> make_rate_policy(const LinkAdaptationConfig& config, Samples frame_samples,
                                             int64_t sample_rate_hz, const RateThresholds& limits) {
    const auto adaptation = adaptation_config(config, frame_samples, sample_rate_hz);
    switch (config.policy) {
        case RatePolicyKind::thresholds:
            return std::make_unique<ThresholdPolicy>(adaptation.averaging, adaptation.patience_samples, limits);
        case RatePolicyKind::outcome: break;
    }
    return std::make_unique<RateAdaptation>(adaptation, limits);
}

}  // namespace wimax::mac
