// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/cbc_cipher.h"

namespace wimax::mac::privacy {
namespace {

constexpr unsigned kFrameNumberOctets = 3;

/// Triple DES with one key three times is DES, and every build of the library supports it.
CipherContext context_with(const EVP_CIPHER* cipher, const TrafficKey& tek, bool encrypt) {
    Secret<3 * TrafficKey::kDesOctets> key;
    for (size_t i = 0; i < key.kOctets; ++i) key.writable()[i] = tek.octets()[i % TrafficKey::kDesOctets];
    CipherContext context(EVP_CIPHER_CTX_new());
    if (!context ||
        EVP_CipherInit_ex(context.get(), cipher, nullptr, key.octets().data(), nullptr, encrypt ? 1 : 0) != 1 ||
        EVP_CIPHER_CTX_set_padding(context.get(), 0) != 1)
        context.reset();
    return context;
}

CbcCipher::Iv block_at(std::span<const uint8_t> octets, size_t offset) {
    CbcCipher::Iv block{};
    std::ranges::copy(octets.subspan(offset, block.size()), block.begin());
    return block;
}

}  // namespace

std::optional<CbcCipher> CbcCipher::with(const TrafficKey& tek) {
    if (!tek.is_des()) return std::nullopt;
    auto sealing = context_with(EVP_des_ede3_cbc(), tek, true), opening = context_with(EVP_des_ede3_cbc(), tek, false),
         block = context_with(EVP_des_ede3_ecb(), tek, true);
    if (!sealing || !opening || !block) return std::nullopt;
    return CbcCipher(std::move(sealing), std::move(opening), std::move(block));
}

CbcCipher::Iv CbcCipher::iv_of(const Iv& parameter, uint32_t frame_number, CbcIvForm form) {
    Iv iv = form == CbcIvForm::zero ? Iv{} : parameter;
    if (form == CbcIvForm::frame_number)
        for (unsigned i = 0; i < kFrameNumberOctets; ++i)
            iv[iv.size() - 1 - i] ^= static_cast<uint8_t>(frame_number >> 8 * i);
    return iv;
}

bool CbcCipher::crypt(EVP_CIPHER_CTX* context, std::span<uint8_t> blocks, const Iv& iv) {
    const int octets = static_cast<int>(blocks.size());
    int done = 0;
    return EVP_CipherInit_ex(context, nullptr, nullptr, nullptr, iv.data(), -1) == 1 &&
           EVP_CipherUpdate(context, blocks.data(), &done, blocks.data(), octets) == 1 && done == octets;
}

bool CbcCipher::terminate(std::span<uint8_t> rest, const Iv& before) {
    Secret<kBlockOctets> pad;
    int done = 0;
    if (EVP_EncryptUpdate(block_.get(), pad.writable().data(), &done, before.data(), kBlockOctets) != 1) return false;
    for (size_t i = 0; i < rest.size(); ++i) rest[i] ^= pad.octets()[i];
    return true;
}

bool CbcCipher::seal(std::span<uint8_t> payload, const Iv& iv) {
    const size_t whole = payload.size() - payload.size() % kBlockOctets;
    if (whole > 0 && !crypt(sealing_.get(), payload.first(whole), iv)) return false;
    const Iv before = whole > 0 ? block_at(payload, whole - kBlockOctets) : iv;
    return terminate(payload.subspan(whole), before);
}

bool CbcCipher::open(std::span<uint8_t> payload, const Iv& iv) {
    const size_t whole = payload.size() - payload.size() % kBlockOctets;
    const Iv before = whole > 0 ? block_at(payload, whole - kBlockOctets) : iv;
    return (whole == 0 || crypt(opening_.get(), payload.first(whole), iv)) && terminate(payload.subspan(whole), before);
}

}  // namespace wimax::mac::privacy
