// SPDX-License-Identifier: GPL-3.0-or-later
// Link adaptation by a policy of a library. The guard is in mac/policy/guarded_rate.h.
#pragma once

#include "mac/policy/link_policy.h"
#include "mac/policy/policies.h"
#include "policy/foreign_policy.h"

namespace wimax::policy {

class AdaptCall final : public PolicyInstance {
public:
    using PolicyInstance::PolicyInstance;

    wimax_policy_link link{};
    uint32_t rate_id = 0;  ///< result

protected:
    int run(const wimax_policy_api& api, void* self) override {
        rate_id = link.rate_id;
        return api.adapt(self, &link, &rate_id, &error);
    }
};

class ForeignLink final : public mac::LinkPolicy {
public:
    using Policy = mac::LinkPolicy;
    using Instance = AdaptCall;
    ForeignLink(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<AdaptCall> instance, std::string refusal,
                const mac::PolicyCell& cell)
        : calls_(std::move(worker), std::move(instance), std::move(refusal)), cell_(cell) {}

    mac::PolicyOutcome adapt(const mac::LinkReport& link, mac::ProfileId& rate) override;
    std::string reason() const override { return calls_.reason(); }

private:
    Foreign<AdaptCall> calls_;
    const mac::PolicyCell cell_;
};

}  // namespace wimax::policy
