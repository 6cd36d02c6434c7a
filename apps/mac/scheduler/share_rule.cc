// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/scheduler/share_rule.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

namespace wimax::mac {
namespace {

constexpr double kCreditFrames = 2.0;
constexpr double kAverageFrames = 100;  // of proportional fair
constexpr double kQuantumOctets = 1500;
constexpr double kLeastUnits = 1e-9;

size_t not_owed(const FlowClaim& flow) {
    return flow.backlog_octets - std::min(flow.backlog_octets, flow.reserved_octets);
}

}  // namespace

size_t most_grants_at_once(size_t busy) {
    return busy <= 2 ? busy : std::clamp<size_t>((busy + 1) / 2, 2, kMostGrantsAtOnce);
}

void ShareRule::begin(std::vector<ServiceHistory*>& busy, double units) {
    ++frame_;
    const double unit = policy_ == SchedulerPolicy::weighted ? most_octets_per_unit_ : 1;
    level_histories(busy, kCreditFrames * units * unit, frame_);
}

/// Recent average of octets per frame; it also decays while the station has nothing to send.
double ShareRule::average(const StationClaim& claim) const {
    return claim.history->average_octets * std::pow(1 - 1 / kAverageFrames, frame_ - claim.history->average_frame);
}

/// Proportional fair: the greatest sum of w * log(average) after this frame, which is a water level, too.
ShareRule::Terms ShareRule::terms(const StationClaim& claim) const {
    switch (policy_) {
        case SchedulerPolicy::proportional_fair:
            return {claim.weight, (kAverageFrames - 1) * average(claim) / (octets_per_unit(claim) * claim.weight)};
        case SchedulerPolicy::weighted: return {claim.weight / octets_per_unit(claim), claim.history->served};
        case SchedulerPolicy::weighted_channel: return {claim.weight, 0};
        default: return {claim.weight, claim.history->served};
    }
}

double ShareRule::turn(const StationClaim& claim, std::span<const FlowClaim> flows, uint32_t frames_waiting) const {
    constexpr double kMostFrames = 1e6;
    const double waiting = std::min<double>(frames_waiting, kMostFrames - 1);
    if (policy_ == SchedulerPolicy::weighted_channel) return -waiting;
    if (policy_ != SchedulerPolicy::priority_drr) return terms(claim).served;
    int first = INT_MAX / 2;
    for (const auto& flow : claim.flows(flows))
        if (flow.backlog_octets > 0) first = std::min(first, flow.order);
    return first * kMostFrames - waiting;
}

void ShareRule::served(const StationClaim& claim, double units) const {
    ServiceHistory& history = *claim.history;
    const double octets = units * octets_per_unit(claim);
    history.add(policy_ == SchedulerPolicy::weighted ? octets : units, claim.weight);
    if (policy_ != SchedulerPolicy::proportional_fair) return;
    history.average_octets = average(claim) + octets / kAverageFrames;
    history.average_frame = frame_;
}

void ShareRule::divide(std::span<Share> shares, std::span<const FlowClaim> flows, double capacity) {
    if (policy_ == SchedulerPolicy::priority_drr) return by_classes(shares, flows, capacity);
    claims_.clear();
    for (const auto& share : shares) {
        const Terms of = terms(*share.claim);
        claims_.push_back({share.demand, of.weight, of.served, 0});
    }
    share_out(claims_, capacity);
    for (size_t i = 0; i < shares.size(); ++i) shares[i].share = claims_[i].share;
}

/// Serves class after class, then the demand without a class: management and the unused part of a burst's last unit.
void ShareRule::by_classes(std::span<Share> shares, std::span<const FlowClaim> flows, double capacity) {
    for (auto& share : shares) share.share = 0;
    for (int order = INT_MIN; capacity > kLeastUnits;) {
        int next = INT_MAX;
        for (const auto& share : shares)
            for (const auto& flow : share.claim->flows(flows))
                if (flow.order > order && not_owed(flow) > 0) next = std::min(next, flow.order);
        order = next;
        wants_.clear();
        for (const auto& share : shares) {
            double octets = 0;
            for (const auto& flow : share.claim->flows(flows))
                if (flow.order == order) octets += static_cast<double>(not_owed(flow));
            const double rest = share.demand - share.share;
            wants_.push_back(order == INT_MAX
                                 ? rest
                                 : std::min(rest, octets / octets_per_unit(*share.claim) + (octets > 0 ? 1 : 0)));
        }
        capacity = round_robin(shares, turns_[std::min<size_t>(static_cast<size_t>(order), kOrders)], capacity);
        if (order == INT_MAX) return;
    }
}

/// Continues where the previous frame ended: a station with part of its quantum left uses that first. Returns the
/// capacity that is left.
double ShareRule::round_robin(std::span<Share> shares, Turn& turn, double capacity) {
    size_t i = 0, idle = 0;
    while (i < shares.size() && shares[i].claim->cid != turn.cid) ++i;
    for (i %= std::max<size_t>(1, shares.size()); idle < shares.size() && capacity > kLeastUnits;) {
        const StationClaim& claim = *shares[i].claim;
        if (wants_[i] <= kLeastUnits) {
            ++idle;
        } else {
            idle = 0;
            double& deficit = claim.history->deficit_octets;
            if (!std::exchange(turn.begun, false)) deficit += kQuantumOctets * claim.weight;
            const double given = std::min({wants_[i], deficit / octets_per_unit(claim), capacity});
            deficit -= given * octets_per_unit(claim);
            shares[i].share += given;
            wants_[i] -= given;
            capacity -= given;
            turn.begun = wants_[i] > kLeastUnits && deficit > 1;
            if (wants_[i] <= kLeastUnits) deficit = 0;
            turn.cid = claim.cid;
            if (turn.begun) return capacity;  // the frame is full
        }
        i = (i + 1) % shares.size();
        turn.cid = shares[i].claim->cid;
    }
    return capacity;
}

}  // namespace wimax::mac
