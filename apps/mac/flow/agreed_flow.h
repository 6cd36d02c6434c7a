// SPDX-License-Identifier: GPL-3.0-or-later
// Negotiated state of a service flow: its parameters, the three sets of QoS parameters (clause 6.3.14.2), and
// classification rules by index; and its changes by DSA and DSC messages.
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/station_config.h"

#include <optional>
#include <vector>

namespace wimax::mac {

/// The flow parameters that each set has separately.
struct QosParameters {
    uint8_t traffic_priority = 0;
    uint32_t max_sustained_rate_bps = 0, max_burst_bytes = 0, min_reserved_rate_bps = 0;
    uint32_t max_latency_ms = 0, tolerated_jitter_ms = 0;
    bool operator==(const QosParameters&) const = default;
};
QosParameters qos_of(const ServiceFlowConfig& flow);
void apply(const QosParameters& qos, ServiceFlowConfig& flow);
/// True if at most the QoS parameters differ.
bool same_but_qos(const ServiceFlowConfig& a, const ServiceFlowConfig& b);
/// True if no parameter exceeds `outer` (limit 0: none).
bool within(const QosParameters& inner, const QosParameters& outer);

/// provisioned: known; admitted: resources are held; active: in use.
enum class FlowState : uint8_t { provisioned, admitted, active };
const char* to_string(FlowState state);
/// Bits of the QoS set type that bring a new flow into the state.
uint8_t qos_sets_of(FlowState state);

struct AgreedFlow {
    ServiceFlowConfig config;  ///< with the QoS parameters in force
    QosParameters provisioned_set;
    std::optional<QosParameters> admitted_set, active_set;
    std::vector<uint16_t> rule_indices;  ///< of config.classifiers
    /// SDUs begin with a PHSI: decided when the flow is set up, since no message announces when that would change.
    bool phs = false;
    std::optional<uint16_t> said;           ///< of the SA that encrypts it; absent: it is not encrypted
    std::vector<HeaderRule> retired_rules;  ///< the last 16 deleted ones, for SDUs in transit

    FlowState state() const {
        return active_set ? FlowState::active : admitted_set ? FlowState::admitted : FlowState::provisioned;
    }
};

/// From the provisioned flow; rules get the indices 1, 2 ...
AgreedFlow agreed(const ServiceFlowConfig& flow, FlowState state);
/// From a DSA message.
AgreedFlow agreed(const ServiceFlow& message, FlowDirection direction);
/// For DSA messages, with all sets of its state.
ServiceFlow to_message(const AgreedFlow& flow, uint32_t sfid, uint16_t cid);

/// The DSC message that makes `to` of `from`. Its QoS set type has the sets of the wanted state; `provisioned`: also
/// that set, which only the base station may change.
ServiceFlow change_message(const AgreedFlow& from, const ServiceFlowConfig& to, FlowState state, uint32_t sfid,
                           bool provisioned);
/// Applies a DSC message to the flow. Sets that its type does not name keep their parameters; the admitted or active
/// state ends if the type omits it. New rules without an index get one. Returns a confirmation code; unless it is
/// success, the flow is unchanged.
uint8_t change(AgreedFlow& flow, const ServiceFlow& message);

}  // namespace wimax::mac
