// SPDX-License-Identifier: GPL-3.0-or-later
// How often the receivers fail at a CINR, by rate, and the thresholds of burst profiles (clause 11.4.2: DIUC mandatory
// exit threshold and minimum entry threshold).
#pragma once

#include "mac/burst_profiles.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <array>
#include <cmath>

namespace wimax::mac {

inline constexpr size_t kRateCount = gr::wimax::phy::kRates;

/// Names by Rate_ID (Table 224).
inline constexpr std::array<const char*, kRateCount> kRateNames = [] {
    std::array<const char*, kRateCount> names{};
    for (size_t i = 0; i < names.size(); ++i) names[i] = gr::wimax::phy::kRateTable[i].name.data();
    return names;
}();

/// Octets of a block: the data of one symbol.
inline constexpr std::array<float, kRateCount> kBlockOctets = [] {
    std::array<float, kRateCount> octets{};
    for (size_t i = 0; i < octets.size(); ++i) octets[i] = gr::wimax::phy::kRateTable[i].uncoded_bytes;
    return octets;
}();

/// SNR in dB at which the uplink receiver loses one block in a hundred in white noise, and one in ten thousand: timing,
/// phase and frequency unknown, 5 MHz, bursts of 20 symbols (docs/error-rates.md, "Thresholds of link adaptation"). The
/// downlink receiver needs up to 0.1 dB less.
inline constexpr std::array<float, kRateCount> kOneInHundredDb{-0.08F, 3.21F, 5.49F, 8.99F, 11.82F, 15.82F, 17.37F};
inline constexpr std::array<float, kRateCount> kReceiverNeedsDb{1.47F, 3.94F, 6.12F, 9.63F, 12.48F, 16.48F, 18.00F};

/// Between and beyond these two points: a straight line of the logit, which measured curves are nearly.
inline float logit(float p) { return std::log(p / (1 - p)); }
inline float logits_per_db(ProfileId profile) {
    const size_t row = row_of(profile);
    return (logit(1e-2F) - logit(1e-4F)) / (kReceiverNeedsDb[row] - kOneInHundredDb[row]);
}
/// Probability that a block is lost.
inline float block_error(ProfileId profile, float cinr_db) {
    const float above_db = cinr_db - kOneInHundredDb[row_of(profile)];
    return 1 / (1 + std::exp(logits_per_db(profile) * above_db - logit(1e-2F)));
}
/// CINR at which a block is lost with this probability.
inline float needed_db(ProfileId profile, float error) {
    return kOneInHundredDb[row_of(profile)] + (logit(1e-2F) - logit(error)) / logits_per_db(profile);
}

/// Limits of the base station: a profile is not used at or below `exit_db`, and entered from a more robust one from
/// `entry_db` on.
struct RateThresholds {
    std::array<float, kRateCount> exit_db{}, entry_db{};
    bool operator==(const RateThresholds&) const = default;
};

inline constexpr float kHysteresisDb = 0.5F;
inline constexpr float kThresholdStepDb = 0.25F;  ///< of the descriptors

/// Entry thresholds that leave the choice to the station: a few blocks in a hundred are lost there, which flows with
/// ARQ bear. In steps of the descriptors, rounded down, at least 0, plus `above_db`.
constexpr std::array<float, kRateCount> entry_thresholds_db(float above_db) {
    constexpr float kFewBelowDb = 0.25F;
    std::array<float, kRateCount> all{};
    for (size_t rate = 0; rate < all.size(); ++rate) {
        const float steps = (kOneInHundredDb[rate] - kFewBelowDb) / kThresholdStepDb;
        const auto whole = static_cast<int>(steps);
        all[rate] = static_cast<float>(steps < 0 ? 0 : whole) * kThresholdStepDb + above_db;
        if (all[rate] < 0) all[rate] = 0;  // the descriptors' least
    }
    return all;
}

}  // namespace wimax::mac
