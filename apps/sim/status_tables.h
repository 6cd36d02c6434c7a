// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers in the status of all MACs of a cell at one moment, for programs that read them while a simulation runs.
// Booleans are 0 and 1. Texts are left out.
#pragma once

#include "sim/cell.h"
#include "sim/figure_table.h"

namespace wimax::sim {

struct StatusTables {
    explicit StatusTables(const Cell& cell);

    FigureTable base_station;  ///< one row, without its stations; then the counters of the PHY's model: "phy."
    FigureTable stations;      ///< a row for each: "bs." by the base station, "ss." by the station itself
    /// A row for each end of each service flow, at the base station first: "station" (from 1), "at_base_station",
    /// "entry" (of the traffic, from 1; 0: none), "uplink", then its figures at that end.
    FigureTable flows;
};

}  // namespace wimax::sim
