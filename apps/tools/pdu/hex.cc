// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/pdu/format.h"

#include <cctype>

namespace wimax::pdu {
namespace {

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string to_hex(Octets octets) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(octets.size() * 2);
    for (const uint8_t octet : octets) {
        text += digits[octet >> 4];
        text += digits[octet & 15];
    }
    return text;
}

tl::expected<Buffer, Fault> from_hex(const std::string& text) {
    Buffer out;
    out.reserve(text.size() / 2);
    int high = -1;
    for (size_t i = 0; i < text.size(); ++i) {
        if (std::isspace(static_cast<unsigned char>(text[i]))) continue;
        const int value = digit_value(text[i]);
        if (value < 0) return failure({}, "not hex at character " + std::to_string(i + 1) + ", allowed 0-9 a-f A-F");
        if (high < 0) {
            high = value;
        } else {
            out.push_back(static_cast<uint8_t>(high << 4 | value));
            high = -1;
        }
    }
    if (high >= 0) return failure({}, "odd number of hex digits, two make an octet");
    return out;
}

}  // namespace wimax::pdu
