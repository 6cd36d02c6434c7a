// SPDX-License-Identifier: GPL-3.0-or-later
// DHCP messages over IPv4 (RFC 2131, RFC 2132), with the options that managed stations and the base station's relay
// use.
#pragma once

#include "mac/pdu/management_messages.h"

#include <optional>
#include <string>
#include <vector>

namespace wimax::mac {

inline constexpr uint16_t kDhcpServerPort = 67, kDhcpClientPort = 68;
/// Of an address, in seconds. A shorter one counts as the least one, so that servers cannot keep a station busy.
inline constexpr uint32_t kLeastLeaseS = 60, kInfiniteLeaseS = UINT32_MAX;

enum class DhcpKind : uint8_t { discover = 1, offer, request, decline, ack, nak, release, inform };

/// Addresses in host order, 0: none.
struct DhcpMessage {
    bool from_client = true;  ///< BOOTREQUEST
    uint8_t hops = 0;
    uint32_t transaction = 0;
    uint16_t elapsed_s = 0;
    bool broadcast = false;  ///< flag: the client takes answers to the limited broadcast address only
    uint32_t client_address = 0, your_address = 0, next_server = 0, relay = 0;  ///< ciaddr, yiaddr, siaddr, giaddr
    MacAddress mac{};                                                           ///< chaddr
    DhcpKind kind = DhcpKind::discover;
    uint32_t server = 0, requested_address = 0;       ///< options 54, 50
    uint32_t subnet_mask = 0, router = 0;             ///< options 1, 3 (the first)
    std::vector<uint32_t> time_servers;               ///< option 4, the first eight
    uint32_t lease_s = 0, renew_s = 0, rebind_s = 0;  ///< options 51, 58, 59
    std::string server_name, file;                    ///< options 66 and 67, or the fields sname and file
    Buffer client_identifier;                         ///< option 61; a server takes it for the client's name
};

/// Nullopt: not a DHCP message with an Ethernet address and a kind, or a length in it does not fit.
std::optional<DhcpMessage> read_dhcp(Octets payload);
/// Overwrites `payload`. A client's message asks for the options above and names the vendor class "IEEE802.16".
void write_dhcp(const DhcpMessage& message, Buffer& payload);
/// What a relay changes in a message that it passes on: hops and giaddr. False: it is no client's request, has passed
/// sixteen relays already, or names another relay.
[[nodiscard]] bool relay_request(Buffer& payload, uint32_t relay_address);

}  // namespace wimax::mac
