/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/bs/uplink_planner.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint32_t kRequestOpportunitySymbols = 2, kRangingPreambleSymbols = 2, kRangingDataSymbols = 2;
constexpr uint32_t search_symbols(uint32_t region) { return region - kRangingPreambleSymbols - kRangingDataSymbols; }
/// A served station whose timing is lost may arrive that much before a region for it.
constexpr uint32_t kEarlySymbols = 2;
constexpr uint32_t kFramesPerTurn = 4;  // in one of so many the request region is the last thing in the subframe
constexpr int64_t kRangingEagerMs = 1000;

}  // namespace

UplinkPlanner::UplinkPlanner(const BaseStationConfig& config, const FrameLayout& layout,
                             const Dependencies& dependencies)
    : config_(config),
      layout_(layout),
      clock_(dependencies.clock),
      stations_(dependencies.stations),
      broadcasts_(dependencies.broadcasts),
      demand_(dependencies.demand),
      places_(dependencies.places),
      scheduler_({config.profile.unasked_symbols, config.profile.grant_spare, kMaxUlMapElements}) {}

void UplinkPlanner::restart() {
    forget_plans();
    places_.restart();
    next_ranging_region_ = ranging_seen_until_ = INT64_MIN;
}

void UplinkPlanner::forget_plans() {
    for (auto& plan : plans_) plan.valid = false;
}

const UplinkPlanner::Plan* UplinkPlanner::plan_of(uint32_t frame) const {
    const Plan& plan = plans_[frame % plans_.size()];
    return plan.valid && plan.frame == frame ? &plan : nullptr;
}

const std::vector<sap::RxAllocation>* UplinkPlanner::expected(uint32_t frame) const {
    const Plan* plan = plan_of(frame);
    return plan ? &plan->allocations : nullptr;
}

const sap::RxAllocation* UplinkPlanner::allocation_of(const sap::RxBurst& burst) const {
    const Plan* plan = plan_of(burst.frame_number);
    if (!plan) return nullptr;
    const auto found = std::find_if(plan->allocations.begin(), plan->allocations.end(),
                                    [&](const auto& a) { return a.start_slot == burst.start_slot; });
    return found == plan->allocations.end() ? nullptr : &*found;
}

uint32_t UplinkPlanner::early_samples(const sap::RxAllocation& region) const {
    const uint32_t usual = search_symbols(config_.profile.ranging_symbols) * layout_.symbol_slots;
    return (region.search_slots - usual) * phy::kSamplesPerSlot;
}

void UplinkPlanner::ranging_heard() { ranging_seen_until_ = clock_.now + clock_.from_ms(kRangingEagerMs); }

sap::RxAllocation UplinkPlanner::allocation(uint32_t symbol) const {
    sap::RxAllocation a;
    a.start_slot = layout_.ul_slot(symbol);
    a.seed_frame_lsb = static_cast<uint8_t>(clock_.frame & 15);
    return a;
}

bool UplinkPlanner::add_region(const Region& region) {
    const bool ranging = region.uiuc == uiuc::kInitialRanging;
    const uint32_t size = ranging ? config_.profile.ranging_symbols : kRequestOpportunitySymbols;
    const auto symbol = places_.region(region.early + size * region.opportunities, region.last);
    if (!symbol) return false;
    UlMapIe ie;
    ie.cid = region.cid;
    ie.start_symbols = static_cast<uint16_t>(*symbol + region.early);
    ie.uiuc = region.uiuc;
    ie.duration_symbols = static_cast<uint16_t>(size * region.opportunities);
    ul_map_.ies.push_back(ie);
    add_opportunities(region, *symbol, size);
    (ranging ? symbols_.ranging : symbols_.contention) += ie.duration_symbols;
    return true;
}

void UplinkPlanner::add_opportunities(const Region& region, uint32_t first_symbol, uint32_t size) {
    const bool ranging = region.uiuc == uiuc::kInitialRanging;
    for (uint32_t i = 0; i < region.opportunities; ++i) {
        auto a = allocation(first_symbol + i * size);
        a.kind = ranging ? sap::BurstKind::ranging : sap::BurstKind::contention;
        a.iuc = region.uiuc;
        a.rate_id = 0;
        a.preamble_symbols = ranging ? kRangingPreambleSymbols : 1;
        a.data_symbols = ranging ? kRangingDataSymbols : 1;
        if (ranging)
            a.search_slots = static_cast<uint16_t>((region.early + search_symbols(size)) * layout_.symbol_slots);
        a.cid = region.cid;
        plan_->allocations.push_back(a);
    }
}

bool UplinkPlanner::ranging_region_due(bool idle) {
    const bool due = clock_.now >= next_ranging_region_;
    const bool eager =
        config_.profile.spare_ranging && idle && (stations_.size() == 0 || clock_.now < ranging_seen_until_);
    if (due)
        next_ranging_region_ = clock_.now + std::max<Samples>(0, clock_.from_ms(config_.profile.ranging_interval_ms) -
                                                                     layout_.frame_samples() / 2);
    return due || eager;
}

/// Who asked last is invited first: of a flood of requests most are old when their turn comes.
Subscriber* UplinkPlanner::next_invited() {
    Subscriber* next = nullptr;
    for (auto& [cid, station] : stations_.stations())
        if (station->invite && (!next || station->asked_at > next->asked_at)) next = station.get();
    return next;
}

bool UplinkPlanner::invite(Subscriber& station) {
    Region region{station.basic_cid, uiuc::kInitialRanging, 1, station.invitations % 2 == 1,
                  station.established() ? kEarlySymbols : 0};
    if (add_region(region)) return true;
    region.early = 0;
    return add_region(region);
}

void UplinkPlanner::plan_regions() {
    bool idle = true;
    for (const auto& [cid, station] : stations_.stations()) idle = idle && station->requested_octets() == 0;
    const uint32_t requests = config_.profile.request_opportunities;
    uint32_t symbols = requests * kRequestOpportunitySymbols;
    const bool turned = plan_->frame % kFramesPerTurn == 0;
    places_.begin(clock_.now, symbols + config_.profile.ranging_symbols, turned);
    if (requests > 0) add_region({cid::kBroadcast, uiuc::kReqRegionFull, requests, turned, 0});
    // Half of the subframe stays for data, unless it is so short that one region takes more (validate() saw that one
    // fits); an invitation goes before an open region, both come again.
    const uint32_t limit = std::max(layout_.ul_symbols / 2, symbols + config_.profile.ranging_symbols);
    const auto fits = [&] { return symbols + config_.profile.ranging_symbols <= limit; };
    uint32_t invitations = idle ? UINT32_MAX : 1;
    while (Subscriber* station = invitations > 0 && fits() ? next_invited() : nullptr) {
        --invitations;
        if (!invite(*station)) break;
        station->invite = false;
        symbols += (station->established() ? kEarlySymbols : 0) + config_.profile.ranging_symbols;
    }
    if (fits() && ranging_region_due(idle))
        add_region({cid::kBroadcast, uiuc::kInitialRanging, 1, ++open_ranging_regions_ % 2 == 0, 0});
}

void UplinkPlanner::add_burst(const Subscriber& station, UplinkPlaces::Place place) {
    UlMapIe ie;
    ie.cid = station.basic_cid;
    ie.start_symbols = static_cast<uint16_t>(place.first);
    ie.uiuc = uiuc_of(station.ul_rate.id());
    ie.duration_symbols = static_cast<uint16_t>(place.count);
    ul_map_.ies.push_back(ie);
    auto a = allocation(place.first);
    a.kind = sap::BurstKind::data;
    a.iuc = ie.uiuc;
    a.rate_id = station.ul_rate.id();
    a.preamble_symbols = 1;
    a.data_symbols = static_cast<uint16_t>(place.count - 1);
    a.cid = station.basic_cid;
    plan_->allocations.push_back(a);
    symbols_.preamble += 1;
    symbols_.data += a.data_symbols;
}

/// In as many bursts as its places ask for; returns the map elements that it took.
uint32_t UplinkPlanner::add_grant(Subscriber& station, uint32_t data_symbols, uint32_t elements) {
    // Of one that has not shown itself yet a silent grant says nothing: it is tried at either end.
    const bool last = !station.established() && station.misses % 2 == 1;
    uint32_t left = data_symbols, bursts = 0;
    size_t octets = 0;
    while (left > 0 && bursts < elements) {
        const auto place = places_.burst(std::min(left, kMaxBurstDataSymbols) + 1, last);
        if (!place) break;
        add_burst(station, *place);
        octets += bytes_in(station.ul_rate.id(), place->count - 1);
        left -= place->count - 1;
        ++bursts;
    }
    if (bursts == 0) return 0;
    station.counters.ul_symbols += data_symbols - left + bursts;
    station.granted(plan_->frame, demand_.spend(station, octets), clock_.now);
    return bursts;
}

/// Elements of a UL-MAP that fits into one PDU and, with a DL-MAP and the descriptor that is due, into burst #1.
size_t UplinkPlanner::room_for_elements() const {
    constexpr size_t kDlMapOctets = 60;
    const size_t room = bytes_in(config_.broadcast_rate_id, layout_.max_broadcast_symbols);
    const size_t fixed = kUlMapOctets + kDlMapOctets + broadcasts_.octets(broadcasts_.due(clock_.now));
    return std::min(kMaxUlMapElements, (room - std::min(room, fixed)) / kUlMapElementOctets);
}

void UplinkPlanner::withdraw() {
    plan_->allocations.clear();
    ++maps_failed_;
}

void UplinkPlanner::schedule_grants() {
    demand_.collect(stations_);
    auto& claims = demand_.claims();
    const size_t others = ul_map_.ies.size() + 1;  // regions, and the end of the map
    const size_t room = std::max(others + 1, room_for_elements());
    auto elements = static_cast<uint32_t>(room - others);
    places_.count_room(elements);
    scheduler_.schedule(claims, demand_.flows(), places_.room(), elements - std::min(elements - 1, places_.cuts()));
    maps_full_ += scheduler_.refused() > 0 ? 1 : 0;
    std::sort(claims.begin(), claims.end(), [](const UplinkClaim& a, const UplinkClaim& b) {
        return a.data_symbols != b.data_symbols ? a.data_symbols < b.data_symbols : a.cid < b.cid;
    });
    for (const auto& claim : claims)
        if (claim.data_symbols > 0)
            elements -= add_grant(*stations_.stations().at(claim.cid), claim.data_symbols, elements);
}

/// Elements and allocations in the order of their time, and the end.
void UplinkPlanner::end_map() {
    std::sort(ul_map_.ies.begin(), ul_map_.ies.end(),
              [](const UlMapIe& a, const UlMapIe& b) { return a.start_symbols < b.start_symbols; });
    std::sort(plan_->allocations.begin(), plan_->allocations.end(),
              [](const auto& a, const auto& b) { return a.start_slot < b.start_slot; });
    uint32_t used = 0;
    for (const auto& ie : ul_map_.ies) used += ie.duration_symbols;
    symbols_.idle += layout_.ul_symbols - used;
    UlMapIe end;
    end.uiuc = uiuc::kEndOfMap;
    if (!ul_map_.ies.empty()) {
        const UlMapIe& last = ul_map_.ies.back();
        end.start_symbols = static_cast<uint16_t>(last.start_symbols + last.duration_symbols);
    }
    ul_map_.ies.push_back(end);
}

void UplinkPlanner::plan() {
    const uint32_t frame = (clock_.frame + (layout_.maps_next_frame ? 1 : 0)) & 0xFFFFFF;
    plan_ = &plans_[frame % plans_.size()];
    plan_->valid = true;
    plan_->frame = frame;
    plan_->allocations.clear();
    ul_map_.ies.clear();
    ul_map_.ucd_count = broadcasts_.ucd().change_count;
    ul_map_.alloc_start_ps = layout_.ul_start_slot + (layout_.maps_next_frame ? layout_.frame_slots : 0);
    plan_regions();
    schedule_grants();
    end_map();
    symbols_.gap += layout_.frame_symbols - layout_.ul_start_slot / layout_.symbol_slots - layout_.ul_symbols;
}

}  // namespace wimax::mac
