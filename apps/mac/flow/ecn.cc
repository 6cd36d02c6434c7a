// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/ecn.h"

#include <netinet/ip.h>
#include <netinet/ip6.h>

namespace wimax::mac {
namespace {

constexpr uint8_t kEcn = 3, kNotCapable = 0, kCongestion = 3;
constexpr size_t kIpv4Tos = 1, kIpv4Checksum = 10;

/// RFC 1624: the sum of the complement, the complement of the old word and the new word, complemented.
void add_to_checksum(std::span<uint8_t> packet, uint8_t added) {
    uint32_t sum = (packet[kIpv4Checksum] << 8 | packet[kIpv4Checksum + 1]) ^ 0xFFFF;
    sum += added;  // the word's low octet grew by the same amount
    sum = (sum & 0xFFFF) + (sum >> 16);
    const uint32_t checksum = ~sum & 0xFFFF;
    packet[kIpv4Checksum] = static_cast<uint8_t>(checksum >> 8);
    packet[kIpv4Checksum + 1] = static_cast<uint8_t>(checksum & 0xFF);
}

bool mark_ipv4(std::span<uint8_t> packet) {
    uint8_t& tos = packet[kIpv4Tos];
    if ((tos & kEcn) == kNotCapable) return false;
    const auto added = static_cast<uint8_t>(kCongestion - (tos & kEcn));
    tos = static_cast<uint8_t>(tos | kCongestion);
    add_to_checksum(packet, added);
    return true;
}

/// The traffic class lies across the first two octets, its lowest bits foremost in the second.
bool mark_ipv6(std::span<uint8_t> packet) {
    constexpr int kShift = 4;
    if ((packet[1] >> kShift & kEcn) == kNotCapable) return false;
    packet[1] = static_cast<uint8_t>(packet[1] | kCongestion << kShift);
    return true;
}

}  // namespace

bool supports_ecn(std::span<const uint8_t> packet) {
    if (packet.size() >= sizeof(iphdr) && packet[0] >> 4 == 4) return (packet[kIpv4Tos] & kEcn) != kNotCapable;
    if (packet.size() >= sizeof(ip6_hdr) && packet[0] >> 4 == 6) return (packet[1] >> 4 & kEcn) != kNotCapable;
    return false;
}

bool mark_congestion(std::span<uint8_t> packet) {
    if (packet.size() >= sizeof(iphdr) && packet[0] >> 4 == 4) return mark_ipv4(packet);
    if (packet.size() >= sizeof(ip6_hdr) && packet[0] >> 4 == 6) return mark_ipv6(packet);
    return false;
}

}  // namespace wimax::mac
