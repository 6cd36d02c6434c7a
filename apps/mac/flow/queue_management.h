// SPDX-License-Identifier: GPL-3.0-or-later
// Calls a loaded queue policy once per frame, and checks its result before the queues follow it. After a fault all
// queues return to the built-in discipline until the next call; after the third fault, for good.
#pragma once

#include "mac/flow/queue_policy.h"
#include "mac/flow/sdu_queue.h"
#include "mac/policy/loaded_policies.h"

#include <memory>
#include <vector>

namespace wimax::mac {

class QueueManagement {
public:
    /// `loaded` and `account` null: the built-in discipline, and manage() does nothing. `account` and `clock` outlive
    /// the object.
    QueueManagement(std::unique_ptr<QueuePolicy> loaded, PolicyAccount* account, const FrameClock& clock)
        : loaded_(std::move(loaded)), account_(account), clock_(clock) {}
    /// The policy that a station has loaded, if any.
    static QueueManagement of(LoadedPolicies& policies);

    /// `each(visit)` calls visit(queue, cid, sfid, parameters) for the queue of each service flow. Once per frame,
    /// before queues are served.
    template <class Each> void manage(Each&& each) {
        if (ended_ || !loaded_) return;
        begin();
        each([this](SduQueue& queue, uint16_t cid, uint32_t sfid, const ServiceFlowConfig& parameters) {
            add(queue, cid, sfid, parameters);
        });
        call();
    }

private:
    void begin();
    void add(SduQueue& queue, uint16_t cid, uint32_t sfid, const ServiceFlowConfig& parameters);
    void call();

    const std::unique_ptr<QueuePolicy> loaded_;
    CodelQueues builtin_;
    PolicyAccount* const account_;
    const FrameClock& clock_;
    std::vector<SduQueue*> queues_;
    std::vector<QueueState> states_;
    std::vector<QueueDirective> directives_;
    bool ended_ = false;  ///< replaced, and all queues have the built-in discipline
};

}  // namespace wimax::mac
