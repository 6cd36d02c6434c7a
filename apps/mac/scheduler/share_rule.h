// SPDX-License-Identifier: GPL-3.0-or-later
// How stations share the units that are guaranteed to no station, by the policy that the configuration names. Four of
// the five fill to one water level: a station gets w * (level - served), where `served` is in the unit of the policy
// (share_out()). Deficit round robin serves class after class.
#pragma once

#include "mac/scheduler/claims.h"

#include <array>
#include <vector>

namespace wimax::mac {

/// Maximum number of stations with much to send in the same frame: each of them costs a cut packet.
inline constexpr size_t kMostAtOnce = 6;
/// Uplink: maximum number of grants per frame for `busy` stations, at most kMostGrantsAtOnce. Each costs the overhead
/// of a burst and a map element, so that each of three or more gets one only every other frame.
inline constexpr size_t kMostGrantsAtOnce = 3;
size_t most_grants_at_once(size_t busy);
/// True if the demand exceeds the share of kMostAtOnce stations.
inline bool is_much(double demand, double capacity) { return demand > capacity / kMostAtOnce; }

class ShareRule {
public:
    ShareRule(const ResourceGrid& grid, SchedulerPolicy policy)
        : grid_(grid), most_octets_per_unit_(grid.profiles().most_octets_per_unit()), policy_(policy) {}

    struct Share {
        const StationClaim* claim = nullptr;
        double demand = 0;  ///< units
        double share = 0;   ///< result: 0..demand
    };
    /// A frame of `units` begins for stations that want something.
    void begin(std::vector<ServiceHistory*>& busy, double units);
    /// Sets the shares; their sum is at most `capacity`. Uses no heap once it has seen as many.
    void divide(std::span<Share> shares, std::span<const FlowClaim> flows, double capacity);
    /// True if the policy determines the order of stations and their number per frame.
    bool keeps_turns() const {
        return policy_ == SchedulerPolicy::priority_drr || policy_ == SchedulerPolicy::weighted_channel;
    }
    /// Rank if a frame cannot serve all stations: lower is sooner.
    double turn(const StationClaim& claim, std::span<const FlowClaim> flows, uint32_t frames_waiting) const;
    /// Records units that a station has used.
    void served(const StationClaim& claim, double units) const;

private:
    struct Terms {
        double weight = 1, served = 0;
    };
    /// Deficit round robin in a class: the next station, and whether it has received its quantum.
    struct Turn {
        uint16_t cid = 0;
        bool begun = false;
    };
    static constexpr size_t kOrders = 40;  ///< of service_order()
    Terms terms(const StationClaim& claim) const;
    double average(const StationClaim& claim) const;
    void by_classes(std::span<Share> shares, std::span<const FlowClaim> flows, double capacity);
    double round_robin(std::span<Share> shares, Turn& turn, double capacity);

    double octets_per_unit(const StationClaim& claim) const { return grid_.octets_per_unit(claim.shape.profile); }

    const ResourceGrid& grid_;
    double most_octets_per_unit_;
    SchedulerPolicy policy_;
    uint32_t frame_ = 0;
    std::array<Turn, kOrders + 1> turns_{};  ///< by order; the last: for claims without an order
    std::vector<Claim> claims_;
    std::vector<double> wants_;  ///< units, of the class being served
};

}  // namespace wimax::mac
