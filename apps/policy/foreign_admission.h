// SPDX-License-Identifier: GPL-3.0-or-later
// Admission by a policy of a library. The guard is in mac/policy/admission_policy.h.
#pragma once

#include "mac/policy/admission_policy.h"
#include "policy/foreign_policy.h"

namespace wimax::policy {

class AdmitCall final : public PolicyInstance {
public:
    using PolicyInstance::PolicyInstance;

    wimax_policy_request request{};
    std::string reason;     ///< that `request` points to
    uint32_t admitted = 1;  ///< result; 0: `error` has the reason

protected:
    int run(const wimax_policy_api& api, void* self) override;
};

class ForeignAdmission final : public mac::AdmissionPolicy {
public:
    using Policy = mac::AdmissionPolicy;
    using Instance = AdmitCall;
    ForeignAdmission(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<AdmitCall> instance, std::string refusal,
                     const mac::PolicyCell& cell)
        : calls_(std::move(worker), std::move(instance), std::move(refusal)), cell_(cell) {}

    mac::AdmissionVerdict admit(const mac::AdmissionRequest& request) override;
    std::string reason() const override { return calls_.reason(); }

private:
    Foreign<AdmitCall> calls_;
    const mac::PolicyCell cell_;
};

}  // namespace wimax::policy
