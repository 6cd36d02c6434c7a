// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/packet.h"

#include <algorithm>

namespace wimax::sim {
namespace {

constexpr size_t kIpOctets = 20, kUdpOctets = 8;
constexpr uint8_t kSackKind = 5;

void put16(std::span<uint8_t> at, uint16_t value) {
    at[0] = static_cast<uint8_t>(value >> 8);
    at[1] = static_cast<uint8_t>(value);
}
void put32(std::span<uint8_t> at, uint32_t value) {
    put16(at, static_cast<uint16_t>(value >> 16));
    put16(at.subspan(2), static_cast<uint16_t>(value));
}
uint16_t get16(Octets at) { return static_cast<uint16_t>(at[0] << 8 | at[1]); }
uint32_t get32(Octets at) { return uint32_t{get16(at)} << 16 | get16(at.subspan(2)); }

PacketTag read_tag(Octets at, uint16_t flow) {
    return {flow, get32(at), static_cast<Samples>(uint64_t{get32(at.subspan(4))} << 32 | get32(at.subspan(8)))};
}

}  // namespace

void PacketWriter::header(const PacketAddresses& a, uint16_t flow, uint8_t protocol, size_t octets) {
    const std::span<uint8_t> p(octets_);
    p[0] = 0x45;
    p[1] = a.tos;
    put16(p.subspan(2), static_cast<uint16_t>(octets));
    put16(p.subspan(4), flow);
    put16(p.subspan(6), 0x4000);  // don't fragment
    p[8] = 64;
    p[9] = protocol;
    put16(p.subspan(10), 0);
    put32(p.subspan(12), a.source);
    put32(p.subspan(16), a.destination);
    uint32_t sum = 0;
    for (size_t i = 0; i < kIpOctets; i += 2) sum += get16(p.subspan(i));
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    put16(p.subspan(10), static_cast<uint16_t>(~sum));
    put16(p.subspan(20), a.source_port);
    put16(p.subspan(22), a.destination_port);
}

void PacketWriter::tag_at(size_t at, const PacketTag& tag) {
    const auto p = std::span(octets_).subspan(at);
    const auto sent = static_cast<uint64_t>(tag.sent);
    put32(p, tag.number);
    put32(p.subspan(4), static_cast<uint32_t>(sent >> 32));
    put32(p.subspan(8), static_cast<uint32_t>(sent));
}

Octets PacketWriter::udp(const PacketAddresses& addresses, const PacketTag& tag, size_t octets) {
    octets = std::clamp(octets, kLeastPacketOctets, kMaxPacketOctets);
    header(addresses, tag.flow, kUdp, octets);
    const auto p = std::span(octets_).subspan(kIpOctets);
    put16(p.subspan(4), static_cast<uint16_t>(octets - kIpOctets));
    put16(p.subspan(6), 0);
    tag_at(kIpOctets + kUdpOctets, tag);
    return Octets(octets_).first(octets);
}

Octets PacketWriter::tcp(const PacketAddresses& addresses, const PacketTag& tag, const Segment& s) {
    const size_t octets = std::min(kTcpOverheadOctets + s.data_octets, kMaxPacketOctets);
    header(addresses, tag.flow, kTcp, octets);
    const auto p = std::span(octets_).subspan(kIpOctets);
    put32(p.subspan(4), s.sequence);
    put32(p.subspan(8), s.acknowledgement);
    p[12] = static_cast<uint8_t>(kTcpHeaderOctets / 4 << 4);
    p[13] = s.flags;
    put16(p.subspan(14), 0xFFFF);
    put32(p.subspan(16), 0);
    p[20] = p[21] = 1;  // no operation
    p[22] = kSackKind;
    p[23] = static_cast<uint8_t>(2 + 8 * s.selective_count);
    std::fill_n(p.begin() + 24, 24, uint8_t{0});
    for (size_t i = 0; i < s.selective_count; ++i) {
        put32(p.subspan(24 + 8 * i), s.selective[i].first);
        put32(p.subspan(28 + 8 * i), s.selective[i].second);
    }
    tag_at(kIpOctets + kTcpHeaderOctets, tag);
    return Octets(octets_).first(octets);
}

std::optional<ReadPacket> read_packet(Octets p) {
    if (p.size() < kLeastPacketOctets || p[0] != 0x45) return std::nullopt;
    ReadPacket r;
    const uint16_t flow = get16(p.subspan(4));
    r.ecn = p[1] & 3;
    r.octets = p.size();
    if (p[9] == kUdp) {
        r.tag = read_tag(p.subspan(kIpOctets + kUdpOctets), flow);
        return r;
    }
    if (p[9] != kTcp || p.size() < kTcpOverheadOctets) return std::nullopt;
    r.tag = read_tag(p.subspan(kIpOctets + kTcpHeaderOctets), flow);
    const Octets t = p.subspan(kIpOctets);
    auto& s = r.segment.emplace();
    s.sequence = get32(t.subspan(4));
    s.acknowledgement = get32(t.subspan(8));
    s.flags = t[13];
    s.selective_count = static_cast<uint8_t>(std::min((t[23] - 2) / 8, 3));
    for (size_t i = 0; i < s.selective_count; ++i)
        s.selective[i] = {get32(t.subspan(24 + 8 * i)), get32(t.subspan(28 + 8 * i))};
    s.data_octets = p.size() - kTcpOverheadOctets;
    return r;
}

}  // namespace wimax::sim
