// SPDX-License-Identifier: GPL-3.0-or-later
// A user's command to add, change or delete a service flow while the station runs.
#pragma once

#include "mac/dsx/service_transactions.h"
#include "mac/flow/agreed_flow.h"

namespace wimax::mac {

struct FlowCommand {
    DsxKind kind = DsxKind::add;
    uint64_t id = 0;                    ///< number of the command, which identifies the result
    std::optional<MacAddress> station;  ///< owner of the flow; base station, add: required
    uint32_t sfid = 0;                  ///< change, delete
    ServiceFlowConfig flow;             ///< add, change: all of its new parameters
    FlowState state = FlowState::active;
};

/// Checks the rules that also apply to a flow of a configuration file.
Faults validate(const FlowCommand& command);

}  // namespace wimax::mac
