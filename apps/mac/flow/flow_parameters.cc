// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/flow_parameters.h"

#include "mac/arq/arq_reset.h"
#include "mac/pdu/vendor.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr uint8_t kEthertype = 1;  // of the kinds of value in the rule's TLV 10
constexpr unsigned kVlanIdShift = 4;
constexpr uint8_t kDefaultSduOctets = 49;  // of flows with SDUs of one length that is not given

// The target of losses in a service flow's vendor-specific information.
constexpr size_t kTargetLossOctets = 4;
constexpr auto kTargetLossHead = vendor::head(vendor::target_loss, kTargetLossOctets);
constexpr double kTargetLossUnit = 1e-6;

void put_target_loss(float target_loss, ServiceFlow& message) {
    const auto units = static_cast<uint32_t>(std::lround(static_cast<double>(target_loss) / kTargetLossUnit));
    auto& octets = message.vendor_specific;
    octets.assign(kTargetLossHead.begin(), kTargetLossHead.end());
    for (unsigned left = kTargetLossOctets; left-- > 0;) octets.push_back(static_cast<uint8_t>(units >> 8 * left));
}

/// Nullopt if other vendors' information is there, or none. A value out of range is clamped.
std::optional<float> target_loss_of(const ServiceFlow& message) {
    const Octets octets(message.vendor_specific);
    if (octets.size() != kTargetLossHead.size() + kTargetLossOctets ||
        !std::ranges::equal(octets.first(kTargetLossHead.size()), kTargetLossHead))
        return std::nullopt;
    BitReader in(octets.subspan(kTargetLossHead.size()));
    const auto target_loss = static_cast<float>(kTargetLossUnit * in.get32());
    return std::clamp(target_loss, kLeastTargetLoss, kMostTargetLoss);
}

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

template <class Mask> BasicCsParameters<Mask> to_message(const ClassifierConfig& config, uint16_t index) {
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
    if (config.phsi != 0) rule.phsi = config.phsi;
    rule.index = index;
    BasicCsParameters<Mask> parameters;
    parameters.action = ClassifierAction::add;
    parameters.rule = std::move(rule);
    return parameters;
}

template <class Mask> ClassifierConfig from_message(const BasicClassifierRule<Mask>& rule) {
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
    config.phsi = rule.phsi.value_or(0);
    if (rule.vlan_id) config.vlan_id = static_cast<uint16_t>(*rule.vlan_id >> kVlanIdShift);
    return config;
}

/// Rules of one kind of addresses.
template <class Mask>
void add_rules(const std::vector<BasicCsParameters<Mask>>& from, std::vector<RuleParameters>& to) {
    for (const auto& parameters : from) {
        if (!parameters.rule && (parameters.phs_action || parameters.phs)) continue;
        RuleParameters& one = to.emplace_back();
        one.action = parameters.action.value_or(ClassifierAction::add);
        if (!parameters.rule) continue;
        one.rule = from_message(*parameters.rule);
        one.index = parameters.rule->index;
    }
}

template <class Mask> BasicCsParameters<Mask> to_message(const RuleParameters& parameters) {
    BasicCsParameters<Mask> message;
    message.action = parameters.action;
    if (!parameters.rule) return message;
    message = to_message<Mask>(*parameters.rule, 0);
    message.action = parameters.action;
    message.rule->index = parameters.index;
    return message;
}

template <class Mask>
void add_header_rules(const std::vector<BasicCsParameters<Mask>>& from, std::vector<HeaderRuleParameters>& to) {
    for (const auto& parameters : from) {
        if (!parameters.phs_action && !parameters.phs) continue;
        HeaderRuleParameters& one = to.emplace_back();
        one.action = parameters.phs_action.value_or(PhsAction::add);
        if (!parameters.phs) continue;
        const PhsRule& rule = *parameters.phs;
        one.rule.phsi = rule.phsi.value_or(0);
        one.rule.field = rule.field;
        one.rule.field.resize(rule.size.value_or(static_cast<uint8_t>(std::min<size_t>(rule.field.size(), 255))));
        one.rule.mask = rule.mask;
        if (rule.mask.empty()) one.rule.mask.assign((one.rule.field.size() + 7) / 8, 0xFF);
        one.rule.verify = rule.verification.value_or(0) == 0;
    }
}

template <class Mask> BasicCsParameters<Mask> to_message(const HeaderRuleParameters& parameters) {
    BasicCsParameters<Mask> message;
    message.phs_action = parameters.action;
    if (parameters.action == PhsAction::remove_all) return message;
    PhsRule& rule = message.phs.emplace();
    rule.phsi = parameters.rule.phsi;
    if (parameters.action == PhsAction::remove) return message;
    rule.field = parameters.rule.field;
    rule.mask = parameters.rule.mask;
    rule.size = static_cast<uint8_t>(parameters.rule.field.size());
    rule.verification = parameters.rule.verify ? 0 : 1;
    return message;
}

/// The parameters of each sublayer in a message, which are four fields with rules of three kinds of addresses.
void for_each_sublayer(auto& message, const auto& visit) {
    visit(message.cs_ipv4);
    visit(message.cs_ipv6);
    visit(message.cs_ethernet);
    visit(message.cs_vlan);
}

/// `to`: makes the parameters for rules of a kind of addresses, `to(Mask{})`.
void append(ServiceFlow& message, ConvergenceSublayer cs, const auto& to) {
    switch (cs) {
        case ConvergenceSublayer::ipv4: message.cs_ipv4.push_back(to(Ipv4Mask{})); break;
        case ConvergenceSublayer::ipv6: message.cs_ipv6.push_back(to(Ipv6Mask{})); break;
        case ConvergenceSublayer::ethernet: message.cs_ethernet.push_back(to(MacMask{})); break;
        case ConvergenceSublayer::vlan: message.cs_vlan.push_back(to(MacMask{})); break;
    }
}

/// The sender's part of the retry timeout; the rest is the receiver's.
constexpr double kTransmitterPart = 2.0 / 3.0;
constexpr double kArqUnitsPerMs = 100;

uint16_t arq_units(double ms) {
    return static_cast<uint16_t>(std::lround(std::min(ms, kMaxArqTimeMs) * kArqUnitsPerMs));
}
double arq_ms(uint16_t units) { return units / kArqUnitsPerMs; }
/// 0 is for ever.
double sooner_ms(double a, double b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

}  // namespace

std::vector<RuleParameters> rules_of(const ServiceFlow& message) {
    std::vector<RuleParameters> rules;
    for_each_sublayer(message, [&](const auto& parameters) { add_rules(parameters, rules); });
    return rules;
}

void put_rules(ServiceFlow& message, ConvergenceSublayer cs, const std::vector<RuleParameters>& rules) {
    for_each_sublayer(message, [](auto& parameters) { parameters.clear(); });
    for (const auto& rule : rules) append(message, cs, [&]<class Mask>(const Mask&) { return to_message<Mask>(rule); });
}

std::vector<HeaderRuleParameters> header_rules_of(const ServiceFlow& message) {
    std::vector<HeaderRuleParameters> rules;
    for_each_sublayer(message, [&](const auto& parameters) { add_header_rules(parameters, rules); });
    return rules;
}

void add_header_rules(ServiceFlow& message, ConvergenceSublayer cs, const std::vector<HeaderRuleParameters>& rules) {
    for (const auto& rule : rules) append(message, cs, [&]<class Mask>(const Mask&) { return to_message<Mask>(rule); });
}

void take_rules(ServiceFlow& message, const ServiceFlow& from, ConvergenceSublayer cs) {
    const auto rules = header_rules_of(message);
    put_rules(message, cs, rules_of(from));
    add_header_rules(message, cs, rules);
}

void put_arq(const ArqConfig& arq, ArqFields& message) {
    if (!arq.enable) return;
    message.arq_enable = 1;
    message.arq_window_blocks = arq.window_blocks;
    message.arq_block_octets = arq.block_octets;
    const uint16_t retry = arq_units(arq.retry_timeout_ms);
    message.arq_retry_transmitter = static_cast<uint16_t>(std::lround(retry * kTransmitterPart));
    message.arq_retry_receiver = static_cast<uint16_t>(retry - *message.arq_retry_transmitter);
    message.arq_block_lifetime = arq_units(arq.block_lifetime_ms);
    message.arq_sync_loss = arq_units(arq.sync_loss_timeout_ms);
    message.arq_rx_purge = arq_units(arq.rx_purge_timeout_ms);
    message.arq_deliver_in_order = arq.deliver_in_order;
}

ArqConfig arq_of(const ArqFields& message) {
    ArqConfig arq;
    arq.enable = message.arq_enable.value_or(0) == 1;
    if (!arq.enable) return arq;
    arq.window_blocks = std::clamp<uint16_t>(message.arq_window_blocks.value_or(arq.window_blocks), 1, kMaxArqWindow);
    arq.block_octets = std::clamp<uint16_t>(message.arq_block_octets.value_or(arq.block_octets), 1, kMaxArqBlockOctets);
    arq.retry_timeout_ms =
        arq_ms(message.arq_retry_transmitter.value_or(0)) + arq_ms(message.arq_retry_receiver.value_or(0));
    arq.block_lifetime_ms = arq_ms(message.arq_block_lifetime.value_or(0));
    arq.sync_loss_timeout_ms = arq_ms(message.arq_sync_loss.value_or(0));
    arq.rx_purge_timeout_ms = arq_ms(message.arq_rx_purge.value_or(0));
    arq.deliver_in_order = message.arq_deliver_in_order.value_or(1) != 0;
    return arq;
}

ArqConfig agreed_arq(const ArqConfig& asked, const ArqFields& answer, FlowDirection direction) {
    ArqConfig agreed = asked;
    if (!asked.enable || !answer.arq_enable) return agreed;
    const ArqConfig other = arq_of(answer);
    ArqFields own;
    put_arq(asked, own);
    agreed.enable = other.enable;
    if (answer.arq_window_blocks) agreed.window_blocks = std::min(asked.window_blocks, other.window_blocks);
    if (answer.arq_block_octets) agreed.block_octets = std::min(asked.block_octets, other.block_octets);
    const bool sends = direction == FlowDirection::downlink;
    agreed.retry_timeout_ms =
        arq_ms((sends ? own : answer).arq_retry_transmitter.value_or(*own.arq_retry_transmitter)) +
        arq_ms((sends ? answer : own).arq_retry_receiver.value_or(*own.arq_retry_receiver));
    if (answer.arq_block_lifetime)
        agreed.block_lifetime_ms = sooner_ms(asked.block_lifetime_ms, other.block_lifetime_ms);
    return agreed;
}

ArqParameters arq_parameters(const ArqConfig& arq, int64_t sample_rate_hz, FeedbackTypes feedback) {
    const auto samples = [sample_rate_hz](double ms) {
        return static_cast<Samples>(ms * static_cast<double>(sample_rate_hz) / 1000);
    };
    return {arq.window_blocks,
            arq.block_octets,
            samples(arq.retry_timeout_ms),
            samples(arq.block_lifetime_ms),
            samples(arq.sync_loss_timeout_ms),
            samples(arq.rx_purge_timeout_ms),
            arq.deliver_in_order,
            ArqResetDialog::kT22Ms * sample_rate_hz / 1000,
            feedback};
}

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
        (flow.phs.empty() ? policy::kNoPhs : 0) | (flow.packing ? 0 : policy::kNoPacking) |
        (flow.crc ? 0 : policy::kNoCrc);
    if (flow.tolerated_jitter_ms != 0) message.tolerated_jitter_ms = flow.tolerated_jitter_ms;
    if (flow.max_latency_ms != 0) message.maximum_latency_ms = flow.max_latency_ms;
    if (flow.fixed_sdu_octets != 0) {
        message.fixed_length_sdu = 1;
        message.sdu_size = static_cast<uint8_t>(flow.fixed_sdu_octets);
    }
    put_arq(flow.arq, message);
    if (flow.target_loss) put_target_loss(*flow.target_loss, message);
    message.cs_specification = static_cast<uint8_t>(flow.cs);
    uint16_t index = 0;
    for (const auto& rule : flow.classifiers)
        append(message, flow.cs, [&]<class Mask>(const Mask&) { return to_message<Mask>(rule, ++index); });
    std::vector<HeaderRuleParameters> header_rules;
    for (const auto& rule : flow.phs) header_rules.push_back({PhsAction::add, rule});
    add_header_rules(message, flow.cs, header_rules);
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
    for (const auto& parameters : rules_of(message))
        if (parameters.rule && parameters.action != ClassifierAction::remove)
            flow.classifiers.push_back(*parameters.rule);
    for (const auto& parameters : header_rules_of(message))
        if (parameters.action == PhsAction::add) flow.phs.push_back(parameters.rule);
    if (message.fixed_length_sdu.value_or(0) == 1) flow.fixed_sdu_octets = message.sdu_size.value_or(kDefaultSduOctets);
    flow.arq = arq_of(message);
    flow.target_loss = target_loss_of(message);
    return flow;
}

}  // namespace wimax::mac
