// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/policy/loaded_policies.h"

#include <algorithm>

namespace wimax::mac {

bool PolicyFigures::any() const {
    return std::ranges::any_of(by_role.values, [](const auto& counters) { return counters.has_value(); });
}

PolicyAccount& LoadedPolicies::account(PolicyRole role) {
    auto& account = accounts_[role];
    if (!account) account = std::make_unique<PolicyAccount>(names_of(role).key, report_, &cell_.clock);
    return *account;
}

void LoadedPolicies::start(bool time_waits) const {
    if (policies_ && policies_->on_start) policies_->on_start(time_waits);
}

PolicyFigures LoadedPolicies::figures() const {
    PolicyFigures s;
    for (size_t i = 0; i < kPolicyRoles; ++i)
        if (const auto& account = accounts_.values[i]) s.by_role.values[i] = account->counters();
    return s;
}

}  // namespace wimax::mac
