// SPDX-License-Identifier: GPL-3.0-or-later
// Values that people write as text: MAC addresses, IP addresses and subnets, base station identifiers.
#pragma once

#include "common/config.h"
#include "mac/station_config.h"

#include <optional>
#include <string>
#include <string_view>

namespace wimax::macd {

/// "10.0.0.1": host order.
std::optional<uint32_t> parse_ipv4(std::string_view text);
std::string print_ipv4(uint32_t address);
/// "10.0.0.0/24"; without prefix /32.
struct Subnet {
    uint32_t address = 0;
    int prefix = 32;
    uint32_t mask() const { return prefix == 0 ? 0 : ~uint32_t{0} << (32 - prefix); }
};
std::optional<Subnet> parse_subnet(std::string_view text);
/// "2001:db8::1/64"; without prefix /128.
struct Ipv6Subnet {
    std::array<uint8_t, 16> octets{};
    int prefix = 128;
};
std::optional<Ipv6Subnet> parse_ipv6_subnet(std::string_view text);
/// Either of the two forms, with zero bits after the prefix.
std::optional<mac::AddressMask> parse_network(std::string_view text);
std::string print_network(const mac::AddressMask& network);
/// "02:00:00:00:00:01"
std::optional<mac::MacAddress> parse_mac(std::string_view text);
std::string print_mac(const mac::MacAddress& address);

// Declarations of such values in a schema.
config::Key mac_address(config::Schema& schema, std::string key, mac::MacAddress& target, std::string help);
config::Key bsid(config::Schema& schema, std::string key, uint64_t& target, std::string help);
config::Key bsid(config::Schema& schema, std::string key, std::optional<uint64_t>& target, std::string help);
config::Key network(config::Schema& schema, std::string key, mac::AddressMask& target, std::string help);
config::Key ipv4(config::Schema& schema, std::string key, uint32_t& target, std::string help);
/// Text of the form above, kept as text; may be empty where `may_be_empty`.
config::Key subnet_text(config::Schema& schema, std::string key, std::string& target, bool may_be_empty,
                        std::string help);
config::Key ipv6_subnet_text(config::Schema& schema, std::string key, std::string& target, std::string help);
config::Key ipv4_text(config::Schema& schema, std::string key, std::string& target, std::string help);

}  // namespace wimax::macd
