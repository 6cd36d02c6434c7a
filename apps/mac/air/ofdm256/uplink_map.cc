// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/uplink_map.h"

#include "mac/air/ofdm256/midamble_bits.h"

#include <algorithm>
#include <array>

namespace wimax::mac {
namespace {

constexpr std::array<OpportunityKind, 16> kinds() {
    std::array<OpportunityKind, 16> kinds{};
    kinds.fill(OpportunityKind::other);
    kinds[uiuc::kInitialRanging] = OpportunityKind::initial_ranging;
    kinds[uiuc::kReqRegionFull] = OpportunityKind::request_region;
    kinds[uiuc::kReqRegionFocused] = OpportunityKind::code_region;
    kinds[uiuc::kFocusedContention] = OpportunityKind::code_answer;
    for (size_t i = uiuc::kFirstProfile; i <= uiuc::kLastProfile; ++i) kinds[i] = OpportunityKind::grant;
    return kinds;
}

OpportunityKind kind_of(uint8_t uiuc) {
    static constexpr auto kKinds = kinds();
    return kKinds[uiuc & 15];
}

/// The duration counts the preamble and midambles.
uint16_t data_symbols_of(const UlMapIe& ie, uint8_t midamble) {
    return static_cast<uint16_t>(data_symbols_in(ie.duration_symbols > 0 ? ie.duration_symbols - 1U : 0U, midamble));
}

}  // namespace

void UplinkMap::read(const IndexedUlMap& map, const RateTable& rates, phy::FrameNumber frame, uint8_t seed_frame_lsb,
                     phy::Slot start_slot, uint32_t symbol_slots, uint16_t basic_cid) {
    valid_ = true;
    frame_ = frame;
    seed_frame_lsb_ = seed_frame_lsb;
    symbol_slots_ = symbol_slots;
    const auto first_grant = map.first_grant_symbols();
    first_ = first_grant ? start_slot.after(*first_grant, symbol_slots) : kNever;
    zero_subchannels_ = 0;
    opportunities_.clear();
    begin();
    map.for_station(basic_cid, [&](const UlMapIe& ie) {
        if (const auto kind = kind_of(ie.uiuc); kind != OpportunityKind::other) add(ie, kind, rates, start_slot);
    });
}

void UplinkMap::add(const UlMapIe& ie, OpportunityKind kind, const RateTable& rates, phy::Slot start_slot) {
    UplinkOpportunity opportunity;
    opportunity.kind = kind;
    opportunity.cid = ie.cid;
    opportunity.start_slot = start_slot.after(ie.start_symbols, symbol_slots_);
    opportunity.duration_symbols = ie.duration_symbols;
    opportunity.uiuc = ie.uiuc;
    opportunity.code = ie.focused;
    if (kind == OpportunityKind::code_answer) {
        opportunity.subchannel = ie.subchannel == 0 ? kAllSubchannels : ie.subchannel;
        opportunity.data_symbols = data_symbols_of(ie, 0);
    }
    if (kind == OpportunityKind::grant) {
        opportunity.midamble = midamble_code(edition_, ie.midamble);
        // Without subchannelization some base stations write 0: the whole band.
        zero_subchannels_ += ie.subchannel == 0 ? 1 : 0;
        opportunity.subchannel = ie.subchannel == 0 ? kAllSubchannels : ie.subchannel;
        opportunity.profile = profile_of(rates, ie.uiuc);
        opportunity.data_symbols = data_symbols_of(ie, opportunity.midamble);
    }
    first_ = std::min(first_, opportunity.start_slot);
    count(opportunity);
    opportunities_.push_back(opportunity);
}

phy::Slot UplinkMap::first_slot(const UplinkRights& rights) const {
    phy::Slot first = kNever;
    for (const auto& o : opportunities_) {
        const bool own = o.belongs_to(rights.basic_cid);
        const bool may_send =
            (o.kind == OpportunityKind::grant && own) ||
            (o.kind == OpportunityKind::initial_ranging && (own || (o.open() && rights.initial_ranging))) ||
            ((o.kind == OpportunityKind::request_region || o.kind == OpportunityKind::code_region ||
              o.kind == OpportunityKind::code_answer) &&
             (o.open() || rights.polling.may_ask(o.cid)) && rights.bandwidth_requests);
        if (may_send) first = std::min(first, o.start_slot);
    }
    return slot_or_none(first);
}

}  // namespace wimax::mac
