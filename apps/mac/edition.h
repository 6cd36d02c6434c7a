// SPDX-License-Identifier: GPL-3.0-or-later
// The edition of IEEE 802.16 that a station follows where editions differ. Certified equipment follows the corrigendum
// of 2005, which is 802.16-2004/Cor1. What a peer follows cannot be negotiated: it announces its MAC version only.
#pragma once

#include <cstdint>

namespace wimax::mac {

enum class Edition : uint8_t {
    ieee2004,  ///< as published in 2004
    cor1,      ///< with the corrigendum
};

/// MAC version that a station announces (11.1.3, 11.4.1). From a peer any is accepted: 6 is 802.16e.
constexpr uint8_t mac_version(Edition edition) { return edition == Edition::ieee2004 ? 4 : 5; }

}  // namespace wimax::mac
