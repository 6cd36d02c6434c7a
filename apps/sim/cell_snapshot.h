// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of all stations at one moment, for programs that read them while a simulation runs.
#pragma once

#include "sim/cell.h"

#include <vector>

namespace wimax::sim {

/// Each has one value for each station.
struct CellSnapshot {
    explicit CellSnapshot(const Cell& cell);

    std::vector<double> snr_db;                                  ///< downlink SNR in the last frame
    std::vector<uint8_t> operational;                            ///< 0, 1
    std::vector<int32_t> dl_rate_id, ul_rate_id;                 ///< -1: the base station does not serve it
    std::vector<uint64_t> dl_backlog_octets, ul_backlog_octets;  ///< in the queues of its service flows
    std::vector<uint64_t> dl_octets, ul_octets;  ///< SDU octets since its entry, sent and received by the base station
};

}  // namespace wimax::sim
