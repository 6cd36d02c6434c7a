// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/rsa_key.h"

#include <openssl/rsa.h>

namespace wimax::mac::privacy {
namespace {

bool set_padding(EVP_PKEY_CTX* context) {
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha1()) == 1 &&
           EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha1()) == 1;
}

}  // namespace

std::optional<Buffer> encrypt_for(EVP_PKEY& public_key, Octets plain) {
    if (EVP_PKEY_get_base_id(&public_key) != EVP_PKEY_RSA) return std::nullopt;
    const KeyContext context(EVP_PKEY_CTX_new(&public_key, nullptr));
    Buffer encrypted(static_cast<size_t>(EVP_PKEY_get_size(&public_key)));
    size_t octets = encrypted.size();
    if (!context || EVP_PKEY_encrypt_init(context.get()) != 1 || !set_padding(context.get()) ||
        EVP_PKEY_encrypt(context.get(), encrypted.data(), &octets, plain.data(), plain.size()) != 1)
        return std::nullopt;
    encrypted.resize(octets);
    return encrypted;
}

bool decrypt_with(EVP_PKEY& private_key, Octets encrypted, std::span<uint8_t> plain) {
    if (EVP_PKEY_get_base_id(&private_key) != EVP_PKEY_RSA) return false;
    const KeyContext context(EVP_PKEY_CTX_new(&private_key, nullptr));
    Buffer room(static_cast<size_t>(EVP_PKEY_get_size(&private_key)));
    size_t octets = room.size();
    const bool done = context && EVP_PKEY_decrypt_init(context.get()) == 1 && set_padding(context.get()) &&
                      EVP_PKEY_decrypt(context.get(), room.data(), &octets, encrypted.data(), encrypted.size()) == 1 &&
                      octets == plain.size();
    if (done) std::copy_n(room.begin(), octets, plain.begin());
    wipe(room);
    return done;
}

}  // namespace wimax::mac::privacy
