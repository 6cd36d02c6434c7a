// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/printable.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace wimax {
namespace {

std::string utf8(uint32_t code) {
    if (code < 0x80) return {static_cast<char>(code)};
    std::string out;
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(kLead[more] | code >> (6 * more));
    for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
    return out;
}

bool stays(uint32_t code) { return printable(utf8(code)) == utf8(code); }

TEST(Printable, TextStays) {
    for (const char* text : {"", "gold",
                             "Stra\xC3\x9F"
                             "e",
                             "\xE4\xB8\xAD\xE6\x96\x87", "\xF0\x9F\x93\xA1", "a b~"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatATerminalObeysIsEscaped) {
    EXPECT_EQ(printable("\x1B]0;PWNED\x07"), "\\x1b]0;PWNED\\x07");
    EXPECT_EQ(printable("a\r\nb\tc"), "a\\x0d\\x0ab\\x09c");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\x7F"), "\\x7f");
    EXPECT_EQ(printable("\xC2\x9B"
                        "31m"),
              "\\u{009b}31m")
        << "C1: CSI";
    EXPECT_EQ(printable("\xE2\x80\xAE"
                        "evil"),
              "\\u{202e}evil")
        << "bidi override";
}

TEST(Printable, EveryControlCharacterAndNoOther) {
    for (uint32_t code = 0; code < 0x250; ++code) {
        const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD;
        EXPECT_EQ(stays(code), !control && code != '\\') << code;
    }
    for (const uint32_t code : {0x61CU, 0x200BU, 0x200EU, 0x200FU, 0x2028U, 0x2029U, 0x202AU, 0x202EU, 0x2066U, 0x2069U,
                                0xFEFFU, 0xE000U, 0xFFFFU, 0xE0001U, 0x10FFFFU})
        EXPECT_FALSE(stays(code)) << code;
    for (const uint32_t code : {0x2010U, 0x2027U, 0x202FU, 0x205FU, 0x2070U, 0xFFFDU, 0x1F4E1U})
        EXPECT_TRUE(stays(code)) << code;
}

TEST(Printable, OctetsThatAreNotUtf8) {
    EXPECT_EQ(printable("a\xFF\xC3"), "a\\xff\\xc3");
    EXPECT_EQ(printable("\x80\x9B"), "\\x80\\x9b");
    EXPECT_EQ(printable("\xC0\x80"), "\\xc0\\x80") << "overlong";
    EXPECT_EQ(printable("\xE0\x80\x9B"), "\\xe0\\x80\\x9b") << "overlong";
    EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "surrogate";
    EXPECT_EQ(printable("\xF5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80") << "beyond Unicode";
    EXPECT_EQ(printable("\xE2\x82x"), "\\xe2\\x82x") << "cut";
}

TEST(Printable, NothingPassesForAnEscape) {
    EXPECT_EQ(printable("\\x1b"), "\\\\x1b");
    EXPECT_EQ(printable_line("C:\\x \x1B"), "C:\\x \\x1b");
}

}  // namespace
}  // namespace wimax
