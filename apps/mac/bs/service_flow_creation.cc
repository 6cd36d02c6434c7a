/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/service_flow_creation.h"

#include "mac/report/flow_status.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kDsxRetries = 3;

}  // namespace

ServiceFlowCreation::ServiceFlowCreation(const Config& config, SduPool& pool, const Dependencies& dependencies)
    : config_(config),
      pool_(pool),
      clock_(dependencies.clock),
      event_(dependencies.event),
      stations_(dependencies.stations),
      router_(dependencies.router) {}

void ServiceFlowCreation::create(Subscriber& station) {
    auto flows = station.config.flows;
    if (flows.empty()) {
        flows.resize(2);
        flows[1].direction = FlowDirection::uplink;
    }
    std::stable_sort(flows.begin(), flows.end(),
                     [](const auto& a, const auto& b) { return service_order(a) < service_order(b); });
    for (auto& parameters : flows) {
        parameters.classifiers = bound_rules(parameters, station.config.ip_addresses);
        parameters.arq.enable = parameters.arq.enable && station.arq;
        if (parameters.arq.retry_timeout_ms == 0)
            parameters.arq.retry_timeout_ms = std::min(kArqRetryFrames * config_.frame_ms, kMaxArqTimeMs);
        auto flow = std::make_unique<FlowContext>(next_sfid_++, stations_.new_transport_cid(station), parameters);
        flow->tid = next_tid_;
        next_tid_ = next_tid_ == 0xFFFF ? 0x8000 : static_cast<uint16_t>(next_tid_ + 1);
        flow->rates.set(parameters, clock_.sample_rate_hz);
        station.flows.push_back(std::move(flow));
        send_request(station, *station.flows.back());
    }
}

void ServiceFlowCreation::send_request(Subscriber& station, FlowContext& flow) {
    DsaReq request;
    request.tid = flow.tid;
    auto& parameters = flow.config.direction == FlowDirection::downlink ? request.downlink : request.uplink;
    parameters = to_message(flow.config, flow.sfid, flow.cid);
    request.hmac = HmacTuple{};
    station.management.push(station.primary_cid, request);
    flow.pending = true;
    ++flow.requests_sent;
    flow.t7.start(clock_.now, clock_.from_ms(config_.t7_ms));
}

void ServiceFlowCreation::activate(const Subscriber& station, FlowContext& flow) {
    flow.active = true;
    router_.flows_changed();
    if (flow.config.direction == FlowDirection::downlink) {
        SduQueueConfig queue = config_.queue;
        queue.limit_bytes = flow.config.queue_limit_bytes;
        if (flow.config.queue_limit_packets > 0) queue.limit_packets = flow.config.queue_limit_packets;
        flow.transmitter =
            std::make_unique<FlowTransmitter>(flow.cid, flow.config, pool_, queue, clock_.sample_rate_hz);
    } else {
        flow.reassembler =
            flow.config.arq.enable
                ? std::make_unique<Reassembler>(kMaxSduOctets, arq_parameters(flow.config.arq, clock_.sample_rate_hz))
                : std::make_unique<Reassembler>(kMaxSduOctets);
    }
    event_("flow", to_text(station.mac) + (flow.config.direction == FlowDirection::downlink ? " downlink" : " uplink") +
                       " flow " + std::to_string(flow.sfid) + " active, CID " + std::to_string(flow.cid));
}

void ServiceFlowCreation::on_response(Subscriber& station, const DsaRsp& response) {
    FlowContext* flow = station.flow_by_tid(response.tid);
    if (!flow) {
        ++station.counters.malformed;
        return;
    }
    DsaAck ack;  // also to a repeated response: the first one's answer was lost
    ack.tid = response.tid;
    if (!flow->pending && !flow->active && response.cc == confirmation::kSuccess)
        ack.cc = confirmation::kRejectOther;  // too late: it was given up (T7)
    ack.hmac = HmacTuple{};
    station.management.push(station.primary_cid, ack);
    if (!flow->pending) return;
    flow->pending = false;
    flow->t7.stop();
    if (response.cc == confirmation::kSuccess) {
        const auto& answer = flow->config.direction == FlowDirection::downlink ? response.downlink : response.uplink;
        if (answer) flow->config.arq = agreed_arq(flow->config.arq, *answer, flow->config.direction);
        activate(station, *flow);
    } else {
        flow->refused = true;
        event_("flow", to_text(station.mac) + " refused flow " + std::to_string(flow->sfid) + ", code " +
                           std::to_string(response.cc));
    }
    settle(station);
}

void ServiceFlowCreation::refuse(Subscriber& station, const DsaReq& request) {
    DsxRvd received;
    received.tid = request.tid;
    station.management.push(station.primary_cid, received);
    DsaRsp refusal;
    refusal.tid = request.tid;
    refusal.cc = confirmation::kPermanent;
    refusal.hmac = HmacTuple{};
    station.management.push(station.primary_cid, refusal);
}

/// With all of its flows set up or given up a station is operational, unless it has none.
void ServiceFlowCreation::settle(Subscriber& station) {
    const auto& flows = station.flows;
    const bool open = std::any_of(flows.begin(), flows.end(), [](const auto& flow) { return flow->pending; });
    const bool any = std::any_of(flows.begin(), flows.end(), [](const auto& flow) { return flow->active; });
    if (open || !any || station.state != EntryState::registered) return;
    station.state = EntryState::operational;
    station.operational_at = clock_.now;
    event_("entry", to_text(station.mac) + " operational");
}

void ServiceFlowCreation::run_timers(Subscriber& station) {
    for (auto& flow : station.flows) {
        if (!flow->pending || !flow->t7.expired(clock_.now)) continue;
        if (flow->requests_sent <= kDsxRetries) {
            send_request(station, *flow);
        } else {
            flow->pending = false;
            flow->refused = true;
            event_("flow", to_text(station.mac) + " did not answer DSA-REQ of flow " + std::to_string(flow->sfid));
            settle(station);
        }
    }
}

}  // namespace wimax::mac
