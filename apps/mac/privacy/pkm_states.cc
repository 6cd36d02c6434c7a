// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/pkm_states.h"

namespace wimax::mac::privacy {

using namespace action;

std::optional<AuthStep> step(AuthState state, AuthEvent event) {
    using S = AuthState;
    using E = AuthEvent;
    const bool waits = state == S::auth_wait || state == S::reauth_wait;
    switch (event) {
        case E::start_of_communication:
            if (state == S::start) return AuthStep{S::auth_wait, kSendInfo | kSendRequest};
            break;
        case E::auth_reply:
            if (state == S::auth_wait) return AuthStep{S::authorized, kStartTeks};
            if (state == S::reauth_wait) return AuthStep{S::authorized, kStartTeks | kAuthComp};
            break;
        case E::auth_reject:
            if (waits) return AuthStep{S::reject_wait, kStopTeks};
            break;
        case E::permanent_reject:
            if (waits) return AuthStep{S::silent, kStopTeks};
            break;
        case E::timeout:
            if (state == S::auth_wait) return AuthStep{S::auth_wait, kSendInfo | kRepeatRequest};
            if (state == S::reauth_wait) return AuthStep{S::reauth_wait, kRepeatRequest};
            if (state == S::reject_wait) return AuthStep{S::start, kStopTeks};
            break;
        case E::auth_invalid:
            if (state == S::authorized) return AuthStep{S::reauth_wait, kSendRequest | kAuthPend};
            break;
        case E::grace_timeout:
        case E::reauthenticate:
            if (state == S::authorized) return AuthStep{S::reauth_wait, kSendRequest};
            break;
    }
    return std::nullopt;
}

std::optional<TekStep> step(TekState state, TekEvent event) {
    using S = TekState;
    using E = TekEvent;
    switch (event) {
        case E::authorized:
            if (state == S::start) return TekStep{S::op_wait, kSendRequest};
            break;
        case E::auth_pend:
            if (state == S::op_wait) return TekStep{S::op_reauth_wait, 0};
            if (state == S::rekey_wait) return TekStep{S::rekey_reauth_wait, 0};
            break;
        case E::auth_comp:
            if (state == S::op_reauth_wait) return TekStep{S::op_wait, kSendRequest};
            if (state == S::rekey_reauth_wait) return TekStep{S::rekey_wait, kSendRequest};
            break;
        case E::stop:
            if (state != S::start) return TekStep{S::start, kSuspendKeys};
            break;
        case E::tek_invalid:
            if (state == S::operational || state == S::rekey_wait)
                return TekStep{S::op_wait, kSendRequest | kSuspendKeys};
            if (state == S::rekey_reauth_wait) return TekStep{S::op_reauth_wait, kSuspendKeys};
            break;
        case E::timeout:
            if (state == S::op_wait || state == S::rekey_wait) return TekStep{state, kRepeatRequest};
            break;
        case E::refresh_timeout:
            if (state == S::operational) return TekStep{S::rekey_wait, kSendRequest};
            break;
        case E::key_reply:
            if (state == S::op_wait || state == S::rekey_wait) return TekStep{S::operational, 0};
            break;
        case E::key_reject:
            if (state == S::op_wait || state == S::rekey_wait) return TekStep{S::start, kSuspendKeys};
            break;
    }
    return std::nullopt;
}

const char* to_string(AuthState state) {
    constexpr const char* names[] = {"start", "auth wait", "authorized", "reauth wait", "reject wait", "silent"};
    return names[static_cast<unsigned>(state)];
}

const char* to_string(TekState state) {
    constexpr const char* names[] = {"start",       "op wait",    "op reauth wait",
                                     "operational", "rekey wait", "rekey reauth wait"};
    return names[static_cast<unsigned>(state)];
}

}  // namespace wimax::mac::privacy
