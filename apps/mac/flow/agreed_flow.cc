// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/agreed_flow.h"

#include "mac/flow/flow_parameters.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint16_t kNoSaid = 0xFFFF;  ///< no target SAID

constexpr size_t kMostRetiredRules = 16;

void put(ServiceFlow& message, const QosParameters& qos) {
    message.traffic_priority = qos.traffic_priority;
    message.maximum_rate_bps = qos.max_sustained_rate_bps;
    message.maximum_burst_octets = qos.max_burst_bytes;
    message.minimum_rate_bps = qos.min_reserved_rate_bps;
    message.maximum_latency_ms = qos.max_latency_ms;
    message.tolerated_jitter_ms = qos.tolerated_jitter_ms;
}

QosParameters given(QosParameters base, const ServiceFlow& message) {
    base.traffic_priority = message.traffic_priority.value_or(base.traffic_priority) & 7;
    base.max_sustained_rate_bps = message.maximum_rate_bps.value_or(base.max_sustained_rate_bps);
    base.max_burst_bytes = message.maximum_burst_octets.value_or(base.max_burst_bytes);
    base.min_reserved_rate_bps = message.minimum_rate_bps.value_or(base.min_reserved_rate_bps);
    base.max_latency_ms = message.maximum_latency_ms.value_or(base.max_latency_ms);
    base.tolerated_jitter_ms = message.tolerated_jitter_ms.value_or(base.tolerated_jitter_ms);
    return base;
}

void put_in_force(AgreedFlow& flow) {
    const QosParameters& qos = flow.active_set     ? *flow.active_set
                               : flow.admitted_set ? *flow.admitted_set
                                                   : flow.provisioned_set;
    apply(qos, flow.config);
}

void change_sets(AgreedFlow& flow, const ServiceFlow& message) {
    const uint8_t sets = *message.qos_set_type;
    if (sets & qos_set::kProvisioned) flow.provisioned_set = given(flow.provisioned_set, message);
    if (sets & qos_set::kAdmitted) flow.admitted_set = given(flow.admitted_set.value_or(flow.provisioned_set), message);
    if (sets & qos_set::kActive) {
        flow.active_set = given(flow.active_set.value_or(flow.admitted_set.value_or(flow.provisioned_set)), message);
        if (!flow.admitted_set) flow.admitted_set = flow.active_set;
    } else {
        flow.active_set.reset();
        if (!(sets & qos_set::kAdmitted)) flow.admitted_set.reset();
    }
    put_in_force(flow);
}

uint16_t free_index(const std::vector<uint16_t>& taken) {
    uint16_t index = 1;
    while (std::ranges::find(taken, index) != taken.end()) ++index;
    return index;
}

/// Adds, replaces or removes one rule.
uint8_t change_rule(AgreedFlow& flow, const RuleParameters& parameters) {
    if (!parameters.rule) return confirmation::kParameterMissing;
    auto& rules = flow.config.classifiers;
    const auto index = parameters.index;
    const auto found = index ? std::ranges::find(flow.rule_indices, *index) : flow.rule_indices.end();
    const auto place = found - flow.rule_indices.begin();
    const bool exists = found != flow.rule_indices.end();
    if (parameters.action == ClassifierAction::add) {
        if (exists) return confirmation::kRejectOther;
        rules.push_back(*parameters.rule);
        flow.rule_indices.push_back(index.value_or(free_index(flow.rule_indices)));
        return confirmation::kSuccess;
    }
    if (!index) return confirmation::kParameterMissing;
    if (!exists) return confirmation::kRejectOther;
    if (parameters.action == ClassifierAction::replace) {
        rules[static_cast<size_t>(place)] = *parameters.rule;
        return confirmation::kSuccess;
    }
    if (parameters.action != ClassifierAction::remove) return confirmation::kUnrecognized;
    rules.erase(rules.begin() + place);
    flow.rule_indices.erase(found);
    return confirmation::kSuccess;
}

void retire(AgreedFlow& flow, std::vector<HeaderRule>::iterator rule) {
    if (flow.retired_rules.size() == kMostRetiredRules) flow.retired_rules.erase(flow.retired_rules.begin());
    flow.retired_rules.push_back(std::move(*rule));
    flow.config.phs.erase(rule);
}

/// Adds, replaces or removes one header suppression rule.
uint8_t change_header_rule(AgreedFlow& flow, const HeaderRuleParameters& parameters) {
    auto& rules = flow.config.phs;
    if (!flow.phs) return confirmation::kHeaderSuppression;
    if (parameters.action == PhsAction::remove_all) {
        while (!rules.empty()) retire(flow, rules.begin());
        return confirmation::kSuccess;
    }
    const HeaderRule& given = parameters.rule;
    const auto found = std::ranges::find(rules, given.phsi, &HeaderRule::phsi);
    if (parameters.action == PhsAction::remove) {
        if (found == rules.end()) return confirmation::kHeaderSuppression;
        retire(flow, found);
        return confirmation::kSuccess;
    }
    if (parameters.action != PhsAction::add && parameters.action != PhsAction::set) return confirmation::kUnrecognized;
    if (found != rules.end()) {
        if (*found == given) return confirmation::kSuccess;
        if (parameters.action == PhsAction::add || !found->field.empty()) return confirmation::kHeaderSuppression;
        *found = given;  // its missing parts
        return confirmation::kSuccess;
    }
    // SDUs in transit may have an index that was another rule's.
    const auto retired = std::ranges::find(flow.retired_rules, given.phsi, &HeaderRule::phsi);
    const bool taken = retired != flow.retired_rules.end() && !(*retired == given);
    if (given.phsi == 0 || taken || rules.size() == kMostRetiredRules) return confirmation::kHeaderSuppression;
    rules.push_back(given);
    return confirmation::kSuccess;
}

/// Changes from one list to the other: rules missing from `to` are removed first, then new ones are added.
std::vector<HeaderRuleParameters> changes_of(const std::vector<HeaderRule>& from, const std::vector<HeaderRule>& to) {
    std::vector<HeaderRuleParameters> changes;
    for (const auto& rule : from)
        if (std::ranges::find(to, rule) == to.end()) changes.push_back({PhsAction::remove, rule});
    for (const auto& rule : to)
        if (std::ranges::find(from, rule) == from.end()) changes.push_back({PhsAction::add, rule});
    return changes;
}

}  // namespace

QosParameters qos_of(const ServiceFlowConfig& flow) {
    return {flow.traffic_priority,      flow.max_sustained_rate_bps, flow.max_burst_bytes,
            flow.min_reserved_rate_bps, flow.max_latency_ms,         flow.tolerated_jitter_ms};
}

void apply(const QosParameters& qos, ServiceFlowConfig& flow) {
    flow.traffic_priority = qos.traffic_priority;
    flow.max_sustained_rate_bps = qos.max_sustained_rate_bps;
    flow.max_burst_bytes = qos.max_burst_bytes;
    flow.min_reserved_rate_bps = qos.min_reserved_rate_bps;
    flow.max_latency_ms = qos.max_latency_ms;
    flow.tolerated_jitter_ms = qos.tolerated_jitter_ms;
}

bool same_but_qos(const ServiceFlowConfig& a, const ServiceFlowConfig& b) {
    ServiceFlowConfig other = b;
    apply(qos_of(a), other);
    return other == a;
}

bool within(const QosParameters& inner, const QosParameters& outer) {
    const auto at_most = [](uint32_t value, uint32_t limit) { return limit == 0 || (value != 0 && value <= limit); };
    const auto at_least = [](uint32_t value, uint32_t limit) { return value == 0 || value >= limit; };
    return inner.traffic_priority <= outer.traffic_priority &&
           at_most(inner.max_sustained_rate_bps, outer.max_sustained_rate_bps) &&
           at_most(inner.max_burst_bytes, outer.max_burst_bytes) &&
           inner.min_reserved_rate_bps <= outer.min_reserved_rate_bps &&
           at_least(inner.max_latency_ms, outer.max_latency_ms) &&
           (outer.max_latency_ms != 0 || inner.max_latency_ms == 0) &&
           at_least(inner.tolerated_jitter_ms, outer.tolerated_jitter_ms) &&
           (outer.tolerated_jitter_ms != 0 || inner.tolerated_jitter_ms == 0);
}

const char* to_string(FlowState state) {
    switch (state) {
        case FlowState::provisioned: return "provisioned";
        case FlowState::admitted: return "admitted";
        case FlowState::active: return "active";
    }
    return "?";
}

uint8_t qos_sets_of(FlowState state) {
    switch (state) {
        case FlowState::provisioned: return qos_set::kProvisioned;
        case FlowState::admitted: return qos_set::kProvisioned | qos_set::kAdmitted;
        case FlowState::active: return qos_set::kProvisioned | qos_set::kAdmitted | qos_set::kActive;
    }
    return 0;
}

AgreedFlow agreed(const ServiceFlowConfig& flow, FlowState state) {
    AgreedFlow result;
    result.config = flow;
    result.phs = !flow.phs.empty();
    result.provisioned_set = qos_of(flow);
    if (state != FlowState::provisioned) result.admitted_set = result.provisioned_set;
    if (state == FlowState::active) result.active_set = result.provisioned_set;
    for (size_t i = 0; i < flow.classifiers.size(); ++i) result.rule_indices.push_back(static_cast<uint16_t>(i + 1));
    return result;
}

AgreedFlow agreed(const ServiceFlow& message, FlowDirection direction) {
    AgreedFlow result;
    result.config = from_message(message, direction);
    result.config.classifiers.clear();
    result.phs = !result.config.phs.empty();
    result.provisioned_set = qos_of(result.config);
    if (message.target_said && *message.target_said != kNoSaid) result.said = *message.target_said;
    const uint8_t sets = message.qos_set_type.value_or(qos_sets_of(FlowState::active));
    if (sets & (qos_set::kAdmitted | qos_set::kActive)) result.admitted_set = result.provisioned_set;
    if (sets & qos_set::kActive) result.active_set = result.provisioned_set;
    for (const auto& parameters : rules_of(message))
        if (parameters.action == ClassifierAction::add) change_rule(result, parameters);
    return result;
}

ServiceFlow to_message(const AgreedFlow& flow, uint32_t sfid, uint16_t cid) {
    ServiceFlow message = to_message(flow.config, sfid, cid);
    message.qos_set_type = qos_sets_of(flow.state());
    message.target_said = flow.said;
    std::vector<RuleParameters> rules;
    for (size_t i = 0; i < flow.rule_indices.size(); ++i)
        rules.push_back({ClassifierAction::add, flow.config.classifiers[i], flow.rule_indices[i]});
    put_rules(message, flow.config.cs, rules);
    add_header_rules(message, flow.config.cs, changes_of({}, flow.config.phs));
    return message;
}

ServiceFlow change_message(const AgreedFlow& from, const ServiceFlowConfig& to, FlowState state, uint32_t sfid,
                           bool provisioned) {
    ServiceFlow message;
    message.sfid = sfid;
    message.qos_set_type =
        static_cast<uint8_t>(qos_sets_of(state) & (provisioned ? 0xFF : ~unsigned{qos_set::kProvisioned}));
    const QosParameters wanted = qos_of(to);
    const QosParameters base = qos_of(from.config);
    if (!(wanted == base)) put(message, wanted);
    const auto& rules = from.config.classifiers;
    const size_t kept = std::min(rules.size(), to.classifiers.size());
    std::vector<RuleParameters> changes;
    for (size_t i = 0; i < kept; ++i)
        if (!(rules[i] == to.classifiers[i]))
            changes.push_back({ClassifierAction::replace, to.classifiers[i], from.rule_indices[i]});
    for (size_t i = kept; i < rules.size(); ++i)
        changes.push_back({ClassifierAction::remove, rules[i], from.rule_indices[i]});
    std::vector<uint16_t> taken = from.rule_indices;
    for (size_t i = kept; i < to.classifiers.size(); ++i) {
        taken.push_back(free_index(taken));
        changes.push_back({ClassifierAction::add, to.classifiers[i], taken.back()});
    }
    put_rules(message, from.config.cs, changes);
    add_header_rules(message, from.config.cs, changes_of(from.config.phs, to.phs));
    return message;
}

uint8_t change(AgreedFlow& flow, const ServiceFlow& message) {
    if (message.service_class && !is_text(*message.service_class)) return confirmation::kUnrecognized;
    AgreedFlow changed = flow;
    for (const auto& parameters : rules_of(message))
        if (const uint8_t code = change_rule(changed, parameters); code != confirmation::kSuccess) return code;
    for (const auto& parameters : header_rules_of(message))
        if (const uint8_t code = change_header_rule(changed, parameters); code != confirmation::kSuccess) return code;
    if (message.qos_set_type) change_sets(changed, message);
    flow = std::move(changed);
    return confirmation::kSuccess;
}

}  // namespace wimax::mac
