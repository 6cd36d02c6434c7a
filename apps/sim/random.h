// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <random>

namespace wimax::sim {

using Random = std::mt19937_64;

/// Uniform in 0..1, 1 excluded.
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace wimax::sim
