// SPDX-License-Identifier: GPL-3.0-or-later
// IPv4 packets of the simulator's traffic. The identification field names the flow. The packet's number and send time
// follow the UDP or TCP header, so that loss, order and delay of each are known.
#pragma once

#include "mac/station.h"

#include <array>
#include <cstdint>
#include <optional>

namespace wimax::sim {

using mac::Octets;
using Samples = int64_t;

inline constexpr uint8_t kTcp = 6, kUdp = 17;  // protocol numbers
inline constexpr size_t kMaxPacketOctets = 1500;
/// IPv4 and UDP headers, number and time.
inline constexpr size_t kLeastPacketOctets = 20 + 8 + 12;
/// A station's address; its subnet has 24 bits.
constexpr uint32_t address_of(size_t station) { return 0x0A010000 + 256 * static_cast<uint32_t>(station) + 2; }
constexpr std::array<uint8_t, 6> mac_of(size_t station) {
    return {2, 0, 0, 1, static_cast<uint8_t>(station >> 8), static_cast<uint8_t>(station)};
}
/// Multicast address of an entry's packets, counted from 0.
constexpr uint32_t group_of(size_t entry) { return 0xEF000000 + static_cast<uint32_t>(entry); }
/// Port of an entry's packets, counted from 0, at both ends.
constexpr uint16_t port_of(size_t entry) { return static_cast<uint16_t>(10'000 + entry); }
inline constexpr uint32_t kServerAddress = 0x0A000001;
inline constexpr uint32_t kStationMask = 0xFFFFFF00;

struct PacketAddresses {
    uint32_t source = 0, destination = 0;
    uint16_t source_port = 0, destination_port = 0;
    uint8_t tos = 0;
};

struct PacketTag {
    uint16_t flow = 0;
    uint32_t number = 0;
    Samples sent = 0;
    bool operator==(const PacketTag&) const = default;
};

/// One after the other in the same octets.
class PacketWriter {
public:
    /// `octets`: of the IP packet, kLeastPacketOctets..kMaxPacketOctets.
    Octets udp(const PacketAddresses& addresses, const PacketTag& tag, size_t octets);
    struct Segment {
        uint32_t sequence = 0, acknowledgement = 0;
        uint8_t flags = 0;                                         ///< as TCP has them, ECE and CWR included
        std::array<std::pair<uint32_t, uint32_t>, 3> selective{};  ///< SACK blocks, begin and end
        uint8_t selective_count = 0;
        size_t data_octets = 0;
    };
    Octets tcp(const PacketAddresses& addresses, const PacketTag& tag, const Segment& segment);

private:
    void header(const PacketAddresses& addresses, uint16_t flow, uint8_t protocol, size_t octets);
    void tag_at(size_t at, const PacketTag& tag);

    std::array<uint8_t, kMaxPacketOctets> octets_{};
};

/// TCP header without options, and that of the segments here: SACK of three blocks, with the tag as its data.
inline constexpr size_t kTcpHeaderOctets = 20 + 28;
inline constexpr size_t kTcpOverheadOctets = 20 + kTcpHeaderOctets + 12;
namespace tcp_flag {
inline constexpr uint8_t kAck = 0x10, kEce = 0x40, kCwr = 0x80;
}

struct ReadPacket {
    PacketTag tag;
    uint8_t ecn = 0;  ///< 3: congestion experienced
    size_t octets = 0;
    std::optional<PacketWriter::Segment> segment;  ///< of TCP
};
/// Nullopt: none of these packets.
std::optional<ReadPacket> read_packet(Octets packet);

}  // namespace wimax::sim
