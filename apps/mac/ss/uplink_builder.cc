// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/uplink_builder.h"

#include "mac/flow/arq_exchange.h"
#include "mac/flow/rate_rules.h"
#include "mac/request_rules.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {
namespace {

constexpr size_t kPiggybackMax = 0xFFFF;
constexpr uint32_t kFramesToSlip = 8;  // frames with grants

}  // namespace

UplinkBuilder::UplinkBuilder(const Config& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      flows_(dependencies.flows.flows()),
      management_(dependencies.management),
      bursts_(dependencies.bursts) {}

/// Adds one empty burst per grant.
void UplinkBuilder::collect_grants(const SubscriberUplink& uplink, uint16_t basic_cid, sap::TxFrame& tx) {
    if (!uplink.has_grants()) return;
    for (size_t i = 0; const auto* grant = uplink.opportunity(i); ++i) {
        if (grant->kind != OpportunityKind::grant || !grant->belongs_to(basic_cid)) continue;
        if (!uplink.usable(*grant)) {
            ++counters_.grants_unusable;
            continue;
        }
        uplink.place_grant(*grant, bursts_.add(tx.bursts));
        ++counters_.grants;
    }
}

/// Octets that UGS leaves of the grants answer requests.
void UplinkBuilder::note_granted(size_t left) {
    size_t octets = answering_octets(left);
    management_.request.use(octets);
    for (auto& flow : flows_)
        if (flow->transmitter) flow->request.use(octets);
}

size_t UplinkBuilder::flows_with_ugs() const {
    size_t count = 0;
    while (count < flows_.size() && flows_[count]->ugs()) ++count;
    return count;
}

/// Plans octets owed before anything else: reserved rates, in PDUs' octets.
size_t UplinkBuilder::reserve(Flow& flow, size_t room) {
    flow.plan.octets = flow.plan.piggyback = 0;
    if (!flow.sends()) return 0;
    if (is_bounded(flow.config)) flow.plan.octets = std::min(flow.demand(), room);
    else if (flow.reserved.limited())
        flow.plan.octets = std::min(flow.transmitter->demand_for(flow.reserved.available()), room);
    return flow.plan.octets;
}

void UplinkBuilder::plan_ugs() {
    for (size_t i = 0; i < flows_with_ugs(); ++i) flows_[i]->plan.octets = flows_[i]->plan.piggyback = 0;
    plan_group(0, flows_with_ugs(), SIZE_MAX);
    tell_slips();
}

/// A UGS queue with whole packets beyond its grants for a while has slipped. The indicator uses the flow's octets: sent
/// in every PDU it would cost as much as the extra grants bring.
void UplinkBuilder::tell_slips() {
    for (size_t i = 0; i < flows_with_ugs(); ++i) {
        auto& plan = flows_[i]->plan;
        if (plan.slipped_frames < kFramesToSlip) continue;
        plan.slipped_frames = 0;
        plan.piggyback = GrantManagementSubheader::ugs(true, false).raw;
    }
    tell_polls();
}

/// The previous frame had grants and no room for requests: a UGS PDU sets the poll-me bit.
void UplinkBuilder::tell_polls() {
    if (!could_not_ask_) return;
    for (size_t i = 0; i < flows_with_ugs(); ++i) {
        Flow& flow = *flows_[i];
        if (flow.demand() == 0) continue;
        flow.plan.piggyback |= GrantManagementSubheader::ugs(false, true).raw;
        return;
    }
}

void UplinkBuilder::watch_slips() {
    for (size_t i = 0; i < flows_with_ugs(); ++i) {
        Flow& flow = *flows_[i];
        const bool behind = flow.transmitter && flow.transmitter->whole_packets() > 0 && flow.demand() > 0;
        flow.plan.slipped_frames = behind ? flow.plan.slipped_frames + 1 : 0;
    }
}

/// Divides the octets that UGS leaves of a frame's grants: management, flows in serving order, further requests.
void UplinkBuilder::plan_others(size_t room) {
    const size_t demand = management_demand(), planned = std::min(demand, room);
    room -= planned;
    header_octets_ = management_.request.outdated(demand - planned) ? kHeaderOctets : 0;
    for (size_t i = flows_with_ugs(); i < flows_.size(); ++i) room -= reserve(*flows_[i], room);
    for (size_t i = flows_with_ugs(), end = i; i < flows_.size(); i = end) {
        const int order = service_order(flows_[i]->config);
        while (end < flows_.size() && service_order(flows_[end]->config) == order) ++end;
        room = plan_group(i, end, room);
    }
}

/// Flows of the same order share the remainder evenly.
size_t UplinkBuilder::plan_group(size_t first, size_t end, size_t room) {
    size_t waiting = 0;
    for (size_t i = first; i < end; ++i) waiting += flows_[i]->demand() > flows_[i]->plan.octets ? 1 : 0;
    for (size_t i = first; i < end; ++i) {
        Flow& flow = *flows_[i];
        if (!flow.sends()) continue;
        const size_t demand = flow.demand(), reserved = flow.plan.octets;
        if (demand > reserved) {
            flow.plan.octets += std::min(demand - reserved, room / waiting);
            --waiting;
            room -= flow.plan.octets - reserved;
        }
        if (!flow.ugs()) plan_request(flow, demand - flow.plan.octets);
    }
    return room;
}

/// A flow's request is attached to its data if they are sure to be sent, otherwise sent in a separate header.
void UplinkBuilder::plan_request(Flow& flow, size_t backlog) {
    if (!flow.request.outdated(backlog)) return;
    const bool rides = flow.config.piggyback && flow.config.fragmentation && flow.plan.octets >= kLeastAnswerOctets;
    if (rides && !flow.request.needs_aggregate(backlog))
        flow.plan.piggyback = std::min(backlog - flow.request.octets(), kPiggybackMax);
    else header_octets_ += kHeaderOctets;
}

/// Fills UGS flows, or all others, with their planned octets and then the rest; `kept` octets stay free.
void UplinkBuilder::fill_flows(PduWriter& writer, bool ugs, size_t kept) {
    for (int round = 0; round < 2; ++round)
        for (auto& flow : flows_) {
            if (!flow->sends() || flow->ugs() != ugs) continue;
            auto& plan = flow->plan;
            const bool carries = flow->transmitter->carries_feedback();
            const size_t others = kept + (feedback_.empty() || carries ? 0 : feedback_.message_octets());
            const size_t room = writer.room() - std::min(writer.room(), others);
            const size_t limit = round == 0 ? std::min(plan.octets, room) : room;
            const uint64_t before = flow->transmitter->counters().payload_octets;
            const size_t used =
                flow->transmitter->fill(writer, limit, clock_.now, static_cast<uint16_t>(plan.piggyback), &feedback_);
            flow->reserved.take(flow->transmitter->counters().payload_octets - before);
            if (used == 0) continue;
            plan.octets -= std::min(plan.octets, used);
            if (plan.piggyback == 0) continue;
            const size_t asked = std::exchange(plan.piggyback, 0);
            if (ugs) continue;
            flow->request.incremental_sent(asked, clock_.now, t16());
            ++counters_.piggyback_requests;
        }
}

/// Requests what the base station does not know of yet, in the octets that data leave free.
void UplinkBuilder::add_requests(PduWriter& writer, bool last, uint16_t basic_cid) {
    const auto add = [&](RequestRecord& record, uint16_t cid, size_t backlog) {
        if (record.outdated(backlog) && record.ask(writer, cid, backlog, clock_.now, t16()))
            ++counters_.aggregate_requests;
    };
    add(management_.request, basic_cid, management_demand());
    could_not_ask_ = management_.request.outdated(management_demand());
    for (auto& flow : flows_) {
        if (!flow->sends() || flow->ugs()) continue;
        const size_t demand = flow->demand();
        add(flow->request, flow->cid, demand - (last ? 0 : std::min(demand, flow->plan.octets)));
        could_not_ask_ = could_not_ask_ || flow->request.outdated(demand);
    }
}

/// Feedback and messages, then flows; feedback is attached to the data of a flow that can carry it.
size_t UplinkBuilder::management_demand() const {
    return management_.demand() + feedback_octets(flows_, as_flows(management_.secondary));
}

void UplinkBuilder::fill_grant(PduWriter& writer, bool last, uint16_t basic_cid) {
    collect_feedback(feedback_, flows_, as_flows(management_.secondary));
    if (feedback_.message_octets() > writer.room()) feedback_.clear();
    const size_t kept = feedback_.empty() ? 0 : feedback_.message_octets();
    management_.queue.fill(writer, writer.room() - kept);
    if (auto& secondary = management_.secondary)
        secondary->transmitter->fill(writer, writer.room() - std::min(writer.room(), kept), clock_.now);
    fill_flows(writer, false, last ? header_octets_ : 0);
    if (!feedback_.empty()) feedback_.send_alone(writer, basic_cid);
    feedback_.clear();
    add_requests(writer, last, basic_cid);
}

/// Fills a grant: UGS data first, then other flows, messages and requests.
UplinkBuilder::Result UplinkBuilder::build(const SubscriberUplink& uplink, uint16_t basic_cid, sap::TxFrame& tx) {
    Result result;
    const size_t first = tx.bursts.size();
    collect_grants(uplink, basic_cid, tx);
    if (tx.bursts.size() == first) return result;
    result.granted = true;
    size_t left = 0;
    plan_ugs();
    for (size_t i = first; i < tx.bursts.size(); ++i) {
        auto& burst = tx.bursts[i];
        PduWriter writer(burst.payload, uplink.capacity_octets(burst));
        counters_.capacity_bytes += writer.room();
        fill_flows(writer, true, 0);
        left += writer.room();
        result.could_ask = result.could_ask || writer.room() >= kHeaderOctets;
    }
    watch_slips();
    note_granted(left);
    plan_others(left);
    for (size_t i = first; i < tx.bursts.size(); ++i) {
        auto& burst = tx.bursts[i];
        const bool last = i + 1 == tx.bursts.size();
        PduWriter writer(burst.payload, uplink.capacity_octets(burst));
        fill_grant(writer, last, basic_cid);
        counters_.payload_bytes += burst.payload.size();
    }
    return result;
}

}  // namespace wimax::mac
