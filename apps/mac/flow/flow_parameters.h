/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Service flow parameters between provisioning and the encodings of clause 11.13.
 */
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/station_config.h"

namespace wimax::mac {

/// The rules of a flow with the station's own addresses in those that leave that side open (destination of downlink,
/// source of uplink packets). A flow without rules gets one with the addresses, if there are any.
std::vector<ClassifierConfig> bound_rules(const ServiceFlowConfig& flow, const std::vector<AddressMask>& addresses);

/// An active flow as it goes into DSA-REQ; `flow.classifiers` are sent as they are.
ServiceFlow to_message(const ServiceFlowConfig& flow, uint32_t sfid, uint16_t cid);
/// What is absent gets the standard's default.
ServiceFlowConfig from_message(const ServiceFlow& message, FlowDirection direction);

inline int service_order(const ServiceFlowConfig& flow) {
    return service_order(flow.scheduling, flow.traffic_priority);
}

}  // namespace wimax::mac
