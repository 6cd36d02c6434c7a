// SPDX-License-Identifier: GPL-3.0-or-later
// Power commands of a frame: one FPC if many stations need one, otherwise an RNG-RSP for each.
#pragma once

#include "mac/bs/station_table.h"

#include <vector>

namespace wimax::mac {

class FastPowerCommands {
public:
    /// All outlive the object.
    struct Dependencies {
        StationTable& stations;
        ManagementQueue& broadcast;  ///< sent in burst #1
    };
    /// `least_stations`: number of commands in a frame from which FPC is used; 0: never.
    FastPowerCommands(uint32_t least_stations, const Dependencies& dependencies)
        : least_stations_(least_stations), to_(dependencies) {}

    /// `measured`: frame of the station's burst.
    void add(uint16_t basic_cid, int8_t power_qdb, phy::FrameNumber measured);
    /// Queues the messages of all commands since the last call.
    void send();
    void restart() { commands_.clear(); }

private:
    struct Command {
        uint16_t basic_cid = 0;
        int8_t power_qdb = 0;
    };
    void send_together(std::span<const Command> commands);
    void send_alone(const Command& command);

    const uint32_t least_stations_;
    const Dependencies to_;
    std::vector<Command> commands_;
    phy::FrameNumber measured_;
};

}  // namespace wimax::mac
