// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/text_values.h"

#include <arpa/inet.h>

#include <bit>
#include <charconv>
#include <cstdio>

namespace wimax::macd {
namespace {

constexpr int kBsidDigits = 12;

std::optional<uint64_t> parse_hex(std::string_view text, size_t digits) {
    uint64_t value = 0;
    if (text.size() != digits) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string print_bsid(uint64_t value) {
    char text[20];
    std::snprintf(text, sizeof text, "\"%012llX\"", static_cast<unsigned long long>(value));
    return text;
}

constexpr const char* kBsidAllowed = "12 hexadecimal digits";
constexpr const char* kSubnetAllowed = "an IPv4 address with or without prefix length, such as 10.0.0.0/24";
constexpr const char* kNetworkAllowed =
    "an IPv4 or IPv6 address with or without prefix length, such as 10.0.0.0/24 or 2001:db8::/32, or a MAC address "
    "with or without mask";
constexpr int kIpv6Bits = 128;

mac::IpAddress ipv6_mask(int prefix) {
    const auto ones = [](int bits) { return bits <= 0 ? 0 : bits >= 64 ? UINT64_MAX : ~(UINT64_MAX >> bits); };
    return {ones(prefix), ones(prefix - 64)};
}

/// Prefix after a slash: 0 .. `most`; absent: `most`.
std::optional<int> parse_prefix(std::string_view text, size_t slash, int most) {
    if (slash == std::string_view::npos) return most;
    const auto digits = text.substr(slash + 1);
    int prefix = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    if (error != std::errc{} || end != digits.data() + digits.size() || prefix < 0 || prefix > most)
        return std::nullopt;
    return prefix;
}

}  // namespace

std::optional<uint32_t> parse_ipv4(std::string_view text) {
    in_addr address{};
    if (::inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
    return ntohl(address.s_addr);
}

std::string print_ipv4(uint32_t address) {
    const in_addr a{htonl(address)};
    char text[INET_ADDRSTRLEN];
    return ::inet_ntop(AF_INET, &a, text, sizeof text);
}

std::optional<Subnet> parse_subnet(std::string_view text) {
    Subnet subnet;
    const size_t slash = text.find('/');
    const auto address = parse_ipv4(text.substr(0, slash));
    const auto prefix = parse_prefix(text, slash, subnet.prefix);
    if (!address || !prefix) return std::nullopt;
    subnet.address = *address;
    subnet.prefix = *prefix;
    return subnet;
}

std::optional<Ipv6Subnet> parse_ipv6_subnet(std::string_view text) {
    Ipv6Subnet subnet;
    const size_t slash = text.find('/');
    const auto prefix = parse_prefix(text, slash, kIpv6Bits);
    if (!prefix || ::inet_pton(AF_INET6, std::string(text.substr(0, slash)).c_str(), subnet.octets.data()) != 1)
        return std::nullopt;
    subnet.prefix = *prefix;
    return subnet;
}

/// With or without a mask of the same form.
static std::optional<mac::AddressMask> parse_mac_mask(std::string_view text) {
    const size_t slash = text.find('/');
    const auto address = parse_mac(text.substr(0, slash));
    const auto mask =
        slash == std::string_view::npos ? parse_mac("ff:ff:ff:ff:ff:ff") : parse_mac(text.substr(slash + 1));
    if (!address || !mask) return std::nullopt;
    const auto value = [](const mac::MacAddress& octets) {
        uint64_t out = 0;
        for (const uint8_t octet : octets) out = out << 8 | octet;
        return out;
    };
    return mac::AddressMask::of_mac(value(*address), value(*mask));
}

std::optional<mac::AddressMask> parse_network(std::string_view text) {
    if (const auto v4 = parse_subnet(text)) return mac::AddressMask(v4->address & v4->mask(), v4->mask());
    if (const auto frames = parse_mac_mask(text)) return frames;
    const auto v6 = parse_ipv6_subnet(text);
    if (!v6) return std::nullopt;
    const auto mask = ipv6_mask(v6->prefix);
    return mac::AddressMask(mac::IpAddress(v6->octets) & mask, mask);
}

std::string print_network(const mac::AddressMask& network) {
    if (network.is_ipv4())
        return print_ipv4(network.address.ipv4()) + "/" + std::to_string(std::popcount(network.ipv4_mask()));
    if (network.is_mac()) {
        const auto written = [](uint64_t value) {
            mac::MacAddress octets;
            for (size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<uint8_t>(value >> (40 - 8 * i));
            return print_mac(octets);
        };
        return written(network.address.mac()) + "/" + written(network.mac_mask());
    }
    const auto octets = network.address.octets();
    char text[INET6_ADDRSTRLEN];
    return std::string(::inet_ntop(AF_INET6, octets.data(), text, sizeof text)) + "/" +
           std::to_string(std::popcount(network.mask.high) + std::popcount(network.mask.low));
}

std::optional<mac::MacAddress> parse_mac(std::string_view text) {
    mac::MacAddress address{};
    if (text.size() != 17) return std::nullopt;
    for (size_t i = 0; i < 6; ++i) {
        const auto octet = parse_hex(text.substr(3 * i, 2), 2);
        if (!octet || (i < 5 && text[3 * i + 2] != ':')) return std::nullopt;
        address[i] = static_cast<uint8_t>(*octet);
    }
    return address;
}

std::string print_mac(const mac::MacAddress& a) {
    char text[20];
    std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", a[0], a[1], a[2], a[3], a[4], a[5]);
    return text;
}

config::Key mac_address(config::Schema& schema, std::string key, mac::MacAddress& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            const auto address = parse_mac(text);
            if (address) target = *address;
            return address.has_value();
        },
        [&target] { return config::quote(print_mac(target)); }, "six octets, such as 02:00:00:00:00:01", "",
        std::move(help));
}

config::Key bsid(config::Schema& schema, std::string key, uint64_t& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            const auto value = parse_hex(text, kBsidDigits);
            if (value) target = *value;
            return value.has_value();
        },
        [&target] { return print_bsid(target); }, kBsidAllowed, "", std::move(help));
}

config::Key bsid(config::Schema& schema, std::string key, std::optional<uint64_t>& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            target = parse_hex(text, kBsidDigits);
            return target.has_value() || text == "null";
        },
        [&target] { return target ? print_bsid(*target) : "null"; }, std::string(kBsidAllowed) + " or null", "",
        std::move(help));
}

config::Key network(config::Schema& schema, std::string key, mac::AddressMask& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            const auto parsed = parse_network(text);
            if (parsed) target = *parsed;
            return parsed.has_value();
        },
        [&target] { return config::quote(print_network(target)); }, kNetworkAllowed, "", std::move(help));
}

config::Key ipv4(config::Schema& schema, std::string key, uint32_t& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            const auto address = parse_ipv4(text);
            if (address) target = *address;
            return address.has_value();
        },
        [&target] { return config::quote(print_ipv4(target)); }, "an IPv4 address", "", std::move(help));
}

config::Key subnet_text(config::Schema& schema, std::string key, std::string& target, bool may_be_empty,
                        std::string help) {
    return schema.value(
        std::move(key),
        [&target, may_be_empty](std::string_view text) {
            target = text;
            return (text.empty() && may_be_empty) || parse_subnet(text).has_value();
        },
        [&target] { return config::quote(target); }, std::string(kSubnetAllowed) + (may_be_empty ? ", or empty" : ""),
        "", std::move(help));
}

config::Key ipv4_text(config::Schema& schema, std::string key, std::string& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            target = text;
            return text.empty() || parse_ipv4(text).has_value();
        },
        [&target] { return config::quote(target); }, "an IPv4 address or empty", "", std::move(help));
}

config::Key ipv6_subnet_text(config::Schema& schema, std::string key, std::string& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            target = text;
            return text.empty() || parse_ipv6_subnet(text).has_value();
        },
        [&target] { return config::quote(target); },
        "an IPv6 address with or without prefix length, such as 2001:db8::1/64, or empty", "", std::move(help));
}

}  // namespace wimax::macd
