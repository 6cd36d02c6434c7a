/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a scheduler is told, in either direction: one claim for each service flow, gathered by stations, because grants
 * and bursts are a station's. It answers in symbols for each station. A policy sees flows and stations and nothing of
 * frames, maps and queues.
 */
#pragma once

#include "mac/frame_layout.h"
#include "mac/sample_time.h"
#include "mac/scheduler/fair_share.h"
#include "mac/station_config.h"

#include <concepts>
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
    Samples deadline = kNoDeadline;  ///< of what is owed: when the oldest packet has to arrive, a grant is due
    int order = 0;                   ///< service_order(): lower is sooner
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

struct DownlinkClaim : StationClaim {
    bool stc = false;  ///< its burst lies in the STC zone
    size_t management_octets = 0;
    double symbols = 0;  ///< result
};

/// The flows' claims come on top of what the station claims by itself; schedule() adds them.
struct UplinkClaim : StationClaim {
    uint8_t subchannel = phy::kFullSubchannel;  ///< of its grants, index of Table 213
    size_t guaranteed_octets = 0;               ///< by itself: entry messages
    size_t requested_octets = 0;                ///< by itself: management messages
    size_t most_requested_octets = SIZE_MAX;    ///< of all requests together, the rest is not served
    bool poll = false;                          ///< by itself: needs room for a request now (T27)
    bool entering = false;           ///< not registered yet: guaranteed octets come after those of the others
    bool active = false;             ///< used its grants lately
    double used_symbols = 0;         ///< by what it sent, of a frame, in the mean of the last ones
    uint32_t frames_waiting = 0;     ///< since its last grant; the longest wait is served first
    Samples deadline = kNoDeadline;  ///< schedule() sets it: the first of its flows'
    uint8_t midamble = 0;            ///< of its bursts, the map's two bits
    uint32_t data_symbols = 0;       ///< result, midambles counted and preambles not; 0: no grant

    /// Of a grant, for so many octets.
    uint32_t symbols_of(size_t octets) const {
        const uint32_t data = symbols_for(rate_id, octets, subchannel);
        return data + static_cast<uint32_t>(phy::midamble_count(midamble, static_cast<int>(data)));
    }
};

/// A policy is chosen when a station is built; nothing here is virtual. `symbols`: to hand out, with the preambles of
/// the uplink. Neither uses the heap once it has seen as many claims.
template <class Policy>
concept DownlinkPolicy = requires(Policy policy, std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows,
                                  double symbols) {
    policy.schedule(claims, flows, symbols);
};
template <class Policy>
concept UplinkPolicy = requires(Policy policy, std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows,
                                uint32_t symbols, uint32_t map_elements) {
    policy.schedule(claims, flows, symbols, map_elements);
    { policy.refused() } -> std::convertible_to<uint32_t>;
};

}  // namespace wimax::mac
