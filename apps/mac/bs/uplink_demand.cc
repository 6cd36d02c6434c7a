// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/uplink_demand.h"

#include "mac/bs/grant_rules.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// Enough for SBC-REQ, REG-REQ and DSA-RSP of an entering station.
constexpr size_t kEntryOctets = 90;
constexpr uint32_t kUnprovenUnits = 5;   // per frame, for a request that any station may have sent
constexpr uint32_t kEntryGrants = 8;     // per frame
constexpr int64_t kSetUpPauseMs = 500;   // of a managed station: then it waits for a server
constexpr uint32_t kFeedbackGrants = 8;  // approximate number per frame, for ARQ feedback alone
constexpr double kSlipIntervals = 12;    // duration of the slip indicator, since not every PDU carries it

/// Units that the octets fill, without rounding: rounding up would add up over many stations.
double units_filled(const ResourceGrid& grid, ProfileId profile, size_t octets) {
    return static_cast<double>(octets) / grid.octets_per_unit(profile);
}

}  // namespace

/// Limits the requested octets to the maximum sustained rate. A station may request ahead octets that its bucket has
/// only when the grant arrives.
size_t UplinkDemand::grantable(const FlowContext& flow) const {
    const TokenBucket& bucket = flow.rates.sustained;
    if (!bucket.limited()) return flow.requests.octets();
    return std::min(flow.requests.octets(), flow.rates.on_air(bucket.available_at(clock_.now)) + kMaxSduOctets);
}

void UplinkDemand::collect(StationTable& stations) {
    claims_.clear();
    flows_.clear();
    entry_grants_left_ = kEntryGrants;
    feedback_interval_ = 1 + feedback_stations_ / kFeedbackGrants;
    feedback_stations_ = 0;
    for (Subscriber* station : stations.awake()) {
        StationRequests& requests = station->requests;
        requests.begin_frame();
        requests.average_use(units_filled(grid_, station->grant_profile(), requests.take_carried()));
        if (station->entry.state() != EntryState::ranging && station->restriction.kind != Restriction::silent)
            claims_.push_back(claim_of(*station));
    }
}

/// Unsolicited octets for a station that has no flows yet: few stations per frame, and not for long to a silent one.
bool UplinkDemand::entry_grant_due(const Subscriber& station) {
    if (station.entry.operational() || station.health.misses() >= kSilentGrants || entry_grants_left_ == 0)
        return false;
    // A managed station may pause for minutes until a server answers. It can ask, and is polled.
    if (station.managed.awaits_file() && clock_.now - station.managed.active_at > clock_.from_ms(kSetUpPauseMs))
        return false;
    --entry_grants_left_;
    return true;
}

/// Unsolicited room for the feedback that downlink ARQ connections await: in each frame, or to many stations in turn.
size_t UplinkDemand::feedback_due(const Subscriber& station) {
    const size_t octets = station.expected_feedback_octets();
    if (octets == 0) return 0;
    ++feedback_stations_;
    return station.requests.frames_since_grant() >= feedback_interval_ ? octets : 0;
}

UplinkClaim UplinkDemand::claim_of(Subscriber& station) {
    UplinkClaim claim;
    claim.cid = station.basic_cid;
    claim.shape.profile = station.grant_profile();
    claim.shape.width = static_cast<uint8_t>(station.uplink.width.count());
    claim.shape.training = station.uplink.training_field();
    claim.weight = station.config.weight;
    claim.history = &station.requests.history();
    claim.frames_waiting = station.requests.frames_since_grant();
    claim.active = station.requests.active_frames() > 0;
    claim.used_units = station.requests.used_units();
    claim.requested_octets = station.requests.management().octets();
    if (station.requests.unproven_since())
        claim.most_requested_octets = grid_.octets_in({station.grant_profile()}, kUnprovenUnits);
    claim.entering = !station.registered();
    if (entry_grant_due(station)) claim.guaranteed_octets = kEntryOctets;
    claim.guaranteed_octets += feedback_due(station);
    const Samples silent = clock_.now - std::max(station.health.last_heard(), station.requests.last_grant());
    // In contention a narrow station would hardly be received.
    const auto t27 =
        station.health.misses() > 0 || station.uplink.width.narrow() ? config_.t27_active_ms : config_.t27_idle_ms;
    claim.poll = station.health.challenged() || station.requests.wants_poll() || silent >= clock_.from_ms(t27);
    claim.first_flow = flows_.size();
    for (auto& flow : station.flows) {
        flow->dues.begin_frame();
        if (flow->active && flow->config.direction == FlowDirection::uplink) flows_.push_back(claim_of(*flow));
    }
    share_reserved(station, std::span(flows_).subspan(claim.first_flow));
    // Flows that are owed nothing request more in the same grant.
    if (std::any_of(flows_.begin() + static_cast<ptrdiff_t>(claim.first_flow), flows_.end(),
                    [](const FlowClaim& of) { return of.reserved_octets > 0; }))
        claim.guaranteed_octets += kHeaderOctets;
    claim.flow_count = flows_.size() - claim.first_flow;
    return claim;
}

/// There is no room for the promise: the flow shares unreserved capacity. Polls continue, without a deadline.
void UplinkDemand::owe_nothing(FlowClaim& claim) {
    claim.backlog_octets += claim.unasked_octets;
    claim.unasked_octets = claim.reserved_octets = 0;
    claim.deadline = kNoDeadline;
}

/// A station's flows use its grants in their own order, so one may use another's share. The station is therefore owed
/// the sum of its reserved rates, as long as any of these flows has asked.
void UplinkDemand::share_reserved(Subscriber& station, std::span<FlowClaim> claims) {
    const auto shares = [](const FlowContext& flow) {
        return flow.active && !flow.downlink() && flow.held && flow.rates.reserved.limited() &&
               !is_bounded(flow.config);
    };
    size_t left = 0;  // of the rates, in octets of PDUs
    auto claim = claims.begin();
    for (auto& flow : station.flows) {
        if (!flow->active || flow->downlink()) continue;
        const size_t owed = (claim++)->reserved_octets;
        if (!shares(*flow)) continue;
        const size_t rate = flow->rates.on_air(flow->rates.reserved.available());
        left += rate - std::min(rate, owed);
    }
    claim = claims.begin();
    for (auto& flow : station.flows) {
        if (!flow->active || flow->downlink()) continue;
        FlowClaim& of = *claim++;
        if (!shares(*flow)) continue;
        const size_t more = std::min(left, of.backlog_octets - std::min(of.backlog_octets, of.reserved_octets));
        of.reserved_octets += more;
        flow->dues.add(more);
        left -= more;
    }
}

/// Octets due to the flow in this frame. spend() deducts them when the grant is made.
FlowClaim UplinkDemand::claim_of(FlowContext& flow) {
    FlowClaim claim;
    claim.parameters = &flow.config;
    claim.order = service_order(flow.config);
    claim.backlog_octets = grantable(flow);
    if (is_granted_unasked(flow.config, config_.frame_seconds)) {
        const bool silent =
            flow.config.scheduling == SchedulingType::ertps && flow.dues.silent() && flow.requests.octets() == 0;
        if (!silent) claim.unasked_octets = flow.dues.elapse(flow.config, config_.frame_seconds, clock_.now);
        if (claim.unasked_octets > 0) claim.deadline = clock_.now;
    }
    if (flow.config.scheduling != SchedulingType::ugs) claim_asked(flow, claim);
    flow.dues.due(claim.unasked_octets, claim.reserved_octets);
    if (!flow.held) owe_nothing(claim);
    return claim;
}

/// Claims polls, and the part of the requested octets that is owed now.
void UplinkDemand::claim_asked(FlowContext& flow, FlowClaim& claim) {
    if (flow.config.scheduling != SchedulingType::best_effort) {
        claim.poll = flow.dues.check_poll(clock_.now);
        if (claim.poll) claim.deadline = std::min(claim.deadline, flow.dues.next_poll());
    }
    TokenBucket& reserved = flow.rates.reserved;
    reserved.update(clock_.now);
    if (is_bounded(flow.config)) {
        claim.reserved_octets = claim.backlog_octets;
        if (claim.backlog_octets > 0) claim.deadline = std::min(claim.deadline, clock_.now);
    } else if (reserved.limited()) {
        claim.reserved_octets = std::min(claim.backlog_octets, flow.rates.on_air(reserved.available()));
    }
}

void UplinkDemand::slipped(FlowContext& flow) const {
    const double frame = config_.frame_seconds;
    const double seconds = kSlipIntervals * std::max(frame, unasked_grants(flow.config, frame).interval_s);
    flow.dues.slipped(clock_.now + static_cast<Samples>(seconds * static_cast<double>(clock_.sample_rate_hz)));
}

size_t UplinkDemand::spend(Subscriber& station, size_t octets) {
    size_t left = octets, ugs = 0, lent = 0;  // of the reserved rates of other flows
    station.requests.polled();
    for (auto& flow : station.flows) {
        const UplinkDues::Payment paid = flow->dues.pay(flow->config, left);
        left -= paid.octets;
        if (flow->config.scheduling == SchedulingType::ugs) ugs += paid.unasked;
        size_t owed = flow->rates.in_sdus(paid.octets - paid.unasked) + lent;
        const size_t own = std::min(owed, flow->rates.reserved.limited() ? flow->rates.reserved.available() : owed);
        flow->rates.reserved.take(own);
        lent = owed - own;
        if (!flow->dues.poll_due()) continue;
        const double interval = poll_interval(flow->config, config_.frame_seconds);
        flow->dues.polled(clock_.now + static_cast<Samples>(interval * static_cast<double>(clock_.sample_rate_hz)) -
                          config_.frame_samples / 2);
    }
    return octets - ugs;
}

}  // namespace wimax::mac
