// SPDX-License-Identifier: GPL-3.0-or-later
// Cryptographic suites (11.9.14): which cipher protects payloads, and which encrypts the TEK in messages.
#pragma once

#include "mac/pdu/bits.h"
#include "mac/privacy_config.h"

#include <array>
#include <optional>
#include <vector>

namespace wimax::mac::privacy {

enum class DataEncryption : uint8_t { none = 0, des_cbc = 1, aes_ccm = 2 };
enum class TekEncryption : uint8_t { none = 0, des_ede = 1, rsa = 2, aes_ecb = 3 };

struct Suite {
    DataEncryption data = DataEncryption::none;
    uint8_t authentication = 0;  ///< 1 in 802.16e's name of AES-CCM, which is the same; else 0
    TekEncryption tek = TekEncryption::none;

    constexpr std::array<uint8_t, 3> octets() const {
        return {static_cast<uint8_t>(data), authentication, static_cast<uint8_t>(tek)};
    }
    /// True if both are the same suite, regardless of the edition's name.
    constexpr bool same_as(const Suite& other) const { return data == other.data && tek == other.tek; }
    constexpr bool operator==(const Suite&) const = default;
};

inline constexpr Suite kAesCcm{DataEncryption::aes_ccm, 0, TekEncryption::aes_ecb};
inline constexpr Suite kDesCbc{DataEncryption::des_cbc, 0, TekEncryption::des_ede};
inline constexpr Suite kDesCbcRsa{DataEncryption::des_cbc, 0, TekEncryption::rsa};
inline constexpr Suite kNoEncryption{DataEncryption::none, 0, TekEncryption::des_ede};
inline constexpr Suite kNoEncryptionRsa{DataEncryption::none, 0, TekEncryption::rsa};

/// One of the suites above, or nothing: a suite outside the standard is not used.
constexpr std::optional<Suite> suite_of(std::span<const uint8_t, 3> octets) {
    for (const Suite& suite : {kAesCcm, kDesCbc, kDesCbcRsa, kNoEncryption, kNoEncryptionRsa}) {
        const auto own = suite.octets();
        const bool later_name = suite == kAesCcm && octets[1] == 1;
        if (octets[0] == own[0] && octets[2] == own[2] && (octets[1] == own[1] || later_name))
            return Suite{suite.data, octets[1], suite.tek};
    }
    return std::nullopt;
}

/// Names as in configurations; no encryption has no name there.
constexpr const char* to_string(DataEncryption data) {
    return data == DataEncryption::aes_ccm ? "aes-ccm" : data == DataEncryption::des_cbc ? "des-cbc" : "none";
}
inline std::vector<Suite> suites_of(const std::vector<PrivacySuite>& named) {
    std::vector<Suite> suites;
    for (const auto one : named) suites.push_back(one == PrivacySuite::des_cbc ? kDesCbc : kAesCcm);
    return suites;
}

}  // namespace wimax::mac::privacy
