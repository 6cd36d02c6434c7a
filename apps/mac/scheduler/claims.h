/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a scheduler is told, in either direction: one claim for each service flow, gathered by stations, because grants
 * and bursts are a station's. It answers in symbols for each station. A policy is a class with the same schedule(); it
 * sees flows and stations and nothing of frames, maps and queues.
 */
#pragma once

#include <mac/config.h>
#include <mac/scheduler/fair_share.h>
#include <mac/time.h>

#include <span>
#include <vector>

namespace wimax::mac {

inline constexpr Samples kNoDeadline = INT64_MAX;

struct FlowClaim {
    const ServiceFlowConfig* parameters = nullptr;  ///< scheduling service, priority, rates, latency
    /// Octets that wait and are known of. Downlink: in the queue. Uplink: asked for and not granted.
    size_t backlog_octets = 0;
    size_t reserved_octets = 0;      ///< of these, owed in this frame: minimum reserved rate; downlink UGS: all
    size_t unasked_octets = 0;       ///< beside these, owed in this frame: uplink UGS
    bool poll = false;               ///< uplink: room for a request is owed
    Samples deadline = kNoDeadline;  ///< since when the poll or the UGS grant is due
};

/// What claims of both directions have in common.
struct StationClaim {
    uint16_t cid = 0;  ///< basic CID
    uint8_t rate_id = 0;
    double weight = 1;
    ServiceHistory* history = nullptr;
    size_t first_flow = 0, flow_count = 0;  ///< its part of the flows' claims, in serving order

    std::span<const FlowClaim> flows(std::span<const FlowClaim> all) const {
        return all.subspan(first_flow, flow_count);
    }
};

}  // namespace wimax::mac
