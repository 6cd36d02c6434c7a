// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace wimax {
namespace {

struct Range {
    uint32_t first, last;
};
/// Code points that a terminal obeys or does not show. unprintable() in wimax_tools/printable.py has the same.
constexpr std::array<Range, 19> kUnprintable{{{0x00, 0x1F},
                                              {0x7F, 0x9F},
                                              {0xAD, 0xAD},
                                              {0x61C, 0x61C},
                                              {0x180E, 0x180E},
                                              {0x200B, 0x200F},
                                              {0x2028, 0x202E},
                                              {0x2060, 0x206F},
                                              {0xD800, 0xDFFF},
                                              {0xE000, 0xF8FF},
                                              {0xFDD0, 0xFDEF},
                                              {0xFEFF, 0xFEFF},
                                              {0xFFF0, 0xFFFB},
                                              {0xFFFE, 0xFFFF},
                                              {0x1BCA0, 0x1BCA3},
                                              {0x1D173, 0x1D17A},
                                              {0xE0000, 0xE0FFF},
                                              {0xF0000, 0x10FFFF},
                                              {0x110000, 0xFFFFFFFF}}};

bool unprintable(uint32_t code) {
    return std::ranges::any_of(kUnprintable, [code](const Range& r) { return code >= r.first && code <= r.last; });
}

struct Decoded {
    uint32_t code = 0;
    size_t octets = 0;  ///< 0: not UTF-8
};

Decoded decode(std::string_view text) {
    const auto octet = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    const uint8_t lead = octet(0);
    const size_t octets = lead < 0x80                   ? 1
                          : lead >= 0xF0 && lead < 0xF8 ? 4
                          : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xC0 && lead < 0xE0 ? 2
                                                        : 0;
    if (octets == 0 || octets > text.size()) return {};
    uint32_t code = octets == 1 ? lead : lead & (0x7FU >> octets);
    for (size_t i = 1; i < octets; ++i) {
        if ((octet(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (octet(i) & 0x3F);
    }
    constexpr std::array<uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};  // shorter forms are not UTF-8
    if (code < kLeast[octets] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
    return {code, octets};
}

std::string escaped(std::string_view text, bool backslash) {
    const auto plain = [&](char c) { return c >= ' ' && c <= '~' && (c != '\\' || !backslash); };
    if (std::ranges::all_of(text, plain)) return std::string(text);
    std::string out;
    out.reserve(text.size() + 16);
    while (!text.empty()) {
        const auto [code, octets] = decode(text);
        char code_text[16];
        if (octets == 0) std::snprintf(code_text, sizeof code_text, "\\x%02x", static_cast<uint8_t>(text[0]));
        else if (unprintable(code))
            std::snprintf(code_text, sizeof code_text, code < 0x80 ? "\\x%02x" : "\\u{%04x}", code);
        else if (code == '\\' && backslash) std::snprintf(code_text, sizeof code_text, "\\\\");
        else code_text[0] = '\0';
        const size_t taken = std::max<size_t>(octets, 1);
        out += code_text[0] != '\0' ? std::string_view(code_text) : text.substr(0, taken);
        text.remove_prefix(taken);
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, true); }
std::string printable_line(std::string_view line) { return escaped(line, false); }
bool is_printable(std::string_view text) { return escaped(text, false) == text; }

}  // namespace wimax
