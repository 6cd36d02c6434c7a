// SPDX-License-Identifier: GPL-3.0-or-later
// Promises to half-duplex stations in FDD: each of the two groups has a part of each direction. The promises fit if the
// stations can be divided so that both groups have room.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/bs/flow_cost.h"

#include <array>
#include <vector>

namespace wimax::mac {

class HalfDuplexDivision {
public:
    struct Member {
        uint16_t basic_cid = 0;
        StationTurn turn;  ///< with its group
        StationCost cost;
    };

    /// `air` outlives the object.
    explicit HalfDuplexDivision(const BaseStationAir& air) : air_(air) {}

    /// No stations. `for_both`: cost of bursts that both groups hear.
    void begin(const FrameLoad& load, const StationCost& for_both);
    void add(const Member& member) { members_.push_back(member); }
    /// In the groups of their turns.
    bool fits() const;
    /// The same, or in other groups: the largest stations first, each in the group with more room.
    bool fit();
    /// True: there is room after a station has changed its group.
    bool fits_with(uint16_t basic_cid, bool late);
    const std::vector<Member>& members() const { return members_; }
    /// Units of the later group's part of the uplink that are not promised to its stations.
    double later_uplink() const;

private:
    struct Group {
        GroupRoom room;
        StationCost cost;
        void add(const Member& member, const GroupRoom& of);
        double use() const;  ///< of the scarcest room; at most 1 fits
    };
    using Groups = std::array<Group, 2>;
    Groups empty() const;
    GroupRoom room_of(const Member& member, bool late) const;

    const BaseStationAir& air_;
    FrameLoad load_;
    StationCost for_both_;
    std::vector<Member> members_;
};

}  // namespace wimax::mac
