/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is to go wrong at a radio: on demand, and by chance at so many a second of simulated time.
 */
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>

#include "vrf/link.h"

namespace wimax::channeld {

/// Of each kind, a second; none of the first.
using FaultRates = std::array<double, vrf::kRadioFaults>;

class RadioFaults {
public:
    RadioFaults(uint64_t seed, const FaultRates& rates_hz) : random_(seed), rates_hz_(rates_hz) {}

    /// On demand. False: too many wait already.
    bool add(vrf::RadioFault fault, uint32_t samples);
    /// What happens in the radio's next chunk, of that many seconds: one fault at most, others wait.
    std::pair<vrf::RadioFault, uint32_t> next(double chunk_s);
    /// That have happened, by kind.
    const std::array<uint64_t, vrf::kRadioFaults>& counts() const { return counts_; }

private:
    std::mt19937_64 random_;
    FaultRates rates_hz_;
    std::deque<std::pair<vrf::RadioFault, uint32_t>> waiting_;
    std::array<uint64_t, vrf::kRadioFaults> counts_{};
};

}  // namespace wimax::channeld
