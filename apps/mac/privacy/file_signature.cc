// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/file_signature.h"

#include "mac/privacy/secret.h"

#include <openssl/evp.h>

namespace wimax::mac::privacy {

std::optional<FileSignature> file_signature(Octets key, Octets covered) {
    FileSignature signature{};
    size_t octets = 0;
    if (key.empty() || !EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(), key.size(), covered.data(),
                                  covered.size(), signature.data(), signature.size(), &octets))
        return std::nullopt;
    return octets == signature.size() ? std::optional(signature) : std::nullopt;
}

bool is_signature(Octets key, Octets covered, Octets signature) {
    const auto own = file_signature(key, covered);
    return own && equal_in_constant_time(*own, signature);
}

}  // namespace wimax::mac::privacy
