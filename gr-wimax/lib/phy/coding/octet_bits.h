// SPDX-License-Identifier: GPL-3.0-or-later
// Octets as the bits that a convolutional encoder takes (internal).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace gr::wimax::phy {

/// Bits of each octet, the highest first, one per byte.
inline constexpr auto kBitsOf = [] {
    std::array<std::array<uint8_t, 8>, 256> bits{};
    for (unsigned octet = 0; octet < bits.size(); ++octet)
        for (unsigned i = 0; i < 8; ++i) bits[octet][i] = octet >> (7 - i) & 1;
    return bits;
}();

/// Writes eight bits per octet.
inline void unpack_octets(std::span<const uint8_t> octets, uint8_t* bits) {
    for (const uint8_t octet : octets) bits = std::copy(kBitsOf[octet].begin(), kBitsOf[octet].end(), bits);
}

}  // namespace gr::wimax::phy
