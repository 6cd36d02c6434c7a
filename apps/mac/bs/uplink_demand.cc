/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/uplink_demand.h"

#include "mac/flow/request_rules.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

/// Enough for SBC-REQ, REG-REQ and DSA-RSP of a station that is entering.
constexpr size_t kEntryOctets = 90;
constexpr uint32_t kUnprovenSymbols = 5;  // a frame, for a request that anybody may have sent
constexpr uint32_t kEntryGrants = 8;      // of them in a frame
constexpr uint32_t kFeedbackGrants = 8;   // for ARQ feedback alone, about so many in a frame
constexpr size_t kPduAllowance = kPduOverheadOctets + 2;
constexpr int64_t kNrtpsPollMs = 500;
/// UGS grants that found no room are made up for, those of that many frames at most.
constexpr double kUgsCreditFrames = 4.0;
constexpr double kSlipExtra = 0.01;    // more grants while the slip indicator is set (clause 6.3.5)
constexpr double kSlipIntervals = 12;  // it holds so long, for not every PDU carries it

/// Seconds between grants or polls.
double grant_interval(const ServiceFlowConfig& flow, double frame_seconds) {
    if (flow.grant_interval_us != 0) return flow.grant_interval_us * 1e-6;
    return flow.scheduling == SchedulingType::nrtps ? kNrtpsPollMs * 1e-3 : frame_seconds;
}

/// Room for so many octets of UGS packets, the first of which may have been sent in part.
size_t ugs_due(double owed, double packet) {
    if (owed < 1) return 0;
    return static_cast<size_t>(std::ceil(owed - 1e-6) +
                               std::ceil(owed / packet - 1e-6) * static_cast<double>(kPduAllowance));
}

/// What a grant of less than was due leaves owed: the last packets, and of the one that is cut what the grant did not
/// hold. Its second piece needs a header of its own; charging the first one for it would leave the queue longer with
/// every cut. A piece without room for a fragment carries nothing.
double ugs_left(const FlowContext& flow, size_t due, size_t paid) {
    if (paid >= due) return 0;
    if (paid < kLeastAnswerOctets) return flow.ugs_owed_octets;
    const double grant = flow.ugs_packet_octets + kPduAllowance, missing = static_cast<double>(due - paid);
    const double part = std::fmod(missing, grant);
    const bool carries = flow.config.fragmentation && grant - part >= kLeastAnswerOctets;
    const double cut = part == 0 || carries ? part : flow.ugs_packet_octets;
    return std::min(flow.ugs_owed_octets, std::floor(missing / grant) * flow.ugs_packet_octets + cut);
}

}  // namespace

/// Of what is asked for: no more than its maximum sustained rate lets through. A station may ask ahead for what its
/// bucket has only when the grant comes.
size_t UplinkDemand::grantable(const FlowContext& flow) const {
    const TokenBucket& bucket = flow.rates.sustained;
    if (!bucket.limited()) return flow.requests.octets;
    return std::min(flow.requests.octets, flow.rates.on_air(bucket.available_at(clock_.now)) + kMaxSduOctets);
}

void UplinkDemand::collect(StationTable& stations) {
    claims_.clear();
    flows_.clear();
    entry_grants_left_ = kEntryGrants;
    feedback_interval_ = 1 + feedback_stations_ / kFeedbackGrants;
    feedback_stations_ = 0;
    for (auto& [cid, station] : stations.stations()) {
        ++station->frames_since_grant;
        if (station->active_frames > 0) --station->active_frames;
        if (station->state != EntryState::ranging) claims_.push_back(claim_of(*station));
    }
}

/// Unasked octets for one that has not got its flows yet: few stations a frame, and not for long to one that is silent.
bool UplinkDemand::entry_grant_due(const Subscriber& station) {
    if (station.state == EntryState::operational || station.misses >= kSilentGrants || entry_grants_left_ == 0)
        return false;
    --entry_grants_left_;
    return true;
}

/// Room for the feedback that downlink ARQ connections wait for, without being asked: in each frame, or, of many, to
/// each in its turn.
size_t UplinkDemand::feedback_due(const Subscriber& station) {
    const size_t octets = station.expected_feedback_octets();
    if (octets == 0) return 0;
    ++feedback_stations_;
    return station.frames_since_grant >= feedback_interval_ ? octets : 0;
}

UplinkClaim UplinkDemand::claim_of(Subscriber& station) {
    UplinkClaim claim;
    claim.cid = station.basic_cid;
    claim.rate_id = station.ul_rate.id();
    claim.subchannel = station.config.ul_subchannel;
    claim.weight = station.config.weight;
    claim.history = &station.ul_history;
    claim.frames_waiting = station.frames_since_grant;
    claim.active = station.active_frames > 0;
    claim.requested_octets = station.management_requests.octets;
    if (station.unproven_since) claim.most_requested_octets = bytes_in(claim.rate_id, kUnprovenSymbols);
    claim.entering = !station.registered();
    if (entry_grant_due(station)) claim.guaranteed_octets = kEntryOctets;
    claim.guaranteed_octets += feedback_due(station);
    const Samples silent = clock_.now - std::max(station.last_heard, station.last_grant);
    const auto t27 = station.misses > 0 ? config_.t27_active_ms : config_.t27_idle_ms;
    claim.poll = station.challenged || silent >= clock_.from_ms(t27);
    claim.first_flow = flows_.size();
    for (auto& flow : station.flows) {
        flow->due_octets = 0;
        flow->poll_due = false;
        if (flow->active && flow->config.direction == FlowDirection::uplink) flows_.push_back(claim_of(*flow));
    }
    claim.flow_count = flows_.size() - claim.first_flow;
    return claim;
}

/// What is due to the flow in this frame. It is spent when the grant is made, in spend().
FlowClaim UplinkDemand::claim_of(FlowContext& flow) {
    FlowClaim claim;
    claim.parameters = &flow.config;
    claim.backlog_octets = grantable(flow);
    switch (flow.config.scheduling) {
        case SchedulingType::ugs:
            claim.unasked_octets = flow.due_octets = ugs_due_of(flow);
            if (claim.unasked_octets > 0) claim.deadline = clock_.now;
            break;
        case SchedulingType::rtps:
        case SchedulingType::nrtps:
            flow.poll_due = clock_.now >= flow.next_poll;
            claim.poll = flow.poll_due;
            if (claim.poll) claim.deadline = flow.next_poll;
            [[fallthrough]];
        case SchedulingType::best_effort:
            flow.rates.reserved.update(clock_.now);
            if (!flow.rates.reserved.limited()) break;
            claim.reserved_octets = flow.due_octets =
                std::min(claim.backlog_octets, flow.rates.on_air(flow.rates.reserved.available()));
    }
    return claim;
}

size_t UplinkDemand::ugs_due_of(FlowContext& flow) {
    const double frame = config_.frame_seconds, interval = grant_interval(flow.config, frame);
    const double per_frame = frame / interval * (clock_.now < flow.slipped_until ? 1 + kSlipExtra : 1);
    flow.ugs_intervals += per_frame;
    const double elapsed = std::floor(flow.ugs_intervals + 1e-6);
    flow.ugs_intervals -= elapsed;
    flow.ugs_packet_octets = flow.config.max_sustained_rate_bps / 8.0 * interval;
    flow.ugs_owed_octets = std::min(flow.ugs_owed_octets + elapsed * flow.ugs_packet_octets,
                                    kUgsCreditFrames * std::max(1.0, per_frame) * flow.ugs_packet_octets);
    return ugs_due(flow.ugs_owed_octets, flow.ugs_packet_octets);
}

void UplinkDemand::slipped(FlowContext& flow) const {
    const double frame = config_.frame_seconds;
    const double seconds = kSlipIntervals * std::max(frame, grant_interval(flow.config, frame));
    flow.slipped_until = clock_.now + static_cast<Samples>(seconds * static_cast<double>(clock_.sample_rate_hz));
}

size_t UplinkDemand::spend(Subscriber& station, size_t octets) {
    size_t left = octets, ugs = 0;
    for (auto& flow : station.flows) {
        const size_t due = flow->due_octets, paid = std::min(left, due);
        left -= paid;
        flow->due_octets = 0;
        if (flow->config.scheduling == SchedulingType::ugs && paid > 0) {
            flow->ugs_owed_octets = ugs_left(*flow, due, paid);
            ugs += paid;
        } else {
            flow->rates.reserved.take(flow->rates.in_sdus(paid));
        }
        if (!flow->poll_due) continue;
        const double interval = grant_interval(flow->config, config_.frame_seconds);
        flow->next_poll = clock_.now + static_cast<Samples>(interval * static_cast<double>(clock_.sample_rate_hz)) -
                          config_.frame_samples / 2;
    }
    return octets - ugs;
}

}  // namespace wimax::mac
