// SPDX-License-Identifier: GPL-3.0-or-later
// Vendor-specific information (clause 11.1.6, TLV 143) of this project's stations. Other stations skip it.
#pragma once

#include "mac/pdu/dictionary.h"

#include <array>
#include <cstdint>

namespace wimax::mac::vendor {

/// A locally administered identifier, as there is no registered one.
inline constexpr std::array<uint8_t, 3> kId{0x02, 0x16, 0x04};

/// TLVs after the vendor identifier.
enum Type : uint8_t {
    message_number = 1,  ///< 4 octets, in signed messages (privacy/authorization_keys.h)
    target_loss = 2,     ///< 4 octets, in service flows: allowed share of lost packets, in millionths
};

/// First octets of the information: the vendor identifier's TLV, and type and length of a TLV of `length` octets.
constexpr std::array<uint8_t, 7> head(Type type, uint8_t length) {
    return {tlv::vendor_id, kId.size(), kId[0], kId[1], kId[2], type, length};
}

}  // namespace wimax::mac::vendor
