/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operator of a base station tells one of its subscriber stations (DREG-CMD and RES-CMD).
 */
#pragma once

#include "mac/station_config.h"

namespace wimax::mac {

struct StationCommand {
    enum class Kind : uint8_t {
        deregister,  ///< leave this channel and try another
        reset,       ///< begin anew, from the search of a channel on
        silence,     ///< listen, and send nothing
        suspend,     ///< management connections alone
        resume,      ///< back to normal, from either
    };
    Kind kind = Kind::reset;
    MacAddress station{};
};

}  // namespace wimax::mac
