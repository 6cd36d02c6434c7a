// SPDX-License-Identifier: GPL-3.0-or-later
// IPv4 parts that the MAC writes: checksums, fragments of packets that no SDU can carry, and the ICMP error to their
// senders (RFC 791, 792, 1191). Packets are received from the kernel, and are checked nevertheless.
#pragma once

#include "mac/internet_checksum.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace wimax::macd {

inline constexpr size_t kIpHeaderOctets = 20;
inline constexpr size_t kIcmpQuoteOctets = 548;  ///< of the rejected packet, so that the ICMP packet has at most 576

inline void put16(std::vector<uint8_t>& p, size_t at, uint32_t value) {
    p[at] = static_cast<uint8_t>(value >> 8);
    p[at + 1] = static_cast<uint8_t>(value);
}
inline void put32(std::vector<uint8_t>& p, size_t at, uint32_t value) {
    put16(p, at, value >> 16);
    put16(p, at + 2, value & 0xFFFF);
}

using mac::internet_checksum;

/// True for a complete header, no longer than the packet, with the packet's length in it.
bool is_ipv4(std::span<const uint8_t> packet);
/// Pre: is_ipv4().
bool must_not_fragment(std::span<const uint8_t> packet);

/// "Fragmentation needed and DF set", with the MTU of the next hop, to the sender of `packet`. Empty where RFC 1122,
/// 3.2.2, forbids it: ICMP errors, later fragments, and packets that are not from one host to one host. Its source is
/// the packet's destination: the kernel would drop its own address as a martian. Pre: is_ipv4().
std::vector<uint8_t> fragmentation_needed(std::span<const uint8_t> packet, uint16_t mtu);

/// Gives the fragments of at most `mtu` octets, in order. False, and nothing was given: the packet has options, which
/// are not supported, or ends beyond the longest possible packet. Pre: is_ipv4(), without DF, mtu at least 28.
bool fragment(std::span<const uint8_t> packet, uint16_t mtu, const std::function<void(std::span<const uint8_t>)>& give);

}  // namespace wimax::macd
