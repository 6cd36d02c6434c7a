// SPDX-License-Identifier: GPL-3.0-or-later
// DSA and DSC messages that name one service flow.
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/station_config.h"

#include <utility>

namespace wimax::mac {

inline Opt<ServiceFlow>& flow_of(FlowChange& change, FlowDirection direction) {
    return direction == FlowDirection::uplink ? change.uplink : change.downlink;
}
inline const Opt<ServiceFlow>& flow_of(const FlowChange& change, FlowDirection direction) {
    return direction == FlowDirection::uplink ? change.uplink : change.downlink;
}
inline FlowChange one_flow(FlowDirection direction, ServiceFlow flow) {
    FlowChange change;
    flow_of(change, direction) = std::move(flow);
    return change;
}

}  // namespace wimax::mac
