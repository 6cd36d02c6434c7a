// SPDX-License-Identifier: GPL-3.0-or-later
// HMAC-SHA1 of management messages (7.5.3): over a message from its type octet up to its HMAC tuple or digest
// attribute, which is last. The generic header is not covered.
#pragma once

#include "mac/privacy/openssl_objects.h"
#include "mac/privacy/secret.h"

namespace wimax::mac::privacy {

using Digest = std::array<uint8_t, 20>;

/// The key of one direction.
class MessageDigest {
public:
    /// Nothing: the library has no HMAC-SHA1.
    static std::optional<MessageDigest> with(const HmacKey& key);

    std::optional<Digest> of(Octets covered);
    /// Compares in constant time.
    bool matches(Octets covered, Octets digest);

private:
    explicit MessageDigest(MacContext context) : context_(std::move(context)) {}
    MacContext context_;
};

}  // namespace wimax::mac::privacy
