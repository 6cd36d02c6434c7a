// SPDX-License-Identifier: GPL-3.0-or-later
// AES-CCM of PDUs (7.5.1.2). After the generic header follow the packet number, least significant octet first, the
// encrypted payload and the integrity check value. LEN counts them; the header itself is not encrypted. The nonce
// consists of the header's first five octets, with their final EC, EKS, LEN and CI, four zeros and the packet number.
//
// Use one object for each direction of an SA and TEK; only its construction allocates.
#pragma once

#include "mac/pdu/header.h"
#include "mac/privacy/openssl_objects.h"
#include "mac/privacy/secret.h"

namespace wimax::mac::privacy {

/// Uplink packet numbers are XORed with this before use and transmission, so that no nonce repeats under one TEK; makers
/// differ (UplinkNumbers). The published example is a downlink PDU and does not show it.
inline constexpr uint32_t kUplinkPacketNumbers = 0x80000000;
/// A TEK is used up after this packet number.
inline constexpr uint32_t kLastPacketNumber = 0x7FFFFFFF;

class CcmCipher {
public:
    static constexpr size_t kPnOctets = 4, kIcvOctets = 8, kOverheadOctets = kPnOctets + kIcvOctets;
    static constexpr size_t kNonceOctets = 13;
    using Nonce = std::array<uint8_t, kNonceOctets>;

    /// Nothing: no AES key, or the library has no AES-CCM.
    static std::optional<CcmCipher> with(const TrafficKey& tek);
    /// Nonce of a PDU whose packet number is in place.
    static Nonce nonce_of(Octets pdu);
    /// The packet number in a PDU as sent; nothing: the PDU is too short for it and an ICV.
    static std::optional<uint32_t> packet_number(Octets pdu);

    /// `pdu`: header, kPnOctets of room, payload, which may be empty, kIcvOctets of room; no CRC. False: too short,
    /// or the library failed: the PDU must not be sent.
    [[nodiscard]] bool seal(std::span<uint8_t> pdu, uint32_t pn);
    /// Decrypts the payload of such a PDU into `plain`, which is kOverheadOctets and the header shorter. False: too
    /// short, of another key, or altered; `plain` is zeros then.
    [[nodiscard]] bool open(Octets pdu, std::span<uint8_t> plain);

private:
    bool proves_empty(Octets pdu);

    CcmCipher(CipherContext sealing, CipherContext opening)
        : sealing_(std::move(sealing)), opening_(std::move(opening)) {}
    CipherContext sealing_, opening_;
};

}  // namespace wimax::mac::privacy
