// SPDX-License-Identifier: GPL-3.0-or-later
// Limits by a service flow's maximum sustained rate and maximum burst (clauses 11.13.6 and 11.13.7), and the sender's
// limits that satisfy them at any instant. The sender's time advances in frames, and a packet may be delivered earlier
// within its frame than packets of the previous frame.
#pragma once

#include "mac/flow/sdu_queue.h"
#include "mac/station_config.h"

#include <algorithm>

namespace wimax::mac {

/// The longest frame in milliseconds.
inline constexpr uint32_t kLongestFrameMs = 20;

constexpr size_t octets_in(uint32_t rate_bps, uint32_t ms) {
    return static_cast<size_t>(uint64_t{rate_bps} * ms / 8000);
}
/// Maximum burst. Default: octets of two of the longest frames and an SDU; never less than an SDU.
inline size_t burst_octets(const ServiceFlowConfig& flow) {
    if (flow.max_burst_bytes != 0) return std::max<size_t>(flow.max_burst_bytes, kMaxSduOctets);
    return kMaxSduOctets + octets_in(flow.max_sustained_rate_bps, 2 * kLongestFrameMs);
}
/// Depth of the sender's bucket: a frame's octets less than the maximum burst, but at least a frame's octets and an
/// SDU, which the rate requires.
inline size_t shaping_octets(const ServiceFlowConfig& flow) {
    const size_t promised = burst_octets(flow), frame = octets_in(flow.max_sustained_rate_bps, kLongestFrameMs);
    const size_t least = std::min(promised, kMaxSduOctets + frame);
    return std::max(least, promised - std::min(promised, frame));
}
/// True if the latency applies to all packets within the maximum sustained rate, so that they are served at once.
inline bool is_bounded(const ServiceFlowConfig& flow) {
    if (flow.scheduling == SchedulingType::ugs) return true;
    return flow.scheduling >= SchedulingType::rtps && flow.max_latency_ms != 0 && flow.max_sustained_rate_bps != 0;
}
/// Deficit against the minimum reserved rate that is made up for: octets of a longest frame and two packets.
inline size_t reserve_octets(const ServiceFlowConfig& flow) {
    return 3000 + octets_in(flow.min_reserved_rate_bps, kLongestFrameMs);
}

}  // namespace wimax::mac
