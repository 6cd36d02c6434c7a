// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/spec_reader.h"
#include "common/suggestion.h"

#include <algorithm>

namespace wimax::iq {
namespace {

// A value as the file has it, short enough for one line.
std::string shown(const nlohmann::json& value) {
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

// A key as one line shows it.
std::string shorten(const std::string& key) {
    constexpr size_t kLongest = 40;
    std::string text = key.substr(0, kLongest);
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
    return text + (key.size() > kLongest ? "..." : "");
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string to_hex(const std::vector<uint8_t>& octets) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::string text;
    text.reserve(2 * octets.size());
    for (const uint8_t octet : octets) {
        text += kDigits[octet >> 4];
        text += kDigits[octet & 15];
    }
    return text;
}

std::optional<std::vector<uint8_t>> from_hex(const std::string& text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::vector<uint8_t> octets;
    octets.reserve(text.size() / 2);
    for (size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        octets.push_back(static_cast<uint8_t>(high * 16 + low));
    }
    return octets;
}

bool SpecReader::present(const char* key, bool required, const std::string& allowed) {
    if (object_.contains(key)) return true;
    if (required) fault(key, "(missing)", allowed);
    return false;
}

int64_t SpecReader::integer(const char* key, int64_t low, int64_t high, std::optional<int64_t> fallback) {
    const std::string allowed = std::to_string(low) + " to " + std::to_string(high);
    if (!present(key, !fallback, allowed)) return fallback.value_or(low);
    const auto& value = object_.at(key);
    // Whole numbers written as 5e6 are floats to JSON; beyond 2^53 nothing is allowed anyway.
    if (value.is_number()) {
        const double number = value.get<double>();
        if (number >= static_cast<double>(low) && number <= static_cast<double>(high) &&
            number == static_cast<double>(static_cast<int64_t>(number))) {
            return static_cast<int64_t>(number);
        }
    }
    fault(key, shown(value), "whole numbers from " + allowed);
    return low;
}

std::optional<double> SpecReader::number(const char* key, double low, double high) {
    if (!object_.contains(key) || object_.at(key).is_null()) return std::nullopt;
    const auto& value = object_.at(key);
    if (value.is_number() && value.get<double>() >= low && value.get<double>() <= high) return value.get<double>();
    const auto text = [](double bound) { return nlohmann::json(bound).dump(); };
    fault(key, shown(value), "numbers from " + text(low) + " to " + text(high) + ", or null");
    return std::nullopt;
}

bool SpecReader::boolean(const char* key, bool fallback) {
    if (!object_.contains(key)) return fallback;
    const auto& value = object_.at(key);
    if (value.is_boolean()) return value.get<bool>();
    if (value == 0 || value == 1) return value == 1;
    fault(key, shown(value), "0, 1, false, true");
    return fallback;
}

std::string SpecReader::choice(const char* key, const std::vector<std::string>& allowed) {
    const std::string list = joined(allowed);
    if (!present(key, true, list)) return {};
    const auto& value = object_.at(key);
    if (value.is_string() && std::find(allowed.begin(), allowed.end(), value.get<std::string>()) != allowed.end()) {
        return value.get<std::string>();
    }
    fault(key, shown(value), list);
    return {};
}

std::vector<uint8_t> SpecReader::hex(const char* key, int octets, bool required) {
    const std::string allowed = octets < 0 ? "a string of hex octets" : std::to_string(2 * octets) + " hex digits";
    if (!present(key, required, allowed)) return {};
    const auto& value = object_.at(key);
    if (value.is_string()) {
        auto read = from_hex(value.get<std::string>());
        if (read && (octets < 0 || read->size() == static_cast<size_t>(octets))) return *read;
    }
    fault(key, shown(value), allowed);
    return {};
}

const nlohmann::json* SpecReader::array(const char* key, size_t low, size_t high) {
    const std::string allowed = "a list of " + std::to_string(low) + " to " + std::to_string(high) + " objects";
    if (!present(key, true, allowed)) return nullptr;
    const auto& value = object_.at(key);
    bool good = value.is_array() && value.size() >= low && value.size() <= high;
    if (good) good = std::all_of(value.begin(), value.end(), [](const auto& item) { return item.is_object(); });
    if (good) return &value;
    fault(key, shown(value), allowed);
    return nullptr;
}

void SpecReader::refuse_others(const std::set<std::string>& known) {
    const std::vector<std::string> names(known.begin(), known.end());
    for (const auto& item : object_.items()) {
        if (known.contains(item.key())) continue;
        const auto hint = did_you_mean(item.key(), names);
        fault(shorten(item.key()), "unknown key" + (hint.empty() ? "; allowed: " + joined(names) : hint));
    }
}

}  // namespace wimax::iq
