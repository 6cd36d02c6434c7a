// SPDX-License-Identifier: GPL-3.0-or-later
// RSAES-OAEP with SHA-1 (7.5.5): the authorization key, and TEKs of suites with RSA, encrypted for one station.
#pragma once

#include "mac/privacy/openssl_objects.h"
#include "mac/privacy/secret.h"

namespace wimax::mac::privacy {

/// The encrypted octets, as long as the modulus. Nothing: no RSA key, or input too long for it.
std::optional<Buffer> encrypt_for(EVP_PKEY& public_key, Octets plain);
/// Decrypts into `plain`. False: not encrypted for this key, or of another length.
[[nodiscard]] bool decrypt_with(EVP_PKEY& private_key, Octets encrypted, std::span<uint8_t> plain);

}  // namespace wimax::mac::privacy
