// SPDX-License-Identifier: GPL-3.0-or-later
// Policies that a program gives to a station in place of the built-in ones. The interfaces are declared where the MAC
// calls them; each loaded policy is called through a guard.
#pragma once

#include "mac/clock.h"
#include "mac/resource_grid.h"

#include <functional>
#include <memory>

namespace wimax::mac {

class DownlinkPolicy;
class UplinkPolicy;
class AdmissionPolicy;
class LinkPolicy;
class QueuePolicy;
class ClassifierPolicy;

struct PolicyCell {
    const ResourceGrid& grid;  ///< it and the clock outlive the policy
    const FrameClock& clock;
    double frame_seconds = 0;  ///< 0: not known yet, at a subscriber station
};

/// Makes one object; may be called more than once.
template <class Policy> using PolicyMaker = std::function<std::unique_ptr<Policy>(const PolicyCell&)>;

/// Empty: the built-in policy.
struct Policies {
    PolicyMaker<DownlinkPolicy> downlink;
    PolicyMaker<UplinkPolicy> uplink;  ///< half-duplex groups have separate objects
    PolicyMaker<AdmissionPolicy> admission;
    PolicyMaker<LinkPolicy> link_adaptation;  ///< one object for all links of a station
    PolicyMaker<QueuePolicy> queue_management;
    PolicyMaker<ClassifierPolicy> classifier;
    /// A PHY has started. `time_waits`: in lock-step, simulated time waits for the station. May be empty.
    std::function<void(bool time_waits)> on_start;
};

}  // namespace wimax::mac
