// SPDX-License-Identifier: GPL-3.0-or-later
// PKM messages (PKM-REQ and PKM-RSP, 11.9) as structures. Unlike other management messages, reading is strict: an
// attribute of wrong length, a repeated or missing mandatory attribute, or octets after the digest make the whole
// message an error. Attributes of unknown types are ignored.
//
// Octets of a structure are views: of the message that was read, or of its writer's memory.
#pragma once

#include "mac/flow_limits.h"
#include "mac/pdu/management_messages.h"
#include "mac/privacy/cbc_cipher.h"
#include "mac/privacy/message_digest.h"
#include "mac/privacy/suite.h"

#include <string_view>

namespace wimax::mac::privacy {

enum class PkmCode : uint8_t {
    sa_add = 3,
    auth_request = 4,
    auth_reply = 5,
    auth_reject = 6,
    key_request = 7,
    key_reply = 8,
    key_reject = 9,
    auth_invalid = 10,
    tek_invalid = 11,
    auth_info = 12
};
/// Station to base station: PKM-REQ; the others are PKM-RSP.
constexpr bool is_request(PkmCode code) {
    return code == PkmCode::auth_request || code == PkmCode::key_request || code == PkmCode::auth_info;
}

/// Error codes (11.9.10).
enum class PkmError : uint8_t {
    none = 0,
    unauthorized_ss = 1,
    unauthorized_said = 2,
    unsolicited = 3,
    invalid_key_sequence = 4,
    message_authentication = 5,
    permanent = 6
};
const char* to_string(PkmError error);

enum class SaType : uint8_t { primary = 0, fixed = 1, dynamic = 2 };  ///< "static" is a C++ keyword

using SuiteOctets = std::array<uint8_t, 3>;

/// Attribute 13.
struct TekParameters {
    Octets tek;  ///< encrypted, 8 or 16 octets; by RSA as many as the modulus
    uint32_t lifetime_s = 0;
    uint8_t sequence = 0;  ///< 2 bits
    CbcCipher::Iv cbc_iv{};
};

/// Attribute 23.
struct SaDescriptor {
    uint16_t said = 0;
    SaType type = SaType::primary;
    SuiteOctets suite{};
    bool operator==(const SaDescriptor&) const = default;
};

inline constexpr size_t kMaxSuites = 16, kMaxTeks = 2, kMaxDisplayOctets = 128;
inline constexpr uint8_t kPkmVersion = 1;

struct PkmMessage {
    PkmCode code = PkmCode::auth_info;
    uint8_t identifier = 0;  ///< 0 in unsolicited messages of the base station
    std::string_view display_string;
    Octets auth_key, ca_certificate, ss_certificate;
    Opt<uint32_t> key_lifetime_s;
    Opt<uint8_t> key_sequence;  ///< of the AK, 4 bits
    Opt<uint16_t> said;
    Opt<PkmError> error;
    std::vector<TekParameters> teks;  ///< the older one first
    std::vector<SuiteOctets> suites;  ///< of the security capabilities, the first one preferred
    std::vector<SaDescriptor> sas;
    Opt<Digest> digest;
    size_t covered_octets = 0;  ///< read: octets that the digest covers, from the type octet on
};

/// From the type octet to the end. Offsets of errors count from there.
Result<PkmMessage> decode_pkm(Octets message);
/// Appends the message, without its digest.
void encode_pkm(const PkmMessage& message, Buffer& out);
/// Appends the digest over all of `message`. False: the library failed.
[[nodiscard]] bool sign_pkm(Buffer& message, MessageDigest& digest);
/// True if the message has the digest that `own` computes.
bool is_signed_by(Octets octets, const PkmMessage& message, MessageDigest& own);
/// True if messages of that code are signed (7.2.3).
bool needs_digest(PkmCode code);

}  // namespace wimax::mac::privacy
