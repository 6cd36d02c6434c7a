// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/message_digest.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

namespace wimax::mac::privacy {

std::optional<MessageDigest> MessageDigest::with(const HmacKey& key) {
    const Owned<EVP_MAC, EVP_MAC_free> hmac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    if (!hmac) return std::nullopt;
    MacContext context(EVP_MAC_CTX_new(hmac.get()));
    char sha1[] = "SHA1";
    const OSSL_PARAM hash[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha1, 0),
                               OSSL_PARAM_construct_end()};
    if (!context || EVP_MAC_init(context.get(), key.octets().data(), key.octets().size(), hash) != 1)
        return std::nullopt;
    return MessageDigest(std::move(context));
}

std::optional<Digest> MessageDigest::of(Octets covered) {
    Digest digest{};
    size_t octets = 0;
    // Without a key argument it restarts with the key it has.
    const bool made = EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1 &&
                      EVP_MAC_update(context_.get(), covered.data(), covered.size()) == 1 &&
                      EVP_MAC_final(context_.get(), digest.data(), &octets, digest.size()) == 1;
    if (!made || octets != digest.size()) return std::nullopt;
    return digest;
}

bool MessageDigest::matches(Octets covered, Octets digest) {
    const auto own = of(covered);
    return own && equal_in_constant_time(*own, digest);
}

}  // namespace wimax::mac::privacy
