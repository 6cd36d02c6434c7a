// SPDX-License-Identifier: GPL-3.0-or-later
// OpenSSL's objects with an owner. OpenSSL zeroes their key material when they are freed.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

namespace wimax::mac::privacy {

template <auto Free> struct FreedBy {
    template <class Object> void operator()(Object* object) const { Free(object); }
};
template <class Object, auto Free> using Owned = std::unique_ptr<Object, FreedBy<Free>>;

using CipherContext = Owned<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free>;
using MacContext = Owned<EVP_MAC_CTX, EVP_MAC_CTX_free>;
using KeyContext = Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using KeyPair = Owned<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Owned<X509, X509_free>;

}  // namespace wimax::mac::privacy
