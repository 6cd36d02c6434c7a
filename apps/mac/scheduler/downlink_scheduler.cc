/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/scheduler/downlink_scheduler.h"

#include "mac/frame_layout.h"

#include <algorithm>

namespace wimax::mac {
namespace {

double in_symbols(size_t octets, uint8_t rate_id) {
    return static_cast<double>(octets) / phy::kRateTable[rate_id].uncoded_bytes;
}

/// All that waits, and a little more, as the last symbol is hardly ever full.
double wanted_symbols(const DownlinkClaim& claim, std::span<const FlowClaim> flows) {
    size_t octets = claim.management_octets;
    for (const auto& flow : claim.flows(flows)) octets += flow.backlog_octets;
    return in_symbols(octets + 1, claim.rate_id);
}

}  // namespace

/// Earliest deadline first, management before all. Returns the symbols that are left.
double DownlinkScheduler::owed(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double symbols) {
    owed_.clear();
    double sum = 0;
    const auto add = [&](Samples deadline, size_t claim, size_t octets) {
        if (octets == 0) return;
        owed_.push_back({deadline, claim, in_symbols(octets, claims[claim].rate_id)});
        sum += owed_.back().symbols;
    };
    for (size_t i = 0; i < claims.size(); ++i) {
        claims[i].symbols = 0;
        add(INT64_MIN, i, claims[i].management_octets);
        for (const auto& flow : claims[i].flows(flows)) add(flow.deadline, i, flow.reserved_octets);
    }
    if (sum > symbols)
        std::sort(owed_.begin(), owed_.end(), [](const Owed& a, const Owed& b) {
            return a.deadline != b.deadline ? a.deadline < b.deadline : a.symbols < b.symbols;
        });
    for (const auto& of : owed_) {
        const double given = std::min(of.symbols, symbols);
        claims[of.claim].symbols += given;
        symbols -= given;
    }
    return symbols;
}

/// Of many that have much to send some wait for the next frame.
void DownlinkScheduler::leave_out(std::span<const FlowClaim> flows, double symbols) {
    if (rule_.keeps_turns()) return;
    turns_.clear();
    for (auto& share : shares_)
        if (is_much(share.demand, symbols)) turns_.push_back({rule_.turn(*share.claim, flows, 0), &share});
    std::sort(turns_.begin(), turns_.end(),
              [](const Turn& a, const Turn& b) { return a.turn != b.turn ? a.turn < b.turn : a.share < b.share; });
    for (size_t i = kMostAtOnce; i < turns_.size(); ++i) turns_[i].share->demand = 0;
}

void DownlinkScheduler::schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double symbols) {
    busy_.clear();
    for (const auto& claim : claims) busy_.push_back(claim.history);
    rule_.begin(busy_, symbols);
    const double left = owed(claims, flows, symbols);
    shares_.clear();
    for (const auto& claim : claims)
        shares_.push_back({&claim, std::max(0.0, wanted_symbols(claim, flows) - claim.symbols), 0});
    leave_out(flows, std::max(0.0, left));
    rule_.divide(shares_, flows, std::max(0.0, left));
    for (size_t i = 0; i < claims.size(); ++i) claims[i].symbols += shares_[i].share;
}

}  // namespace wimax::mac
