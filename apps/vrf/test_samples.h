/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples that tell where they belong, for tests of the queues.
 */
#pragma once

#include <cstddef>
#include <vector>

#include "vrf/link.h"

namespace wimax::vrf {

inline constexpr size_t kChunk = 100;  ///< samples that the channel takes or delivers at a time

/// `first`, `first` + 1 ...
inline std::vector<Sample> ramp(size_t n, float first = 1) {
    std::vector<Sample> samples(n);
    for (size_t i = 0; i < n; ++i) samples[i] = {first + float(i), 0};
    return samples;
}

}  // namespace wimax::vrf
