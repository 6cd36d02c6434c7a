/* SPDX-License-Identifier: GPL-3.0-or-later */
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
    if (!address) return std::nullopt;
    subnet.address = *address;
    if (slash == std::string_view::npos) return subnet;
    const auto digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), subnet.prefix);
    if (error != std::errc{} || end != digits.data() + digits.size() || subnet.prefix < 0 || subnet.prefix > 32)
        return std::nullopt;
    return subnet;
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

config::Key subnet(config::Schema& schema, std::string key, mac::AddressMask& target, std::string help) {
    return schema.value(
        std::move(key),
        [&target](std::string_view text) {
            const auto parsed = parse_subnet(text);
            if (parsed) target = {parsed->address & parsed->mask(), parsed->mask()};
            return parsed.has_value();
        },
        [&target] {
            return config::quote(print_ipv4(target.address) + "/" + std::to_string(std::popcount(target.mask)));
        },
        kSubnetAllowed, "", std::move(help));
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

}  // namespace wimax::macd
