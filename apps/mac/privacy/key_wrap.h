// SPDX-License-Identifier: GPL-3.0-or-later
// TEKs encrypted with the KEK for the station (7.5.2): a DES key by 3-DES EDE with two halves of the KEK, an AES key by
// AES-ECB. (By RSA: rsa_key.h.)
#pragma once

#include "mac/privacy/secret.h"
#include "mac/privacy/suite.h"

namespace wimax::mac::privacy {

/// The encrypted key; as long as the key. Nothing: the suite encrypts keys of another length, or by RSA.
std::optional<Buffer> wrap_tek(TekEncryption method, const KeyEncryptionKey& kek, const TrafficKey& tek);
std::optional<TrafficKey> unwrap_tek(TekEncryption method, const KeyEncryptionKey& kek, Octets wrapped);

}  // namespace wimax::mac::privacy
