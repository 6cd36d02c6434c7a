/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/scheduler/downlink_scheduler.h"

#include "mac/frame_layout.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr double kCreditFrames = 2.0;

double in_symbols(double octets, uint8_t rate_id) { return octets / phy::kRateTable[rate_id].uncoded_bytes; }

double guaranteed_symbols(const DownlinkClaim& claim, std::span<const FlowClaim> flows) {
    double octets = static_cast<double>(claim.management_octets);
    for (const auto& flow : claim.flows(flows)) octets += static_cast<double>(flow.reserved_octets);
    return in_symbols(octets, claim.rate_id);
}

/// All that waits, and a little more, as the last symbol is hardly ever full.
double wanted_symbols(const DownlinkClaim& claim, std::span<const FlowClaim> flows) {
    size_t octets = claim.management_octets;
    for (const auto& flow : claim.flows(flows)) octets += flow.backlog_octets;
    return in_symbols(static_cast<double>(octets) + 1, claim.rate_id);
}

}  // namespace

void DownlinkScheduler::schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double symbols) {
    busy_.clear();
    shares_.clear();
    for (const auto& claim : claims) {
        shares_.push_back({guaranteed_symbols(claim, flows), 1, 0, 0});
        busy_.push_back(claim.history);
    }
    share_out(shares_, symbols);
    level_histories(busy_, kCreditFrames * symbols);
    for (size_t i = 0; i < claims.size(); ++i) {
        auto& claim = claims[i];
        claim.symbols = shares_[i].share;
        symbols -= claim.symbols;
        shares_[i] = {std::max(0.0, wanted_symbols(claim, flows) - claim.symbols), claim.weight, claim.history->served,
                      0};
    }
    share_out(shares_, std::max(0.0, symbols));
    for (size_t i = 0; i < claims.size(); ++i) claims[i].symbols += shares_[i].share;
}

}  // namespace wimax::mac
