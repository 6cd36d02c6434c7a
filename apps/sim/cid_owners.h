// SPDX-License-Identifier: GPL-3.0-or-later
// The station that each connection identifier belongs to, as the base station has assigned them.
#pragma once

#include "sim/cell.h"

#include <array>

namespace wimax::sim {

class CidOwners {
public:
    /// `cell` outlives the object.
    explicit CidOwners(const Cell& cell) : cell_(cell) { stations_.fill(0); }

    /// Number of the station from 1; 0: of none alone (broadcast, multicast, initial ranging), or not known.
    uint16_t station_of(uint16_t cid);
    /// The base station has changed something: identifiers are read again before the next response, once per frame.
    void changed() { changed_ = true; }

private:
    void read();

    const Cell& cell_;
    std::array<uint16_t, 65536> stations_{};
    bool changed_ = true;
    Samples read_at_ = -1;
};

}  // namespace wimax::sim
