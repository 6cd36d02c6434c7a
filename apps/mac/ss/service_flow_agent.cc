// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/service_flow_agent.h"

#include "mac/flow/flow_change.h"
#include "mac/flow/flow_parameters.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int64_t kAskAgainMs = 1000;  // for a flow with packets that the base station did not bring up

/// The base station assigns the indices of new rules.
void leave_indices(ServiceFlow& message, ConvergenceSublayer cs) {
    auto rules = rules_of(message);
    for (auto& rule : rules)
        if (rule.action == ClassifierAction::add) rule.index.reset();
    ServiceFlow bare;
    put_rules(bare, cs, rules);
    take_rules(message, bare, cs);
}

/// Requested by the name of its class alone: the base station knows the rest.
bool by_name_alone(const ServiceFlowConfig& flow) {
    return !flow.name.empty() && flow.scheduling == SchedulingType::best_effort && qos_of(flow) == QosParameters{} &&
           !flow.arq.enable && flow.phs.empty() && flow.fixed_sdu_octets == 0;
}

/// A new flow as a subscriber station requests it: the base station assigns SFID, CID and the provisioned set.
ServiceFlow wish(const ServiceFlowConfig& flow, FlowState state) {
    ServiceFlow message = to_message(agreed(flow, state), 0, 0);
    message.sfid.reset();
    message.cid.reset();
    message.qos_set_type = static_cast<uint8_t>(*message.qos_set_type & ~unsigned{qos_set::kProvisioned});
    if (by_name_alone(flow)) {
        ServiceFlow named;
        named.service_class = flow.name;
        named.qos_set_type = message.qos_set_type;
        put_rules(named, flow.cs, rules_of(message));
        message = named;
    }
    leave_indices(message, flow.cs);
    return message;
}

}  // namespace

/// Applies transactions to the table.
class ServiceFlowAgent::Keeper final : public FlowKeeper {
public:
    explicit Keeper(ServiceFlowAgent& agent) : FlowKeeper(agent.clock_), to_(agent) {}

    void send(const DsxMessage& message) override {
        std::visit([this](const auto& m) { to_.management_.push(to_.primary_cid_, m); }, message);
    }
    uint8_t take(DsxKind kind, const FlowChange& request, FlowChange& answer) override {
        uint8_t code = request.uplink || request.downlink ? confirmation::kSuccess : confirmation::kParameterMissing;
        if (request.downlink) take(kind, *request.downlink, FlowDirection::downlink, answer, code);
        if (request.uplink) take(kind, *request.uplink, FlowDirection::uplink, answer, code);
        if (code == confirmation::kSuccess) return code;
        for (const uint32_t sfid : taken_)  // all or nothing
            kind == DsxKind::add ? void(to_.flows_.remove(sfid)) : to_.flows_.settle(sfid, false);
        return code;
    }
    void settled(DsxKind kind, uint32_t sfid, bool holds) override {
        if (kind == DsxKind::change) return to_.flows_.settle(sfid, holds);
        if (!holds) remove(sfid, "refused by the acknowledgement");
    }
    uint8_t granted(DsxKind kind, const FlowChange& request, const FlowChange& answer) override {
        uint8_t code = confirmation::kParameterMissing;
        uint32_t sfid = 0;
        for (const auto direction : {FlowDirection::uplink, FlowDirection::downlink}) {
            const auto& asked = flow_of(request, direction);
            const auto& given = flow_of(answer, direction);
            if (!asked) continue;
            if (kind == DsxKind::add) {
                if (!given) continue;
                code = to_.flows_.add(*given, direction, to_.frame_samples_);
                sfid = given->sfid.value_or(0);
            } else {
                ServiceFlow change = *asked;
                const SubscriberFlow* flow = to_.flows_.find_sfid(asked->sfid.value_or(0));
                if (flow && given && rules_of(*given).size() == rules_of(change).size())
                    take_rules(change, *given, flow->config.cs);
                code = to_.flows_.change(change);
                sfid = asked->sfid.value_or(0);
                to_.flows_.settle(sfid, true);
            }
        }
        if (code == confirmation::kSuccess) to_.results_.end({}, request.tid, sfid, code);
        return code;
    }
    void refused(DsxKind kind, const FlowChange& request, uint8_t code) override {
        const auto& asked = request.uplink ? request.uplink : request.downlink;
        const uint32_t sfid = asked ? asked->sfid.value_or(0) : 0;
        if (SubscriberFlow* flow = to_.flows_.find_sfid(sfid)) flow->ask_again = clock.now + clock.from_ms(kAskAgainMs);
        to_.results_.end({}, request.tid, sfid, code);
        to_.event_("flow", std::string(kind == DsxKind::add ? "DSA" : "DSC of flow " + std::to_string(sfid)) +
                               (code == kNoAnswer ? " was not answered" : " refused, code " + std::to_string(code)));
    }
    bool remove(uint32_t sfid, const char* why) override {
        if (!to_.flows_.remove(sfid)) return false;
        to_.event_("flow", std::string(why) + ", flow " + std::to_string(sfid) + " deleted");
        return true;
    }
    void peer_lost() override { to_.lost_ = true; }

private:
    void take(DsxKind kind, const ServiceFlow& parameters, FlowDirection direction, FlowChange& answer, uint8_t& code) {
        const uint8_t own = kind == DsxKind::add ? to_.flows_.add(parameters, direction, to_.frame_samples_)
                                                 : to_.flows_.change(parameters);
        ServiceFlow echo;
        echo.sfid = parameters.sfid;
        echo.cid = parameters.cid;
        if (kind == DsxKind::add) put_arq(arq_of(parameters), echo);
        flow_of(answer, direction) = echo;
        if (own == confirmation::kSuccess)
            taken_[direction == FlowDirection::uplink ? 0 : 1] = parameters.sfid.value_or(0);
        // Of two faults the more specific one is reported.
        else if (code == confirmation::kSuccess || own != confirmation::kParameterMissing) code = own;
    }

    ServiceFlowAgent& to_;
    std::array<uint32_t, 2> taken_{};
};

ServiceFlowAgent::ServiceFlowAgent(const ServiceTransactions::Config& config, const Dependencies& dependencies)
    : clock_(dependencies.clock),
      event_(dependencies.event),
      flows_(dependencies.flows),
      management_(dependencies.management),
      transactions_(DsxEnd::subscriber_station, config) {}

void ServiceFlowAgent::start(uint16_t primary_cid, Samples frame_samples) {
    primary_cid_ = primary_cid;
    frame_samples_ = frame_samples;
}

void ServiceFlowAgent::receive(const DsxMessage& message) {
    if (primary_cid_ == 0) return;  // the REG-RSP is still missing; a request will be repeated
    Keeper keeper(*this);
    transactions_.receive(message, keeper);
}

void ServiceFlowAgent::run_timers() {
    if (primary_cid_ == 0 || (transactions_.transactions().empty() && flows_.all_up())) return;
    Keeper keeper(*this);
    transactions_.run_timers(keeper);
    if (!lost_) bring_up(keeper);
}

/// Requests activation of flows with waiting packets.
void ServiceFlowAgent::bring_up(Keeper& keeper) {
    for (auto& flow : flows_.flows()) {
        if (!flow->transmitter || flow->active_set || flow->transmitter->backlog_packets() == 0) continue;
        if (clock_.now < flow->ask_again || transactions_.busy(flow->sfid)) continue;
        transactions_.begin(
            DsxKind::change,
            one_flow(FlowDirection::uplink, change_message(*flow, flow->config, FlowState::active, flow->sfid, false)),
            keeper);
    }
}

void ServiceFlowAgent::forget() {
    transactions_.forget();
    results_.forget({});
    primary_cid_ = 0;
    lost_ = false;
}

bool ServiceFlowAgent::begin(DsxKind kind, FlowChange request, uint64_t id) {
    Keeper keeper(*this);
    const auto& asked = request.uplink ? request.uplink : request.downlink;
    const uint32_t sfid = asked->sfid.value_or(0);
    const auto tid = transactions_.begin(kind, std::move(request), keeper);
    if (tid) results_.add({id, kind, sfid, std::nullopt, {}, *tid});
    return tid.has_value();
}

bool ServiceFlowAgent::add(const ServiceFlowConfig& flow, FlowState state, uint64_t id) {
    return primary_cid_ != 0 && begin(DsxKind::add, one_flow(flow.direction, wish(flow, state)), id);
}

bool ServiceFlowAgent::change(uint32_t sfid, const ServiceFlowConfig& to, FlowState state, uint64_t id) {
    const SubscriberFlow* flow = flows_.find_sfid(sfid);
    if (!flow || primary_cid_ == 0) return false;
    ServiceFlow message = change_message(*flow, to, state, sfid, false);
    leave_indices(message, flow->config.cs);
    return begin(DsxKind::change, one_flow(flow->config.direction, std::move(message)), id);
}

bool ServiceFlowAgent::remove(uint32_t sfid, uint64_t id) {
    if (!flows_.find_sfid(sfid) || primary_cid_ == 0) return false;
    Keeper keeper(*this);
    const auto tid = transactions_.begin_delete(sfid, "asked for", keeper);
    if (tid) results_.add({id, DsxKind::remove, sfid, confirmation::kSuccess, {}, *tid});
    return tid.has_value();
}

}  // namespace wimax::mac
