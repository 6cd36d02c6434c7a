// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/key_wrap.h"
#include "mac/privacy/openssl_objects.h"

namespace wimax::mac::privacy {
namespace {

struct Method {
    const EVP_CIPHER* cipher;
    size_t octets;  ///< of key and block
};

std::optional<Method> method_of(TekEncryption method) {
    switch (method) {
        // With two keys: the left half encrypts, the right one decrypts, the left one encrypts again.
        case TekEncryption::des_ede: return Method{EVP_des_ede(), TrafficKey::kDesOctets};
        case TekEncryption::aes_ecb: return Method{EVP_aes_128_ecb(), TrafficKey::kAesOctets};
        case TekEncryption::none:
        case TekEncryption::rsa: break;
    }
    return std::nullopt;
}

enum class Way : int { decrypt = 0, encrypt = 1 };

/// One block, or as many as `in` holds.
bool crypt(const Method& method, const KeyEncryptionKey& kek, Way way, Octets in, std::span<uint8_t> out) {
    if (in.size() != method.octets || out.size() < in.size()) return false;
    const CipherContext context(EVP_CIPHER_CTX_new());
    int octets = 0;
    return context &&
           EVP_CipherInit_ex(context.get(), method.cipher, nullptr, kek.octets().data(), nullptr,
                             static_cast<int>(way)) == 1 &&
           EVP_CIPHER_CTX_set_padding(context.get(), 0) == 1 &&
           EVP_CipherUpdate(context.get(), out.data(), &octets, in.data(), static_cast<int>(in.size())) == 1 &&
           static_cast<size_t>(octets) == in.size();
}

}  // namespace

std::optional<Buffer> wrap_tek(TekEncryption method, const KeyEncryptionKey& kek, const TrafficKey& tek) {
    const auto by = method_of(method);
    Buffer wrapped(tek.octets().size());
    if (!by || !crypt(*by, kek, Way::encrypt, tek.octets(), wrapped)) return std::nullopt;
    return wrapped;
}

std::optional<TrafficKey> unwrap_tek(TekEncryption method, const KeyEncryptionKey& kek, Octets wrapped) {
    const auto by = method_of(method);
    Secret<TrafficKey::kAesOctets> key;
    if (!by || !crypt(*by, kek, Way::decrypt, wrapped, key.writable())) return std::nullopt;
    return TrafficKey::of(Octets(key.octets()).first(by->octets));
}

}  // namespace wimax::mac::privacy
