// SPDX-License-Identifier: GPL-3.0-or-later
// The station's state machines of PKM as tables: authorization (7.2.4), and one machine for the TEKs of each SA
// (7.2.5). A table gives the next state and actions of an event; the owner handles timers, messages and keys.
#pragma once

#include <cstdint>
#include <optional>

namespace wimax::mac::privacy {

/// Actions of a step; bits.
namespace action {
inline constexpr uint16_t kSendInfo = 1, kSendRequest = 2,  ///< as a new request, with a new identifier
    kRepeatRequest = 4,                                     ///< the same one again
    kStopTeks = 8, kAuthPend = 16, kAuthComp = 32,          ///< sent to the TEK machines
    kStartTeks = 64,                                        ///< of the SAs in the reply; others stop
    kSuspendKeys = 128;                                     ///< TEKs of this SA: not used until they are received again
}  // namespace action

enum class AuthState : uint8_t { start, auth_wait, authorized, reauth_wait, reject_wait, silent };
enum class AuthEvent : uint8_t {
    start_of_communication,
    auth_reply,
    auth_reject,
    permanent_reject,
    timeout,
    grace_timeout,
    auth_invalid,
    reauthenticate
};
struct AuthStep {
    AuthState next = AuthState::start;
    uint16_t actions = 0;
    bool operator==(const AuthStep&) const = default;
};
/// Nothing: the event does not apply to this state, and is ignored.
std::optional<AuthStep> step(AuthState state, AuthEvent event);

enum class TekState : uint8_t { start, op_wait, op_reauth_wait, operational, rekey_wait, rekey_reauth_wait };
enum class TekEvent : uint8_t {
    authorized,
    auth_pend,
    auth_comp,
    stop,
    tek_invalid,
    timeout,
    refresh_timeout,
    key_reply,
    key_reject
};
struct TekStep {
    TekState next = TekState::start;
    uint16_t actions = 0;
    bool operator==(const TekStep&) const = default;
};
std::optional<TekStep> step(TekState state, TekEvent event);

const char* to_string(AuthState state);
const char* to_string(TekState state);

}  // namespace wimax::mac::privacy
