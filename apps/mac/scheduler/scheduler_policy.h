// SPDX-License-Identifier: GPL-3.0-or-later
// The schedulers of both directions as interfaces. The built-in ones (downlink_scheduler.h, uplink_scheduler.h) and
// those that a program loads (policy/policies.h) implement them. A loaded one is called through a guard
// (policy_guard.h).
#pragma once

#include "mac/policy/policy_outcome.h"
#include "mac/scheduler/claims.h"

#include <span>
#include <string>
#include <vector>

namespace wimax::mac {

class DownlinkPolicy {
public:
    virtual ~DownlinkPolicy() = default;
    /// Sets the units of each claim; their sum is at most `units`. Other fields of the claims stay as they are.
    virtual PolicyOutcome schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows,
                                   double units) = 0;
    /// Units that a station has used of its share, or in addition to it. Several calls per frame.
    virtual void served(const DownlinkClaim&, double /*units*/) {}
    /// Of the last outcome that was not `done`.
    virtual std::string reason() const { return {}; }
};

class UplinkPolicy {
public:
    virtual ~UplinkPolicy() = default;
    /// Sets the units and the deadline of each claim. With the overhead of bursts the sum of units is at most `units`;
    /// the bursts are at most `max_elements`.
    virtual PolicyOutcome schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, uint32_t units,
                                   uint32_t max_elements) = 0;
    /// Grants of the last frame without a free map element.
    virtual uint32_t refused() const { return 0; }
    /// Of the last outcome that was not `done`.
    virtual std::string reason() const { return {}; }
};

}  // namespace wimax::mac
