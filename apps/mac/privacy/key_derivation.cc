// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/key_derivation.h"

#include <openssl/evp.h>

namespace wimax::mac::privacy {
namespace {

constexpr size_t kPadOctets = 64;
constexpr size_t kSha1Octets = 20;

bool derive(const AuthorizationKey& ak, uint8_t pad, std::span<uint8_t> key) {
    Secret<kPadOctets + AuthorizationKey::kOctets> input;
    const auto octets = input.writable();
    std::ranges::fill(octets.first<kPadOctets>(), pad);
    std::ranges::copy(ak.octets(), octets.begin() + kPadOctets);
    Secret<kSha1Octets> digest;
    if (EVP_Digest(octets.data(), octets.size(), digest.writable().data(), nullptr, EVP_sha1(), nullptr) != 1)
        return false;
    std::ranges::copy(digest.octets().first(key.size()), key.begin());
    return true;
}

}  // namespace

std::optional<DerivedKeys> derive_keys(const AuthorizationKey& ak) {
    DerivedKeys keys;
    const bool made = derive(ak, kKekPad, keys.kek.writable()) &&
                      derive(ak, kDownlinkHmacPad, keys.hmac_downlink.writable()) &&
                      derive(ak, kUplinkHmacPad, keys.hmac_uplink.writable());
    if (!made) return std::nullopt;
    return keys;
}

}  // namespace wimax::mac::privacy
