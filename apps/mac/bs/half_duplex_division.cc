// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/half_duplex_division.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr double kGroupRounding = 1e-6;
constexpr double kNoRoom = 1e9;

double part_of(double cost, double room) { return cost <= kGroupRounding ? 0 : room > 0 ? cost / room : kNoRoom; }
double size_of(const HalfDuplexDivision::Member& member) {
    return std::max(member.cost.uplink + member.cost.downlink,
                    member.cost.uplink_bounded + member.cost.downlink_bounded);
}

}  // namespace

void HalfDuplexDivision::begin(const FrameLoad& load, const StationCost& for_both) {
    members_.clear();
    load_ = load;
    for_both_ = for_both;
}

void HalfDuplexDivision::Group::add(const Member& member, const GroupRoom& of) {
    cost += member.cost;
    room.downlink = std::min(room.downlink, of.downlink);
    room.downlink_bounded = std::min(room.downlink_bounded, of.downlink_bounded);
    room.uplink = std::min(room.uplink, of.uplink);
    room.uplink_bounded = std::min(room.uplink_bounded, of.uplink_bounded);
}

double HalfDuplexDivision::Group::use() const {
    return std::max({part_of(cost.downlink, room.downlink), part_of(cost.downlink_bounded, room.downlink_bounded),
                     part_of(cost.uplink, room.uplink), part_of(cost.uplink_bounded, room.uplink_bounded)});
}

GroupRoom HalfDuplexDivision::room_of(const Member& member, bool late) const {
    StationTurn turn = member.turn;
    turn.late = late;
    turn.listens = 0;
    return air_.group_room(load_, turn);
}

/// With the bursts for both groups.
HalfDuplexDivision::Groups HalfDuplexDivision::empty() const {
    Groups groups;
    for (const bool late : {false, true}) {
        groups[late].room = air_.group_room(load_, {.half_duplex = true, .late = late});
        groups[late].cost.downlink = for_both_.downlink;
        groups[late].cost.downlink_bounded = for_both_.downlink_bounded;
    }
    groups[true].cost.uplink = for_both_.downlink;
    groups[true].cost.uplink_bounded = for_both_.downlink_bounded;
    return groups;
}

double HalfDuplexDivision::later_uplink() const {
    Group later;
    later.room = air_.group_room(load_, {.half_duplex = true, .late = true});
    for (const auto& member : members_)
        if (member.turn.late) later.add(member, room_of(member, true));
    return std::max(
        0.0, std::min(later.room.uplink - later.cost.uplink, later.room.uplink_bounded - later.cost.uplink_bounded));
}

bool HalfDuplexDivision::fits() const {
    Groups groups = empty();
    if (std::max(for_both_.downlink, for_both_.downlink_bounded) > groups[true].room.for_both) return false;
    for (const auto& member : members_) groups[member.turn.late].add(member, room_of(member, member.turn.late));
    return std::max(groups[false].use(), groups[true].use()) <= 1 + kGroupRounding;
}

bool HalfDuplexDivision::fit() {
    if (fits()) return true;
    std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
        return size_of(a) != size_of(b) ? size_of(a) > size_of(b) : a.basic_cid < b.basic_cid;
    });
    Groups groups = empty();
    for (auto& member : members_) {
        Groups then = groups;
        for (const bool late : {false, true}) then[late].add(member, room_of(member, late));
        member.turn.late = then[true].use() < then[false].use();
        groups[member.turn.late] = then[member.turn.late];
    }
    return fits();
}

bool HalfDuplexDivision::fits_with(uint16_t basic_cid, bool late) {
    const auto found = std::ranges::find(members_, basic_cid, &Member::basic_cid);
    if (found == members_.end()) return true;
    const bool before = std::exchange(found->turn.late, late);
    const bool result = fits();
    found->turn.late = before;
    return result;
}

}  // namespace wimax::mac
