// SPDX-License-Identifier: GPL-3.0-or-later
// An uplink subframe (clause 6.3.7) while it is planned, and the plans of earlier frames: elements of the UL-MAP, and
// for each what the PHY shall receive there. It encodes opportunities, but does not decide which station gets one.
#pragma once

#include "mac/air/air_figures.h"
#include "mac/air/ofdm256/frame_layout.h"
#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/air/ofdm256/uplink_places.h"
#include "mac/burst_profiles.h"
#include "mac/clock.h"
#include "mac/edition.h"
#include "mac/pdu/management_messages.h"

#include "sap/messages.h"

#include <array>
#include <optional>
#include <span>

namespace wimax::mac {

class UplinkPlan {
public:
    struct Region {
        uint16_t cid = 0;
        uint8_t uiuc = 0;  ///< initial ranging or REQ Region-Full
        uint32_t opportunities = 1;
        bool last = false;    ///< as late in the subframe as there is room
        uint32_t early = 0;   ///< symbols before it in which its first burst may arrive too
        uint32_t unused = 0;  ///< at its end
    };

    struct Rules {
        uint32_t ranging_symbols = 0;  ///< size of an opportunity
        Edition edition = Edition::cor1;
    };
    /// All others outlive the object.
    UplinkPlan(const Rules& rules, const FrameLayout& layout, const FrameClock& clock, UplinkPlaces& places);

    /// Begins the uplink that the present frame's map describes. `broadcast_symbols`: half-duplex stations hear as long
    /// a burst #1 in the frame of that uplink.
    void begin(uint8_t ucd_count, uint32_t broadcast_symbols);
    void begin(uint8_t ucd_count) { begin(ucd_count, layout_.max_broadcast_symbols); }
    /// False: no place for it.
    bool add_region(const Region& region);
    /// Opportunities of focused contention (clause 8.3.7.3), at most kMaxFocusedOpportunities.
    bool add_focused_region(uint32_t opportunities);
    /// The response to a code: the code's sender finds itself in `code`, and sends a request there. Places on a part of
    /// the band are side by side. Pre: is_width(width), the same for all parts of the band in a frame.
    bool add_answer(const FocusedContention& code, uint8_t width = kWholeBand);
    struct Burst {
        uint16_t basic_cid = 0;
        ProfileId profile{};
        UplinkPlaces::Place place;             ///< preamble included
        uint8_t subchannel = kAllSubchannels;  ///< index of Table 213
        uint8_t midamble = 0;                  ///< BurstFormat::midamble_interval
    };
    /// Adds the burst of a grant.
    void add_burst(const Burst& burst);
    /// Sorts elements and allocations by time, and ends the map.
    void finish();
    /// Burst #1 has no room for the map: no station will send, and nothing is expected. Stations ask again (T16).
    void withdraw();
    /// Discards all plans.
    void forget();

    /// Frame whose uplink is being planned.
    phy::FrameNumber frame() const { return present_->frame; }
    const UlMap& map() const { return ul_map_; }
    /// Symbols of regions and of responses to codes so far.
    uint32_t region_symbols() const { return region_symbols_; }
    /// Size of the map, without the element that ends it.
    size_t map_octets() const;
    /// Longest burst #1 of that frame.
    uint32_t broadcast_symbols(phy::FrameNumber frame) const;
    /// Allocations for the PHY in that frame; null: nothing is planned.
    const std::vector<sap::RxAllocation>* expected(phy::FrameNumber frame) const;
    /// Start slots of focused contention opportunities in that frame.
    std::span<const phy::Slot> contention_slots(phy::FrameNumber frame) const;
    /// Index of the frame's focused contention opportunity that begins at that slot, from 0; nullopt: none.
    std::optional<uint8_t> focused_opportunity(phy::FrameNumber frame, phy::Slot start_slot) const;
    /// Symbols of the burst's grant; nullopt if it is no longer stored.
    std::optional<UplinkPlaces::Place> place_of(const sap::RxBurst& burst) const;
    /// Samples before the burst's ranging region at which the PHY began to search; 0 if it is no longer stored.
    uint32_t early_samples(const sap::RxBurst& burst) const;

    const FrameAccount& symbols() const { return symbols_; }
    uint64_t withdrawn() const { return withdrawn_; }

private:
    /// Some plans are kept: bursts are reported after the next ticks.
    struct Frame {
        bool valid = false;
        phy::FrameNumber frame;
        uint32_t broadcast_symbols = 0;
        std::vector<sap::RxAllocation> allocations;
        std::vector<phy::Slot> contention_slots;
    };
    const Frame* find(phy::FrameNumber frame) const;
    const sap::RxAllocation* allocation_of(const sap::RxBurst& burst) const;
    void add_opportunities(const Region& region, uint32_t first_symbol, uint32_t size);
    struct AnswerPlace {
        uint32_t symbol = 0, count = 0;
        uint8_t subchannel = kAllSubchannels;
    };
    std::optional<AnswerPlace> place_answer(uint8_t width);
    sap::RxAllocation allocation(uint32_t symbol) const;

    const Rules rules_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    UplinkPlaces& places_;
    UlMap ul_map_;
    std::array<Frame, 4> frames_;      ///< by the lowest bits of the frame number
    Frame* present_ = frames_.data();  ///< being planned
    uint32_t region_symbols_ = 0;
    /// Symbols of responses on parts of the band, with subchannels to spare.
    struct SharedSymbols {
        uint32_t first = 0;
        SubchannelBand band;
    };
    std::optional<SharedSymbols> shared_answers_;
    FrameAccount symbols_;
    uint64_t withdrawn_ = 0;
};

}  // namespace wimax::mac
