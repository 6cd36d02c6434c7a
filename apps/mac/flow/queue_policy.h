// SPDX-License-Identifier: GPL-3.0-or-later
// Active queue management as an interface: it is called once per frame for all service flows that one end sends. The
// built-in one leaves all queues to CoDel. A loaded one is called through a guard (queue_management.h).
#pragma once

#include "mac/flow/queue_directive.h"
#include "mac/policy/policy_outcome.h"
#include "mac/station_config.h"

#include <algorithm>
#include <span>
#include <string>

namespace wimax::mac {

/// A service flow's queue at the begin of a frame.
struct QueueState {
    uint16_t cid = 0;
    uint32_t sfid = 0;
    const ServiceFlowConfig* parameters = nullptr;  ///< valid during the call
    size_t packets = 0, octets = 0;                 ///< waiting
    size_t limit_octets = 0;                        ///< the queue holds no more
    Samples head_age = 0;                           ///< since the oldest packet was queued; 0: none waits
    // Since the previous call
    uint64_t arrived_octets = 0;  ///< with dropped ones
    uint64_t sent_octets = 0;     ///< taken from the queue for transmission
    uint64_t dropped = 0;         ///< packets, for any reason
    uint64_t marked = 0;          ///< packets
    double served_bps = 0;        ///< rate at which the queue was served while packets waited, over some 100 ms
};

class QueuePolicy {
public:
    virtual ~QueuePolicy() = default;
    /// Sets one directive for each queue; at the call they are the default. Queues without packets, arrivals and a
    /// probability in force are left out.
    virtual PolicyOutcome manage(std::span<const QueueState> queues, std::span<QueueDirective> directives) = 0;
    /// Of the last outcome that was not `done`.
    virtual std::string reason() const { return {}; }
};

/// The built-in one. CoDel decides on each packet at the head of a sub-queue, in SduQueue.
class CodelQueues final : public QueuePolicy {
public:
    PolicyOutcome manage(std::span<const QueueState>, std::span<QueueDirective> directives) override {
        std::ranges::fill(directives, QueueDirective{});
        return {};
    }
};

}  // namespace wimax::mac
