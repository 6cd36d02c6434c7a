// SPDX-License-Identifier: GPL-3.0-or-later
// The operator's commands to registered stations: DREG-CMD and RES-CMD. A silenced station gets no grants, so that its
// response is not awaited. Its command is repeated each second, since it may not have heard.
#pragma once

#include "mac/bs/admission.h"
#include "mac/bs/link_service.h"
#include "mac/bs/service_flow_manager.h"
#include "mac/station_command.h"

namespace wimax::mac {

class StationCommands {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        StationTable& stations;
        Admission& admission;
        ServiceFlowManager& flows;
        LinkService& links;
        const BaseStationConfig& config;
        ManagementQueue& broadcast_replies;  ///< for a station that is deleted with the command
    };
    explicit StationCommands(const Dependencies& dependencies) : to_(dependencies) {}

    /// Fault: why the command was not sent.
    Outcome carry_out(const StationCommand& command);
    /// Call once per frame.
    void run_timers();

private:
    void restrict(Subscriber& station, Restriction restriction);
    void limit(Subscriber& station, const StationCommand::Rates& rates);
    void tell(Subscriber& station);

    const Dependencies to_;
};

}  // namespace wimax::mac
