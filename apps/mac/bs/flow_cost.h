// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of the promises to service flows in a frame: octets of a flow, whatever its burst profile, and resource units of
// a station at its present burst profile, with the overhead of PDUs and bursts. Traffic without a promise costs
// nothing.
//
// Two sums are bounded: the mean, which rates fill, and what may be due within one frame because of a latency bound. A
// flow's share of the latter is what falls due at once, divided by the frames in which it may be sent. The sums fit if
// they do at the worst moment, with everything due together and the earliest deadline served first.
#pragma once

#include "mac/bs/grant_rules.h"
#include "mac/resource_grid.h"

#include <span>

namespace wimax::mac {

struct FlowCost {
    double octets = 0;          ///< of PDUs, in a grant or in a frame's share
    double interval = 1;        ///< frames from one to the next, at least 1
    double bounded_octets = 0;  ///< octets that may have to be sent within a frame
    bool asks = false;          ///< uplink: owed octets are requested; other flows send requests there, too

    bool any() const { return octets > 0; }
    double mean_octets() const { return octets / interval; }
};

/// Cost of the QoS parameters in `flow`.
FlowCost cost_of(const ServiceFlowConfig& flow, double frame_s);
/// Cost during a change, when either may be in force.
FlowCost larger(const FlowCost& a, const FlowCost& b);

/// Cost of one station, or of all of them, in units per frame.
struct StationCost {
    double uplink = 0, uplink_bounded = 0, downlink = 0, downlink_bounded = 0;
    double grants = 0, grants_bounded = 0;  ///< elements of the UL-MAP

    StationCost& operator+=(const StationCost& other);
    StationCost& operator-=(const StationCost& other);
};
/// Cost of a station's flows of one direction, whose bursts have this shape or profile.
StationCost uplink_cost(const ResourceGrid& grid, std::span<const FlowCost> flows, const BurstShape& shape);
StationCost downlink_cost(const ResourceGrid& grid, std::span<const FlowCost> flows, ProfileId profile);

/// The same flow with the rate that is promised to it lowered to `rate_bps`, which is at least 1.
ServiceFlowConfig with_rate(ServiceFlowConfig flow, uint32_t rate_bps);
/// The rate that is promised; 0: none.
uint32_t promised_rate_bps(const ServiceFlowConfig& flow);

}  // namespace wimax::mac
