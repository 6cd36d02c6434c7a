// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/scheduler/uplink_scheduler.h"

#include "mac/request_rules.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

/// Requests are not served in smaller pieces while others wait, because each piece costs the overhead of a burst.
constexpr uint32_t kMinPiece = 8, kMostTimes = 4;  // a narrow grant is longer by this factor at most
/// Units of a grant that lets an active station send a request.
constexpr uint32_t kActivePollUnits = 2;
/// Part of the units that such grants may take from requests. The station that has waited longest is first.
constexpr uint32_t kPollPart = 8;
constexpr uint32_t kMinUnasked = 2;

/// On part of the band an octet takes more units, so the smallest piece is longer.
uint32_t least_piece(const UplinkClaim& claim) {
    return kMinPiece * std::min(kMostTimes, uint32_t{kWholeBand} / claim.shape.width);
}

/// True if the request may be served in pieces.
bool is_long(const UplinkClaim& claim, uint32_t need) { return need > least_piece(claim); }

}  // namespace

uint32_t UplinkScheduler::request_units(const UplinkClaim& claim) const {
    const uint32_t all = grid_.units_for(claim.shape, claim.guaranteed_octets + claim.requested_octets);
    return all > claim.units ? all - claim.units : 0;
}

uint32_t UplinkScheduler::poll_units(const UplinkClaim& claim) const {
    return std::max(kActivePollUnits, grid_.units_for(claim.shape, kHeaderOctets));
}

/// Reserved octets are subtracted from the requested ones.
size_t add_flows(UplinkClaim& claim, std::span<const FlowClaim> flows) {
    size_t reserved = 0;
    for (const auto& flow : claim.flows(flows)) {
        claim.requested_octets += flow.backlog_octets;
        claim.guaranteed_octets += flow.reserved_octets + flow.unasked_octets;
        claim.poll = claim.poll || flow.poll;
        claim.deadline = std::min(claim.deadline, flow.deadline);
        reserved += flow.reserved_octets;
    }
    claim.requested_octets = std::min(claim.requested_octets, claim.most_requested_octets);
    if (claim.requested_octets == 0) return 0;
    claim.requested_octets -= std::min(claim.requested_octets, reserved);
    // A smaller grant answers no request, and would be repeated for ever.
    const size_t asked = reserved + claim.requested_octets;
    const size_t more = std::max(asked, kLeastAnswerOctets) - asked;
    claim.requested_octets += more;
    return more;
}

/// Gives `extra` more units if they are left, else none. Without elements of the map for all, it gives fewer. Returns
/// the units that it gave.
uint32_t UplinkScheduler::give(UplinkClaim& claim, uint32_t extra) {
    const uint32_t elements = elements_of(claim.units);
    const uint64_t most = uint64_t{elements + elements_left_} * grid_.grant().most_units - claim.units;
    if (extra > most) {
        ++refused_;
        extra = static_cast<uint32_t>(most);
    }
    const uint32_t cost = cost_of(claim.units + extra) - cost_of(claim.units);
    if (extra == 0 || cost > left_) return 0;
    claim.units += extra;
    left_ -= cost;
    elements_left_ -= elements_of(claim.units) - elements;
    return extra;
}

/// Sorts by waiting time; `deadlines`: by these first. The position in the list is the last criterion: std::sort is
/// then stable, without a heap buffer.
void UplinkScheduler::by_waiting(std::vector<UplinkClaim>& claims, bool deadlines) {
    ranks_.clear();
    for (uint32_t place = 0; place < claims.size(); ++place) {
        const UplinkClaim& claim = claims[place];
        ranks_.push_back({deadlines ? claim.deadline : kNoDeadline, UINT32_MAX - claim.frames_waiting, place});
    }
    std::sort(ranks_.begin(), ranks_.end());
    order_.clear();
    for (const auto& rank : ranks_) order_.push_back(&claims[rank.place()]);
}

/// A poll is room for a request after the guaranteed octets.
void UplinkScheduler::guaranteed() {
    for (const bool entering : {false, true})
        for (auto* claim : order_) {
            const size_t octets = claim->guaranteed_octets + (claim->poll ? kHeaderOctets : 0);
            if (claim->entering != entering || octets == 0) continue;
            const uint32_t need = grid_.units_for(claim->shape, octets), overhead = grid_.grant().overhead_units;
            if (give(*claim, need) == 0 && left_ > kActivePollUnits)
                give(*claim, std::min(need, left_ - std::min(left_, overhead)));
        }
}

void UplinkScheduler::polls_for_active(uint32_t most) {
    const uint32_t before = left_;
    for (auto* claim : order_) {
        if (!claim->active || claim->requested_octets > 0 || claim->units > 0) continue;
        // A poll that needs many units, in a part of the band, does not displace the others.
        if (before - left_ + cost_of(poll_units(*claim)) <= most) give(*claim, poll_units(*claim));
    }
}

/// Divides `capacity` units among the chosen claims; shares_ has their demands.
void UplinkScheduler::divide(std::span<const FlowClaim> flows, double capacity) {
    rule_.divide(shares_, flows, capacity);
    double fraction = 0;  // carried over, so that the whole sum is assigned
    for (size_t i = 0; i < chosen_.size(); ++i) {
        fraction += shares_[i].share;
        const auto whole = static_cast<uint32_t>(std::floor(fraction + 1e-6));
        const uint32_t given = whole == 0 ? 0 : give(*chosen_[i], whole);
        if (given == 0) {
            fraction = std::min(fraction, 1.0);
            continue;
        }
        fraction -= given;
        rule_.served(*chosen_[i], given);
    }
}

/// Long requests that are served in this frame. Others wait even if there is room: a request that has grown costs one
/// burst, not two.
size_t UplinkScheduler::long_grants() const {
    if (rule_.keeps_turns()) return turns_.size();
    return most_grants_at_once(static_cast<size_t>(std::ranges::count_if(
        turns_, [&](const Turn& turn) { return is_long(*turn.claim, request_units(*turn.claim)); })));
}

void UplinkScheduler::requests(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows) {
    turns_.clear();
    for (auto& claim : claims)
        if (claim.requested_octets > 0 && request_units(claim) > 0)
            turns_.push_back({rule_.turn(claim, flows, claim.frames_waiting), &claim});
    std::sort(turns_.begin(), turns_.end(),
              [](const Turn& a, const Turn& b) { return a.turn != b.turn ? a.turn < b.turn : a.claim < b.claim; });
    chosen_.clear();
    shares_.clear();
    size_t most_long = long_grants();
    uint32_t least = 0, overheads = 0, new_grants = elements_left_;
    for (const auto& turn : turns_) {
        UplinkClaim* claim = turn.claim;
        const uint32_t need = request_units(*claim), overhead = first_overhead(*claim);
        const uint32_t piece = std::min(need, least_piece(*claim)) + overhead, element = claim->units == 0 ? 1 : 0;
        if (!chosen_.empty() && least + piece > left_) break;
        if (is_long(*claim, need)) {
            if (most_long == 0) continue;
            --most_long;
        }
        if (element > new_grants) ++refused_;
        if (element > new_grants || overhead >= left_) continue;
        new_grants -= element;
        least += piece;
        overheads += overhead + std::min(need, left_) / grid_.grant().most_units * grid_.grant().overhead_units;
        chosen_.push_back(claim);
        shares_.push_back({claim, static_cast<double>(need), 0});
    }
    if (!chosen_.empty() && left_ > overheads) divide(flows, left_ - overheads);
}

/// True if a station requests much of the free units, or most of the last frames was used. A short queue requests
/// little, since its octets are granted before it can request.
bool UplinkScheduler::wanted(const std::vector<UplinkClaim>& claims, uint32_t units) const {
    double used = 0;
    for (const auto& claim : claims) {
        if (claim.requested_octets > 0 && is_much(request_units(claim), left_)) return true;
        used += claim.used_units;
    }
    return used > units / 2;
}

void UplinkScheduler::unasked() {
    for (auto* claim : order_) {
        if (claim->units >= config_.unasked_units || left_ <= kMinUnasked) continue;
        const uint32_t most = left_ - std::min(left_, first_overhead(*claim));
        give(*claim, std::min(config_.unasked_units - claim->units, most));
    }
}

void UplinkScheduler::spare(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows) {
    chosen_.clear();
    shares_.clear();
    for (auto& claim : claims)
        if (claim.units > 0 && (claim.active || claim.requested_octets > 0)) {
            chosen_.push_back(&claim);
            shares_.push_back({&claim, static_cast<double>(left_), 0});
        }
    if (chosen_.empty()) return;
    uint32_t cuts = 0;
    for (const auto* claim : chosen_)
        cuts += cost_of(claim->units + left_) - claim->units - left_ - grid_.grant().overhead_units;  // of the first
    if (left_ > cuts) divide(flows, left_ - cuts);
}

PolicyOutcome UplinkScheduler::schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows,
                                        uint32_t units, uint32_t max_elements) {
    left_ = units;
    elements_left_ = std::min(config_.max_elements, max_elements);
    refused_ = 0;
    busy_.clear();
    bool deadlines = false;
    for (auto& claim : claims) {
        claim.units = 0;
        claim.deadline = kNoDeadline;
        add_flows(claim, flows);
        deadlines = deadlines || claim.deadline != kNoDeadline;
        if (claim.active || claim.requested_octets > 0) busy_.push_back(claim.history);
    }
    rule_.begin(busy_, units);
    by_waiting(claims, deadlines);
    guaranteed();
    polls_for_active(std::max(units / kPollPart, cost_of(kActivePollUnits)));
    const bool full = wanted(claims, units);
    requests(claims, flows);
    polls_for_active(left_);
    if (deadlines) by_waiting(claims, false);  // else the order is the same
    // A station with much to send has more by the time of the grant. Spare units are worth more there.
    if (!config_.grant_spare || !full) unasked();
    if (config_.grant_spare) spare(claims, flows);
    return {};
}

}  // namespace wimax::mac
