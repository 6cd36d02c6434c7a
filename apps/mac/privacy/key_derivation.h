// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that both ends derive from the authorization key (7.5.4): each is the SHA-1 of 64 octets of padding and the AK.
#pragma once

#include "mac/privacy/secret.h"

namespace wimax::mac::privacy {

/// The values of the digests' pads have no second source; they reproduce the golden vectors.
inline constexpr uint8_t kKekPad = 0x53, kDownlinkHmacPad = 0x3A, kUplinkHmacPad = 0x5C;

struct DerivedKeys {
    KeyEncryptionKey kek;
    HmacKey hmac_downlink, hmac_uplink;
};

/// Nothing: the library has no SHA-1.
std::optional<DerivedKeys> derive_keys(const AuthorizationKey& ak);

}  // namespace wimax::mac::privacy
