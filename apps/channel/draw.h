// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers for the set-up of a simulation: a counter through an integer hash, the same on every machine.
#pragma once

#include "channel/fading.h"

#include <cstdint>
#include <numbers>

namespace wimax::channel {

inline constexpr double kTurn = 2 * std::numbers::pi;  ///< radians

class Draw {
public:
    explicit Draw(uint64_t seed) : state_(mix64(seed)) {}
    uint64_t next() { return mix64(state_ += 0x9E3779B97F4A7C15U); }
    double uniform(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    uint64_t state_;
};

}  // namespace wimax::channel
