// SPDX-License-Identifier: GPL-3.0-or-later
// Input and result of a scheduler, in either direction: one claim for each service flow, grouped by stations, because
// grants and bursts are per station. The result is a number of resource units for each station. A policy sees flows and
// stations (scheduler_policy.h). It does not see frames, maps, queues and the air interface.
#pragma once

#include "mac/resource_grid.h"
#include "mac/sample_time.h"
#include "mac/scheduler/fair_share.h"
#include "mac/station_config.h"

#include <span>
#include <vector>

namespace wimax::mac {

inline constexpr Samples kNoDeadline = INT64_MAX;

struct FlowClaim {
    const ServiceFlowConfig* parameters = nullptr;  ///< scheduling service, priority, rates, latency
    /// Known waiting octets. Downlink: in the queue. Uplink: requested and not granted.
    size_t backlog_octets = 0;
    size_t reserved_octets = 0;      ///< of these, owed in this frame: minimum reserved rate; downlink UGS: all
    size_t unasked_octets = 0;       ///< in addition, owed in this frame: uplink UGS
    bool poll = false;               ///< uplink: room for a request is owed
    Samples deadline = kNoDeadline;  ///< of the owed octets: when the oldest packet has to arrive or a grant is due
    int order = 0;                   ///< service_order(): lower is sooner
};

/// Claim fields common to both directions.
struct StationClaim {
    uint16_t cid = 0;  ///< basic CID
    BurstShape shape;
    double weight = 1;
    ServiceHistory* history = nullptr;
    size_t first_flow = 0, flow_count = 0;  ///< its part of the flows' claims, in serving order

    std::span<const FlowClaim> flows(std::span<const FlowClaim> all) const {
        return all.subspan(first_flow, flow_count);
    }
};

/// Part of a frame in which half-duplex stations hear a burst: before their own bursts, or after them. `end`: a burst
/// for stations of both groups, after the bursts of all of them.
enum class FramePart : uint8_t { before, any, after, end };
/// The part begins after bursts of its stations.
constexpr bool follows_grants(FramePart part) { return part == FramePart::after || part == FramePart::end; }

struct DownlinkClaim : StationClaim {
    FramePart part = FramePart::any;
    uint32_t bound = 0;  ///< unit before which the part ends, or from which it begins
    bool stc = false;    ///< its burst lies in the STC zone
    size_t management_octets = 0;
    double units = 0;  ///< result
};

/// The flows' claims are in addition to the station's own claim; schedule() adds them.
struct UplinkClaim : StationClaim {
    size_t guaranteed_octets = 0;             ///< station's own: entry messages
    size_t requested_octets = 0;              ///< station's own: management messages
    size_t most_requested_octets = SIZE_MAX;  ///< of all requests together; the rest is not served
    bool poll = false;                        ///< station's own: needs room for a request now (T27)
    bool entering = false;                    ///< not registered yet: guaranteed octets rank after the others'
    bool active = false;                      ///< used its recent grants
    double used_units = 0;                    ///< mean of the last frames: units per frame that its data filled
    uint32_t frames_waiting = 0;              ///< since its last grant; the longest wait is served first
    Samples deadline = kNoDeadline;           ///< schedule() sets it: the first of its flows'
    uint32_t units = 0;                       ///< result, without the overhead of bursts; 0: no grant
};

}  // namespace wimax::mac
