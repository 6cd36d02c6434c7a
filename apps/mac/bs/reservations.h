// SPDX-License-Identifier: GPL-3.0-or-later
// What of the frame is promised to service flows, and whether there is room for one more (clauses 6.3.5 and 6.3.14):
// unsolicited grants, minimum reserved rates, polls, latency bounds, at the stations' present burst profiles, in both
// subframes and in the maps. A multicast connection counts once, at the most robust rate of its stations. A station's
// rate may fall later. If the promises then no longer fit, the flows served last lose theirs. They share unreserved
// capacity until there is room again.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/bs/half_duplex_division.h"
#include "mac/bs/multicast_connections.h"
#include "mac/bs/station_table.h"
#include "mac/clock.h"
#include "mac/report/events.h"

namespace wimax::mac {

struct ReservationCounters {
    uint64_t refused = 0;     ///< flows and changes that were not admitted
    uint64_t overbooked = 0;  ///< times that a flow lost its promises
};

class Reservations {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        StationTable& stations;
        MulticastConnections& multicast;
        const BaseStationAir& air;
    };
    Reservations(const BaseStationConfig& config, const Dependencies& dependencies);

    /// Fault: why there is no room, with the rate that would fit. `instead`: the flow that would change; null: it would
    /// be a new one.
    Outcome check(const Subscriber& station, const ServiceFlowConfig& wanted, const FlowContext* instead) const;
    /// The greatest rate that may be promised, at most the flow's own. Nullopt: none is promised, or none fits.
    std::optional<uint32_t> fitting_rate_bps(const Subscriber& station, const ServiceFlowConfig& wanted,
                                             const FlowContext* instead) const;
    /// Units per frame in the direction of `wanted`: reserved at present, that it would add, and that can be reserved.
    struct Load {
        double held = 0, cost = 0, room = 0;
    };
    Load load(const Subscriber& station, const ServiceFlowConfig& wanted, const FlowContext* instead) const;
    void count_refusal() { ++counters_.refused; }
    /// Reserves what the flow's admitted set promises; `also`: and what it is about to be asked for.
    void hold(FlowContext& flow, const ServiceFlowConfig* also = nullptr) const;

    /// No station exists any more, and the time may start again.
    void restart() {
        next_review_ = INT64_MIN;
        without_room_ = 0;
    }
    /// Call once per frame: decides which flows keep their promises at the present rates.
    void review();

    /// Units per frame.
    struct Use {
        double held = 0, room = 0, bounded = 0, bounded_room = 0;
        bool fits() const;
    };
    struct Uses {
        Use downlink, uplink;
        double map_octets = 0, map_room = 0;
        bool fits() const { return downlink.fits() && uplink.fits() && map_octets <= map_room; }
    };
    Uses uses() const;
    uint32_t flows_without_room() const { return without_room_; }
    /// Enters the half-duplex stations with promises that are kept.
    void divide(HalfDuplexDivision& division) const;
    const ReservationCounters& counters() const { return counters_; }

private:
    /// What a station would be promised.
    struct Wish {
        const Subscriber& station;
        const ServiceFlowConfig& flow;
        const FlowContext* instead = nullptr;
    };
    struct Candidate {
        const FlowContext* instead = nullptr;
        FlowDirection direction = FlowDirection::uplink;
        FlowCost cost;
    };
    StationCost cost_of(const Subscriber& station, const Candidate* candidate, bool all) const;
    StationCost cost_of(const MulticastConnection& connection, bool all) const;
    StationCost cost_of_all(bool all) const;
    ProfileId downlink_profile(const Subscriber& station, const ServiceFlowConfig& wanted) const;
    StationCost cost_with(StationCost all, const Subscriber& station, const ServiceFlowConfig& wanted,
                          const FlowContext* instead) const;
    /// Stations that use the frame without a promise, and the number of downlink bursts.
    struct Cell {
        uint32_t registered = 0;
        uint32_t profiles = 0;  // one bit per downlink profile
    };
    Cell cell() const;
    Uses uses(const StationCost& cost, const Cell& cell) const;
    StationCost cost_for_both(const Wish* wish, bool all) const;
    void divide(HalfDuplexDivision& division, const Wish* wish, bool all) const;
    /// The half-duplex stations can be divided in two groups that both have room.
    bool groups_fit(HalfDuplexDivision& division, const Wish* wish, bool all) const;
    void give_up_last(StationCost cost, const Cell& cell);

    const BaseStationConfig& config_;
    const FrameClock& clock_;
    EventSink& event_;
    StationTable& stations_;
    MulticastConnections& multicast_;
    const BaseStationAir& air_;
    const ResourceGrid& grid_;
    const double frame_s_;
    Samples next_review_ = INT64_MIN;
    /// A station's flow, or that of a multicast connection.
    struct Holder {
        FlowContext* flow = nullptr;
        const Subscriber* station = nullptr;
        const MulticastConnection* connection = nullptr;
    };
    std::vector<Holder> holders_;
    HalfDuplexDivision division_;
    uint32_t without_room_ = 0;
    ReservationCounters counters_;
};

}  // namespace wimax::mac
