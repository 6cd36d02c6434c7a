// SPDX-License-Identifier: GPL-3.0-or-later
// Which stations a frame need not visit, and until when: those that have nothing to send and are neither asked for nor
// owed anything. Polls, reports and timers of an idle flow wake them; so does anything that is received from them.
#pragma once

#include "mac/bs/link_service.h"
#include "mac/bs/uplink_demand.h"
#include "mac/clock.h"

namespace wimax::mac {

class StationRest {
public:
    struct Config {
        uint32_t least_awake = 32;  ///< idle stations visited per frame, in turn, for spare units
        double frame_seconds = 0.01;
    };
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        const LinkService& links;
        const UplinkDemand& demand;
    };
    StationRest(const Config& config, const Dependencies& dependencies)
        : config_(config),
          clock_(dependencies.clock),
          stations_(dependencies.stations),
          links_(dependencies.links),
          demand_(dependencies.demand) {}

    /// Call before anything visits stations.
    void begin_frame() { stations_.wake_due(clock_.now, config_.least_awake); }
    /// Call after the frame is built.
    void end_frame();

private:
    Samples due(const Subscriber& station) const;
    Samples due(const FlowContext& flow) const;

    const Config config_;
    const FrameClock& clock_;
    StationTable& stations_;
    const LinkService& links_;
    const UplinkDemand& demand_;
};

}  // namespace wimax::mac
