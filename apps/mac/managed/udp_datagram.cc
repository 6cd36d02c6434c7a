// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/managed/udp_datagram.h"

#include "mac/internet_checksum.h"

#include <arpa/inet.h>

namespace wimax::mac {
namespace {

constexpr size_t kIpv4Octets = 20, kUdpOctets = 8, kProtocolAt = 9, kIpv4ChecksumAt = 10, kUdpChecksumAt = 6;
constexpr uint8_t kUdpProtocol = 17, kUdpTimeToLive = 64;
constexpr unsigned kFragmentBits = 0x3FFF, kDontFragmentBit = 0x4000;  // more fragments, and the offset
constexpr unsigned kUdpPorts = 32;

/// Sum of the words of the pseudo header (RFC 768).
uint32_t pseudo_header(const IpEnds& ends, size_t udp_octets) {
    return (ends.source >> 16) + (ends.source & 0xFFFF) + (ends.destination >> 16) + (ends.destination & 0xFFFF) +
           kUdpProtocol + static_cast<uint32_t>(udp_octets);
}

void put_checksum(Buffer& packet, size_t at, uint16_t checksum) {
    packet[at] = static_cast<uint8_t>(checksum >> 8);
    packet[at + 1] = static_cast<uint8_t>(checksum);
}

}  // namespace

std::optional<IpEnds> ip_ends(Octets packet) {
    if (packet.size() < kIpv4Octets || packet[0] >> 4 != 4) return std::nullopt;
    const size_t header = size_t{4} * (packet[0] & 0xF);
    BitReader in(packet.subspan(2));
    if (header < kIpv4Octets || header > packet.size() || in.get16() != packet.size()) return std::nullopt;
    if (internet_checksum(packet.first(header)) != 0) return std::nullopt;
    in = BitReader(packet.subspan(12));
    const uint32_t source = in.get32();
    return IpEnds{source, in.get32()};
}

bool is_plain(Octets packet) {
    return (packet[0] & 0xF) * 4 == kIpv4Octets && (BitReader(packet.subspan(6)).get16() & kFragmentBits) == 0;
}

bool is_udp(Octets packet) { return packet[kProtocolAt] == kUdpProtocol; }

std::optional<UdpDatagram> read_udp(Octets packet) {
    const auto ends = ip_ends(packet);
    if (!ends || !is_plain(packet) || !is_udp(packet)) return std::nullopt;
    const Octets udp = packet.subspan(kIpv4Octets);
    BitReader in(udp);
    UdpDatagram datagram{ends->source, ends->destination, in.get16(), in.get16(), {}};
    const uint16_t length = in.get16();
    if (udp.size() < kUdpOctets || length != udp.size()) return std::nullopt;
    if (in.get16() != 0 && internet_checksum(udp, pseudo_header(*ends, udp.size())) != 0) return std::nullopt;
    datagram.payload = udp.subspan(kUdpOctets);
    return datagram;
}

void write_udp(const UdpDatagram& datagram, Buffer& packet) {
    packet.clear();
    const size_t udp_octets = kUdpOctets + datagram.payload.size();
    BitWriter out(packet);
    out.put(0x4500, 16);
    out.put(kIpv4Octets + udp_octets, 16);
    out.put(0, 16);  // identification: any, as the packet is not fragmented (RFC 6864)
    out.put(kDontFragmentBit, 16);
    out.put(kUdpTimeToLive, 8);
    out.put(kUdpProtocol, 8);
    out.put(0, 16);
    out.put(datagram.source, 32);
    out.put(datagram.destination, 32);
    put_checksum(packet, kIpv4ChecksumAt, internet_checksum(packet));
    out.put(uint64_t{datagram.source_port} << 16 | datagram.destination_port, kUdpPorts);
    out.put(udp_octets, 16);
    out.put(0, 16);
    packet.insert(packet.end(), datagram.payload.begin(), datagram.payload.end());
    const uint16_t checksum = internet_checksum(Octets(packet).subspan(kIpv4Octets),
                                                pseudo_header({datagram.source, datagram.destination}, udp_octets));
    put_checksum(packet, kIpv4Octets + kUdpChecksumAt, checksum == 0 ? 0xFFFF : checksum);  // 0: none
}

std::string address_text(uint32_t address) {
    char text[INET_ADDRSTRLEN] = "";
    const in_addr in{htonl(address)};
    return ::inet_ntop(AF_INET, &in, text, sizeof text);
}

std::optional<uint32_t> address_from_text(const std::string& text) {
    in_addr in{};
    if (::inet_pton(AF_INET, text.c_str(), &in) != 1) return std::nullopt;
    return ntohl(in.s_addr);
}

}  // namespace wimax::mac
