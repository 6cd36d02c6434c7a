// SPDX-License-Identifier: GPL-3.0-or-later
// Reasons why an OFDMA subframe or burst is not modulated.
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstdint>
#include <string_view>

namespace gr::wimax::phy::ofdma {

enum class OfdmaFault : uint8_t {
    format,   ///< number of symbols, repetition or coding that the zone cannot have
    place,    ///< outside the zone, or not on whole slots
    overlap,  ///< two bursts, or a burst and the FCH or the map, have a slot in common
    payload,  ///< exceeds its burst
    room,     ///< the output is too short
};
WIMAX_API std::string_view to_string(OfdmaFault fault);

}  // namespace gr::wimax::phy::ofdma
