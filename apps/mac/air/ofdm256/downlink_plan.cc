// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/downlink_plan.h"

#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"

#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

/// `elements`: without the one that ends the map.
constexpr size_t dl_map_octets(size_t elements) { return kPduOverheadOctets + 8 + 4 * (elements + 1); }
constexpr uint32_t kZoneHeaderSymbols = phy::kStcFirstBurstSymbol;  // its preamble and its prefix
constexpr uint32_t kZoneGrain = 2;                                  // bursts of a zone are of pairs of symbols

constexpr uint32_t grain(const DownlinkFrame::Burst& burst) { return burst.zone ? kZoneGrain : 1; }

}  // namespace

DownlinkPlan::DownlinkPlan(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies)
    : config_(config),
      layout_(layout),
      clock_(dependencies.clock),
      broadcasts_(dependencies.broadcasts),
      uplink_(dependencies.uplink),
      symbols_(dependencies.symbols),
      broadcast_(dependencies.broadcast) {}

void DownlinkPlan::use_antennas(int antennas) { zones_ = antennas >= phy::kStcAntennas; }

size_t DownlinkPlan::bursts_in_zone() const {
    return static_cast<size_t>(std::ranges::count_if(bursts_, [](const Burst& burst) { return burst.zone; }));
}

/// Most elements for the bursts after burst #1, for the zone and for gaps.
size_t DownlinkPlan::map_elements() const {
    const auto gaps = std::ranges::count_if(bursts_, [](const Burst& burst) { return follows_grants(burst.part); });
    return bursts_.size() + static_cast<size_t>(gaps) + (bursts_in_zone() > 0 ? 1 : 0);
}

/// A DL-MAP that the frame prefix can replace waits for the next frame if a descriptor would have to wait for it.
bool DownlinkPlan::map_goes_out() const {
    // Without the map, stations miss the other bursts. A zone is one entry of the frame prefix, with its own prefix.
    const size_t in_zone = bursts_in_zone(), outside = 1 + bursts_.size() - in_zone + (in_zone > 0 ? 1 : 0);
    if (std::max(outside, in_zone) > size_t{phy::kPrefixEntries}) return true;
    // The prefix announces bursts that follow each other.
    if (std::ranges::any_of(bursts_, [](const Burst& burst) { return follows_grants(burst.part); })) return true;
    if (!broadcasts_.dl_map_due(now_)) return false;
    const size_t descriptors = broadcasts_.octets(broadcasts_.due(now_));
    const size_t maps = dl_map_octets(map_elements()) + uplink_.map_octets();
    const size_t capacity =
        kSymbolGrid.octets_in({config_.profile.broadcast_profile()}, uplink_.broadcast_symbols(clock_.frame));
    return descriptors == 0 || maps + descriptors <= capacity;
}

std::optional<DownlinkFrame::Hearing> DownlinkPlan::hearing(uint16_t basic_cid, const StationTurn& turn) const {
    const auto* allocations = uplink_.expected(clock_.frame);
    if (!allocations) return std::nullopt;
    int64_t first = INT64_MAX, end = 0;
    for (const auto& a : *allocations) {
        // Any station may use a region.
        if (a.cid != basic_cid && a.kind == sap::BurstKind::data) continue;
        first = std::min(first, a.start_slot.samples());
        end = std::max(end, a.start_slot.after(a.format.total_symbols(), layout_.symbol_slots).samples());
    }
    for (const auto slot : uplink_.contention_slots(clock_.frame)) {
        first = std::min(first, slot.samples());
        end = std::max(end, slot.after(kFocusedOpportunitySymbols, layout_.symbol_slots).samples());
    }
    if (first == INT64_MAX) return std::nullopt;
    const int64_t symbol = phy::samples_in_slots(layout_.symbol_slots), rate_hz = layout_.sample_rate_hz();
    const int64_t until = std::max<int64_t>(0, first - turn.deaf_before(rate_hz)) / symbol;
    const int64_t from = (std::max<int64_t>(0, end + turn.deaf_after(rate_hz)) + symbol - 1) / symbol;
    return Hearing{static_cast<uint32_t>(until), static_cast<uint32_t>(from), layout_.downlink.symbols,
                   kFirstBurstSymbol + uplink_.broadcast_symbols(clock_.frame)};
}

double DownlinkPlan::room_in(FramePart part, uint32_t bound) const { return units_left({{}, false, part, bound}); }

double DownlinkPlan::begin(std::span<const Burst> bursts, Samples now) {
    bursts_ = bursts;
    now_ = now;
    in_zone_ = false;
    map_.ies.clear();
    map_octets_ = map_goes_out() ? dl_map_octets(map_elements()) : 0;
    messages_ = broadcast_.build(map_octets_);
    symbol_ = kFirstBurstSymbol +
              kSymbolGrid.units_for({config_.profile.broadcast_profile()}, messages_.size() + map_octets_);
    left_ = layout_.downlink.symbols - std::min(layout_.downlink.symbols, symbol_);
    // A burst's last symbol is not full: one symbol per burst is kept, two in a zone.
    size_t kept = bursts_.empty() ? 0 : bursts_.size() - 1;
    if (const size_t zone = bursts_in_zone(); zone > 0) kept += zone + kZoneHeaderSymbols;
    return std::max(0.0, left_ - static_cast<double>(kept));
}

uint32_t DownlinkPlan::zone_header(const Burst& burst) const {
    return burst.zone && !in_zone_ ? kZoneHeaderSymbols : 0;
}

/// In the burst's part of the frame.
uint32_t DownlinkPlan::units_left(const Burst& burst) const {
    if (burst.part == FramePart::any) return left_;
    const uint32_t ahead = burst.bound - std::min(burst.bound, symbol_);
    return burst.part == FramePart::before ? std::min(left_, ahead) : left_ - std::min(left_, ahead);
}

uint32_t DownlinkPlan::room(size_t index, double units) const {
    const Burst& burst = bursts_[index];
    const uint32_t header = zone_header(burst), left = units_left(burst);
    const bool last = index + 1 == bursts_.size();
    if (left < header + grain(burst) || (!last && units <= 0)) return 0;
    uint32_t most = left - header;
    if (!last) most = std::min(most, static_cast<uint32_t>(std::ceil(units)) + 1);
    return std::max(most - most % grain(burst), grain(burst));
}

uint32_t DownlinkPlan::place(size_t index, sap::TxBurst& tx) {
    const Burst& burst = bursts_[index];
    uint32_t used = kSymbolGrid.units_for({burst.profile}, tx.payload.size());
    used += used % grain(burst);
    const auto add_element = [this](uint8_t diuc) {
        map_.ies.push_back({cid::kBroadcast, diuc, false, static_cast<uint16_t>(symbol_), {}});
    };
    if (const uint32_t silent = left_ - units_left(burst); follows_grants(burst.part) && silent > 0) {
        if (!map_.ies.empty()) add_element(diuc::kGap);  // ends the burst before it
        symbols_.idle += silent;
        symbol_ += silent;
        left_ -= silent;
    }
    const uint32_t header = zone_header(burst);
    if (header > 0) {
        in_zone_ = true;
        add_element(diuc::kStcZone);
        symbols_.preamble += 1;
        symbols_.fch += phy::kStcPrefixSymbols;
    }
    symbol_ += header;
    tx.format = format_of(burst.profile, diuc_of(burst.profile), used);
    tx.format.stc = burst.zone;
    tx.start_slot = layout_.downlink.slot(symbol_);
    add_element(tx.format.iuc);
    symbol_ += used;
    left_ -= header + used;
    symbols_.data += used;
    return used;
}

phy::BurstFormat DownlinkPlan::format_of(ProfileId profile, uint8_t diuc, uint32_t symbols) const {
    phy::BurstFormat format;
    set_profile(format, profile);
    format.iuc = diuc;
    format.data_symbols = static_cast<int>(symbols);
    format.frame_lsb = clock_.frame.lsb();
    return format;
}

bool DownlinkPlan::finish(sap::TxBurst& tx) {
    map_.ies.push_back({cid::kBroadcast, diuc::kEndOfMap, false, static_cast<uint16_t>(symbol_), {}});
    bool sent = false;
    if (map_octets_ > 0) {
        map_.dcd_count = broadcasts_.dcd_count();
        map_.bs_id = config_.bsid;
        PduWriter writer(tx.payload, map_octets_);
        sent = writer.message(cid::kBroadcast, map_);
        broadcasts_.dl_map_sent(now_);
    }
    tx.payload.insert(tx.payload.end(), messages_.begin(), messages_.end());
    const ProfileId profile = config_.profile.broadcast_profile();
    tx.start_slot = layout_.downlink.slot(kFirstBurstSymbol);
    tx.format = format_of(profile, 0, kSymbolGrid.units_for({profile}, messages_.size() + map_octets_));
    symbols_.preamble += 2;
    symbols_.fch += 1;
    symbols_.idle += left_;
    symbols_.gap += layout_.downlink.gap_symbols();
    return sent;
}

}  // namespace wimax::mac
