// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/flow_table.h"

#include "mac/flow/arq_exchange.h"
#include "mac/flow/header_rules.h"
#include "mac/flow/link_aim.h"
#include "mac/flow/rate_rules.h"
#include "mac/flow_limits.h"
#include "mac/pdu/cid.h"

#include <algorithm>

namespace wimax::mac {

void FlowTotals::add(const SubscriberFlow& flow) {
    if (flow.transmitter) {
        ul_sdus += flow.transmitter->counters().sdus;
        ul_bytes += flow.transmitter->counters().sdu_octets;
        ul_dropped += flow.transmitter->dropped();
    }
    if (flow.reassembler) {
        dl_sdus += flow.reassembler->counters().sdus;
        dl_bytes += flow.reassembler->counters().sdu_octets;
        dl_dropped += flow.reassembler->counters().dropped;
    }
}

FlowTable::FlowTable(const Config& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      event_(dependencies.event),
      privacy_(dependencies.privacy),
      classifier_(dependencies.classifier),
      pool_(config.sdu_buffers),
      aim_(link_aim(flows_, config.target_loss)) {}

uint8_t FlowTable::add(const ServiceFlow& parameters, FlowDirection direction, Samples frame_samples) {
    if (!parameters.sfid || !parameters.cid || !cid::may_be_transport(*parameters.cid))
        return confirmation::kParameterMissing;
    if (parameters.service_class && !is_text(*parameters.service_class)) return confirmation::kUnrecognized;
    const uint8_t cs = parameters.cs_specification.value_or(kCsIpv4);
    if (cs < kCsIpv4 || cs > kCsVlan || link_of(static_cast<ConvergenceSublayer>(cs)) != config_.link)
        return confirmation::kUnrecognized;
    const bool exists = std::any_of(flows_.begin(), flows_.end(), [&](const auto& flow) {
        return flow->cid == *parameters.cid || flow->sfid == *parameters.sfid;
    });
    if (exists) return confirmation::kFlowExists;
    const auto same_way =
        std::ranges::count_if(flows_, [&](const auto& flow) { return flow->config.direction == direction; });
    if (static_cast<size_t>(same_way) >= kMaxFlowsEachWay) return confirmation::kServiceLimit;
    auto flow = std::make_unique<SubscriberFlow>();
    static_cast<AgreedFlow&>(*flow) = agreed(parameters, direction);
    if (!privacy_.takes(flow->said)) return confirmation::kPermanent;
    flow->sfid = *parameters.sfid;
    flow->cid = *parameters.cid;
    flow->suspended = suspended_;
    if (flow->phs) flow->suppression = std::make_unique<HeaderSuppression>();
    if (direction == FlowDirection::uplink) {
        SduQueueConfig queue;
        queue.limit_bytes = config_.queue_limit_bytes;
        queue.codel_target = static_cast<Samples>(config_.codel_target_frames * static_cast<float>(frame_samples));
        queue.codel_interval = clock_.from_ms(config_.codel_interval_ms);
        if (config_.queue_limit_packets > 0) queue.limit_packets = config_.queue_limit_packets;
        queue.ecn = config_.ecn && config_.link == UserLink::ip && !flow->phs;
        queue.hold = held_back(config_.sdu_hold_frames, frame_samples);
        flow->transmitter =
            std::make_unique<FlowTransmitter>(flow->cid, flow->config, pool_, queue, clock_.sample_rate_hz);
        if (flow->said) flow->transmitter->protect(privacy_.sealer(*flow->said));
        flow->reserved =
            TokenBucket(flow->config.min_reserved_rate_bps, reserve_octets(flow->config), clock_.sample_rate_hz);
    } else {
        flow->reassembler =
            flow->config.arq.enable
                ? std::make_unique<Reassembler>(
                      kMaxSduOctets, arq_parameters(flow->config.arq, clock_.sample_rate_hz, config_.arq_feedback))
                : std::make_unique<Reassembler>(kMaxSduOctets, flow->config.fixed_sdu_octets);
    }
    event_("flow", std::string(direction == FlowDirection::uplink ? "uplink" : "downlink") + " flow " +
                       std::to_string(flow->sfid) + ", CID " + std::to_string(flow->cid));
    flows_.push_back(std::move(flow));
    sort();
    return confirmation::kSuccess;
}

void FlowTable::sort() {
    std::stable_sort(flows_.begin(), flows_.end(), [](const auto& a, const auto& b) { return served_before(*a, *b); });
    list();
}

/// What each frame asks of the flows, which change seldom.
void FlowTable::list() {
    if (classifier_) classifier_->flows_changed();
    cids_.clear();
    uplink_.clear();
    for (const auto& flow : flows_) {
        cids_.push_back(flow->cid);
        if (flow->transmitter) uplink_.push_back(flow.get());
    }
    aim_ = link_aim(flows_, config_.target_loss);
    const auto sends_up = [](const auto& flow) { return flow->transmitter != nullptr; };
    both_ways_ = std::ranges::any_of(flows_, sends_up) && !std::ranges::all_of(flows_, sends_up);
    all_up_ = std::ranges::all_of(flows_, [](const auto& flow) { return !flow->transmitter || flow->active_set; });
    with_arq_ = std::ranges::any_of(flows_, [](const auto& flow) { return has_arq(*flow); });
}

void FlowTable::put_in_force(SubscriberFlow& flow) {
    if (flow.transmitter) {
        flow.transmitter->change(flow.config);
        flow.reserved.change(flow.config.min_reserved_rate_bps, reserve_octets(flow.config), clock_.sample_rate_hz);
    }
    if (!flow.active_set) flow.request.clear();
    sort();
}

uint8_t FlowTable::change(const ServiceFlow& parameters) {
    SubscriberFlow* flow = find_sfid(parameters.sfid.value_or(0));
    if (!flow) return confirmation::kFlowNotFound;
    AgreedFlow before = *flow;
    if (const uint8_t code = mac::change(*flow, parameters); code != confirmation::kSuccess) return code;
    if (flow->state() != before.state())
        event_("flow", "flow " + std::to_string(flow->sfid) + " " + to_string(flow->state()));
    flow->before = std::move(before);
    put_in_force(*flow);
    return confirmation::kSuccess;
}

void FlowTable::settle(uint32_t sfid, bool holds) {
    SubscriberFlow* flow = find_sfid(sfid);
    if (!flow || !flow->before) return;
    if (!holds) {
        static_cast<AgreedFlow&>(*flow) = std::move(*flow->before);
        put_in_force(*flow);
        event_("flow", "flow " + std::to_string(sfid) + " " + to_string(flow->state()) + " again");
    }
    flow->before.reset();
}

bool FlowTable::remove(uint32_t sfid) {
    SubscriberFlow* flow = find_sfid(sfid);
    if (!flow) return false;
    deleted_.add(*flow);
    const auto said = flow->said;
    std::erase_if(flows_, [flow](const auto& one) { return one.get() == flow; });
    list();
    const bool shared = std::ranges::any_of(flows_, [&](const auto& one) { return one->said == said; });
    if (said && !shared) privacy_.release(*said);
    return true;
}

void FlowTable::suspend(bool suspended) {
    suspended_ = suspended;
    for (auto& flow : flows_) {
        flow->suspended = suspended;
        flow->request.clear();  // grants in the meantime were not counted
    }
}

void FlowTable::clear() {
    while (!flows_.empty()) remove(flows_.front()->sfid);
}

bool FlowTable::contains(uint32_t sfid) const {
    return std::any_of(flows_.begin(), flows_.end(), [&](const auto& flow) { return flow->sfid == sfid; });
}

SubscriberFlow* FlowTable::find_sfid(uint32_t sfid) const {
    const auto found =
        std::find_if(flows_.begin(), flows_.end(), [sfid](const auto& flow) { return flow->sfid == sfid; });
    return found == flows_.end() ? nullptr : found->get();
}

void FlowTable::tick() {
    for (auto* flow : uplink_) {
        flow->transmitter->tick(clock_.now);
        flow->reserved.update(clock_.now);
    }
}

void FlowTable::expire_requests() {
    for (auto* flow : uplink_) flow->request.expire(clock_.now);
}

SubscriberFlow* FlowTable::classify(const PacketFields& fields, Octets packet) const {
    if (classifier_ && classifier_->loaded()) {
        const auto takes = [](const SubscriberFlow& flow) { return flow.transmitter != nullptr; };
        return classifier_->choose(flows_, takes, 0, fields, packet);
    }
    SubscriberFlow* best = nullptr;
    int best_rank = -1;
    for (auto* flow : uplink_) {
        const int rank = rank_of(flow->config, fields);
        if (rank > best_rank) {
            best_rank = rank;
            best = flow;
        }
    }
    return best;
}

size_t FlowTable::waiting_octets(Octets packet) {
    const SubscriberFlow* flow = classify(PacketFields::parse(packet, config_.link), packet);
    return flow ? flow->transmitter->backlog_octets() : 0;
}

bool FlowTable::push(Octets packet) {
    const PacketFields fields = PacketFields::parse(packet, config_.link);
    SubscriberFlow* best = classify(fields, packet);
    if (!best) {
        ++unclassified_;
        return false;
    }
    Octets sdu = packet;
    if (best->suppression)
        sdu = best->suppression->send(packet, header_rules_to_send(*best),
                                      header_rule_of(best->config.classifiers, fields));
    const bool taken = !sdu.empty() && best->transmitter->push(sdu, fields.hash(), clock_.now);
    if (!taken) ++refused_;
    return taken;
}

FlowTotals FlowTable::totals() const {
    FlowTotals totals = deleted_;
    for (const auto& flow : flows_) totals.add(*flow);
    return totals;
}

}  // namespace wimax::mac
