/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What both ends of a service flow have agreed on: its parameters, the three sets of QoS parameters (clause 6.3.14.2),
 * and classification rules by index; and what DSA and DSC messages make of them.
 */
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/station_config.h"

#include <optional>
#include <vector>

namespace wimax::mac {

/// Of a flow's parameters those that each set has for itself.
struct QosParameters {
    uint8_t traffic_priority = 0;
    uint32_t max_sustained_rate_bps = 0, max_burst_bytes = 0, min_reserved_rate_bps = 0;
    uint32_t max_latency_ms = 0, tolerated_jitter_ms = 0;
    bool operator==(const QosParameters&) const = default;
};
QosParameters qos_of(const ServiceFlowConfig& flow);
void apply(const QosParameters& qos, ServiceFlowConfig& flow);
/// The QoS parameters may differ, and nothing else.
bool same_but_qos(const ServiceFlowConfig& a, const ServiceFlowConfig& b);
/// No more than `outer` in any parameter (0 of a limit: none).
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
    std::vector<HeaderRule> retired_rules;  ///< deleted ones, the last 16: of SDUs that were under way

    FlowState state() const {
        return active_set ? FlowState::active : admitted_set ? FlowState::admitted : FlowState::provisioned;
    }
};

/// As it is provisioned; rules get the indices 1, 2 ...
AgreedFlow agreed(const ServiceFlowConfig& flow, FlowState state);
/// Of a DSA message.
AgreedFlow agreed(const ServiceFlow& message, FlowDirection direction);
/// For DSA messages, with all sets of its state.
ServiceFlow to_message(const AgreedFlow& flow, uint32_t sfid, uint16_t cid);

/// The DSC message that makes `to` of `from`. Its QoS set type are the sets of the state wanted; `provisioned`: that
/// set, too, which is the base station's right.
ServiceFlow change_message(const AgreedFlow& from, const ServiceFlowConfig& to, FlowState state, uint32_t sfid,
                           bool provisioned);
/// Applies a DSC message to the flow. Sets that its type does not name keep their parameters; the admitted or active
/// state ends if the type omits it. New rules without an index get one. Returns a confirmation code; unless it is
/// success, the flow is unchanged.
uint8_t change(AgreedFlow& flow, const ServiceFlow& message);

}  // namespace wimax::mac
