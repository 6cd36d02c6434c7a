// SPDX-License-Identifier: GPL-3.0-or-later
// MAC PDUs and messages as JSON trees: octets to JSON and back. Only mac/pdu/dictionary.h defines
// fields and TLVs; this module defines their form in JSON.
#pragma once

#include "common/faults.h"
#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"
#include "mac/privacy/cbc_cipher.h"
#include "mac/privacy/secret.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wimax::pdu {

using Json = nlohmann::ordered_json;
using mac::Buffer;
using mac::Octets;

enum class Direction : uint8_t { unknown, downlink, uplink };

/// A TEK: 16 octets are AES-CCM's, 8 octets DES-CBC's.
struct PayloadKey {
    mac::privacy::TrafficKey tek;
    mac::privacy::CbcCipher::Iv cbc_iv{};  ///< DES-CBC: of the TEK parameters
    uint32_t frame_number = 0;             ///< DES-CBC: frame of the PDUs
};

/// A TEK of AES-CCM as wimax-macd --key-log has written it.
struct LoggedKey {
    uint8_t eks = 0;
    mac::privacy::TrafficKey tek;
};

/// 2m + 1 is the first transport CID and may not pass the last one.
inline constexpr uint16_t kLargestBasicCidMax = (mac::cid::kLastTransport - 1) / 2;

struct DecodeOptions {
    Direction direction = Direction::unknown;
    uint16_t basic_cid_max = mac::cid::kBasicMax;
    std::optional<PayloadKey> key = {};  ///< of encrypted payloads, which stay octets without it
    /// Used without a `key`: those of a PDU's EKS are tried, the latest first. Its integrity check finds the right one.
    std::vector<LoggedKey> logged = {};
};

/// A burst. A parse error is a result (`error` and `rest`), never an exception.
Json decode_pdus(Octets burst, const DecodeOptions& options);
/// One management message without header and CRC.
Json decode_message(Octets message);
/// The eleven octets of a downlink frame prefix.
Json decode_frame_prefix(Octets octets);

/// The inverse of decode_pdus, decode_message and decode_frame_prefix. The keys of faults are paths: "/pdus/0/header".
/// Payloads that a key has opened are encrypted with `key`, or, without one, sent as the octets they were.
tl::expected<Buffer, Faults> encode(const Json& json, const std::optional<PayloadKey>& key = {});

/// Messages, their fields and TLVs (mac/pdu/dictionary.h). Sets of TLVs have numbers.
Json dictionary();
/// A TLV that dictionary() has: the number of its set and its type.
struct TlvName {
    size_t set = 0;
    uint8_t type = 0;
};
/// The readable value, as in `fields` of a decoded message; null: `value` does not have the TLV's form.
Json read_tlv(const TlvName& of, Octets value);
/// The inverse. Not for compounds.
tl::expected<Buffer, Faults> write_tlv(const TlvName& of, const Json& value);

/// A configuration file of a managed station, with `signature`: missing, not verified (no key), right or wrong.
Json decode_configuration_file(Octets file, Octets key);
/// From `tlvs`, or from `fields` with their keys or names. The key signs it.
tl::expected<Buffer, Faults> encode_configuration_file(const Json& json, Octets key);

/// One object per line, as wimax-macd --key-log writes them; empty lines are skipped.
tl::expected<std::vector<LoggedKey>, Fault> read_key_log(const std::string& text);

std::string to_hex(Octets octets);
/// Either case; white space is skipped.
tl::expected<Buffer, Fault> from_hex(const std::string& text);

}  // namespace wimax::pdu
