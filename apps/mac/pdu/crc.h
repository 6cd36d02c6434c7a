// SPDX-License-Identifier: GPL-3.0-or-later
// Header check sequence (6.3.2.1.1: CRC-8, x^8 + x^2 + x + 1, start 0) and the CRC-32 of MAC PDUs (6.3.3.5).
#pragma once

#include "mac/pdu/bits.h"

#include <array>
#include <optional>

namespace wimax::mac {

uint8_t hcs8(Octets octets);

/// One polynomial (0x04C11DB7, preset ones, complemented), two orders of bits and octets.
enum class CrcStyle : uint8_t {
    ieee8023,  ///< as an Ethernet FCS; WirelessMAN-OFDM
    msb,       ///< most significant bit and octet first; WirelessMAN-OFDMA
};
/// CRC style sent on the OFDM air interface.
inline constexpr CrcStyle kAirCrcStyle = CrcStyle::ieee8023;
inline constexpr size_t kCrcOctets = 4;

using CrcOctets = std::array<uint8_t, kCrcOctets>;  ///< in the order sent

CrcOctets crc32(Octets octets, CrcStyle style = kAirCrcStyle);
/// The style in which the last four octets are the CRC of those before them, if any.
std::optional<CrcStyle> matching_crc(Octets with_crc);

}  // namespace wimax::mac
