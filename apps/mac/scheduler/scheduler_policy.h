// SPDX-License-Identifier: GPL-3.0-or-later
// The schedulers of both directions as interfaces. The built-in ones (downlink_scheduler.h, uplink_scheduler.h) and
// those that a program loads (Policies) implement them. A loaded one is called through a guard (policy_guard.h).
#pragma once

#include "mac/clock.h"
#include "mac/scheduler/claims.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wimax::mac {

enum class PolicyResult : uint8_t {
    done,
    late,      ///< the time limit passed before the policy was done
    failed,    ///< the policy reported an error
    nonsense,  ///< the result is not usable, for instance more units than the frame has
    busy,      ///< the policy still works on an earlier frame
};

struct PolicyOutcome {
    PolicyResult result = PolicyResult::done;
    // Of the call; built-in policies do not measure them.
    uint32_t spent_us = 0;   ///< processor time
    uint32_t waited_us = 0;  ///< wall-clock time
};

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

/// Schedulers that a program gives to a base station in place of the built-in ones.
struct Policies {
    /// A policy may be asked for more than once: half-duplex groups of the uplink have separate objects.
    struct Cell {
        const ResourceGrid& grid;  ///< it and the clock outlive the policy
        const FrameClock& clock;
        double frame_seconds = 0;
    };
    std::function<std::unique_ptr<DownlinkPolicy>(const Cell&)> downlink;  ///< empty: built-in
    std::function<std::unique_ptr<UplinkPolicy>(const Cell&)> uplink;      ///< empty: built-in
    /// A PHY has started. `time_waits`: in lock-step, simulated time waits for the station. May be empty.
    std::function<void(bool time_waits)> on_start;
};

}  // namespace wimax::mac
