// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of the queues: samples whose values are their positions.
#pragma once

#include <cstddef>
#include <vector>

#include "vrf/link.h"

namespace wimax::vrf {

inline constexpr size_t kChunk = 100;  ///< samples per chunk of the channel

/// `first`, `first` + 1 ...
inline std::vector<Sample> ramp(size_t n, float first = 1) {
    std::vector<Sample> samples(n);
    for (size_t i = 0; i < n; ++i) samples[i] = {first + float(i), 0};
    return samples;
}

}  // namespace wimax::vrf
