// SPDX-License-Identifier: GPL-3.0-or-later
// The policies that a program has loaded into a station, each kind with the account of its faults. A guard asks here
// for its policy and its account.
#pragma once

#include "mac/policy/policies.h"
#include "mac/policy/policy_account.h"
#include "mac/policy_role.h"

#include <memory>
#include <optional>

namespace wimax::mac {

/// nullopt: the built-in policy is configured.
struct PolicyFigures {
    ByRole<std::optional<PolicyCounters>> by_role;
    bool any() const;
};

class LoadedPolicies {
public:
    /// `policies` null: all are built-in. `report`: of all accounts.
    LoadedPolicies(std::shared_ptr<const Policies> policies, const PolicyCell& cell, PolicyAccount::Report report)
        : policies_(std::move(policies)), cell_(cell), report_(std::move(report)) {}

    const PolicyCell& cell() const { return cell_; }
    /// A new object of this kind; null: the built-in policy is configured.
    template <class Policy> std::unique_ptr<Policy> make(PolicyMaker<Policy> Policies::*kind) const {
        if (!policies_ || !((*policies_).*kind)) return nullptr;
        return ((*policies_).*kind)(cell_);
    }
    /// Shared by all guards of the role; from then on it is in figures().
    PolicyAccount& account(PolicyRole role);
    /// A PHY has started. `time_waits`: simulated time waits for the station (lock-step).
    void start(bool time_waits) const;
    PolicyFigures figures() const;

private:
    const std::shared_ptr<const Policies> policies_;
    const PolicyCell cell_;
    const PolicyAccount::Report report_;
    ByRole<std::unique_ptr<PolicyAccount>> accounts_;
};

template <class V> void visit(V& v, const PolicyFigures& s) {
    for (size_t i = 0; i < kPolicyRoles; ++i) v.maybe(kPolicyRoleNames[i].figure, s.by_role.values[i]);
}

}  // namespace wimax::mac
