// SPDX-License-Identifier: GPL-3.0-or-later
// Queue management of a library as the MAC's policy. The guard is in mac/flow/queue_management.h.
#pragma once

#include "mac/flow/queue_policy.h"
#include "mac/policy/policies.h"
#include "policy/foreign_policy.h"

#include <vector>

namespace wimax::policy {

class ManageCall final : public PolicyInstance {
public:
    using PolicyInstance::PolicyInstance;

    wimax_policy_queues input{};  ///< run() completes it with the queues
    std::vector<wimax_policy_queue> queues;
    std::vector<wimax_policy_directive> directives;  ///< result, of each queue

protected:
    int run(const wimax_policy_api& api, void* self) override;
};

class ForeignQueues final : public mac::QueuePolicy {
public:
    using Policy = mac::QueuePolicy;
    using Instance = ManageCall;
    ForeignQueues(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<ManageCall> instance, std::string refusal,
                  const mac::PolicyCell& cell)
        : calls_(std::move(worker), std::move(instance), std::move(refusal)), cell_(cell) {}

    mac::PolicyOutcome manage(std::span<const mac::QueueState> queues,
                              std::span<mac::QueueDirective> directives) override;
    std::string reason() const override { return calls_.reason(); }

private:
    Foreign<ManageCall> calls_;
    const mac::PolicyCell cell_;
};

}  // namespace wimax::policy
