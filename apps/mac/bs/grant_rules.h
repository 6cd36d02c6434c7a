// SPDX-License-Identifier: GPL-3.0-or-later
// When an uplink flow gets unsolicited grants, and of what size, from its QoS set (clauses 6.3.5 and 11.13). The
// interval between grants is no parameter of 802.16-2004, so it follows from the rate, the latency and the jitter.
//
// A packet waits for the next grant and then for the end of its frame. Grants are therefore at most the latency less a
// frame apart, and at most the tolerated jitter. A grant holds the rate's octets since the last one and a packet. The
// packet length is unknown: at most what the rate fills within the latency.
#pragma once

#include "mac/station_config.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {

struct UnaskedGrants {
    double interval_s = 0, octets = 0;  ///< of SDUs in each of them
};

inline constexpr double kLongestPacketOctets = 1500;
/// A request, its grant and its data take at most this many frames. Flows that tolerate a longer latency can ask.
inline constexpr double kFramesToAsk = 4;
inline constexpr double kNrtpsPollSeconds = 0.5;

inline double rate_to_hold_bps(const ServiceFlowConfig& flow) {
    return flow.max_sustained_rate_bps != 0 ? flow.max_sustained_rate_bps : flow.min_reserved_rate_bps;
}

/// True for UGS and ertPS; for rtPS if requests would take longer than its latency allows.
inline bool is_granted_unasked(const ServiceFlowConfig& flow, double frame_s) {
    switch (flow.scheduling) {
        case SchedulingType::ugs:
        case SchedulingType::ertps: return rate_to_hold_bps(flow) > 0;
        case SchedulingType::rtps:
            return rate_to_hold_bps(flow) > 0 && flow.max_latency_ms != 0 &&
                   flow.max_latency_ms * 1e-3 < kFramesToAsk * frame_s;
        default: return false;
    }
}

/// Octets that may have arrived since the last grant.
inline double grant_octets(double octets_a_second, double interval_s, double latency_s) {
    const double meanwhile = octets_a_second * interval_s;
    const double packet = std::min(kLongestPacketOctets, octets_a_second * std::max(latency_s, interval_s));
    return meanwhile <= packet / 2 ? packet : meanwhile + packet;
}

/// Pre: is_granted_unasked().
inline UnaskedGrants unasked_grants(const ServiceFlowConfig& flow, double frame_s) {
    const double octets_a_second = rate_to_hold_bps(flow) / 8;
    const double latency_s = flow.max_latency_ms * 1e-3, jitter_s = flow.tolerated_jitter_ms * 1e-3;
    double most_s = INFINITY;
    if (latency_s > 0) most_s = latency_s - frame_s;
    if (jitter_s > 0) most_s = std::min(most_s, jitter_s);
    const auto whole_frames = [&](double s) { return std::max(frame_s, std::floor(s / frame_s + 1e-6) * frame_s); };
    if (flow.grant_interval_us != 0) {
        const double given_s = flow.grant_interval_us * 1e-6;
        const double interval_s = std::isinf(most_s) ? given_s : std::min(given_s, whole_frames(most_s));
        return {interval_s, octets_a_second * given_s};
    }
    if (std::isinf(most_s)) return {frame_s, octets_a_second * frame_s};
    const double interval_s = whole_frames(most_s);
    return {interval_s, grant_octets(octets_a_second, interval_s, latency_s)};
}

/// Seconds between polls.
inline double poll_interval(const ServiceFlowConfig& flow, double frame_s) {
    double interval_s = flow.grant_interval_us * 1e-6;
    if (interval_s == 0) interval_s = flow.scheduling == SchedulingType::nrtps ? kNrtpsPollSeconds : frame_s;
    if (flow.scheduling == SchedulingType::nrtps || flow.max_latency_ms == 0) return interval_s;
    return std::min(interval_s, std::max(0.0, flow.max_latency_ms * 1e-3 - (kFramesToAsk - 1) * frame_s));
}

}  // namespace wimax::mac
