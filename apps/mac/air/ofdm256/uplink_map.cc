// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/uplink_map.h"

#include <algorithm>

namespace wimax::mac {
namespace {

OpportunityKind kind_of(uint8_t uiuc) {
    if (uiuc == uiuc::kInitialRanging) return OpportunityKind::initial_ranging;
    if (uiuc == uiuc::kReqRegionFull) return OpportunityKind::request_region;
    if (uiuc == uiuc::kReqRegionFocused) return OpportunityKind::code_region;
    if (uiuc == uiuc::kFocusedContention) return OpportunityKind::code_answer;
    if (uiuc >= uiuc::kFirstProfile && uiuc <= uiuc::kLastProfile) return OpportunityKind::grant;
    return OpportunityKind::other;
}

/// The duration counts the preamble and midambles.
uint16_t data_symbols_of(const UlMapIe& ie) {
    return static_cast<uint16_t>(data_symbols_in(ie.duration_symbols > 0 ? ie.duration_symbols - 1U : 0U, ie.midamble));
}

constexpr phy::Slot kNever(UINT32_MAX);

/// 0 is none: an uplink that begins with its frame has the next slot.
phy::Slot slot_or_none(phy::Slot first) { return first == kNever ? phy::Slot() : std::max(first, phy::Slot(1)); }

}  // namespace

void UplinkMap::read(const UlMap& map, const RateTable& rates, phy::FrameNumber frame, uint8_t seed_frame_lsb,
                     phy::Slot start_slot, uint32_t symbol_slots) {
    valid_ = true;
    frame_ = frame;
    seed_frame_lsb_ = seed_frame_lsb;
    symbol_slots_ = symbol_slots;
    opportunities_.clear();
    for (const auto& ie : map.ies) {
        auto& opportunity = opportunities_.emplace_back();
        opportunity.kind = kind_of(ie.uiuc);
        opportunity.cid = ie.cid;
        opportunity.start_slot = start_slot.after(ie.start_symbols, symbol_slots);
        opportunity.duration_symbols = ie.duration_symbols;
        opportunity.uiuc = ie.uiuc;
        opportunity.code = ie.focused;
        if (opportunity.kind != OpportunityKind::grant) continue;
        opportunity.midamble = ie.midamble;
        // Without subchannelization some base stations write 0: the whole band.
        opportunity.subchannel = ie.subchannel == 0 ? kAllSubchannels : ie.subchannel;
        opportunity.profile = profile_of(rates, ie.uiuc);
        opportunity.data_symbols = data_symbols_of(ie);
    }
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

phy::Slot UplinkMap::first_slot_of_anybody() const {
    phy::Slot first = kNever;
    for (const auto& o : opportunities_)
        if (o.kind != OpportunityKind::other) first = std::min(first, o.start_slot);
    return slot_or_none(first);
}

}  // namespace wimax::mac
