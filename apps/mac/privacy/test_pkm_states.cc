// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of 7.2.4 and 7.2.5, written again: every event in every state,
// and nothing where the table has nothing.
#include "mac/privacy/pkm_states.h"

#include <gtest/gtest.h>

#include <map>

namespace wimax::mac::privacy {
namespace {

using namespace action;

constexpr int kAuthStates = 6, kAuthEvents = 8, kTekStates = 6, kTekEvents = 9;

TEST(AuthorizationStates, AreThoseOfTheTable) {
    using S = AuthState;
    using E = AuthEvent;
    const std::map<std::pair<S, E>, AuthStep> table{
        {{S::start, E::start_of_communication}, {S::auth_wait, kSendInfo | kSendRequest}},
        {{S::auth_wait, E::auth_reply}, {S::authorized, kStartTeks}},
        {{S::auth_wait, E::auth_reject}, {S::reject_wait, kStopTeks}},
        {{S::auth_wait, E::permanent_reject}, {S::silent, kStopTeks}},
        {{S::auth_wait, E::timeout}, {S::auth_wait, kSendInfo | kRepeatRequest}},
        {{S::authorized, E::grace_timeout}, {S::reauth_wait, kSendRequest}},
        {{S::authorized, E::reauthenticate}, {S::reauth_wait, kSendRequest}},
        {{S::authorized, E::auth_invalid}, {S::reauth_wait, kSendRequest | kAuthPend}},
        {{S::reauth_wait, E::auth_reply}, {S::authorized, kStartTeks | kAuthComp}},
        {{S::reauth_wait, E::auth_reject}, {S::reject_wait, kStopTeks}},
        {{S::reauth_wait, E::permanent_reject}, {S::silent, kStopTeks}},
        {{S::reauth_wait, E::timeout}, {S::reauth_wait, kRepeatRequest}},
        {{S::reject_wait, E::timeout}, {S::start, kStopTeks}},
    };
    for (int s = 0; s < kAuthStates; ++s)
        for (int e = 0; e < kAuthEvents; ++e) {
            const auto state = static_cast<S>(s);
            const auto event = static_cast<E>(e);
            const auto entry = table.find({state, event});
            const auto expected = entry == table.end() ? std::nullopt : std::optional(entry->second);
            EXPECT_EQ(step(state, event), expected) << to_string(state) << ", event " << e;
        }
}

TEST(TekStates, AreThoseOfTheTable) {
    using S = TekState;
    using E = TekEvent;
    std::map<std::pair<S, E>, TekStep> table{
        {{S::start, E::authorized}, {S::op_wait, kSendRequest}},
        {{S::op_wait, E::auth_pend}, {S::op_reauth_wait, 0}},
        {{S::op_wait, E::timeout}, {S::op_wait, kRepeatRequest}},
        {{S::op_wait, E::key_reply}, {S::operational, 0}},
        {{S::op_wait, E::key_reject}, {S::start, kSuspendKeys}},
        {{S::op_reauth_wait, E::auth_comp}, {S::op_wait, kSendRequest}},
        {{S::operational, E::tek_invalid}, {S::op_wait, kSendRequest | kSuspendKeys}},
        {{S::operational, E::refresh_timeout}, {S::rekey_wait, kSendRequest}},
        {{S::rekey_wait, E::auth_pend}, {S::rekey_reauth_wait, 0}},
        {{S::rekey_wait, E::tek_invalid}, {S::op_wait, kSendRequest | kSuspendKeys}},
        {{S::rekey_wait, E::timeout}, {S::rekey_wait, kRepeatRequest}},
        {{S::rekey_wait, E::key_reply}, {S::operational, 0}},
        {{S::rekey_wait, E::key_reject}, {S::start, kSuspendKeys}},
        {{S::rekey_reauth_wait, E::auth_comp}, {S::rekey_wait, kSendRequest}},
        {{S::rekey_reauth_wait, E::tek_invalid}, {S::op_reauth_wait, kSuspendKeys}},
    };
    for (const S state : {S::op_wait, S::op_reauth_wait, S::operational, S::rekey_wait, S::rekey_reauth_wait})
        table[{state, E::stop}] = {S::start, kSuspendKeys};
    for (int s = 0; s < kTekStates; ++s)
        for (int e = 0; e < kTekEvents; ++e) {
            const auto state = static_cast<S>(s);
            const auto event = static_cast<E>(e);
            const auto entry = table.find({state, event});
            const auto expected = entry == table.end() ? std::nullopt : std::optional(entry->second);
            EXPECT_EQ(step(state, event), expected) << to_string(state) << ", event " << e;
        }
}

}  // namespace
}  // namespace wimax::mac::privacy
