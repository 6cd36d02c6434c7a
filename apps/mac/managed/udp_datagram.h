// SPDX-License-Identifier: GPL-3.0-or-later
// UDP over IPv4 (RFC 768, RFC 791), as far as managed stations use it: without options and fragments.
#pragma once

#include "mac/ip_address.h"
#include "mac/pdu/bits.h"

#include <functional>
#include <optional>
#include <string>

namespace wimax::mac {

struct UdpDatagram {
    uint32_t source = 0, destination = 0;  ///< addresses, host order
    uint16_t source_port = 0, destination_port = 0;
    Octets payload;
};

/// Of an IPv4 packet, without regard to what it carries; nullopt: not a valid IPv4 header. Host order.
struct IpEnds {
    uint32_t source = 0, destination = 0;
};
std::optional<IpEnds> ip_ends(Octets packet);

/// True for a whole packet without options: what it carries is where a reader without a memory looks for it. Pre:
/// ip_ends() has read it.
bool is_plain(Octets packet);
bool is_udp(Octets packet);

/// A whole datagram with right checksums (that of UDP may be absent); `payload` is part of `packet`. Nullopt: another
/// protocol, a fragment, options, or anything wrong.
std::optional<UdpDatagram> read_udp(Octets packet);
/// The packet, with both checksums. `packet` is overwritten. Pre: its payload has at most 1472 octets.
void write_udp(const UdpDatagram& datagram, Buffer& packet);

/// Sends a datagram. False: no room.
using SendDatagram = std::function<bool(const UdpDatagram&)>;

/// True for the address of one host in a network: neither "this host", nor loopback, multicast, reserved or broadcast.
constexpr bool is_host_address(uint32_t address) {
    return address >> 24 != 0 && address >> 24 != 127 && address >> 24 < 224;
}
/// "10.2.0.7".
std::string address_text(uint32_t address);
/// Nullopt: not four decimal numbers with dots.
std::optional<uint32_t> address_from_text(const std::string& text);

}  // namespace wimax::mac
