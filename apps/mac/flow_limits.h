// SPDX-License-Identifier: GPL-3.0-or-later
// Number of service flows of a station, for both ends: limits for provisioning, additions and announcements, and the
// resulting numbers of connections and security associations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wimax::mac {

inline constexpr size_t kMaxFlowsEachWay = 16, kMaxStationFlows = 2 * kMaxFlowsEachWay;
/// Connections that a station sends on (11.7.6): basic, primary, secondary if it is managed, and transport connections.
constexpr uint16_t management_cids(bool managed) { return managed ? 3 : 2; }
constexpr uint16_t max_uplink_cids(bool managed) {
    return static_cast<uint16_t>(management_cids(managed) + kMaxFlowsEachWay);
}
/// The primary one, and a separate one for each flow.
inline constexpr size_t kMaxAssociations = 1 + kMaxStationFlows;

}  // namespace wimax::mac
