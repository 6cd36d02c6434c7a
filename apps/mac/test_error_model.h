// SPDX-License-Identifier: GPL-3.0-or-later
// Which blocks of a burst are lost at a CINR: each with the measured probability of the receiver in white noise.
#pragma once

#include "mac/rate_thresholds.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace wimax::mac::test {

inline double block_error_rate(size_t rate_id, float cinr_db) {
    return double(block_error(profile_in_row(rate_id), cinr_db));
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
