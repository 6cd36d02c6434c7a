/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many service flows a station can have, for both ends: what is provisioned, added, announced and refused, and how
 * many connections and security associations that makes.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace wimax::mac {

inline constexpr size_t kMaxFlowsEachWay = 16, kMaxStationFlows = 2 * kMaxFlowsEachWay;
/// Basic, primary and transport connections that a station sends on (11.7.6).
inline constexpr uint16_t kMaxUplinkCids = 2 + kMaxFlowsEachWay;
/// The primary one, and one of each flow's own.
inline constexpr size_t kMaxAssociations = 1 + kMaxStationFlows;

}  // namespace wimax::mac
