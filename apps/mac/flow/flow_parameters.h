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

/// A classification rule as a DSA or DSC message has it.
struct RuleParameters {
    ClassifierAction action = ClassifierAction::add;
    Opt<ClassifierConfig> rule;
    Opt<uint16_t> index;
};
std::vector<RuleParameters> rules_of(const ServiceFlow& message);
void put_rules(ServiceFlow& message, ConvergenceSublayer cs, const std::vector<RuleParameters>& rules);

/// An active flow as it goes into DSA-REQ; `flow.classifiers` are sent as they are.
ServiceFlow to_message(const ServiceFlowConfig& flow, uint32_t sfid, uint16_t cid);
/// What is absent gets the standard's default.
ServiceFlowConfig from_message(const ServiceFlow& message, FlowDirection direction);

/// Serving order: UGS, then rtPS, nrtPS, best effort; within a type by traffic priority. Lower is sooner.
inline int service_order(const ServiceFlowConfig& flow) {
    return (6 - static_cast<int>(flow.scheduling)) * 8 + (7 - (flow.traffic_priority & 7));
}

}  // namespace wimax::mac
