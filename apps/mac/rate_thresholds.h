// SPDX-License-Identifier: GPL-3.0-or-later
// Minimum CINR of each rate: the measured need of the receivers, and the resulting thresholds of burst profiles (clause
// 11.4.2: DIUC mandatory exit threshold and minimum entry threshold).
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <array>

namespace wimax::mac {

inline constexpr size_t kRateCount = gr::wimax::phy::kRates;

/// Names by Rate_ID (Table 224).
inline constexpr std::array<const char*, kRateCount> kRateNames = [] {
    std::array<const char*, kRateCount> names{};
    for (size_t i = 0; i < names.size(); ++i) names[i] = gr::wimax::phy::kRateTable[i].name.data();
    return names;
}();

/// SNR in dB at which a receiver in white noise has a bit error rate of 1e-6, timing, phase and frequency unknown: the
/// uplink receiver at 5 MHz, which needs 0.02 to 0.10 dB more than that of the downlink (docs/error-rates.md, "Bit
/// error rate 1e-6, uplink"). One block in some 10^5 is lost there, and one in a hundred 1.5 to 2 dB below.
inline constexpr std::array<float, kRateCount> kReceiverNeedsDb{1.89F, 5.73F, 8.48F, 11.18F, 14.61F, 18.41F, 20.13F};

/// A profile is left at or below `exit_db`, and entered from a more robust one from `entry_db` on; the difference is
/// the hysteresis.
struct RateThresholds {
    std::array<float, kRateCount> exit_db{}, entry_db{};
    bool operator==(const RateThresholds&) const = default;
};

inline constexpr float kHysteresisDb = 2;
inline constexpr float kThresholdStepDb = 0.25F;  ///< of the descriptors

/// CINR that the receiver needs, in steps of the descriptors, rounded up.
constexpr std::array<float, kRateCount> receiver_thresholds_db(float above_db) {
    std::array<float, kRateCount> all{};
    for (size_t rate = 0; rate < all.size(); ++rate) {
        const float steps = kReceiverNeedsDb[rate] / kThresholdStepDb;
        const auto whole = static_cast<int>(steps);
        all[rate] =
            static_cast<float>(static_cast<float>(whole) < steps ? whole + 1 : whole) * kThresholdStepDb + above_db;
    }
    return all;
}

}  // namespace wimax::mac
