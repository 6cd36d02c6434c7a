/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/cs/classifier.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint8_t kTcp = 6, kUdp = 17;

uint16_t word(Octets octets, size_t at) { return static_cast<uint16_t>(octets[at] << 8 | octets[at + 1]); }
uint32_t address(Octets octets, size_t at) { return uint32_t{word(octets, at)} << 16 | word(octets, at + 2); }

bool in_any(const std::vector<PortInterval>& ranges, uint16_t port) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [port](PortInterval r) { return port >= r.low && port <= r.high; });
}

}  // namespace

PacketFields PacketFields::parse(Octets packet) {
    PacketFields fields;
    if (packet.size() < 20 || packet[0] >> 4 != 4) return fields;
    const size_t header = (packet[0] & 15U) * 4;
    if (header < 20 || header > packet.size()) return fields;
    fields.ipv4 = true;
    fields.tos = packet[1];
    fields.protocol = packet[9];
    fields.source = address(packet, 12);
    fields.destination = address(packet, 16);
    const bool later_fragment = (word(packet, 6) & 0x1FFF) != 0;
    if ((fields.protocol == kTcp || fields.protocol == kUdp) && !later_fragment && packet.size() >= header + 4) {
        fields.has_ports = true;
        fields.source_port = word(packet, header);
        fields.destination_port = word(packet, header + 2);
    }
    return fields;
}

uint32_t PacketFields::hash() const {
    uint64_t mix = (uint64_t{source} << 32 | destination) * 0x9E3779B97F4A7C15ULL;
    mix ^= (uint64_t{protocol} << 32 | uint32_t{source_port} << 16 | destination_port) * 0xC2B2AE3D27D4EB4FULL;
    mix ^= mix >> 29;
    return static_cast<uint32_t>((mix * 0xBF58476D1CE4E5B9ULL) >> 32);
}

bool in_any(const std::vector<AddressMask>& list, uint32_t address) {
    return std::any_of(list.begin(), list.end(),
                       [address](AddressMask a) { return ((address ^ a.address) & a.mask) == 0; });
}

bool matches(const ClassifierConfig& rule, const PacketFields& packet) {
    if (!packet.ipv4) return false;
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

}  // namespace wimax::mac
