// SPDX-License-Identifier: GPL-3.0-or-later
// An uplink frame as its UL-MAP describes it (clauses 6.3.2.3.4 and 8.3.6.3), read once: a list of opportunities, each
// with its kind and the parameters to use it; places and formats of a subscriber station's bursts in them.
#pragma once

#include "mac/air/ofdm256/descriptor_store.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/air/subscriber_air.h"
#include "mac/edition.h"
#include "mac/pdu/ul_map_index.h"

#include <algorithm>
#include <vector>

namespace wimax::mac {

struct UplinkOpportunity : Opportunity {
    uint16_t duration_symbols = 0;
    uint8_t uiuc = 0;
    uint8_t subchannel = kAllSubchannels;  ///< of grants and answers
    // Of grants
    uint8_t midamble = 0;
    std::optional<ProfileId> profile;  ///< nullopt: the UCD has no such profile
    uint16_t data_symbols = 0;         ///< of grants and answers: without preamble and midambles
    FocusedContention code{};          ///< of answers

    /// Whether this station can fill the grant.
    bool usable() const {
        return kind == OpportunityKind::grant && profile && octets_on(subchannel, *profile, data_symbols) > 0;
    }
};

class UplinkMap final : public SubscriberUplink {
public:
    explicit UplinkMap(Edition edition = Edition::cor1) : edition_(edition) {}

    /// `frame`: the PHY's number of the frame whose uplink this is. `seed_frame_lsb`: of the frame that carried the
    /// map. `start_slot`: the allocation start time in that frame. `basic_cid`: grants of other stations are left out;
    /// 0: none are. Does not allocate for a map no longer than earlier ones.
    void read(const IndexedUlMap& map, const RateTable& rates, phy::FrameNumber frame, uint8_t seed_frame_lsb,
              phy::Slot start_slot, uint32_t symbol_slots, uint16_t basic_cid = 0);
    void forget() { valid_ = false; }

    bool describes(phy::FrameNumber frame) const { return valid_ && frame_ == frame; }
    uint8_t seed_frame_lsb() const { return seed_frame_lsb_; }
    /// Grants of the station whose subchannel index is 0, which means the whole band.
    uint32_t zero_subchannels() const { return zero_subchannels_; }
    const std::vector<UplinkOpportunity>& opportunities() const { return opportunities_; }
    /// First slot of a symbol of the opportunity.
    phy::Slot slot(const UplinkOpportunity& of, uint32_t symbol) const {
        return of.start_slot.after(symbol, symbol_slots_);
    }

    /// First slot in which a station with these rights may send; 0: none.
    phy::Slot first_slot(const UplinkRights& rights) const;
    /// First slot in which any station may send; 0: none. This station's permissions may still change.
    phy::Slot first_slot_of_anybody() const { return slot_or_none(first_); }

    const Opportunity* opportunity(size_t index) const override {
        return index < opportunities_.size() ? &opportunities_[index] : nullptr;
    }
    uint32_t opportunities_in(const Opportunity& region, const ContentionTerms& terms) const override;
    bool usable(const Opportunity& grant) const override { return full(grant).usable(); }
    bool answers(const Opportunity& answer, ContentionCode code) const override;
    std::optional<float> density_gain_db(uint16_t basic_cid) const override;
    void place_grant(const Opportunity& grant, sap::TxBurst& burst) const override;
    void place_contention(const Opportunity& region, uint32_t opportunity, const ContentionTerms& terms,
                          sap::TxBurst& burst) const override;
    ContentionCode place_code(const Opportunity& region, uint32_t opportunity, const ContentionTerms& terms,
                              std::mt19937_64& random, sap::TxFrame& tx) const override;
    size_t capacity_octets(const sap::TxBurst& burst) const override;

private:
    void add(const UlMapIe& ie, OpportunityKind kind, const RateTable& rates, phy::Slot start_slot);

    static constexpr phy::Slot kNever{UINT32_MAX};
    /// 0 is none: an uplink that begins with its frame has the next slot.
    static phy::Slot slot_or_none(phy::Slot first) {
        return first == kNever ? phy::Slot() : std::max(first, phy::Slot(1));
    }
    static const UplinkOpportunity& full(const Opportunity& of) { return static_cast<const UplinkOpportunity&>(of); }
    uint32_t ranging_symbols(const ContentionTerms& terms) const {
        return symbol_slots_ == 0 ? 0 : terms.ranging_opportunity_slots / symbol_slots_;
    }

    Edition edition_;
    bool valid_ = false;
    phy::FrameNumber frame_;
    uint32_t symbol_slots_ = 0;
    uint8_t seed_frame_lsb_ = 0;
    uint32_t zero_subchannels_ = 0;
    phy::Slot first_ = kNever;  ///< first slot that the map gives to any station
    std::vector<UplinkOpportunity> opportunities_;
};

}  // namespace wimax::mac
