// SPDX-License-Identifier: GPL-3.0-or-later
// The authorization keys of one station: the one in force and, around a reauthorization, the one before it. Keys
// derived from each are found by its sequence number. Management messages are verified with either (7.5.3), and signed
// with the newest that both ends are known to have: any sender may request a key in a station's name, and only the
// station can prove that it has received it.
//
// The standard's tuple proves the sender of a message, not its time: a recorded message stays genuine while its key is
// in force. Our stations number their signed messages in a vendor-specific TLV before the tuple, which other stations
// ignore. Each number is accepted once; a peer that has sent numbers must number every message.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>
#include "mac/privacy/key_derivation.h"
#include "mac/privacy/message_digest.h"
#include "mac/privacy/replay_window.h"
#include "mac/sample_time.h"

namespace wimax::mac::privacy {

using gr::wimax::phy::Direction;

/// Result of verifying a management message's HMAC tuple.
enum class Proof : uint8_t {
    genuine,
    no_tuple,  ///< the message does not end with one
    old_key,   ///< of an authorization key that is not in force
    wrong,     ///< the digest does not match
    replayed   ///< repeated, or without the number that its sender's messages have
};
const char* to_string(Proof proof);

/// State of one AK, without the key itself.
struct AuthorizationContext {
    uint8_t sequence = 0;  ///< 4 bits
    Samples expires = 0;
    bool shared = false;  ///< the other end has it, too
    KeyEncryptionKey kek;
    MessageDigest downlink, uplink;
    uint32_t sent = 0;  ///< numbered messages
    ReplayWindow received;

    MessageDigest& digest(Direction direction) { return direction == Direction::downlink ? downlink : uplink; }
};

class AuthorizationKeys {
public:
    static constexpr uint8_t kSequences = 16;
    /// Type, length and value of a tuple.
    static constexpr size_t kTupleOctets = 2 + 1 + sizeof(Digest);
    /// Octets added to a signed message in addition to its tuple.
    static constexpr size_t kNumberOctets = 13;

    /// Adds the newest key, replacing one with its sequence number; one older key stays. `shared`: received from the
    /// other end. False: the library failed, nothing is changed.
    [[nodiscard]] bool add(const AuthorizationKey& ak, uint8_t sequence, Samples expires, bool shared);
    void drop();

    /// Expired keys are not found.
    AuthorizationContext* find(uint8_t sequence, Samples now);
    AuthorizationContext* newest(Samples now);
    const AuthorizationContext* newest(Samples now) const;
    /// The newest shared key, which signs messages.
    AuthorizationContext* signing(Samples now);
    /// Number of keys in force.
    unsigned count(Samples now) const;

    /// Numbers a management message and fills in the HMAC tuple that it ends with. False: it has none, or there is no
    /// shared key; the message is unchanged.
    [[nodiscard]] bool sign(Buffer& message, Direction direction, Samples now);
    /// Verifies a message from its type octet on. The key of a genuine one becomes shared.
    Proof prove(Octets message, Direction direction, Samples now);

private:
    std::optional<AuthorizationContext> newest_, before_;
};

/// True if the message ends with an HMAC tuple, genuine or not.
bool has_hmac_tuple(Octets message);

}  // namespace wimax::mac::privacy
