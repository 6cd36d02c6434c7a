// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of a radio: on demand, and random ones at a rate per second of simulated time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>

#include "vrf/link.h"

namespace wimax::channeld {

/// Faults per second of each kind; none of the first kind.
using FaultRates = std::array<double, vrf::kRadioFaults>;

class RadioFaults {
public:
    RadioFaults(uint64_t seed, const FaultRates& rates_hz) : random_(seed), rates_hz_(rates_hz) {}

    /// Adds a fault on demand. False: too many are waiting.
    bool add(vrf::RadioFault fault, uint32_t samples);
    /// Fault of the radio's next chunk of `chunk_s` seconds: one at most, others wait.
    std::pair<vrf::RadioFault, uint32_t> next(double chunk_s);
    /// Number of faults so far, by kind.
    const std::array<uint64_t, vrf::kRadioFaults>& counts() const { return counts_; }

private:
    std::mt19937_64 random_;
    FaultRates rates_hz_;
    std::deque<std::pair<vrf::RadioFault, uint32_t>> waiting_;
    std::array<uint64_t, vrf::kRadioFaults> counts_{};
};

}  // namespace wimax::channeld
