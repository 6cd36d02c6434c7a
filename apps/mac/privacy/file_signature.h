// SPDX-License-Identifier: GPL-3.0-or-later
// HMAC-SHA256 of configuration files (RFC 2104), with a key that the operator gives to stations.
#pragma once

#include "mac/pdu/bits.h"

#include <array>
#include <optional>

namespace wimax::mac::privacy {

using FileSignature = std::array<uint8_t, 32>;
/// Of keys that configurations and tools accept.
inline constexpr size_t kLeastFileKeyOctets = 16, kMostFileKeyOctets = 64;

/// Nullopt: the key is empty, or the library has no HMAC-SHA256.
std::optional<FileSignature> file_signature(Octets key, Octets covered);
/// Compares in constant time.
bool is_signature(Octets key, Octets covered, Octets signature);

}  // namespace wimax::mac::privacy
