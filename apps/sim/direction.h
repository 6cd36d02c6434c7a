// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace wimax::sim {

enum class Direction : uint8_t { downlink, uplink };
inline constexpr size_t kDirections = 2;

}  // namespace wimax::sim
