// SPDX-License-Identifier: GPL-3.0-or-later
// Managed stations at the base station (6.3.9.9 to 6.3.9.12): which stations are managed, and their secondary
// management connections.
#pragma once

#include "mac/bs/station_table.h"
#include "mac/clock.h"
#include "mac/managed_config.h"

namespace wimax::mac {

class ManagedStations {
public:
    struct Config {
        ManagedPolicy policy = ManagedPolicy::off;
        FeedbackTypes arq_feedback = FeedbackTypes::all;
        double frame_ms = 10;
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
    };
    ManagedStations(const Config& config, const Dependencies& dependencies) : config_(config), to_(dependencies) {}

    /// REG-REQ: opens a secondary management connection if both ends want one, and puts it into the response. False: an
    /// unmanaged station, and the base station serves managed ones only.
    [[nodiscard]] bool on_registration(Subscriber& station, const RegReq& request, RegRsp& answer);

private:
    void open(Subscriber& station, const RegReq& request);
    ArqConfig arq_for(const RegReq& request) const;

    const Config config_;
    const Dependencies to_;
};

}  // namespace wimax::mac
