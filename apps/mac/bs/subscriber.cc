// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/subscriber.h"

#include "mac/flow/arq_exchange.h"

#include <algorithm>

namespace wimax::mac {

namespace {

/// Most feedback is one element with few maps.
constexpr size_t kExpectedElementOctets = 6, kExpectedMaps = 8;

}  // namespace

const char* to_string(EntryState state) {
    switch (state) {
        case EntryState::ranging: return "ranging";
        case EntryState::ranged: return "ranged";
        case EntryState::capable: return "capable";
        case EntryState::registered: return "registered";
        case EntryState::operational: return "operational";
    }
    return "?";
}

void FlowContext::open_sender(SduPool& pool, SduQueueConfig queue, int64_t sample_rate_hz) {
    queue.limit_bytes = config.queue_limit_bytes;
    queue.ecn = queue.ecn && !phs;  // its queue holds no whole heads
    if (config.queue_limit_packets > 0) queue.limit_packets = config.queue_limit_packets;
    if (phs) suppression = std::make_unique<HeaderSuppression>();
    transmitter = std::make_unique<FlowTransmitter>(cid, config, pool, queue, sample_rate_hz);
}

size_t FlowContext::owed_octets() const {
    if (!held) return 0;
    if (is_bounded(config)) return transmitter->demand();
    return rates.reserved.limited() ? transmitter->demand_for(rates.reserved.available()) : 0;
}

FlowContext* Subscriber::flow_by_cid(uint16_t cid) {
    const auto found = std::find_if(flows.begin(), flows.end(), [cid](const auto& flow) { return flow->cid == cid; });
    return found == flows.end() ? nullptr : found->get();
}

bool Subscriber::flows_settled() const {
    return transactions.idle() && std::ranges::none_of(flows, [](const auto& flow) { return flow->set_up.open(); });
}

FlowContext* Subscriber::flow_by_sfid(uint32_t sfid) {
    const auto found =
        std::find_if(flows.begin(), flows.end(), [sfid](const auto& flow) { return flow->sfid == sfid; });
    return found == flows.end() ? nullptr : found->get();
}

size_t Subscriber::flows_of(FlowDirection direction) const {
    return static_cast<size_t>(std::count_if(
        flows.begin(), flows.end(), [direction](const auto& flow) { return flow->config.direction == direction; }));
}

bool Subscriber::wants_downlink() const {
    return management_demand() > 0 || std::ranges::any_of(flows, [](const auto& flow) {
               return flow->active && flow->transmitter && flow->transmitter->demand() > 0;
           });
}

size_t Subscriber::management_demand() const {
    const size_t packets = managed.connection ? managed.connection->transmitter->demand() : 0;
    return management.demand() + packets + feedback_octets(flows, as_flows(managed.connection));
}

size_t Subscriber::expected_feedback_octets() const {
    size_t octets = 0;
    const auto expect = [&octets](const auto& connections) {
        for (const auto& one : connections)
            if (one->transmitter && one->transmitter->arq())
                if (const size_t blocks = one->transmitter->arq()->machine.blocks_in_flight(); blocks > 0)
                    octets += kExpectedElementOctets + 2 * std::min(blocks / kMapBits, kExpectedMaps);
    };
    expect(flows);
    expect(as_flows(managed.connection));
    return octets == 0 ? 0 : kFeedbackMessageOctets + octets;
}

FlowContext* Subscriber::classify(const PacketFields& packet, int& priority) const {
    priority = -1;
    FlowContext* best = nullptr;
    for (const auto& flow : flows) {
        if (!flow->queues()) continue;
        const int rank = rank_of(flow->config, packet);
        if (rank > priority) {
            priority = rank;
            best = flow.get();
        }
    }
    return best;
}

namespace {

void add(SubscriberCounters& all, const FlowContext& flow) {
    if (flow.transmitter) {
        all.dl_sdus += flow.transmitter->counters().sdus;
        all.dl_bytes += flow.transmitter->counters().sdu_octets;
        all.dl_dropped += flow.transmitter->dropped();
    }
    if (flow.reassembler) all.ul_dropped += flow.reassembler->counters().dropped;
}

}  // namespace

void Subscriber::keep_counters_of(const FlowContext& flow) { add(counters, flow); }

SubscriberCounters Subscriber::counters_with_flows() const {
    SubscriberCounters all = counters;
    for (const auto& flow : flows) add(all, *flow);
    return all;
}

}  // namespace wimax::mac
