// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the service access point that only OFDM-256 has.
#pragma once

#include "sap/air_interface.h"

#include <array>
#include <cstdint>

namespace wimax::sap {

/// MAC -> PHY (SS): DIUC -> rate_id as announced by the DCD, -1 unknown.
struct ProfilesRequest {
    static constexpr AirInterface kPhy = AirInterface::ofdm256;
    uint64_t phy_session = 0;
    uint8_t dcd_count = 0;
    std::array<int8_t, 16> diuc_rates{};
};

}  // namespace wimax::sap
