// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/uplink_plan.h"

#include "mac/air/ofdm256/broadcasts.h"
#include "mac/air/ofdm256/midamble_bits.h"
#include "mac/air/ofdm256/opportunities.h"
#include "mac/pdu/cid.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint32_t search_symbols(uint32_t region) {
    return region - phy::preamble_symbols(kRangingPreamble) - kRangingDataSymbols;
}

}  // namespace

UplinkPlan::UplinkPlan(const Rules& rules, const FrameLayout& layout, const FrameClock& clock, UplinkPlaces& places)
    : rules_(rules), layout_(layout), clock_(clock), places_(places) {}

void UplinkPlan::begin(uint8_t ucd_count, uint32_t broadcast_symbols) {
    const phy::FrameNumber frame = clock_.frame + (layout_.maps_next_frame ? 1 : 0);
    present_ = &frames_[frame.value() % frames_.size()];
    present_->valid = true;
    present_->frame = frame;
    present_->broadcast_symbols = broadcast_symbols;
    present_->allocations.clear();
    present_->contention_slots.clear();
    region_symbols_ = 0;
    shared_answers_.reset();
    ul_map_.ies.clear();
    ul_map_.ucd_count = ucd_count;
    ul_map_.alloc_start_ps = layout_.uplink.first.value() + (layout_.maps_next_frame ? layout_.frame_slots : 0);
}

void UplinkPlan::withdraw() {
    present_->allocations.clear();
    present_->contention_slots.clear();
    ++withdrawn_;
}

void UplinkPlan::forget() {
    for (auto& frame : frames_) frame.valid = false;
}

const UplinkPlan::Frame* UplinkPlan::find(phy::FrameNumber frame) const {
    const Frame& of = frames_[frame.value() % frames_.size()];
    return of.valid && of.frame == frame ? &of : nullptr;
}

size_t UplinkPlan::map_octets() const {
    size_t octets = kUlMapOctets;
    for (const auto& ie : ul_map_.ies)
        octets += ie.uiuc == uiuc::kFocusedContention ? kUlMapAnswerOctets : kUlMapElementOctets;
    return octets;
}

uint32_t UplinkPlan::broadcast_symbols(phy::FrameNumber frame) const {
    const Frame* of = layout_.maps_next_frame ? find(frame) : nullptr;
    return of ? of->broadcast_symbols : layout_.max_broadcast_symbols;
}

const std::vector<sap::RxAllocation>* UplinkPlan::expected(phy::FrameNumber frame) const {
    const Frame* of = find(frame);
    return of ? &of->allocations : nullptr;
}

std::span<const phy::Slot> UplinkPlan::contention_slots(phy::FrameNumber frame) const {
    const Frame* of = find(frame);
    return of ? std::span<const phy::Slot>(of->contention_slots) : std::span<const phy::Slot>();
}

std::optional<uint8_t> UplinkPlan::focused_opportunity(phy::FrameNumber frame, phy::Slot start_slot) const {
    const auto slots = contention_slots(frame);
    const auto found = std::find(slots.begin(), slots.end(), start_slot);
    if (found == slots.end()) return {};
    return static_cast<uint8_t>(found - slots.begin());
}

const sap::RxAllocation* UplinkPlan::allocation_of(const sap::RxBurst& burst) const {
    const Frame* of = find(burst.frame_number);
    if (!of) return nullptr;
    const auto found = std::find_if(of->allocations.begin(), of->allocations.end(), [&](const auto& a) {
        return a.start_slot == burst.start_slot && a.cid == burst.cid;
    });
    return found == of->allocations.end() ? nullptr : &*found;
}

std::optional<UplinkPlaces::Place> UplinkPlan::place_of(const sap::RxBurst& burst) const {
    const sap::RxAllocation* of = allocation_of(burst);
    if (!of) return std::nullopt;
    const auto first = layout_.uplink.symbol(of->start_slot);
    return UplinkPlaces::Place{first, static_cast<uint32_t>(of->format.total_symbols())};
}

uint32_t UplinkPlan::early_samples(const sap::RxBurst& burst) const {
    const sap::RxAllocation* region = allocation_of(burst);
    if (!region) return 0;
    const uint32_t usual = search_symbols(rules_.ranging_symbols) * layout_.symbol_slots;
    return static_cast<uint32_t>(phy::samples_in_slots(region->search_slots - usual));
}

sap::RxAllocation UplinkPlan::allocation(uint32_t symbol) const {
    sap::RxAllocation a;
    a.start_slot = layout_.uplink.slot(symbol);
    a.format.frame_lsb = clock_.frame.lsb();
    return a;
}

bool UplinkPlan::add_region(const Region& region) {
    const bool ranging = region.uiuc == uiuc::kInitialRanging;
    const uint32_t size = ranging ? rules_.ranging_symbols : kRequestOpportunitySymbols;
    const auto symbol = places_.region(region.early + size * region.opportunities + region.unused, region.last);
    if (!symbol) return false;
    UlMapIe ie;
    ie.cid = region.cid;
    ie.start_symbols = static_cast<uint16_t>(*symbol + region.early);
    ie.uiuc = region.uiuc;
    ie.duration_symbols = static_cast<uint16_t>(size * region.opportunities + region.unused);
    ul_map_.ies.push_back(ie);
    add_opportunities(region, *symbol, size);
    auto& account = ranging ? symbols_.ranging : symbols_.contention;
    account += ie.duration_symbols;
    region_symbols_ += ie.duration_symbols;
    return true;
}

void UplinkPlan::add_opportunities(const Region& region, uint32_t first_symbol, uint32_t size) {
    const bool ranging = region.uiuc == uiuc::kInitialRanging;
    for (uint32_t i = 0; i < region.opportunities; ++i) {
        auto a = allocation(first_symbol + i * size);
        a.kind = ranging ? sap::BurstKind::ranging : sap::BurstKind::contention;
        a.format.iuc = region.uiuc;
        set_profile(a.format, kContentionProfile);
        a.format.preamble = ranging ? kRangingPreamble : kRequestPreamble;
        a.format.data_symbols = ranging ? kRangingDataSymbols : kRequestDataSymbols;
        if (ranging)
            a.search_slots = static_cast<uint16_t>((region.early + search_symbols(size)) * layout_.symbol_slots);
        a.cid = region.cid;
        present_->allocations.push_back(a);
    }
}

bool UplinkPlan::add_focused_region(uint32_t opportunities) {
    const auto symbol = places_.region(kFocusedOpportunitySymbols * opportunities, false);
    if (!symbol) return false;
    UlMapIe ie;
    ie.cid = cid::kBroadcast;
    ie.start_symbols = static_cast<uint16_t>(*symbol);
    ie.uiuc = uiuc::kReqRegionFocused;
    ie.duration_symbols = static_cast<uint16_t>(kFocusedOpportunitySymbols * opportunities);
    ul_map_.ies.push_back(ie);
    for (uint32_t i = 0; i < opportunities; ++i)
        present_->contention_slots.push_back(layout_.uplink.slot(*symbol + i * kFocusedOpportunitySymbols));
    symbols_.contention += ie.duration_symbols;
    region_symbols_ += ie.duration_symbols;
    return true;
}

std::optional<UplinkPlan::AnswerPlace> UplinkPlan::place_answer(uint8_t width) {
    const uint32_t count = request_symbols(width);
    const bool shared = width < kWholeBand;
    if (shared && shared_answers_)
        if (const auto subchannel = shared_answers_->band.take(width))
            return AnswerPlace{shared_answers_->first, count, *subchannel};
    const auto symbol = places_.region(count, false);
    if (!symbol) return std::nullopt;
    symbols_.contention += count;
    region_symbols_ += count;
    if (!shared) return AnswerPlace{*symbol, count};
    shared_answers_ = SharedSymbols{*symbol, {}};
    return AnswerPlace{*symbol, count, *shared_answers_->band.take(width)};
}

bool UplinkPlan::add_answer(const FocusedContention& code, uint8_t width) {
    const auto place = place_answer(width);
    if (!place) return false;
    UlMapIe ie;
    ie.cid = cid::kBroadcast;
    ie.start_symbols = static_cast<uint16_t>(place->symbol);
    ie.subchannel = place->subchannel;
    ie.uiuc = uiuc::kFocusedContention;
    ie.duration_symbols = static_cast<uint16_t>(place->count);
    ie.focused = code;
    ul_map_.ies.push_back(ie);
    add_opportunities({cid::kBroadcast, uiuc::kFocusedContention, 1, false, 0}, place->symbol, place->count);
    auto& expected = present_->allocations.back().format;
    expected.subchannel_index = place->subchannel;
    expected.data_symbols = static_cast<uint16_t>(place->count - phy::preamble_symbols(kRequestPreamble));
    return true;
}

void UplinkPlan::add_burst(const Burst& burst) {
    UlMapIe ie;
    ie.cid = burst.basic_cid;
    ie.subchannel = burst.subchannel;
    ie.start_symbols = static_cast<uint16_t>(burst.place.first);
    ie.uiuc = uiuc_of(burst.profile);
    ie.duration_symbols = static_cast<uint16_t>(burst.place.count);
    ie.midamble = midamble_bits(rules_.edition, burst.midamble);
    ul_map_.ies.push_back(ie);
    auto a = allocation(burst.place.first);
    a.kind = sap::BurstKind::data;
    a.format.iuc = ie.uiuc;
    set_profile(a.format, burst.profile);
    a.format.subchannel_index = burst.subchannel;
    a.format.preamble = phy::Preamble::short_;
    a.format.midamble_interval = burst.midamble;
    a.format.data_symbols = static_cast<uint16_t>(data_symbols_in(burst.place.count - 1, burst.midamble));
    a.cid = burst.basic_cid;
    present_->allocations.push_back(a);
}

void UplinkPlan::finish() {
    std::sort(ul_map_.ies.begin(), ul_map_.ies.end(),
              [](const UlMapIe& a, const UlMapIe& b) { return a.start_symbols < b.start_symbols; });
    std::sort(present_->allocations.begin(), present_->allocations.end(),
              [](const auto& a, const auto& b) { return a.start_slot < b.start_slot; });
    uint32_t used = 0, behind = 0;  // parallel bursts use their symbols once
    for (const auto& ie : ul_map_.ies) {
        const uint32_t last = uint32_t{ie.start_symbols} + ie.duration_symbols;
        const uint32_t more = last - std::min(last, std::max<uint32_t>(behind, ie.start_symbols));
        used += more;
        if (ie.uiuc >= uiuc::kFirstProfile && ie.uiuc <= uiuc::kLastProfile && more > 0) {
            const uint32_t preamble = ie.start_symbols >= behind ? 1 : 0;
            symbols_.preamble += preamble;
            symbols_.data += more - preamble;
        }
        behind = std::max(behind, last);
    }
    symbols_.idle += layout_.uplink.symbols - used;
    UlMapIe end;
    end.uiuc = uiuc::kEndOfMap;
    end.start_symbols = static_cast<uint16_t>(behind);
    ul_map_.ies.push_back(end);
    symbols_.gap += layout_.uplink.gap_symbols();
}

}  // namespace wimax::mac
