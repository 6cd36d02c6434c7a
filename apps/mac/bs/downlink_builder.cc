// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/downlink_builder.h"

#include "mac/flow/arq_exchange.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace wimax::mac {
namespace {

/// Units that a burst may take in addition to those of its claims; DownlinkFrame::begin() keeps one of them.
constexpr double kRoundedUnits = 2;

}  // namespace

void EnteringStations::add_messages(PduWriter& broadcast) {
    constexpr size_t kReplyOctets = 250;  // per frame: four RNG-RSPs
    to_.replies.fill(broadcast, std::min(broadcast.room(), kReplyOctets));
    for (Subscriber* station : to_.stations.awake())
        if (!station->entry.operational()) station->management.fill(broadcast, broadcast.room());
    add_packets(broadcast);
}

/// Of managed stations, after the messages of all stations. Another station is the first one in each frame.
void EnteringStations::add_packets(PduWriter& broadcast) {
    const auto& stations = to_.stations.awake();
    const size_t kept = broadcast.room() - std::min(broadcast.room(), kPacketOctets);
    for (size_t i = 0; i < stations.size() && broadcast.room() > kept; ++i) {
        Subscriber& station = *stations[(to_.clock.frame.value() + i) % stations.size()];
        if (auto& secondary = station.managed.connection; secondary && !station.entry.operational())
            add_packets(station, *secondary, broadcast, broadcast.room() - kept);
    }
}

void EnteringStations::add_packets(Subscriber& station, SecondaryConnection& secondary, PduWriter& broadcast,
                                   size_t limit) {
    collect_feedback(feedback_, as_flows(station.managed.connection));
    if (!feedback_.empty()) feedback_.send_alone(broadcast, station.basic_cid);
    secondary.transmitter->fill(broadcast, std::min(limit, broadcast.room()), to_.clock.now);
}

DownlinkBuilder::DownlinkBuilder(std::unique_ptr<DownlinkPolicy> policy, const Dependencies& dependencies)
    : clock_(dependencies.clock),
      stations_(dependencies.stations),
      multicast_(dependencies.multicast),
      bursts_(dependencies.bursts),
      grid_(dependencies.grid),
      frame_(dependencies.frame),
      scheduler_(std::move(policy)) {}

void DownlinkBuilder::add_claim(Subscriber& station) {
    DownlinkClaim claim;
    claim.cid = station.basic_cid;
    claim.shape.profile = station.dl_rate.profile();
    claim.stc = frame_.zones() && station.link.in_zone;
    if (station.capabilities.half_duplex) place_by_turn(station, claim);
    claim.weight = station.config.weight;
    claim.history = &station.dl_history;
    claim.management_octets = station.management_demand();
    claim.first_flow = flows_.size();
    for (const auto& flow : station.flows)
        if (flow->active && flow->transmitter) add_claim(*flow);
    finish_claim(claim);
}

/// In its group's part, unless its grants of this frame are still those of the other group.
void DownlinkBuilder::place_by_turn(const Subscriber& station, DownlinkClaim& claim) const {
    claim.stc = false;
    const auto hears = frame_.hearing(station.basic_cid, station.turn());
    if (!hears) return;
    const uint32_t before = hears->until, after = hears->units - std::min(hears->units, hears->from);
    const bool late = station.half_duplex.late ? 2 * before >= after : before > 2 * after;
    claim.part = late ? FramePart::before : FramePart::after;
    claim.bound = claim.part == FramePart::before ? hears->until : hears->from;
}

/// Before the grants of all half-duplex listeners, or after them. False: some listener hears neither part of this
/// frame.
bool DownlinkBuilder::place_for_all(const MulticastConnection& connection, DownlinkClaim& claim) const {
    std::optional<DownlinkFrame::Hearing> all;
    for (const auto* member : connection.members()) {
        const Subscriber& station = member->station();
        if (!member->flow().active || !station.capabilities.half_duplex) continue;
        const auto hears = frame_.hearing(station.basic_cid, station.turn());
        if (!hears) continue;
        if (!all) all = hears;
        all->until = std::min(all->until, hears->until);
        all->from = std::max(all->from, hears->from);
    }
    if (!all) return true;
    const uint32_t before = all->until - std::min(all->until, all->maps),
                   after = all->units - std::min(all->units, all->from);
    claim.part = before > after ? FramePart::before : FramePart::end;
    claim.bound = before > after ? all->until : all->from;
    return before > 0 || after > 0;
}

/// One claim for all listeners, outside an STC zone. It waits for a frame in which all of them hear it.
void DownlinkBuilder::add_claim(MulticastConnection& connection) {
    DownlinkClaim claim;
    if (!place_for_all(connection, claim)) return;
    claim.cid = connection.flow.cid;
    claim.shape.profile = connection.profile();
    claim.history = &connection.history;
    claim.first_flow = flows_.size();
    add_claim(connection.flow);
    finish_claim(claim);
}

void DownlinkBuilder::add_claim(const FlowContext& flow) {
    auto& of = flows_.emplace_back();
    of.parameters = &flow.config;
    of.backlog_octets = flow.transmitter->demand();
    of.reserved_octets = flow.owed_octets();
    of.order = service_order(flow.config);
    if (flow.config.max_latency_ms != 0 && of.reserved_octets > 0)
        of.deadline = flow.transmitter->oldest() + clock_.from_ms(flow.config.max_latency_ms);
}

void DownlinkBuilder::finish_claim(DownlinkClaim& claim) {
    claim.flow_count = flows_.size() - claim.first_flow;
    claims_.push_back(claim);
}

void DownlinkBuilder::collect_claims() {
    claims_.clear();
    flows_.clear();
    for (Subscriber* station : stations_.awake()) {
        for (auto& flow : station->flows) {
            if (flow->transmitter) flow->transmitter->tick(clock_.now);
            if (flow->config.direction == FlowDirection::downlink) flow->rates.reserved.update(clock_.now);
        }
        // Messages of stations that are not operational yet are sent in the broadcast burst.
        if (station->entry.operational() && station->wants_downlink()) add_claim(*station);
    }
    for (const auto& [cid, connection] : multicast_.all()) {
        connection->flow.transmitter->tick(clock_.now);
        connection->flow.rates.reserved.update(clock_.now);
        if (connection->flow.transmitter->demand() > 0 && connection->heard()) add_claim(*connection);
    }
    std::sort(claims_.begin(), claims_.end(), [](const DownlinkClaim& a, const DownlinkClaim& b) {
        return std::tuple(a.stc, a.part, a.shape.profile, a.cid) < std::tuple(b.stc, b.part, b.shape.profile, b.cid);
    });
}

void DownlinkBuilder::group_by_profile() {
    groups_.clear();
    wanted_.clear();
    for (size_t i = 0; i < claims_.size(); ++i) {
        const auto& claim = claims_[i];
        if (wanted_.empty() || wanted_.back().profile != claim.shape.profile || wanted_.back().zone != claim.stc ||
            wanted_.back().part != claim.part) {
            wanted_.push_back({claim.shape.profile, claim.stc, claim.part, claim.bound});
            groups_.push_back({i, 0, 0});
        }
        ++groups_.back().count;
        auto& bound = wanted_.back().bound;  // of all its stations
        bound = claim.part == FramePart::before ? std::min(bound, claim.bound) : std::max(bound, claim.bound);
    }
}

/// Of the claim's units, those of management and promises.
double DownlinkBuilder::owed_units(const DownlinkClaim& claim) const {
    size_t octets = claim.management_octets;
    for (const auto& flow : claim.flows(flows_)) octets += flow.reserved_octets;
    return std::min(claim.units, static_cast<double>(octets) / grid_.octets_per_unit(claim.shape.profile));
}

double DownlinkBuilder::units_in(FramePart part) const {
    double units = 0;
    for (const auto& claim : claims_) units += claim.part == part ? claim.units : 0;
    return units;
}

double DownlinkBuilder::owed_in(FramePart part) const {
    double owed = 0;
    for (const auto& claim : claims_) owed += claim.part == part ? owed_units(claim) : 0;
    return owed;
}

/// Of all its stations; nullopt: it has none.
std::optional<uint32_t> DownlinkBuilder::bound_of(FramePart part) const {
    std::optional<uint32_t> bound;
    for (const auto& burst : wanted_)
        if (burst.part == part)
            bound = !bound                      ? burst.bound
                    : part == FramePart::before ? std::min(*bound, burst.bound)
                                                : std::max(*bound, burst.bound);
    return bound;
}

/// The bursts after grants may take that much more than their claims.
double DownlinkBuilder::rounding_after() const {
    const auto bursts =
        std::ranges::count_if(wanted_, [](const auto& burst) { return burst.part == FramePart::after; });
    return kRoundedUnits * static_cast<double>(bursts);
}

/// Of the part after grants: bursts at the end follow.
double DownlinkBuilder::kept_from(FramePart part) const {
    const double end = part == FramePart::after ? units_in(FramePart::end) : 0;
    return end == 0 ? 0 : std::ceil(end) + rounding_after();
}

/// Of `room` in the part, the most for what is not owed. What is owed after grants precedes it at the end, too.
double DownlinkBuilder::spare_in(FramePart part, double room) const {
    double spare = room - owed_in(part);
    if (const auto after = part == FramePart::end ? bound_of(FramePart::after) : std::nullopt)
        spare = std::min(spare, std::floor(frame_.room_in(FramePart::after, *after) - rounding_after()) -
                                    owed_in(FramePart::after) - owed_in(part));
    return std::max(0.0, spare);
}

/// Max-min fair: what a claim of weight 1 gets at most, so that all of the part get `room`. Small demands are met: a
/// share smaller than a PDU's overhead would carry nothing.
template <class Demand> double DownlinkBuilder::level(FramePart part, double room, Demand&& demand) const {
    double level = 0;
    for (size_t n = 0; n <= claims_.size(); ++n) {
        double left = room, weights = 0;
        for (const auto& claim : claims_) {
            if (claim.part != part) continue;
            const double wanted = demand(claim);
            if (wanted <= level * claim.weight) left -= wanted;
            else weights += claim.weight;
        }
        if (weights == 0 || left <= level * weights) break;
        level = left / weights;
    }
    return level;
}

/// Half-duplex stations that hear one part of the frame share it: what is owed is served first. What the part cannot
/// hold waits.
void DownlinkBuilder::limit(FramePart part) {
    const auto bound = bound_of(part);
    if (!bound) return;
    const double room = std::max(0.0, frame_.room_in(part, *bound) - kept_from(part));
    const double owed = owed_in(part), spare = spare_in(part, room);
    if (units_in(part) <= std::min(room, owed + spare)) return;
    const auto first = [this](const DownlinkClaim& claim) { return owed_units(claim); };
    const auto rest = [this](const DownlinkClaim& claim) { return claim.units - owed_units(claim); };
    const double most_owed = level(part, std::min(owed, room), first);
    const double most = level(part, spare, rest);
    for (auto& claim : claims_)
        if (claim.part == part)
            claim.units = std::min(first(claim), most_owed * claim.weight) + std::min(rest(claim), most * claim.weight);
}

size_t DownlinkBuilder::fill(FlowContext& flow, PduWriter& writer, size_t limit) {
    const uint64_t before = flow.transmitter->counters().payload_octets;
    const size_t used = flow.transmitter->fill(writer, limit, clock_.now, 0, &feedback_);
    flow.rates.reserved.take(flow.transmitter->counters().payload_octets - before);
    return used;
}

/// Flows of the same order share the remainder, then the first of them may use the rest.
size_t DownlinkBuilder::serve_group(Subscriber& station, size_t first, size_t end, PduWriter& writer, size_t limit) {
    const size_t before = writer.room();
    const auto left = [&] { return limit - std::min(limit, before - writer.room()); };
    const auto waiting_flow = [&](size_t k) -> FlowContext* {
        FlowContext& flow = *station.flows[first + (k - first + rotation_) % (end - first)];
        return flow.active && flow.transmitter && flow.transmitter->demand() > 0 ? &flow : nullptr;
    };
    size_t waiting = 0;
    for (size_t k = first; k < end; ++k) waiting += waiting_flow(k) ? 1 : 0;
    for (int round = 0; round < 2; ++round)
        for (size_t k = first; k < end && left() > 0; ++k) {
            FlowContext* flow = waiting_flow(k);
            if (!flow) continue;
            fill(*flow, writer, left() / std::max<size_t>(1, waiting));
            if (waiting > 1) --waiting;
        }
    return before - writer.room();
}

size_t DownlinkBuilder::serve(Subscriber& station, PduWriter& writer, size_t limit) {
    const size_t before = writer.room();
    collect_feedback(feedback_, station.flows, as_flows(station.managed.connection));
    // Feedback is attached to data if the first data can carry it, otherwise it precedes them.
    const auto first = std::find_if(station.flows.begin(), station.flows.end(), [](const auto& flow) {
        return flow->active && flow->transmitter && flow->transmitter->demand() > 0;
    });
    const bool rides = first != station.flows.end() && (*first)->transmitter->carries_feedback();
    if (!feedback_.empty() && !rides && feedback_.message_octets() <= limit)
        feedback_.send_alone(writer, station.basic_cid);
    const auto left = [&] { return limit - std::min(limit, before - writer.room()); };
    station.management.fill(writer, left());
    if (auto& secondary = station.managed.connection; secondary && left() > 0)
        secondary->transmitter->fill(writer, left(), clock_.now);
    // Owed octets are served first, whatever the order.
    for (auto& flow : station.flows)
        if (flow->active && flow->transmitter && left() > 0)
            if (const size_t owed = flow->owed_octets(); owed > 0) fill(*flow, writer, std::min(owed, left()));
    for (size_t i = 0, end = 0; i < station.flows.size() && left() > 0; i = end) {
        const int order = service_order(station.flows[i]->config);
        while (end < station.flows.size() && service_order(station.flows[end]->config) == order) ++end;
        serve_group(station, i, end, writer, left());
    }
    if (!feedback_.empty() && feedback_.message_octets() <= left()) feedback_.send_alone(writer, station.basic_cid);
    feedback_.clear();
    return before - writer.room();
}

void DownlinkBuilder::fill(const Group& group, const BurstShape& shape, uint32_t units, sap::TxBurst& burst) {
    const double per_unit = grid_.octets_per_unit(shape.profile);
    PduWriter writer(burst.payload, grid_.octets_in(shape, units));
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < group.count; ++i) {
            auto& claim = claims_[group.first + (i + rotation_) % group.count];
            MulticastConnection* connection = multicast_.find(claim.cid);
            const auto share = static_cast<size_t>(std::max(0.0, claim.units) * per_unit);
            const size_t limit = round == 0 ? share : writer.room();
            const size_t used =
                connection ? fill(connection->flow, writer, limit) : serve(stations_.at(claim.cid), writer, limit);
            const double spent = static_cast<double>(used) / per_unit;
            claim.units -= spent;
            scheduler_->served(claim, spent);
            (connection ? connection->units : stations_.at(claim.cid).counters.dl_units) +=
                static_cast<uint64_t>(std::lround(spent));
        }
    }
}

void DownlinkBuilder::add_bursts(sap::TxFrame& tx) {
    for (size_t i = 0; i < groups_.size(); ++i) {
        const uint32_t room = frame_.room(i, groups_[i].units);
        if (room == 0) continue;
        const BurstShape shape{wanted_[i].profile};
        auto& burst = bursts_.add(tx.bursts);
        fill(groups_[i], shape, room, burst);
        if (burst.payload.empty()) {
            bursts_.take_last(tx.bursts);
            continue;
        }
        counters_.payload_bytes += burst.payload.size();
        counters_.capacity_bytes += grid_.octets_in(shape, frame_.place(i, burst));
    }
}

void DownlinkBuilder::build(sap::TxFrame& tx) {
    ++rotation_;
    collect_claims();
    group_by_profile();
    double units = frame_.begin(wanted_, clock_.now);
    // A short burst at the end is not displaced by those before it.
    if (!wanted_.empty() && wanted_.back().part == FramePart::end)
        units -= (kRoundedUnits - 1) * static_cast<double>(wanted_.size());
    scheduler_->schedule(claims_, flows_, std::max(0.0, units));
    for (const auto part : {FramePart::before, FramePart::end, FramePart::after}) limit(part);
    for (auto& group : groups_)
        for (size_t i = 0; i < group.count; ++i) group.units += claims_[group.first + i].units;
    bursts_.take_back(tx.bursts);
    bursts_.add(tx.bursts);
    add_bursts(tx);
    counters_.dl_maps += frame_.finish(tx.bursts[0]) ? 1 : 0;
}

}  // namespace wimax::mac
