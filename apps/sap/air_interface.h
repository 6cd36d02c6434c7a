// SPDX-License-Identifier: GPL-3.0-or-later
// The air interfaces that a MAC can request of its PHY. A message that only one has carries its value as `kPhy`; a
// PHY's port drops it in sessions of another air interface.
#pragma once

#include <cstdint>

namespace wimax::sap {

/// Numbers on the wire. Decoded requests may have others, which no PHY here has.
enum class AirInterface : uint8_t { ofdm256 = 0 };

/// True for messages of this air interface, and for those that every air interface has.
template <class M> constexpr bool belongs_to(AirInterface phy, const M&) {
    if constexpr (requires { M::kPhy; }) return M::kPhy == phy;
    return true;
}

}  // namespace wimax::sap
