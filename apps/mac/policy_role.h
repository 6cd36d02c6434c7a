// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of policies that a program can load, with their names in configuration, status and files of policies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wimax::mac {

enum class PolicyRole : uint8_t { downlink, uplink, admission, link_adaptation, queue_management, classifier };
inline constexpr size_t kPolicyRoles = 6;

struct PolicyRoleNames {
    const char* role;    ///< that a policy is given
    const char* key;     ///< of the configuration
    const char* figure;  ///< of the status
};
inline constexpr std::array<PolicyRoleNames, kPolicyRoles> kPolicyRoleNames{
    {{"downlink", "dl_scheduler", "dl_scheduler"},
     {"uplink", "ul_scheduler", "ul_scheduler"},
     {"admission", "admission", "admission"},
     {"link_adaptation", "adaptation.policy", "link_adaptation"},
     {"queue_management", "queue_management", "queue_management"},
     {"classifier", "classifier", "classifier"}}};
constexpr const PolicyRoleNames& names_of(PolicyRole role) { return kPolicyRoleNames[static_cast<size_t>(role)]; }

/// One value for each role.
template <class T> struct ByRole {
    std::array<T, kPolicyRoles> values{};
    T& operator[](PolicyRole role) { return values[static_cast<size_t>(role)]; }
    const T& operator[](PolicyRole role) const { return values[static_cast<size_t>(role)]; }
};

}  // namespace wimax::mac
