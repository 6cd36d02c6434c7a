// SPDX-License-Identifier: GPL-3.0-or-later
// Truncated binary exponential backoff over transmission opportunities (clause 6.3.8), for ranging and for requests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

namespace wimax::mac {

class Backoff {
public:
    using Random = std::mt19937_64;

    void start(uint8_t first_exponent, uint8_t last_exponent, Random& random) {
        exponent_ = std::min(first_exponent, last_exponent);
        last_ = last_exponent;
        retries_ = 0;
        draw(random);
    }
    /// The attempt was not answered: wider window, new draw.
    void retry(Random& random) { retry(random, last_); }
    /// `last_exponent`: from the descriptor now in force.
    void retry(Random& random, uint8_t last_exponent) {
        last_ = last_exponent;
        ++retries_;
        exponent_ = std::min<uint8_t>(static_cast<uint8_t>(exponent_ + 1), last_);
        draw(random);
    }
    /// Skips `opportunities`; returns the index of the one to use, if it is among them.
    std::optional<uint32_t> pass(uint32_t opportunities) {
        if (skip_ < opportunities) return std::exchange(skip_, 0);
        skip_ -= opportunities;
        return std::nullopt;
    }
    int retries() const { return retries_; }
    uint32_t window() const { return 1U << exponent_; }

private:
    void draw(Random& random) { skip_ = static_cast<uint32_t>(random() & (window() - 1)); }

    uint8_t exponent_ = 0, last_ = 0;
    int retries_ = 0;
    uint32_t skip_ = 0;
};

}  // namespace wimax::mac
