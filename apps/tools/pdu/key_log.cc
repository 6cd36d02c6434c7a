// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/pdu/format.h"

namespace wimax::pdu {
namespace {

constexpr uint8_t kMostEks = 3;

std::optional<LoggedKey> key_of(const std::string& line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("eks") || !json.contains("tek")) return std::nullopt;
    const Json &eks = json["eks"], &tek = json["tek"];
    if (!eks.is_number_unsigned() || eks > kMostEks || !tek.is_string()) return std::nullopt;
    auto octets = from_hex(tek.get<std::string>());
    const auto key = octets ? mac::privacy::TrafficKey::of(*octets) : std::nullopt;
    if (octets) mac::privacy::wipe(*octets);
    if (!key || key->is_des()) return std::nullopt;
    return LoggedKey{eks.get<uint8_t>(), *key};
}

}  // namespace

tl::expected<std::vector<LoggedKey>, Fault> read_key_log(const std::string& text) {
    std::vector<LoggedKey> keys;
    size_t number = 0;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        ++number;
        if (end > begin) {
            const auto key = key_of(text.substr(begin, end - begin));
            if (!key) return failure({}, "line " + std::to_string(number) + " is not a key of AES-CCM with its EKS");
            keys.push_back(*key);
        }
        begin = end + 1;
    }
    return keys;
}

}  // namespace wimax::pdu
