// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/policy/admission_policy.h"

namespace wimax::mac {

AdmissionVerdict GuardedAdmission::admit(const AdmissionRequest& request) {
    if (account_.replaced()) return builtin_.admit(request);
    AdmissionVerdict verdict = loaded_->admit(request);
    const bool done = verdict.outcome.result == PolicyResult::done;
    account_.count(verdict.outcome, done ? std::string() : loaded_->reason());
    return done ? verdict : builtin_.admit(request);
}

std::unique_ptr<AdmissionPolicy> make_admission_policy(LoadedPolicies& policies) {
    auto loaded = policies.make(&Policies::admission);
    if (!loaded) return std::make_unique<FittingAdmission>();
    return std::make_unique<GuardedAdmission>(std::move(loaded), policies.account(PolicyRole::admission));
}

}  // namespace wimax::mac
