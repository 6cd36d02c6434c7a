/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plan of an uplink subframe: contention regions first (what they say is then known before the next frame is planned),
 * short grants, long grants, each where bursts came through lately. Regions prove nothing, for mostly nobody uses them;
 * so now and then they go to the end of the subframe, and grants show what their places are worth. Of the plan come the
 * UL-MAP and what the PHY shall receive.
 */
#pragma once

#include <mac/bs/broadcasts.h>
#include <mac/bs/symbol_account.h>
#include <mac/bs/uplink_demand.h>
#include <mac/scheduler/uplink_places.h>

#include <sap/messages.h>

namespace wimax::mac {

class UplinkPlanner {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        const Broadcasts& broadcasts;
        UplinkDemand& demand;
        UplinkPlaces& places;
    };
    UplinkPlanner(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies);

    void restart();
    /// The frame count has jumped: no plan holds.
    void forget_plans();
    /// Of the uplink that this frame's map describes.
    void plan();
    const UlMap& map() const { return ul_map_; }
    /// The map found no room: nobody will send, and nothing is to be waited for. Stations ask again (T16).
    void withdraw();

    /// What the PHY shall receive in that frame; null: nothing is planned.
    const std::vector<sap::RxAllocation>* expected(uint32_t frame) const;
    /// What was planned for the burst; null if that is forgotten.
    const sap::RxAllocation* allocation_of(const sap::RxBurst& burst) const;
    /// How long before a ranging region the PHY has begun to search.
    uint32_t early_samples(const sap::RxAllocation& region) const;
    /// Somebody ranges: more regions for a while.
    void ranging_heard();

    const SymbolAccount& symbols() const { return symbols_; }
    uint64_t maps_full() const { return maps_full_; }
    uint64_t maps_failed() const { return maps_failed_; }

private:
    /// Some are kept: bursts are reported after the next ticks.
    struct Plan {
        bool valid = false;
        uint32_t frame = 0;
        std::vector<sap::RxAllocation> allocations;
    };
    struct Region {
        uint16_t cid = 0;
        uint8_t uiuc = 0;
        uint32_t opportunities = 1;
        bool last = false;   ///< as late in the subframe as there is room
        uint32_t early = 0;  ///< symbols before it in which its first burst may arrive too
    };

    const Plan* plan_of(uint32_t frame) const;
    bool ranging_region_due(bool idle);
    Subscriber* next_invited();
    bool add_region(const Region& region);
    void add_opportunities(const Region& region, uint32_t first_symbol, uint32_t size);
    bool invite(Subscriber& station);
    void plan_regions();
    void schedule_grants();
    size_t room_for_elements() const;
    uint32_t add_grant(Subscriber& station, uint32_t data_symbols, uint32_t elements);
    void add_burst(const Subscriber& station, UplinkPlaces::Place place);
    void end_map();
    sap::RxAllocation allocation(uint32_t symbol) const;

    const BaseStationConfig& config_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    StationTable& stations_;
    const Broadcasts& broadcasts_;
    UplinkDemand& demand_;
    UplinkPlaces& places_;
    UplinkScheduler scheduler_;

    UlMap ul_map_;
    std::array<Plan, 4> plans_;   ///< by the lowest bits of the frame number
    Plan* plan_ = plans_.data();  ///< that is being made
    Samples next_ranging_region_ = INT64_MIN, ranging_seen_until_ = INT64_MIN;
    uint32_t open_ranging_regions_ = 0;
    SymbolAccount symbols_;
    uint64_t maps_full_ = 0, maps_failed_ = 0;
};

}  // namespace wimax::mac
