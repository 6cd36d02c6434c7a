// SPDX-License-Identifier: GPL-3.0-or-later
// Which blocks of a burst are lost at a CINR: a straight line through the logarithm of the measured points of the
// receiver in white noise (docs/error-rates.md, uplink), one block in a hundred and one in a hundred thousand.
#pragma once

#include "mac/rate_thresholds.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace wimax::mac::test {

inline constexpr std::array<float, kRateCount> kOneInHundredDb{-0.09F, 4.21F, 6.64F, 9.82F, 12.96F, 16.88F, 18.50F};

inline double block_error_rate(size_t rate_id, float cinr_db) {
    const double decades_per_db = 3 / double(kReceiverNeedsDb[rate_id] - kOneInHundredDb[rate_id]);
    return std::min(1.0, std::pow(10, -2 - decades_per_db * double(cinr_db - kOneInHundredDb[rate_id])));
}

class ErrorModel {
public:
    explicit ErrorModel(uint32_t seed) : random_(seed) {}
    bool block_lost(size_t rate_id, float cinr_db) {
        return std::uniform_real_distribution<>(0, 1)(random_) < block_error_rate(rate_id, cinr_db);
    }
    int failed_blocks(size_t rate_id, int blocks, float cinr_db) {
        return std::binomial_distribution<>(blocks, block_error_rate(rate_id, cinr_db))(random_);
    }
    float noise_db(float deviation_db) { return std::normal_distribution<float>(0, deviation_db)(random_); }

private:
    std::mt19937 random_;
};

}  // namespace wimax::mac::test
