// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/scheduler/policy_guard.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

/// Sums of shares may exceed the frame by this.
constexpr double kRounding = 1e-6;

/// Empty: the result is usable.
std::string fault_in(const std::vector<DownlinkClaim>& claims, double units) {
    double sum = 0;
    for (const auto& claim : claims) {
        if (!std::isfinite(claim.units) || claim.units < 0)
            return "station " + std::to_string(claim.cid) + " gets " + std::to_string(claim.units) + " units";
        sum += claim.units;
    }
    if (sum <= units * (1 + kRounding) + kRounding) return {};
    return std::to_string(sum) + " units in a frame of " + std::to_string(units);
}

std::string fault_in(const std::vector<UplinkClaim>& claims, const BurstCost& grant, uint32_t units,
                     uint32_t elements) {
    uint64_t sum = 0, bursts = 0;
    for (const auto& claim : claims) {
        if (claim.units > units)
            return "station " + std::to_string(claim.cid) + " gets " + std::to_string(claim.units) +
                   " units in a frame of " + std::to_string(units);
        sum += claim.units == 0 ? 0 : grant.total(claim.units);
        bursts += grant.bursts(claim.units);
    }
    if (sum > units)
        return std::to_string(sum) + " units with the overhead of bursts in a frame of " + std::to_string(units);
    if (bursts <= elements) return {};
    return std::to_string(bursts) + " bursts in a map that has room for " + std::to_string(elements);
}

}  // namespace

PolicyOutcome GuardedDownlink::schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows,
                                        double units) {
    if (claims.empty() || account_.replaced()) return builtin_->schedule(claims, flows, units);
    PolicyOutcome outcome = loaded_->schedule(claims, flows, units);
    std::string reason;
    if (outcome.result == PolicyResult::done) {
        reason = fault_in(claims, units);
        if (!reason.empty()) outcome.result = PolicyResult::nonsense;
    } else {
        reason = loaded_->reason();
    }
    account_.count(outcome, reason);
    if (outcome.result == PolicyResult::done) return {};
    return builtin_->schedule(claims, flows, units);
}

/// Both keep their accounts of what was used, whichever serves the frame.
void GuardedDownlink::served(const DownlinkClaim& claim, double units) {
    loaded_->served(claim, units);
    builtin_->served(claim, units);
}

PolicyOutcome GuardedUplink::schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows,
                                      uint32_t units, uint32_t max_elements) {
    const uint32_t elements = std::min(most_elements_, max_elements);
    by_builtin_ = true;
    if (claims.empty() || account_.replaced()) return builtin_->schedule(claims, flows, units, elements);
    PolicyOutcome outcome = loaded_->schedule(claims, flows, units, elements);
    std::string reason;
    if (outcome.result == PolicyResult::done) {
        reason = fault_in(claims, grid_.grant(), units, elements);
        if (!reason.empty()) outcome.result = PolicyResult::nonsense;
    } else {
        reason = loaded_->reason();
    }
    account_.count(outcome, reason);
    by_builtin_ = outcome.result != PolicyResult::done;
    if (!by_builtin_) return {};
    return builtin_->schedule(claims, flows, units, elements);
}

}  // namespace wimax::mac
