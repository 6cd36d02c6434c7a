// SPDX-License-Identifier: GPL-3.0-or-later
// Service flow parameters between provisioning and the encodings of clause 11.13.
#pragma once

#include "mac/arq/arq_parameters.h"
#include "mac/pdu/management_messages.h"
#include "mac/station_config.h"

namespace wimax::mac {

/// The rules of a flow; rules without addresses on the station's side (destination of downlink, source of uplink
/// packets) get the station's addresses. A flow without rules gets one with the addresses, if there are any.
std::vector<ClassifierConfig> bound_rules(const ServiceFlowConfig& flow, const std::vector<AddressMask>& addresses);

/// A classification rule as a DSA or DSC message has it.
struct RuleParameters {
    ClassifierAction action = ClassifierAction::add;
    Opt<ClassifierConfig> rule;
    Opt<uint16_t> index;
};
std::vector<RuleParameters> rules_of(const ServiceFlow& message);
/// Replaces the rules of the message, including PHS rules.
void put_rules(ServiceFlow& message, ConvergenceSublayer cs, const std::vector<RuleParameters>& rules);

/// A header suppression rule as a DSA or DSC message has it.
struct HeaderRuleParameters {
    PhsAction action = PhsAction::add;
    HeaderRule rule;  ///< without a field: not given
};
std::vector<HeaderRuleParameters> header_rules_of(const ServiceFlow& message);
/// Appends them after the classification rules.
void add_header_rules(ServiceFlow& message, ConvergenceSublayer cs, const std::vector<HeaderRuleParameters>& rules);
/// Copies the classification rules of `from`; PHS rules of `message` stay.
void take_rules(ServiceFlow& message, const ServiceFlow& from, ConvergenceSublayer cs);

/// An active flow as sent in DSA-REQ; `flow.classifiers` are sent as they are.
ServiceFlow to_message(const ServiceFlowConfig& flow, uint32_t sfid, uint16_t cid);
/// Absent parameters get the standard's default.
ServiceFlowConfig from_message(const ServiceFlow& message, FlowDirection direction);

/// Puts ARQ parameters of a flow into its message, and into the response to it.
void put_arq(const ArqConfig& arq, ArqFields& message);
/// ARQ parameters of a message; a value out of range is clamped. Absent values mean no ARQ, and no timeouts.
ArqConfig arq_of(const ArqFields& message);
/// Parameters that the base station keeps after the station's response: the smaller window, block, lifetime. The retry
/// timeout's sender part is the sender's, its receiver part the receiver's. A response without ARQ parameters accepts
/// the requested ones.
ArqConfig agreed_arq(const ArqConfig& asked, const ArqFields& answer, FlowDirection direction);
/// Parameters in samples; a retry timeout of 0 must have been replaced.
ArqParameters arq_parameters(const ArqConfig& arq, int64_t sample_rate_hz, FeedbackTypes feedback = FeedbackTypes::all);

inline int service_order(const ServiceFlowConfig& flow) {
    return service_order(flow.scheduling, flow.traffic_priority);
}

/// Order in which both ends assign grants to a station's flows and their requests: by serving order, then flows with a
/// reserved rate first, since grants are made for them, then by SFID.
template <class Flow> bool served_before(const Flow& a, const Flow& b) {
    const int order_a = service_order(a.config), order_b = service_order(b.config);
    if (order_a != order_b) return order_a < order_b;
    const bool free_a = a.config.min_reserved_rate_bps == 0, free_b = b.config.min_reserved_rate_bps == 0;
    return free_a != free_b ? free_b : a.sfid < b.sfid;
}

}  // namespace wimax::mac
