/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/downlink_builder.h"

#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/flow/arq_exchange.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace wimax::mac {
namespace {

/// `elements`: without the one that ends the map.
constexpr size_t dl_map_octets(size_t elements) { return kPduOverheadOctets + 8 + 4 * (elements + 1); }
constexpr uint32_t kZoneHeaderSymbols = phy::kStcFirstBurstSymbol;  // its preamble and its prefix
constexpr uint32_t kZoneGrain = 2;                                  // bursts of a zone are of pairs of symbols

/// Octets of PDUs owed to the flow in this frame: with a latency bound, all that waits within its rate, otherwise what
/// the minimum reserved rate requires.
size_t owed_demand(const FlowContext& flow) {
    if (!flow.held) return 0;
    if (is_bounded(flow.config)) return flow.transmitter->demand();
    return flow.rates.reserved.limited() ? flow.transmitter->demand_for(flow.rates.reserved.available()) : 0;
}

}  // namespace

DownlinkBuilder::DownlinkBuilder(const BaseStationConfig& config, const FrameLayout& layout,
                                 const Dependencies& dependencies)
    : config_(config),
      layout_(layout),
      clock_(dependencies.clock),
      stations_(dependencies.stations),
      multicast_(dependencies.multicast),
      broadcasts_(dependencies.broadcasts),
      plan_(dependencies.plan),
      broadcast_(dependencies.broadcast),
      bursts_(dependencies.bursts),
      symbols_(dependencies.symbols),
      scheduler_(kSymbolGrid, config.dl_scheduler) {}

void DownlinkBuilder::add_claim(Subscriber& station) {
    DownlinkClaim claim;
    claim.cid = station.basic_cid;
    claim.shape.profile = station.dl_profile;
    claim.stc = zones_ && station.link.in_zone;
    claim.weight = station.config.weight;
    claim.history = &station.dl_history;
    claim.management_octets = station.management_demand();
    claim.first_flow = flows_.size();
    for (const auto& flow : station.flows)
        if (flow->active && flow->transmitter) add_claim(*flow);
    finish_claim(claim);
}

/// One claim for all listeners, outside an STC zone.
void DownlinkBuilder::add_claim(MulticastConnection& connection) {
    DownlinkClaim claim;
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
    of.reserved_octets = owed_demand(flow);
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
        if (station->state == EntryState::operational && station->wants_downlink()) add_claim(*station);
    }
    for (const auto& [cid, connection] : multicast_.all()) {
        connection->flow.transmitter->tick(clock_.now);
        connection->flow.rates.reserved.update(clock_.now);
        if (connection->flow.transmitter->demand() > 0 && connection->heard()) add_claim(*connection);
    }
    std::sort(claims_.begin(), claims_.end(), [](const DownlinkClaim& a, const DownlinkClaim& b) {
        return std::tuple(a.stc, a.shape.profile, a.cid) < std::tuple(b.stc, b.shape.profile, b.cid);
    });
}

void DownlinkBuilder::group_by_profile() {
    groups_.clear();
    for (size_t i = 0; i < claims_.size(); ++i) {
        const auto& claim = claims_[i];
        if (groups_.empty() || groups_.back().profile != claim.shape.profile || groups_.back().stc != claim.stc)
            groups_.push_back({claim.shape.profile, claim.stc, i, 0, 0});
        ++groups_.back().count;
    }
}

size_t DownlinkBuilder::zone_groups() const {
    return static_cast<size_t>(std::count_if(groups_.begin(), groups_.end(), [](const Group& g) { return g.stc; }));
}

/// Elements for the bursts after burst #1, and for the zone.
size_t DownlinkBuilder::dl_map_elements() const { return groups_.size() + (zone_groups() > 0 ? 1 : 0); }

size_t DownlinkBuilder::fill(FlowContext& flow, PduWriter& writer, size_t limit) {
    const uint64_t before = flow.transmitter->payload_octets();
    const size_t used = flow.transmitter->fill(writer, limit, clock_.now, 0, &feedback_);
    flow.rates.reserved.take(flow.transmitter->payload_octets() - before);
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
    collect_feedback(station.flows, feedback_);
    // Feedback is attached to data if the first data can carry it, otherwise it precedes them.
    const auto first = std::find_if(station.flows.begin(), station.flows.end(), [](const auto& flow) {
        return flow->active && flow->transmitter && flow->transmitter->demand() > 0;
    });
    const bool rides = first != station.flows.end() && (*first)->transmitter->carries_feedback();
    if (!feedback_.empty() && !rides && feedback_.message_octets() <= limit)
        feedback_.send_alone(writer, station.basic_cid);
    station.management.fill(writer, limit - std::min(limit, before - writer.room()));
    const auto left = [&] { return limit - std::min(limit, before - writer.room()); };
    // Owed octets are served first, whatever the order.
    for (auto& flow : station.flows)
        if (flow->active && flow->transmitter && left() > 0)
            if (const size_t owed = owed_demand(*flow); owed > 0) fill(*flow, writer, std::min(owed, left()));
    for (size_t i = 0, end = 0; i < station.flows.size() && left() > 0; i = end) {
        const int order = service_order(station.flows[i]->config);
        while (end < station.flows.size() && service_order(station.flows[end]->config) == order) ++end;
        serve_group(station, i, end, writer, left());
    }
    if (!feedback_.empty() && feedback_.message_octets() <= left()) feedback_.send_alone(writer, station.basic_cid);
    feedback_.clear();
    return before - writer.room();
}

uint32_t DownlinkBuilder::fill(const Group& group, uint32_t symbols, sap::TxBurst& burst) {
    const double per_symbol = kSymbolGrid.octets_per_unit(group.profile);
    const BurstShape shape{group.profile};
    PduWriter writer(burst.payload, kSymbolGrid.octets_in(shape, symbols));
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < group.count; ++i) {
            auto& claim = claims_[group.first + (i + rotation_) % group.count];
            MulticastConnection* connection = multicast_.find(claim.cid);
            const auto share = static_cast<size_t>(std::max(0.0, claim.units) * per_symbol);
            const size_t limit = round == 0 ? share : writer.room();
            const size_t used =
                connection ? fill(connection->flow, writer, limit) : serve(stations_.at(claim.cid), writer, limit);
            const double spent = static_cast<double>(used) / per_symbol;
            claim.units -= spent;
            scheduler_.served(claim, spent);
            (connection ? connection->symbols : stations_.at(claim.cid).counters.dl_symbols) +=
                static_cast<uint64_t>(std::lround(spent));
        }
    }
    if (burst.payload.empty()) return 0;
    uint32_t used = kSymbolGrid.units_for(shape, burst.payload.size());
    if (group.stc) used += used % kZoneGrain;
    burst.format.stc = group.stc;
    set_profile(burst.format, group.profile);
    burst.format.iuc = diuc_of(group.profile);
    burst.format.preamble = phy::Preamble::none;
    burst.format.data_symbols = static_cast<uint16_t>(used);
    burst.format.frame_lsb = clock_.frame.lsb();
    counters_.payload_bytes += burst.payload.size();
    counters_.capacity_bytes += kSymbolGrid.octets_in(shape, used);
    return used;
}

/// A DL-MAP that the frame prefix can replace waits for the next frame if a descriptor would have to wait for it.
bool DownlinkBuilder::dl_map_goes_out() const {
    // Without the map, stations miss the other bursts. A zone is one entry of the frame prefix, with its own prefix.
    const size_t in_zone = zone_groups(), outside = 1 + groups_.size() - in_zone + (in_zone > 0 ? 1 : 0);
    if (std::max(outside, in_zone) > size_t{phy::kPrefixEntries}) return true;
    if (!broadcasts_.dl_map_due(clock_.now)) return false;
    const size_t descriptors = broadcasts_.octets(broadcasts_.due(clock_.now));
    const size_t maps = dl_map_octets(dl_map_elements()) + plan_.map_octets();
    return descriptors == 0 || maps + descriptors <= broadcast_.capacity_octets();
}

/// Adds the data bursts from `symbol` on, and their map; returns the symbols left over.
uint32_t DownlinkBuilder::add_bursts(uint32_t symbol, uint32_t left, sap::TxFrame& tx) {
    dl_map_.ies.clear();
    bool in_zone = false;
    for (size_t i = 0; i < groups_.size() && left > 0; ++i) {
        const Group& group = groups_[i];
        const uint32_t header = group.stc && !in_zone ? kZoneHeaderSymbols : 0;
        if (left < header + (group.stc ? kZoneGrain : 1)) break;
        uint32_t most = left - header;
        const bool last = i + 1 == groups_.size();
        if (!last && group.symbols <= 0) continue;  // none of its stations is due
        if (!last) most = std::min(most, static_cast<uint32_t>(std::ceil(group.symbols)) + 1);
        if (group.stc) most = std::max(most - most % kZoneGrain, kZoneGrain);
        auto& burst = bursts_.add(tx.bursts);
        const uint32_t used = fill(group, most, burst);
        if (used == 0) {
            bursts_.take_last(tx.bursts);
            continue;
        }
        if (header > 0) {
            in_zone = true;
            dl_map_.ies.push_back({cid::kBroadcast, diuc::kStcZone, false, static_cast<uint16_t>(symbol), {}});
            symbols_.preamble += 1;
            symbols_.fch += phy::kStcPrefixSymbols;
        }
        symbol += header;
        burst.start_slot = layout_.dl_slot(symbol);
        dl_map_.ies.push_back({cid::kBroadcast, burst.format.iuc, false, static_cast<uint16_t>(symbol), {}});
        symbol += used;
        left -= header + used;
        symbols_.data += used;
    }
    dl_map_.ies.push_back({cid::kBroadcast, diuc::kEndOfMap, false, static_cast<uint16_t>(symbol), {}});
    return left;
}

void DownlinkBuilder::finish_first(Octets broadcast, bool dl_map, sap::TxBurst& burst) {
    const size_t map_octets = dl_map ? dl_map_octets(dl_map_elements()) : 0;
    if (dl_map) {
        dl_map_.dcd_count = broadcasts_.dcd_count();
        dl_map_.bs_id = config_.bsid;
        PduWriter writer(burst.payload, map_octets);
        counters_.dl_maps += writer.message(cid::kBroadcast, dl_map_);
        broadcasts_.dl_map_sent(clock_.now);
    }
    burst.payload.insert(burst.payload.end(), broadcast.begin(), broadcast.end());
    burst.start_slot = layout_.dl_slot(kFirstBurstSymbol);
    const ProfileId profile = config_.profile.broadcast_profile();
    set_profile(burst.format, profile);
    burst.format.iuc = 0;
    burst.format.preamble = phy::Preamble::none;
    burst.format.data_symbols = static_cast<uint16_t>(kSymbolGrid.units_for({profile}, broadcast.size() + map_octets));
    burst.format.frame_lsb = clock_.frame.lsb();
}

void DownlinkBuilder::build(sap::TxFrame& tx) {
    ++rotation_;
    collect_claims();
    group_by_profile();
    const bool dl_map = dl_map_goes_out();
    const size_t dl_map_size = dl_map ? dl_map_octets(dl_map_elements()) : 0;
    const Octets broadcast = broadcast_.build(dl_map_size);
    const uint32_t symbol = kFirstBurstSymbol + kSymbolGrid.units_for({config_.profile.broadcast_profile()},
                                                                      broadcast.size() + dl_map_size);
    uint32_t left = layout_.dl_symbols - std::min(layout_.dl_symbols, symbol);
    // A burst's last symbol is not full: one symbol per burst is kept, two in a zone.
    size_t kept = groups_.size() > 0 ? groups_.size() - 1 : 0;
    if (const size_t zone = zone_groups(); zone > 0) kept += zone + kZoneHeaderSymbols;
    scheduler_.schedule(claims_, flows_, std::max(0.0, left - static_cast<double>(kept)));
    for (auto& group : groups_)
        for (size_t i = 0; i < group.count; ++i) group.symbols += claims_[group.first + i].units;
    bursts_.take_back(tx.bursts);
    bursts_.add(tx.bursts);
    left = add_bursts(symbol, left, tx);
    finish_first(broadcast, dl_map, tx.bursts[0]);
    symbols_.preamble += 2;
    symbols_.fch += 1;
    symbols_.idle += left;
    symbols_.gap += layout_.ul_start_slot.symbol(layout_.symbol_slots) - layout_.dl_symbols;
}

}  // namespace wimax::mac
