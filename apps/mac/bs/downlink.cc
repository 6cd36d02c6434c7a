/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Downlink subframe: burst #1 with the broadcast messages, then one burst per rate, robust rates first. Stations of one
 * rate share a burst; capacity is shared in symbols, fairly over time.
 */
#include <mac/bs/base_station.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

/// The frame prefix announces this many bursts, the first included; more of them need a DL-MAP.
constexpr size_t kPrefixBursts = 4;
constexpr size_t dl_map_octets(size_t bursts) { return kPduOverheadOctets + 8 + 4 * (bursts + 1); }
constexpr double kCreditFrames = 2.0;
constexpr size_t kReplyOctets = 250;  // in a frame, to stations without a connection: four RNG-RSPs

}  // namespace

void BaseStation::collect_waiting() {
    waiting_.clear();
    for (auto& [cid, station] : stations_) {
        for (auto& flow : station->flows) {
            if (flow->transmitter) flow->transmitter->tick(now_);
            if (flow->config.direction == FlowDirection::downlink) flow->reserved.update(now_);
        }
        // Until a station is operational its messages ride in the broadcast burst.
        if (station->state == EntryState::operational && station->downlink_demand() > 0)
            waiting_.push_back({station.get(), 0});
    }
    std::sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
        return a.station->dl_rate_id != b.station->dl_rate_id ? a.station->dl_rate_id < b.station->dl_rate_id
                                                              : a.station->basic_cid < b.station->basic_cid;
    });
    groups_.clear();
    for (size_t i = 0; i < waiting_.size(); ++i) {
        const uint8_t rate = waiting_[i].station->dl_rate_id;
        if (groups_.empty() || groups_.back().rate_id != rate) groups_.push_back({rate, i, 0, 0});
        ++groups_.back().count;
    }
}

void BaseStation::build_broadcast(size_t reserved_octets) {
    broadcast_.clear();
    const size_t room = bytes_in(config_.broadcast_rate_id, layout_.max_broadcast_symbols);
    PduWriter writer(broadcast_, room - std::min(room, reserved_octets));
    const auto count = [&](uint64_t& symbols, auto&& send) {
        const size_t before = broadcast_.size();
        send();
        // Whole symbols are charged to the message that begins them.
        symbols +=
            symbols_for(config_.broadcast_rate_id, broadcast_.size() + reserved_octets) -
            (before + reserved_octets == 0 ? 0 : symbols_for(config_.broadcast_rate_id, before + reserved_octets));
    };
    if (reserved_octets > 0) dl_symbols_.maps += symbols_for(config_.broadcast_rate_id, reserved_octets);
    count(dl_symbols_.maps, [&] {
        if (writer.message(cid::kBroadcast, ul_map_))
            ++counters_.ul_maps;
        else
            withdraw_uplink();
    });
    const auto due = broadcasts_.due(now_);
    count(dl_symbols_.descriptors, [&] {
        const auto send = [&](const auto& message, uint64_t& sent) {
            const bool fits = writer.message(cid::kBroadcast, message);
            ++(fits ? sent : counters_.broadcast_deferred);
            return fits;
        };
        if (due.dcd && send(broadcasts_.dcd(frame_), counters_.dcds)) broadcasts_.dcd_sent(now_);
        if (due.ucd && send(broadcasts_.ucd(), counters_.ucds)) broadcasts_.ucd_sent(now_);
    });
    count(dl_symbols_.management, [&] {
        initial_.fill(writer, std::min(writer.room(), kReplyOctets));
        for (auto& [cid, station] : stations_)
            if (station->state != EntryState::operational) station->management.fill(writer, writer.room());
    });
}

void BaseStation::share_downlink(double symbols) {
    busy_.clear();
    shares_.clear();
    for (auto& waiting : waiting_) {
        const Subscriber& station = *waiting.station;
        double octets = static_cast<double>(station.management.demand());
        for (const auto& flow : station.flows) {
            if (!flow->active || !flow->transmitter) continue;
            const size_t demand = flow->transmitter->demand();
            if (flow->config.scheduling == SchedulingType::ugs)
                octets += static_cast<double>(demand);
            else if (flow->reserved.limited())
                octets += static_cast<double>(std::min(demand, flow->reserved.available()));
        }
        waiting.share = octets / phy::kRateTable[station.dl_rate_id].uncoded_bytes;
        shares_.push_back({waiting.share, 1, 0, 0});
        busy_.push_back(&waiting.station->dl_history);
    }
    share_out(shares_, symbols);
    level_histories(busy_, kCreditFrames * symbols);
    for (size_t i = 0; i < waiting_.size(); ++i) {
        const Subscriber& station = *waiting_[i].station;
        const double all =
            (static_cast<double>(station.downlink_demand()) + 1) / phy::kRateTable[station.dl_rate_id].uncoded_bytes;
        waiting_[i].share = shares_[i].share;
        symbols -= shares_[i].share;
        shares_[i] = {std::max(0.0, all - shares_[i].share), static_cast<double>(station.config.weight),
                      station.dl_history.served, 0};
    }
    share_out(shares_, std::max(0.0, symbols));
    for (size_t i = 0; i < waiting_.size(); ++i) waiting_[i].share += shares_[i].share;
    for (auto& group : groups_)
        for (size_t i = 0; i < group.count; ++i) group.share += waiting_[group.first + i].share;
}

size_t BaseStation::serve(Subscriber& station, PduWriter& writer, size_t limit) {
    const size_t before = writer.room();
    station.management.fill(writer, limit);
    const auto left = [&] { return limit - std::min(limit, before - writer.room()); };
    for (size_t i = 0; i < station.flows.size() && left() > 0;) {
        // Flows of the same order share what is left, then the first of them may have the rest.
        const int order = service_order(station.flows[i]->config);
        size_t end = i;
        while (end < station.flows.size() && service_order(station.flows[end]->config) == order) ++end;
        const auto eligible = [&](size_t k) {
            FlowContext& flow = *station.flows[i + (k - i + rotation_) % (end - i)];
            return flow.active && flow.transmitter ? &flow : nullptr;
        };
        size_t waiting = 0;
        for (size_t k = i; k < end; ++k) waiting += eligible(k) && eligible(k)->transmitter->demand() > 0 ? 1 : 0;
        for (int round = 0; round < 2; ++round)
            for (size_t k = i; k < end && left() > 0; ++k) {
                FlowContext* flow = eligible(k);
                if (!flow || flow->transmitter->demand() == 0) continue;
                const size_t sent = flow->transmitter->fill(writer, left() / std::max<size_t>(1, waiting), now_);
                // What goes beyond the reserved rate is no debt for later.
                flow->reserved.take(std::min(sent, flow->reserved.available()));
                if (waiting > 1) --waiting;
            }
        i = end;
    }
    return before - writer.room();
}

uint32_t BaseStation::fill_group(const DownlinkGroup& group, uint32_t symbols, sap::TxBurst& burst) {
    const size_t per_symbol = static_cast<size_t>(phy::kRateTable[group.rate_id].uncoded_bytes);
    PduWriter writer(burst.payload, bytes_in(group.rate_id, symbols));
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < group.count; ++i) {
            Waiting& waiting = waiting_[group.first + (i + rotation_) % group.count];
            Subscriber& station = *waiting.station;
            const auto share = static_cast<size_t>(std::max(0.0, waiting.share) * static_cast<double>(per_symbol));
            const size_t used = serve(station, writer, round == 0 ? share : writer.room());
            const double spent = static_cast<double>(used) / static_cast<double>(per_symbol);
            waiting.share -= spent;
            station.dl_history.add(spent, station.config.weight);
            station.counters.dl_symbols += static_cast<uint64_t>(std::lround(spent));
        }
    }
    if (burst.payload.empty()) return 0;
    const uint32_t used = symbols_for(group.rate_id, burst.payload.size());
    burst.rate_id = group.rate_id;
    burst.iuc = diuc_of(group.rate_id);
    burst.preamble_symbols = 0;
    burst.data_symbols = static_cast<uint16_t>(used);
    burst.seed_frame_lsb = static_cast<uint8_t>(frame_ & 15);
    counters_.dl_payload_bytes += burst.payload.size();
    counters_.dl_capacity_bytes += bytes_in(group.rate_id, used);
    return used;
}

/// One that the frame prefix can stand in for waits for the next frame if a descriptor would have to wait for it.
bool BaseStation::dl_map_goes_out() const {
    if (groups_.size() + 1 > kPrefixBursts) return true;
    if (!broadcasts_.dl_map_due(now_)) return false;
    const size_t descriptors = broadcasts_.octets(broadcasts_.due(now_));
    const size_t maps = dl_map_octets(groups_.size()) + kUlMapOctets + kUlMapElementOctets * ul_map_.ies.size();
    return descriptors == 0 || maps + descriptors <= bytes_in(config_.broadcast_rate_id, layout_.max_broadcast_symbols);
}

void BaseStation::fill_downlink(sap::TxFrame& tx) {
    ++rotation_;
    collect_waiting();
    const bool dl_map = dl_map_goes_out();
    const size_t dl_map_size = dl_map ? dl_map_octets(groups_.size()) : 0;
    build_broadcast(dl_map_size);
    const uint32_t first = symbols_for(config_.broadcast_rate_id, broadcast_.size() + dl_map_size);

    uint32_t symbol = kFirstBurstSymbol + first;
    uint32_t left = layout_.dl_symbols - std::min(layout_.dl_symbols, symbol);
    share_downlink(std::max(0.0, left - static_cast<double>(groups_.size() > 0 ? groups_.size() - 1 : 0)));
    bursts_.take_back(tx.bursts);
    bursts_.add(tx.bursts);
    dl_map_.ies.clear();
    for (size_t i = 0; i < groups_.size() && left > 0; ++i) {
        auto& burst = bursts_.add(tx.bursts);
        const bool last = i + 1 == groups_.size();
        const auto wanted = static_cast<uint32_t>(std::ceil(groups_[i].share)) + 1;
        const uint32_t used = fill_group(groups_[i], last ? left : std::min(left, wanted), burst);
        if (used == 0) {
            bursts_.take_last(tx.bursts);
            continue;
        }
        burst.start_slot = symbol * layout_.symbol_slots;
        dl_map_.ies.push_back({cid::kBroadcast, burst.iuc, false, static_cast<uint16_t>(symbol), {}});
        symbol += used;
        left -= used;
        dl_symbols_.data += used;
    }
    dl_map_.ies.push_back({cid::kBroadcast, diuc::kEndOfMap, false, static_cast<uint16_t>(symbol), {}});

    auto& burst = tx.bursts[0];
    if (dl_map) {
        dl_map_.dcd_count = broadcasts_.dcd(frame_).change_count;
        dl_map_.bs_id = config_.bsid;
        PduWriter writer(burst.payload, dl_map_size);
        counters_.dl_maps += writer.message(cid::kBroadcast, dl_map_);
        broadcasts_.dl_map_sent(now_);
    }
    burst.payload.insert(burst.payload.end(), broadcast_.begin(), broadcast_.end());
    burst.start_slot = kFirstBurstSymbol * layout_.symbol_slots;
    burst.rate_id = config_.broadcast_rate_id;
    burst.iuc = 0;
    burst.preamble_symbols = 0;
    burst.data_symbols = static_cast<uint16_t>(first);
    burst.seed_frame_lsb = static_cast<uint8_t>(frame_ & 15);
    dl_symbols_.preamble += 2;
    dl_symbols_.fch += 1;
    dl_symbols_.idle += left;
    dl_symbols_.gap += layout_.ul_start_slot / layout_.symbol_slots - layout_.dl_symbols;
}

}  // namespace wimax::mac
