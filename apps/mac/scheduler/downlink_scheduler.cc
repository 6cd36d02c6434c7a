// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/scheduler/downlink_scheduler.h"

#include <algorithm>

namespace wimax::mac {

double DownlinkScheduler::in_units(size_t octets, const StationClaim& claim) const {
    return static_cast<double>(octets) / grid_.octets_per_unit(claim.shape.profile);
}

/// All octets in the queues and one more, because the last unit is rarely full.
double DownlinkScheduler::wanted_units(const DownlinkClaim& claim, std::span<const FlowClaim> flows) const {
    size_t octets = claim.management_octets;
    for (const auto& flow : claim.flows(flows)) octets += flow.backlog_octets;
    return in_units(octets + 1, claim);
}

/// Earliest deadline first, management before all. Returns the units that are left.
double DownlinkScheduler::owed(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double units) {
    owed_.clear();
    double sum = 0;
    const auto add = [&](Samples deadline, size_t claim, size_t octets) {
        if (octets == 0) return;
        owed_.push_back({deadline, claim, in_units(octets, claims[claim])});
        sum += owed_.back().units;
    };
    for (size_t i = 0; i < claims.size(); ++i) {
        claims[i].units = 0;
        add(INT64_MIN, i, claims[i].management_octets);
        for (const auto& flow : claims[i].flows(flows)) add(flow.deadline, i, flow.reserved_octets);
    }
    if (sum > units)
        std::sort(owed_.begin(), owed_.end(), [](const Owed& a, const Owed& b) {
            return a.deadline != b.deadline ? a.deadline < b.deadline : a.units < b.units;
        });
    for (const auto& of : owed_) {
        const double given = std::min(of.units, units);
        claims[of.claim].units += given;
        units -= given;
    }
    return units;
}

/// If many stations have much to send, some wait for the next frame.
void DownlinkScheduler::leave_out(std::span<const FlowClaim> flows, double units) {
    if (rule_.keeps_turns()) return;
    turns_.clear();
    for (auto& share : shares_)
        if (is_much(share.demand, units)) turns_.push_back({rule_.turn(*share.claim, flows, 0), &share});
    std::sort(turns_.begin(), turns_.end(),
              [](const Turn& a, const Turn& b) { return a.turn != b.turn ? a.turn < b.turn : a.share < b.share; });
    for (size_t i = kMostAtOnce; i < turns_.size(); ++i) turns_[i].share->demand = 0;
}

PolicyOutcome DownlinkScheduler::schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows,
                                          double units) {
    busy_.clear();
    for (const auto& claim : claims) busy_.push_back(claim.history);
    rule_.begin(busy_, units);
    const double left = owed(claims, flows, units);
    shares_.clear();
    for (const auto& claim : claims)
        shares_.push_back({&claim, std::max(0.0, wanted_units(claim, flows) - claim.units), 0});
    leave_out(flows, std::max(0.0, left));
    rule_.divide(shares_, flows, std::max(0.0, left));
    for (size_t i = 0; i < claims.size(); ++i) claims[i].units += shares_[i].share;
    return {};
}

}  // namespace wimax::mac
