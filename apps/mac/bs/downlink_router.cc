// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/downlink_router.h"

#include "mac/flow/header_rules.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// Copies per frame of packets to addresses that no station has sent from yet.
constexpr size_t kTrialCopies = 8;

}  // namespace

void DownlinkRouter::begin_frame() {
    trial_copies_ = std::min(trial_copies_ + kTrialCopies, std::max(kTrialCopies, stations_.size()));
}

const DestinationMap& DownlinkRouter::destinations() {
    if (destinations_known_ && multicast_version_ == multicast_.version()) return destinations_;
    destinations_known_ = true;
    multicast_version_ = multicast_.version();
    destinations_.clear();
    for (const auto& [cid, connection] : multicast_.all())
        if (connection->takes_packets())
            for (const auto& rule : connection->flow.config.classifiers)
                for (const auto& where : rule.destination) destinations_.claim(cid, where);
    for (const auto& [cid, station] : stations_.stations())
        for (const auto& flow : station->flows) {
            if (!flow->queues()) continue;
            bool open = flow->config.classifiers.empty();
            for (const auto& rule : flow->config.classifiers) {
                open = open || rule.destination.empty();
                for (const auto& where : rule.destination) destinations_.claim(cid, where);
            }
            if (open) destinations_.open(cid);
        }
    return destinations_;
}

/// The best rule that names the destination. Of equal ones, that of a multicast connection, then of the lowest CID.
DownlinkRouter::Claimant DownlinkRouter::claimant(const PacketFields& packet) {
    Claimant best;
    int best_priority = -1;
    uint16_t best_cid = 0;
    destinations().claimants(packet.destination, [&](uint16_t cid) {
        Claimant one;
        int priority = -1;
        one.connection = multicast_.find(cid);
        one.station = cid;
        if (one.connection) priority = rank_of(one.connection->flow.config, packet);
        else one.flow = stations_.at(cid).classify(packet, priority);
        const bool sooner = one.connection ? !best.connection || cid < best_cid : !best.connection && cid < best_cid;
        if (priority < 0 || priority < best_priority || (priority == best_priority && !sooner)) return;
        best = one;
        best_priority = priority;
        best_cid = cid;
    });
    return best;
}

FlowContext* DownlinkRouter::flow_of(uint16_t basic_cid, const PacketFields& packet) const {
    int priority = -1;
    return stations_.at(basic_cid).classify(packet, priority);
}

/// Of the station's flows, the one that a loaded classifier selects; null: none.
FlowContext* DownlinkRouter::chosen_flow(uint16_t basic_cid, FlowContext* by_rules, const PacketFields& fields,
                                         Octets packet) {
    if (!classifier_ || !classifier_->loaded()) return by_rules;
    const auto takes = [](const FlowContext& flow) { return flow.queues(); };
    return classifier_->choose(stations_.at(basic_cid).flows, takes, basic_cid, fields, packet);
}

bool DownlinkRouter::push(FlowContext* flow, const PacketFields& fields, Octets packet) {
    Octets sdu = packet;
    if (flow->suppression)
        sdu = flow->suppression->send(packet, header_rules_to_send(*flow),
                                      header_rule_of(flow->config.classifiers, fields));
    const bool taken = !sdu.empty() && flow->transmitter->push(sdu, fields.hash(), clock_.now);
    stations_.owner_of(flow->cid);  // wakes it
    if (!taken) ++counters_.refused_sdus;
    return taken;
}

bool DownlinkRouter::push(MulticastConnection& connection, const PacketFields& fields, Octets packet) {
    if (connection.heard()) return push(&connection.flow, fields, packet);
    ++connection.dropped_unheard;
    return false;
}

/// No station has sent from that address yet. The response will show which one has it. A scan of many addresses must
/// not fill the downlink.
bool DownlinkRouter::try_all(const PacketFields& fields, Octets packet) {
    const auto& open = destinations().open_stations();
    if (open.size() > trial_copies_) {
        ++counters_.unlearnt;
        return false;
    }
    trial_copies_ -= open.size();
    bool taken = false;
    for (const uint16_t cid : open)
        if (FlowContext* flow = flow_of(cid, fields)) taken = push(flow, fields, packet) || taken;
    counters_.unclassified += !taken;
    return taken;
}

bool DownlinkRouter::push(Octets packet) {
    const PacketFields fields = PacketFields::parse(packet, link_);
    if (link_ == UserLink::ethernet) sources_.heard_from_network(fields.source);
    const Claimant claimed = claimant(fields);
    if (claimed.connection) return push(*claimed.connection, fields, packet);
    FlowContext* flow = claimed.flow;
    if (flow) flow = chosen_flow(claimed.station, flow, fields, packet);
    const auto& open = destinations().open_stations();
    if (!claimed.flow && !open.empty() && !sources_.is_configured(fields.destination)) {
        const auto known = open.size() == 1 ? std::optional(open.front()) : sources_.owner_of(fields.destination);
        if (!known) return try_all(fields, packet);
        flow = chosen_flow(*known, flow_of(*known, fields), fields, packet);
    }
    if (flow) return push(flow, fields, packet);
    ++counters_.unclassified;
    return false;
}

size_t DownlinkRouter::waiting_octets(Octets packet) {
    const PacketFields fields = PacketFields::parse(packet, link_);
    const Claimant claimed = claimant(fields);
    const FlowContext* flow = claimed.connection ? &claimed.connection->flow : claimed.flow;
    if (claimed.flow) flow = chosen_flow(claimed.station, claimed.flow, fields, packet);
    return flow ? flow->transmitter->backlog_octets() : 0;
}

}  // namespace wimax::mac
