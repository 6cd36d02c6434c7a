// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/cs/classifier.h"

#include <netinet/ip6.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr size_t kIpv6Header = sizeof(ip6_hdr), kEthernetHeader = 14, kTag = 4;
constexpr uint16_t kTagProtocol = 0x8100;
constexpr uint8_t kHopByHop = 0, kRouting = 43, kFragmentHeader = 44, kDestination = 60;

uint16_t word(Octets octets, size_t at) { return static_cast<uint16_t>(octets[at] << 8 | octets[at + 1]); }
uint32_t address(Octets octets, size_t at) { return uint32_t{word(octets, at)} << 16 | word(octets, at + 2); }
uint64_t half(Octets octets, size_t at) { return uint64_t{address(octets, at)} << 32 | address(octets, at + 4); }

/// Parses IPv4. Returns the offset of the transport header; 0: none.
size_t parse_ipv4(Octets packet, PacketFields& fields) {
    if (packet.size() < 20) return 0;
    const size_t header = (packet[0] & 15U) * 4;
    if (header < 20 || header > packet.size()) return 0;
    fields.ipv4 = true;
    fields.tos = packet[1];
    fields.protocol = packet[9];
    fields.source = address(packet, 12);
    fields.destination = address(packet, 16);
    const bool later_fragment = (word(packet, 6) & 0x1FFF) != 0;
    return later_fragment ? 0 : header;
}

/// Parses IPv6, likewise. Extension headers are followed up to the packet's end (RFC 8200, 4).
size_t parse_ipv6(Octets packet, PacketFields& fields) {
    if (packet.size() < kIpv6Header || packet[0] >> 4 != 6) return 0;
    fields.ipv6 = true;
    fields.tos = static_cast<uint8_t>(word(packet, 0) >> 4);
    fields.source = {half(packet, 8), half(packet, 16)};
    fields.destination = {half(packet, 24), half(packet, 32)};
    fields.protocol = packet[6];
    size_t at = kIpv6Header;
    while (at + 8 <= packet.size()) {
        if (fields.protocol == kFragmentHeader) {
            const bool later_fragment = (word(packet, at + 2) & 0xFFF8) != 0;
            fields.protocol = packet[at];
            if (later_fragment) return 0;
            at += 8;
        } else if (fields.protocol == kHopByHop || fields.protocol == kRouting || fields.protocol == kDestination) {
            fields.protocol = packet[at];
            at += 8 * (size_t{packet[at + 1]} + 1);
        } else {
            break;
        }
    }
    return at;
}

bool in_any(const std::vector<PortInterval>& ranges, uint16_t port) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [port](PortInterval r) { return port >= r.low && port <= r.high; });
}

/// Parses an Ethernet frame from the destination address on, without a check sequence.
PacketFields parse_ethernet(Octets frame) {
    PacketFields fields;
    if (frame.size() < kEthernetHeader) return fields;
    fields.ethernet = true;
    fields.destination = IpAddress::of_mac(half(frame, 0) >> 16);
    fields.source = IpAddress::of_mac(half(frame, 6) >> 16);
    fields.ethertype = word(frame, 12);
    if (fields.ethertype != kTagProtocol || frame.size() < kEthernetHeader + kTag) return fields;
    fields.tag = word(frame, 14);
    fields.ethertype = word(frame, 16);
    return fields;
}

bool matches_ethernet(const ClassifierConfig& rule, const PacketFields& frame) {
    if (rule.ethertype && *rule.ethertype != frame.ethertype) return false;
    if ((rule.user_priority || rule.vlan_id) && !frame.tag) return false;
    if (rule.user_priority) {
        const int priority = *frame.tag >> 13;
        if (priority < rule.user_priority->low || priority > rule.user_priority->high) return false;
    }
    return !rule.vlan_id || *rule.vlan_id == (*frame.tag & 0xFFF);
}

}  // namespace

bool carries(ConvergenceSublayer cs, const PacketFields& packet) {
    switch (cs) {
        case ConvergenceSublayer::ipv4: return !packet.ethernet && !packet.ipv6;
        case ConvergenceSublayer::ipv6: return packet.ipv6;
        case ConvergenceSublayer::ethernet: return packet.ethernet;
        case ConvergenceSublayer::vlan: return packet.tag.has_value();
    }
    return false;
}

PacketFields PacketFields::parse(Octets packet, UserLink link) {
    if (link == UserLink::ethernet) return parse_ethernet(packet);
    PacketFields fields;
    if (packet.empty()) return fields;
    const size_t behind = packet[0] >> 4 == 4 ? parse_ipv4(packet, fields) : parse_ipv6(packet, fields);
    fields.transport_at = behind;
    if (behind == 0 || (fields.protocol != IPPROTO_TCP && fields.protocol != IPPROTO_UDP) || packet.size() < behind + 4)
        return fields;
    fields.has_ports = true;
    fields.source_port = word(packet, behind);
    fields.destination_port = word(packet, behind + 2);
    return fields;
}

uint32_t PacketFields::hash() const {
    // The upper halves of IPv4 addresses are 0, and 16 bits of the lower ones are constant.
    uint64_t mix = (source.low << 32 ^ source.low >> 32 ^ destination.low) * 0x9E3779B97F4A7C15ULL;
    mix ^= (source.high ^ destination.high * 0xD6E8FEB86659FD93ULL) * 0x9E3779B97F4A7C15ULL;
    mix ^= (uint64_t{ethertype} << 48 | uint64_t{protocol} << 32 | uint32_t{source_port} << 16 | destination_port) *
           0xC2B2AE3D27D4EB4FULL;
    mix ^= mix >> 29;
    return static_cast<uint32_t>((mix * 0xBF58476D1CE4E5B9ULL) >> 32);
}

bool in_any(const std::vector<AddressMask>& list, IpAddress address) {
    return std::any_of(list.begin(), list.end(), [&](const AddressMask& a) { return a.contains(address); });
}

bool matches(const ClassifierConfig& rule, const PacketFields& packet) {
    if (packet.ethernet ? !matches_ethernet(rule, packet) : !packet.ipv4 && !packet.ipv6) return false;
    if (rule.tos) {
        const uint8_t masked = packet.tos & rule.tos->mask;
        if (masked < rule.tos->low || masked > rule.tos->high) return false;
    }
    if (!rule.protocols.empty() &&
        std::find(rule.protocols.begin(), rule.protocols.end(), packet.protocol) == rule.protocols.end())
        return false;
    if (!rule.source.empty() && !in_any(rule.source, packet.source)) return false;
    if (!rule.destination.empty() && !in_any(rule.destination, packet.destination)) return false;
    if ((!rule.source_ports.empty() || !rule.destination_ports.empty()) && !packet.has_ports) return false;
    if (!rule.source_ports.empty() && !in_any(rule.source_ports, packet.source_port)) return false;
    return rule.destination_ports.empty() || in_any(rule.destination_ports, packet.destination_port);
}

int match_priority(const std::vector<ClassifierConfig>& rules, const PacketFields& packet) {
    if (rules.empty()) return 0;
    int best = -1;
    for (const auto& rule : rules)
        if (rule.priority > best && matches(rule, packet)) best = rule.priority;
    return best;
}

uint8_t header_rule_of(const std::vector<ClassifierConfig>& rules, const PacketFields& packet) {
    const ClassifierConfig* best = nullptr;
    for (const auto& rule : rules)
        if ((!best || rule.priority > best->priority) && matches(rule, packet)) best = &rule;
    return best ? best->phsi : uint8_t{0};
}

int flow_match(const ServiceFlowConfig& flow, const PacketFields& packet) {
    return carries(flow.cs, packet) ? match_priority(flow.classifiers, packet) : -1;
}

int rank_of(const ServiceFlowConfig& flow, const PacketFields& packet) {
    const int match = flow_match(flow, packet);
    return match < 0 ? -1 : match * 2 + (flow.classifiers.empty() ? 0 : 1);
}

}  // namespace wimax::mac
