// SPDX-License-Identifier: GPL-3.0-or-later
// An operator's command to a subscriber station of the base station (DREG-CMD, RES-CMD, and its range of rates).
#pragma once

#include "mac/station_config.h"

namespace wimax::mac {

struct StationCommand {
    enum class Kind : uint8_t {
        deregister,  ///< leave this channel and try another
        reset,       ///< restart with the search of a channel
        silence,     ///< listen, and send nothing
        suspend,     ///< management connections only
        resume,      ///< ends silence or suspension
        rates,       ///< other limits of its rates, until it enters again
    };
    /// Absent: unchanged.
    struct Rates {
        std::optional<uint8_t> dl_rate_id{}, ul_rate_id{}, dl_lowest_rate_id{}, ul_lowest_rate_id{};
    };
    Kind kind = Kind::reset;
    MacAddress station{};
    Rates rates{};
};

}  // namespace wimax::mac
