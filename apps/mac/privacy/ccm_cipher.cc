// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/ccm_cipher.h"

namespace wimax::mac::privacy {
namespace {

constexpr size_t kHeaderPart = 5;  ///< of the nonce

CipherContext context_with(const TrafficKey& tek, bool encrypt) {
    CipherContext context(EVP_CIPHER_CTX_new());
    const int way = encrypt ? 1 : 0;
    const bool made =
        context && EVP_CipherInit_ex(context.get(), EVP_aes_128_ccm(), nullptr, nullptr, nullptr, way) == 1 &&
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN, CcmCipher::kNonceOctets, nullptr) == 1 &&
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, CcmCipher::kIcvOctets, nullptr) == 1 &&
        EVP_CipherInit_ex(context.get(), nullptr, nullptr, tek.octets().data(), nullptr, way) == 1;
    if (!made) context.reset();
    return context;
}

}  // namespace

std::optional<CcmCipher> CcmCipher::with(const TrafficKey& tek) {
    if (tek.is_des()) return std::nullopt;
    auto sealing = context_with(tek, true), opening = context_with(tek, false);
    if (!sealing || !opening) return std::nullopt;
    return CcmCipher(std::move(sealing), std::move(opening));
}

CcmCipher::Nonce CcmCipher::nonce_of(Octets pdu) {
    Nonce nonce{};
    std::ranges::copy(pdu.first(kHeaderPart), nonce.begin());
    std::ranges::copy(pdu.subspan(kHeaderOctets, kPnOctets), nonce.end() - kPnOctets);
    return nonce;
}

std::optional<uint32_t> CcmCipher::packet_number(Octets pdu) {
    if (pdu.size() < kHeaderOctets + kOverheadOctets) return std::nullopt;
    uint32_t pn = 0;
    for (size_t i = kPnOctets; i-- > 0;) pn = pn << 8 | pdu[kHeaderOctets + i];
    return pn;
}

bool CcmCipher::seal(std::span<uint8_t> pdu, uint32_t pn) {
    if (pdu.size() < kHeaderOctets + kOverheadOctets) return false;
    for (size_t i = 0; i < kPnOctets; ++i) pdu[kHeaderOctets + i] = static_cast<uint8_t>(pn >> 8 * i);
    const Nonce nonce = nonce_of(pdu);
    const auto payload = pdu.subspan(kHeaderOctets + kPnOctets, pdu.size() - kHeaderOctets - kOverheadOctets);
    EVP_CIPHER_CTX* context = sealing_.get();
    const int octets = static_cast<int>(payload.size());
    int done = 0;
    // The length first, as CCM's first block holds it.
    return EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
           EVP_EncryptUpdate(context, nullptr, &done, nullptr, octets) == 1 &&
           EVP_EncryptUpdate(context, payload.data(), &done, payload.data(), octets) == 1 && done == octets &&
           EVP_EncryptFinal_ex(context, payload.data() + octets, &done) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kIcvOctets, payload.data() + octets) == 1;
}

// Without payload the library does not check the integrity value: it is computed again and compared.
bool CcmCipher::proves_empty(Octets pdu) {
    std::array<uint8_t, kHeaderOctets + kOverheadOctets> own{};
    std::ranges::copy(pdu, own.begin());
    return seal(own, *packet_number(pdu)) && equal_in_constant_time(own, pdu);
}

bool CcmCipher::open(Octets pdu, std::span<uint8_t> plain) {
    if (pdu.size() < kHeaderOctets + kOverheadOctets || plain.size() != pdu.size() - kHeaderOctets - kOverheadOctets)
        return false;
    if (plain.empty()) return proves_empty(pdu);
    const Nonce nonce = nonce_of(pdu);
    const Octets encrypted = pdu.subspan(kHeaderOctets + kPnOctets, plain.size());
    std::array<uint8_t, kIcvOctets> icv{};
    std::ranges::copy(pdu.last(kIcvOctets), icv.begin());
    EVP_CIPHER_CTX* context = opening_.get();
    const int octets = static_cast<int>(plain.size());
    int done = 0;
    const bool right = EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
                       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kIcvOctets, icv.data()) == 1 &&
                       EVP_DecryptUpdate(context, nullptr, &done, nullptr, octets) == 1 &&
                       EVP_DecryptUpdate(context, plain.data(), &done, encrypted.data(), octets) == 1;
    if (!right) wipe(plain);
    return right;
}

}  // namespace wimax::mac::privacy
