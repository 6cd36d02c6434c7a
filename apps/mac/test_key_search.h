// SPDX-License-Identifier: GPL-3.0-or-later
// Search for keys in output: as octets, in hex, as decimal numbers or in Base64; a whole key or only one end of it. The
// unpublished keys of a station are derived from its Auth Replies and its private key.
#pragma once

#include "mac/pdu/pdu.h"
#include "mac/privacy/key_derivation.h"
#include "mac/privacy/pkm_message.h"
#include "mac/privacy/rsa_key.h"
#include "mac/report/pdu_tap.h"

#include <openssl/evp.h>

#include <cctype>
#include <string>

namespace wimax::mac::test {

class KeySearch {
public:
    static constexpr size_t kPieceOctets = 6;  ///< chance puts one into some MB once in ten million times

    /// Text or octets.
    explicit KeySearch(std::string text) : text_(std::move(text)) {
        for (size_t i = 0; i < text_.size(); ++i) {
            const auto c = static_cast<unsigned char>(text_[i]);
            if (c == '0' && text_.substr(i + 1, 1) == "x") continue;
            if (std::isxdigit(c)) digits_ += static_cast<char>(std::tolower(c));
            if (std::isdigit(c) || numbers_.back() != ',') numbers_ += std::isdigit(c) ? text_[i] : ',';
        }
        numbers_ += ',';
    }
    /// All of it, its begin or its end.
    bool finds(Octets key) const {
        return finds_piece(key.first(kPieceOctets)) || finds_piece(key.last(kPieceOctets)) ||
               has(text_, base64(key.first(key.size() / 3 * 3)));
    }

    static std::string hex(Octets key) {
        std::string out;
        for (const uint8_t octet : key)
            for (const int digit : {octet >> 4, octet & 15}) out += "0123456789abcdef"[digit];
        return out;
    }
    static std::string numbers(Octets key) {
        std::string out;
        for (const uint8_t octet : key) out += (out.empty() ? "" : ",") + std::to_string(octet);
        return out;
    }
    static std::string base64(Octets key) {
        std::string out((key.size() + 2) / 3 * 4 + 1, '\0');
        out.resize(static_cast<size_t>(
            EVP_EncodeBlock(reinterpret_cast<uint8_t*>(out.data()), key.data(), static_cast<int>(key.size()))));
        return out;
    }

private:
    static bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }
    bool finds_piece(Octets piece) const {
        return has(text_, {piece.begin(), piece.end()}) || has(digits_, hex(piece)) ||
               has(numbers_, ',' + numbers(piece) + ',');
    }

    /// As it is; its hexadecimal digits, in small letters; its decimal numbers, commas between them.
    std::string text_, digits_, numbers_ = ",";
};

/// PDUs that an end sends and receives, as in its captures.
struct CapturedPdus final : PduTap {
    std::vector<Buffer> pdus;

    void on_pdu(const TappedBurst&, size_t, Octets octets, TappedOctets) override {
        pdus.emplace_back(octets.begin(), octets.end());
    }
    std::string octets() const {
        std::string out;
        for (const auto& pdu : pdus) out.append(pdu.begin(), pdu.end());
        return out;
    }
    /// AK, KEK and keys of the digests, of each Auth Reply.
    std::vector<Buffer> authorization_keys(EVP_PKEY& private_key) const {
        std::vector<Buffer> keys;
        for (const auto& octets : pdus) {
            const auto pdu = PduReader(octets).next();
            if (!pdu || pdu->is_request || pdu->header.ec || message_type(pdu->body) != MessageType::pkm_rsp) continue;
            const auto message = privacy::decode_pkm(pdu->body);
            privacy::AuthorizationKey ak;
            if (!message || !privacy::decrypt_with(private_key, message->auth_key, ak.writable())) continue;
            const auto made = privacy::derive_keys(ak);
            for (const Octets key : {Octets(ak.octets()), Octets(made->kek.octets()),
                                     Octets(made->hmac_downlink.octets()), Octets(made->hmac_uplink.octets())})
                keys.emplace_back(key.begin(), key.end());
        }
        return keys;
    }
};

}  // namespace wimax::mac::test
