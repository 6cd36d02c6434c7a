// SPDX-License-Identifier: GPL-3.0-or-later
// DES-CBC of PDUs (7.5.1.1): payloads keep their length. A partial last block is XORed with the preceding block,
// encrypted again (residual termination); a payload of less than a block with the encrypted initialization vector. Such
// a PDU is not authenticated, and DES is weak: use AES-CCM.
#pragma once

#include "mac/privacy/openssl_objects.h"
#include "mac/privacy/secret.h"
#include "mac/privacy_config.h"

namespace wimax::mac::privacy {

class CbcCipher {
public:
    static constexpr size_t kBlockOctets = 8;
    using Iv = std::array<uint8_t, kBlockOctets>;

    /// Nothing: no DES key, or the library has no DES.
    static std::optional<CbcCipher> with(const TrafficKey& tek);
    /// Initialization vector of a PDU in that frame. `parameter`: the CBC IV received with the TEK. The standard XORs
    /// it with the PHY synchronization field, which WirelessMAN-OFDM does not have; the frame number replaces it here.
    static Iv iv_of(const Iv& parameter, uint32_t frame_number, CbcIvForm form = CbcIvForm::frame_number);

    /// Encrypts in place, any length. False: the library failed.
    [[nodiscard]] bool seal(std::span<uint8_t> payload, const Iv& iv);
    [[nodiscard]] bool open(std::span<uint8_t> payload, const Iv& iv);

private:
    CbcCipher(CipherContext sealing, CipherContext opening, CipherContext block)
        : sealing_(std::move(sealing)), opening_(std::move(opening)), block_(std::move(block)) {}
    bool crypt(EVP_CIPHER_CTX* context, std::span<uint8_t> blocks, const Iv& iv);
    bool terminate(std::span<uint8_t> rest, const Iv& before);
    CipherContext sealing_, opening_, block_;
};

}  // namespace wimax::mac::privacy
