// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/flow_cost.h"

#include "mac/flow/rate_rules.h"
#include "mac/flow/transmitter.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

/// The packet length of a reserved rate is unknown: overhead is counted for packets of this many octets.
constexpr double kReservedPacketOctets = 100;
/// A PDU with the last piece of a packet in a share, and its request for more.
constexpr double kPieceOctets = kFragmentOverheadOctets + GrantManagementSubheader::kOctets;
/// Requested traffic with a latency bound arrives in lumps that cannot be served earlier, so this margin stays free. At
/// 1.2, packets with a bound of 100 ms were up to 10 ms late next to a flooding cell; at 1.3, none with 70 ms was.
constexpr double kLumps = 1.35;
constexpr double kRounding = 1e-6;

double in_pdus(const ServiceFlowConfig& flow, double octets, double packet) {
    return octets + std::ceil(octets / packet - kRounding) * (kPieceOctets + flow.sealing_octets);
}

/// Number of frames in which octets with that slack can be sent.
double frames_to_go(double slack_s, double frame_s) { return std::max(1.0, std::floor(slack_s / frame_s + kRounding)); }

FlowCost uplink_flow_cost(const ServiceFlowConfig& flow, double frame_s) {
    FlowCost cost;
    const double latency_s = flow.max_latency_ms * 1e-3;
    if (is_granted_unasked(flow, frame_s)) {
        const UnaskedGrants grants = unasked_grants(flow, frame_s);
        cost.octets = grants.octets + kPduOverheadOctets + flow.sealing_octets + GrantManagementSubheader::kOctets;
        cost.interval = grants.interval_s / frame_s;
        if (cost.interval < 1) {
            cost.octets /= cost.interval;
            cost.interval = 1;
        }
        if (flow.max_latency_ms != 0)
            cost.bounded_octets = cost.octets / frames_to_go(latency_s - grants.interval_s, frame_s);
        return cost;
    }
    const double rate_bps = is_bounded(flow) ? rate_to_hold_bps(flow) : flow.min_reserved_rate_bps;
    if (rate_bps > 0) cost.octets = in_pdus(flow, rate_bps / 8 * frame_s, kReservedPacketOctets);
    if (is_bounded(flow)) cost.octets *= kLumps;
    cost.asks = cost.any();
    if (flow.scheduling == SchedulingType::best_effort) return cost;
    const double interval_s = poll_interval(flow, frame_s), polls = std::min(1.0, frame_s / interval_s);
    if (cost.octets > 0) {
        cost.octets += polls * kHeaderOctets;
    } else {
        cost.octets = kHeaderOctets;
        cost.interval = 1 / polls;
    }
    // A request, its grant and its data follow the poll.
    if (is_bounded(flow)) {
        const double due =
            kHeaderOctets + in_pdus(flow, grant_octets(rate_bps / 8, interval_s, latency_s), kReservedPacketOctets);
        cost.bounded_octets = due / frames_to_go(latency_s - interval_s - (kFramesToAsk - 2) * frame_s, frame_s);
    }
    return cost;
}

FlowCost downlink_flow_cost(const ServiceFlowConfig& flow, double frame_s) {
    FlowCost cost;
    const double rate_bps = is_bounded(flow) ? rate_to_hold_bps(flow) : flow.min_reserved_rate_bps;
    if (rate_bps == 0) return cost;
    const double latency_s = flow.max_latency_ms * 1e-3;
    const double packet = std::min(kLongestPacketOctets, rate_bps / 8 * std::max(latency_s, frame_s));
    cost.octets = in_pdus(flow, rate_bps / 8 * frame_s, std::min(packet, kReservedPacketOctets));
    if (is_bounded(flow) && flow.max_latency_ms != 0)
        cost.bounded_octets = std::max(
            cost.octets, in_pdus(flow, packet, kReservedPacketOctets) / frames_to_go(latency_s - frame_s, frame_s));
    return cost;
}

double grant_units(const ResourceGrid& grid, double octets, const BurstShape& shape) {
    return grid.units_for(shape, static_cast<size_t>(std::ceil(octets)));
}

}  // namespace

FlowCost cost_of(const ServiceFlowConfig& flow, double frame_s) {
    return flow.direction == FlowDirection::uplink ? uplink_flow_cost(flow, frame_s)
                                                   : downlink_flow_cost(flow, frame_s);
}

FlowCost larger(const FlowCost& a, const FlowCost& b) {
    FlowCost most = a.mean_octets() >= b.mean_octets() ? a : b;
    most.bounded_octets = std::max(a.bounded_octets, b.bounded_octets);
    most.asks = a.asks || b.asks;
    return most;
}

StationCost& StationCost::operator+=(const StationCost& o) {
    uplink += o.uplink;
    uplink_bounded += o.uplink_bounded;
    downlink += o.downlink;
    downlink_bounded += o.downlink_bounded;
    grants += o.grants;
    grants_bounded += o.grants_bounded;
    return *this;
}
StationCost& StationCost::operator-=(const StationCost& o) {
    uplink -= o.uplink;
    uplink_bounded -= o.uplink_bounded;
    downlink -= o.downlink;
    downlink_bounded -= o.downlink_bounded;
    grants -= o.grants;
    grants_bounded -= o.grants_bounded;
    return *this;
}

/// Flows with a share of every frame have one grant together, with the overhead of one burst. Grants of the other flows
/// are added at their intervals.
StationCost uplink_cost(const ResourceGrid& grid, std::span<const FlowCost> flows, const BurstShape& shape) {
    StationCost cost;
    const double overhead = grid.grant().overhead_units;
    double every_frame = 0, bounded = 0;
    if (std::ranges::any_of(flows, &FlowCost::asks)) every_frame = kHeaderOctets;
    for (const auto& flow : flows) {
        if (flow.any() && flow.interval == 1) every_frame += flow.octets;
        bounded += flow.bounded_octets;
    }
    if (every_frame > 0) {
        cost.uplink = grant_units(grid, every_frame, shape) + overhead;
        cost.grants = 1;
    }
    for (const auto& flow : flows) {
        if (!flow.any() || flow.interval == 1) continue;
        cost.uplink += (grant_units(grid, flow.octets, shape) + (every_frame > 0 ? 0 : overhead)) / flow.interval;
        cost.grants += every_frame > 0 ? 0 : 1 / flow.interval;
    }
    if (bounded > 0) {
        cost.uplink_bounded = grant_units(grid, bounded, shape) + overhead;
        cost.grants_bounded = 1;
    }
    return cost;
}

StationCost downlink_cost(const ResourceGrid& grid, std::span<const FlowCost> flows, ProfileId profile) {
    StationCost cost;
    const double octets_per_unit = grid.octets_per_unit(profile);
    for (const auto& flow : flows) {
        cost.downlink += flow.mean_octets() / octets_per_unit;
        cost.downlink_bounded += flow.bounded_octets / octets_per_unit;
    }
    return cost;
}

namespace {

/// The flow is promised its maximum sustained rate, not only its minimum reserved rate.
bool promises_maximum(const ServiceFlowConfig& flow) {
    return flow.max_sustained_rate_bps != 0 &&
           (is_bounded(flow) || (flow.scheduling >= SchedulingType::rtps && flow.max_latency_ms != 0));
}

}  // namespace

uint32_t promised_rate_bps(const ServiceFlowConfig& flow) {
    return promises_maximum(flow) ? flow.max_sustained_rate_bps : flow.min_reserved_rate_bps;
}

ServiceFlowConfig with_rate(ServiceFlowConfig flow, uint32_t rate_bps) {
    if (promises_maximum(flow)) flow.max_sustained_rate_bps = std::min(flow.max_sustained_rate_bps, rate_bps);
    flow.min_reserved_rate_bps = std::min(flow.min_reserved_rate_bps, rate_bps);
    return flow;
}

}  // namespace wimax::mac
