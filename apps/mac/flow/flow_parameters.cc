/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/flow/flow_parameters.h"

namespace wimax::mac {
namespace {

constexpr uint8_t kEthertype = 1;  // of the kinds of value in the rule's TLV 10
constexpr unsigned kVlanIdShift = 4;

bool is_of(ConvergenceSublayer cs, const AddressMask& a) {
    if (link_of(cs) == UserLink::ethernet) return a.is_mac();
    return !a.is_mac() && a.is_ipv4() == (cs == ConvergenceSublayer::ipv4);
}

Ipv4Mask to_message(const AddressMask& a, const Ipv4Mask&) { return {a.address.ipv4(), a.ipv4_mask()}; }
Ipv6Mask to_message(const AddressMask& a, const Ipv6Mask&) { return {a.address.octets(), a.mask.octets()}; }
MacMask to_message(const AddressMask& a, const MacMask&) {
    MacMask out;
    for (size_t i = 0; i < out.address.size(); ++i) {
        out.address[i] = static_cast<uint8_t>(a.address.mac() >> (40 - 8 * i));
        out.mask[i] = static_cast<uint8_t>(a.mac_mask() >> (40 - 8 * i));
    }
    return out;
}
AddressMask from_message(const MacMask& a) {
    uint64_t address = 0, mask = 0;
    for (size_t i = 0; i < a.address.size(); ++i) {
        address = address << 8 | a.address[i];
        mask = mask << 8 | a.mask[i];
    }
    return AddressMask::of_mac(address, mask);
}
AddressMask from_message(const Ipv4Mask& a) { return {a.address, a.mask}; }
AddressMask from_message(const Ipv6Mask& a) { return {IpAddress(a.address), IpAddress(a.mask)}; }

template <class Mask>
BasicCsParameters<Mask> to_message(const ClassifierConfig& config, uint16_t index) {
    BasicClassifierRule<Mask> rule;
    rule.priority = config.priority;
    if (config.tos) rule.tos = std::array<uint8_t, 3>{config.tos->low, config.tos->high, config.tos->mask};
    rule.protocols = config.protocols;
    for (const auto& a : config.source) rule.sources.push_back(to_message(a, Mask{}));
    for (const auto& a : config.destination) rule.destinations.push_back(to_message(a, Mask{}));
    for (const auto& p : config.source_ports) rule.source_ports.push_back({p.low, p.high});
    for (const auto& p : config.destination_ports) rule.destination_ports.push_back({p.low, p.high});
    if (config.ethertype)
        rule.ethertype = {kEthertype, static_cast<uint8_t>(*config.ethertype >> 8),
                          static_cast<uint8_t>(*config.ethertype)};
    if (config.user_priority) rule.user_priority = {config.user_priority->low, config.user_priority->high};
    if (config.vlan_id) rule.vlan_id = static_cast<uint16_t>(*config.vlan_id << kVlanIdShift);
    rule.index = index;
    BasicCsParameters<Mask> parameters;
    parameters.action = ClassifierAction::add;
    parameters.rule = std::move(rule);
    return parameters;
}

template <class Mask>
ClassifierConfig from_message(const BasicClassifierRule<Mask>& rule) {
    ClassifierConfig config;
    config.priority = rule.priority.value_or(0);
    if (rule.tos) config.tos = TosRange{(*rule.tos)[0], (*rule.tos)[1], (*rule.tos)[2]};
    config.protocols = rule.protocols;
    for (const auto& a : rule.sources) config.source.push_back(from_message(a));
    for (const auto& a : rule.destinations) config.destination.push_back(from_message(a));
    for (const auto& p : rule.source_ports) config.source_ports.push_back({p.low, p.high});
    for (const auto& p : rule.destination_ports) config.destination_ports.push_back({p.low, p.high});
    if (rule.ethertype && (*rule.ethertype)[0] == kEthertype)
        config.ethertype = static_cast<uint16_t>((*rule.ethertype)[1] << 8 | (*rule.ethertype)[2]);
    if (rule.user_priority) config.user_priority = PriorityRange{(*rule.user_priority)[0], (*rule.user_priority)[1]};
    if (rule.vlan_id) config.vlan_id = static_cast<uint16_t>(*rule.vlan_id >> kVlanIdShift);
    return config;
}

/// Rules of one kind of addresses, those that are there to stay.
template <class Mask>
void add_rules(const std::vector<BasicCsParameters<Mask>>& from, ServiceFlowConfig& flow) {
    for (const auto& parameters : from)
        if (parameters.rule && parameters.action.value_or(ClassifierAction::add) != ClassifierAction::remove)
            flow.classifiers.push_back(from_message(*parameters.rule));
}

}  // namespace

std::vector<ClassifierConfig> bound_rules(const ServiceFlowConfig& flow, const std::vector<AddressMask>& addresses) {
    std::vector<ClassifierConfig> rules = flow.classifiers;
    std::vector<AddressMask> own = addresses;
    std::erase_if(own, [&](const auto& a) { return !is_of(flow.cs, a); });
    if (own.empty()) return rules;
    if (rules.empty()) rules.emplace_back();
    for (auto& rule : rules) {
        auto& own_side = flow.direction == FlowDirection::downlink ? rule.destination : rule.source;
        if (own_side.empty()) own_side = own;
    }
    return rules;
}

ServiceFlow to_message(const ServiceFlowConfig& flow, uint32_t sfid, uint16_t cid) {
    ServiceFlow message;
    message.sfid = sfid;
    message.cid = cid;
    if (!flow.name.empty()) message.service_class = flow.name;
    message.qos_set_type = qos_set::kProvisioned | qos_set::kAdmitted | qos_set::kActive;
    message.traffic_priority = flow.traffic_priority;
    if (flow.max_sustained_rate_bps != 0) message.maximum_rate_bps = flow.max_sustained_rate_bps;
    if (flow.max_burst_bytes != 0) message.maximum_burst_octets = flow.max_burst_bytes;
    if (flow.min_reserved_rate_bps != 0) message.minimum_rate_bps = flow.min_reserved_rate_bps;
    message.scheduling = static_cast<Scheduling>(flow.scheduling);
    const bool asks = flow.scheduling != SchedulingType::ugs;
    message.policy =
        (flow.contention_requests && asks && flow.scheduling < SchedulingType::rtps ? 0 : policy::kNoContention) |
        (flow.piggyback && asks ? 0 : policy::kNoPiggyback) | (flow.fragmentation ? 0 : policy::kNoFragmentation) |
        policy::kNoPhs | (flow.packing ? 0 : policy::kNoPacking) | (flow.crc ? 0 : policy::kNoCrc);
    if (flow.tolerated_jitter_ms != 0) message.tolerated_jitter_ms = flow.tolerated_jitter_ms;
    if (flow.max_latency_ms != 0) message.maximum_latency_ms = flow.max_latency_ms;
    message.cs_specification = static_cast<uint8_t>(flow.cs);
    uint16_t index = 0;
    for (const auto& rule : flow.classifiers) {
        switch (flow.cs) {
            case ConvergenceSublayer::ipv4: message.cs_ipv4.push_back(to_message<Ipv4Mask>(rule, ++index)); break;
            case ConvergenceSublayer::ipv6: message.cs_ipv6.push_back(to_message<Ipv6Mask>(rule, ++index)); break;
            case ConvergenceSublayer::ethernet:
                message.cs_ethernet.push_back(to_message<MacMask>(rule, ++index));
                break;
            case ConvergenceSublayer::vlan: message.cs_vlan.push_back(to_message<MacMask>(rule, ++index)); break;
        }
    }
    return message;
}

ServiceFlowConfig from_message(const ServiceFlow& message, FlowDirection direction) {
    ServiceFlowConfig flow;
    flow.direction = direction;
    flow.name = message.service_class.value_or("");
    flow.traffic_priority = message.traffic_priority.value_or(0) & 7;
    flow.max_sustained_rate_bps = message.maximum_rate_bps.value_or(0);
    flow.max_burst_bytes = message.maximum_burst_octets.value_or(0);
    flow.min_reserved_rate_bps = message.minimum_rate_bps.value_or(0);
    switch (message.scheduling.value_or(Scheduling::best_effort)) {
        case Scheduling::nrtps: flow.scheduling = SchedulingType::nrtps; break;
        case Scheduling::rtps: flow.scheduling = SchedulingType::rtps; break;
        case Scheduling::ertps: flow.scheduling = SchedulingType::ertps; break;
        case Scheduling::ugs: flow.scheduling = SchedulingType::ugs; break;
        default: flow.scheduling = SchedulingType::best_effort;
    }
    const uint32_t bits = message.policy.value_or(0);
    flow.contention_requests = !(bits & policy::kNoContention);
    flow.piggyback = !(bits & policy::kNoPiggyback);
    flow.fragmentation = !(bits & policy::kNoFragmentation);
    flow.packing = !(bits & policy::kNoPacking);
    flow.crc = !(bits & policy::kNoCrc);
    flow.tolerated_jitter_ms = message.tolerated_jitter_ms.value_or(0);
    flow.max_latency_ms = message.maximum_latency_ms.value_or(0);
    const uint8_t cs = message.cs_specification.value_or(kCsIpv4);
    if (cs >= kCsIpv4 && cs <= kCsVlan) flow.cs = static_cast<ConvergenceSublayer>(cs);
    add_rules(message.cs_ipv4, flow);
    add_rules(message.cs_ipv6, flow);
    add_rules(message.cs_ethernet, flow);
    add_rules(message.cs_vlan, flow);
    return flow;
}

}  // namespace wimax::mac
