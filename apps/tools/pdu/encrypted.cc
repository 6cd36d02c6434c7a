// SPDX-License-Identifier: GPL-3.0-or-later
// Encrypted PDUs as JSON: the plaintext and the values of the cipher, under the golden vectors' names.
#include "mac/privacy/ccm_cipher.h"
#include "tools/pdu/tree.h"

#include <algorithm>

namespace wimax::pdu {
namespace {

using mac::kHeaderOctets;
using mac::privacy::CbcCipher;
using mac::privacy::CcmCipher;

/// Header and plaintext of one that its key opens.
std::optional<Buffer> open_ccm(Octets pdu, const PayloadKey& key, Json& out) {
    auto cipher = CcmCipher::with(key.tek);
    const auto pn = CcmCipher::packet_number(pdu);
    Buffer plain(pdu.begin(), pdu.begin() + kHeaderOctets);
    if (pn) plain.resize(pdu.size() - CcmCipher::kOverheadOctets);
    const bool right = cipher && pn && cipher->open(pdu, std::span(plain).subspan(kHeaderOctets));
    out["icv_ok"] = right;
    if (!right) return std::nullopt;
    const Octets ciphertext = pdu.subspan(kHeaderOctets + CcmCipher::kPnOctets, plain.size() - kHeaderOctets);
    out = {{"pn", *pn},
           {"pn_on_wire", to_hex(pdu.subspan(kHeaderOctets, CcmCipher::kPnOctets))},
           {"nonce", to_hex(CcmCipher::nonce_of(pdu))},
           {"ciphertext", to_hex(ciphertext)},
           {"icv", to_hex(pdu.last(CcmCipher::kIcvOctets))},
           {"icv_ok", true},
           {"plaintext", to_hex(Octets(plain).subspan(kHeaderOctets))}};
    return plain;
}

/// A wrong key is not detected.
std::optional<Buffer> open_cbc(Octets pdu, const PayloadKey& key, Json& out) {
    auto cipher = CbcCipher::with(key.tek);
    const auto iv = CbcCipher::iv_of(key.cbc_iv, key.frame_number);
    Buffer plain(pdu.begin(), pdu.end());
    const auto payload = std::span(plain).subspan(kHeaderOctets);
    if (!cipher || !cipher->open(payload, iv)) return std::nullopt;
    out = {{"cbc_iv", to_hex(iv)}, {"ciphertext", to_hex(pdu.subspan(kHeaderOctets))}, {"plaintext", to_hex(payload)}};
    return plain;
}

/// Octets of the tree in a place of that size.
void put_given(const Node& in, const char* key, std::span<uint8_t> place) {
    const size_t faults = in.faults();
    const Buffer octets = in.octets(key);
    if (in.faults() > faults) return;
    if (octets.size() == place.size()) std::ranges::copy(octets, place.begin());
    else in.at(key).fail("needed are " + std::to_string(2 * place.size()) + " hex digits");
}

void seal_ccm(const Node& in, const std::optional<PayloadKey>& key, Buffer& octets) {
    const auto pn = static_cast<uint32_t>(in.integer("pn", 0xFFFFFFFF));
    const auto pdu = std::span(octets);
    auto cipher = key ? CcmCipher::with(key->tek) : std::nullopt;
    if (cipher) {
        if (!cipher->seal(pdu, pn)) in.fail("could not be encrypted");
    } else if (key || !in.has("ciphertext")) {
        return in.at("pn").fail("a TEK of AES-CCM is needed");
    } else {
        for (size_t i = 0; i < CcmCipher::kPnOctets; ++i) pdu[kHeaderOctets + i] = static_cast<uint8_t>(pn >> 8 * i);
        const auto behind_pn = pdu.subspan(kHeaderOctets + CcmCipher::kPnOctets);
        put_given(in, "ciphertext", behind_pn.first(behind_pn.size() - CcmCipher::kIcvOctets));
    }
    if (!cipher || in.has("icv")) put_given(in, "icv", pdu.last(CcmCipher::kIcvOctets));
}

void seal_cbc(const Node& in, const std::optional<PayloadKey>& key, Buffer& octets) {
    CbcCipher::Iv iv{};
    put_given(in, "cbc_iv", iv);
    const auto payload = std::span(octets).subspan(kHeaderOctets);
    auto cipher = key ? CbcCipher::with(key->tek) : std::nullopt;
    if (cipher) {
        if (!cipher->seal(payload, iv)) in.fail("could not be encrypted");
    } else if (key || !in.has("ciphertext")) {
        in.at("cbc_iv").fail("a TEK of DES-CBC is needed");
    } else {
        put_given(in, "ciphertext", payload);
    }
}

}  // namespace

std::optional<Buffer> open_pdu(Octets pdu, const PayloadKey& key, Json& out) {
    return key.tek.is_des() ? open_cbc(pdu, key, out) : open_ccm(pdu, key, out);
}

bool is_opened(const Node& pdu) { return pdu.has("pn") || pdu.has("cbc_iv"); }

void make_room_for_cipher(const Node& pdu, Buffer& octets) {
    if (!pdu.has("pn")) return;
    octets.insert(octets.begin() + kHeaderOctets, CcmCipher::kPnOctets, 0);
    octets.resize(octets.size() + CcmCipher::kIcvOctets);
}

void seal_pdu(const Node& pdu, const std::optional<PayloadKey>& key, Buffer& octets) {
    if (pdu.has("pn")) seal_ccm(pdu, key, octets);
    else seal_cbc(pdu, key, octets);
}

}  // namespace wimax::pdu
