// SPDX-License-Identifier: GPL-3.0-or-later
// Checksum of IPv4, UDP and ICMP (RFC 1071).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wimax::mac {

/// Of any number of octets up to 65535; 0 over a header with a correct checksum. `sum`: of 16-bit words in front of
/// them, as those of a pseudo header.
constexpr uint16_t internet_checksum(std::span<const uint8_t> octets, uint32_t sum = 0) {
    for (size_t i = 0; i < octets.size(); ++i) sum += i % 2 == 0 ? uint32_t{octets[i]} << 8 : octets[i];
    while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

}  // namespace wimax::mac
