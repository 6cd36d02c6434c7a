/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/scheduler/uplink_scheduler.h"

#include "mac/frame_layout.h"
#include "mac/request_rules.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

/// Requests are not served in smaller pieces than this while others wait: a preamble symbol a piece is dear.
constexpr uint32_t kMinPiece = 8, kMostTimes = 4;  // on few subchannels so many times as long
/// Grant that lets an active station speak up, data symbols.
constexpr uint32_t kActivePollSymbols = 2;
/// Part of the symbols that such grants may take from requests. Whoever has waited longest comes first.
constexpr uint32_t kPollPart = 8;
constexpr uint32_t kMinUnasked = 2;

uint32_t request_symbols(const UplinkClaim& claim) {
    const uint32_t all = claim.symbols_of(claim.guaranteed_octets + claim.requested_octets);
    return all > claim.data_symbols ? all - claim.data_symbols : 0;
}

/// On fewer subchannels an octet takes more symbols.
uint32_t poll_symbols(const UplinkClaim& claim) {
    return std::max(kActivePollSymbols, claim.symbols_of(kHeaderOctets));
}
uint32_t least_piece(const UplinkClaim& claim) {
    return kMinPiece * std::min(kMostTimes, phy::kFullSubchannel / subchannels_in(claim.subchannel));
}

}  // namespace

/// What is guaranteed is not requested any more.
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
    // Less would answer nothing, and be granted for ever.
    const size_t asked = reserved + claim.requested_octets;
    const size_t more = std::max(asked, kLeastAnswerOctets) - asked;
    claim.requested_octets += more;
    return more;
}

/// Up to `extra` symbols more, all or nothing of them but for what the map has no elements for; returns what it gave.
uint32_t UplinkScheduler::give(UplinkClaim& claim, uint32_t extra) {
    const uint32_t elements = grant_cost(claim.data_symbols) - claim.data_symbols;
    const uint64_t most = uint64_t{elements + elements_left_} * kMaxBurstDataSymbols - claim.data_symbols;
    if (extra > most) {
        ++refused_;
        extra = static_cast<uint32_t>(most);
    }
    const uint32_t cost = grant_cost(claim.data_symbols + extra) - grant_cost(claim.data_symbols);
    if (extra == 0 || cost > left_) return 0;
    claim.data_symbols += extra;
    left_ -= cost;
    elements_left_ -= cost - extra;  // one preamble each
    return extra;
}

/// By waiting; `deadlines`: by these first. std::sort with the place in the list as the last word: stable without a
/// buffer from the heap.
void UplinkScheduler::by_waiting(std::vector<UplinkClaim>& claims, bool deadlines) {
    order_.clear();
    for (auto& claim : claims) order_.push_back(&claim);
    std::sort(order_.begin(), order_.end(), [deadlines](const UplinkClaim* a, const UplinkClaim* b) {
        if (deadlines && a->deadline != b->deadline) return a->deadline < b->deadline;
        return a->frames_waiting != b->frames_waiting ? a->frames_waiting > b->frames_waiting : a < b;
    });
}

/// A poll is room for a request behind what is guaranteed.
void UplinkScheduler::guaranteed() {
    for (const bool entering : {false, true})
        for (auto* claim : order_) {
            const size_t octets = claim->guaranteed_octets + (claim->poll ? kHeaderOctets : 0);
            if (claim->entering != entering || octets == 0) continue;
            const uint32_t need = claim->symbols_of(octets);
            if (give(*claim, need) == 0 && left_ > kActivePollSymbols) give(*claim, std::min(need, left_ - 1));
        }
}

void UplinkScheduler::polls_for_active(uint32_t most) {
    const uint32_t before = left_;
    for (auto* claim : order_) {
        if (!claim->active || claim->requested_octets > 0 || claim->data_symbols > 0) continue;
        // One that is dear, on few subchannels, leaves what there is to those that are not.
        if (before - left_ + grant_cost(poll_symbols(*claim)) <= most) give(*claim, poll_symbols(*claim));
    }
}

/// Hands `capacity` data symbols to the chosen claims; shares_ holds what they want.
void UplinkScheduler::divide(std::span<const FlowClaim> flows, double capacity) {
    rule_.divide(shares_, flows, capacity);
    double fraction = 0;  // carried on, so that the whole sum is handed out
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

/// Stations with much to send that are to be served in this frame.
size_t UplinkScheduler::long_grants() const {
    if (rule_.keeps_turns()) return turns_.size();
    return most_grants_at_once(static_cast<size_t>(
        std::ranges::count_if(turns_, [&](const Turn& turn) { return is_much(request_symbols(*turn.claim), left_); })));
}

void UplinkScheduler::requests(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows) {
    turns_.clear();
    for (auto& claim : claims)
        if (claim.requested_octets > 0 && request_symbols(claim) > 0)
            turns_.push_back({rule_.turn(claim, flows, claim.frames_waiting), &claim});
    std::sort(turns_.begin(), turns_.end(),
              [](const Turn& a, const Turn& b) { return a.turn != b.turn ? a.turn < b.turn : a.claim < b.claim; });
    chosen_.clear();
    shares_.clear();
    size_t most_long = long_grants();
    uint32_t least = 0, preambles = 0, new_grants = elements_left_;
    for (const auto& turn : turns_) {
        UplinkClaim* claim = turn.claim;
        const uint32_t need = request_symbols(*claim), preamble = claim->data_symbols == 0 ? 1 : 0;
        const uint32_t piece = std::min(need, least_piece(*claim)) + preamble;
        if (!chosen_.empty() && least + piece > left_) break;
        if (is_much(need, left_)) {
            if (most_long == 0) continue;
            --most_long;
        }
        if (preamble > new_grants) ++refused_;
        if (preamble > new_grants || preamble >= left_) continue;
        new_grants -= preamble;
        least += piece;
        preambles += preamble + std::min(need, left_) / kMaxBurstDataSymbols;
        chosen_.push_back(claim);
        shares_.push_back({claim, static_cast<double>(need), 0});
    }
    if (!chosen_.empty() && left_ > preambles) divide(flows, left_ - preambles);
}

/// Somebody asks for much of what is left, or most of the last frames was used: a queue that is kept short asks for
/// little, for what it has was granted before it could ask.
bool UplinkScheduler::wanted(const std::vector<UplinkClaim>& claims, uint32_t symbols) const {
    double used = 0;
    for (const auto& claim : claims) {
        if (claim.requested_octets > 0 && is_much(request_symbols(claim), left_)) return true;
        used += claim.used_symbols;
    }
    return used > symbols / 2;
}

void UplinkScheduler::unasked() {
    for (auto* claim : order_) {
        if (claim->data_symbols >= config_.unasked_symbols || left_ <= kMinUnasked) continue;
        const uint32_t preamble = claim->data_symbols == 0 ? 1 : 0;
        give(*claim, std::min(config_.unasked_symbols - claim->data_symbols, left_ - preamble));
    }
}

void UplinkScheduler::spare(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows) {
    chosen_.clear();
    shares_.clear();
    for (auto& claim : claims)
        if (claim.data_symbols > 0 && (claim.active || claim.requested_octets > 0)) {
            chosen_.push_back(&claim);
            shares_.push_back({&claim, static_cast<double>(left_), 0});
        }
    if (chosen_.empty()) return;
    uint32_t cuts = 0;
    for (const auto* claim : chosen_)
        cuts +=
            grant_cost(claim->data_symbols + left_) - claim->data_symbols - left_ - (claim->data_symbols > 0 ? 1 : 0);
    if (left_ > cuts) divide(flows, left_ - cuts);
}

void UplinkScheduler::schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, uint32_t symbols,
                               uint32_t max_elements) {
    left_ = symbols;
    elements_left_ = std::min(config_.max_elements, max_elements);
    refused_ = 0;
    busy_.clear();
    for (auto& claim : claims) {
        claim.data_symbols = 0;
        claim.deadline = kNoDeadline;
        add_flows(claim, flows);
        if (claim.active || claim.requested_octets > 0) busy_.push_back(claim.history);
    }
    rule_.begin(busy_, symbols);
    by_waiting(claims, true);
    guaranteed();
    polls_for_active(std::max(symbols / kPollPart, grant_cost(kActivePollSymbols)));
    const bool full = wanted(claims, symbols);
    requests(claims, flows);
    polls_for_active(left_);
    by_waiting(claims, false);
    // Who has much to send has more by the time of the grant: what is left is better spent there than on the silent.
    if (!config_.grant_spare || !full) unasked();
    if (config_.grant_spare) spare(claims, flows);
}

}  // namespace wimax::mac
