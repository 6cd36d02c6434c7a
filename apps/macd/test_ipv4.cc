// SPDX-License-Identifier: GPL-3.0-or-later
// Octet by octet; the packets and their checksums were made by another program.
#include "macd/ipv4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace wimax::macd {
namespace {

using Packet = std::vector<uint8_t>;

Packet from_hex(const std::string& text) {
    Packet p;
    for (size_t i = 0; i < text.size(); i += 2)
        p.push_back(static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return p;
}

// UDP from 10.1.0.1 to 10.9.8.7 with DF, of an odd number of octets.
const std::string kHeader = "45000029beef400040115fc30a0100010a090807";
const std::string kPayload = "13881451001500000102030405060708090a0b0c0d";
Packet udp() { return from_hex(kHeader + kPayload); }
Packet with(size_t at, uint8_t octet) {
    Packet p = udp();
    p[at] = octet;
    return p;
}

TEST(Ipv4, ChecksumOfEvenAndOddLengths) {
    EXPECT_EQ(internet_checksum({}), 0xFFFF);
    EXPECT_EQ(internet_checksum(from_hex("0001f203f4f5f6f7")), 0x220D);  // RFC 1071: the sum is DDF2
    EXPECT_EQ(internet_checksum(from_hex("0001f203f4f5f6")), 0x2304);
    EXPECT_EQ(internet_checksum(from_hex("ffffffff")), 0);
    EXPECT_EQ(internet_checksum(from_hex(kHeader)), 0);
}

TEST(Ipv4, FragmentationNeededByItsOctets) {
    const auto answer = fragmentation_needed(udp(), 2040);
    EXPECT_EQ(answer, from_hex("45c000450000400040011de70a0908070a010001"  // to the sender, from the destination
                               "03049beb000007f8" +
                               kHeader + kPayload));
    EXPECT_EQ(internet_checksum(std::span(answer).first(20)), 0);
    EXPECT_EQ(internet_checksum(std::span(answer).subspan(20)), 0);
}

TEST(Ipv4, TheAnswerQuotesWhatFitsInto576Octets) {
    Packet p = udp();
    p.resize(3000, 0xA7);
    put16(p, 2, 3000);
    const auto answer = fragmentation_needed(p, 1400);
    ASSERT_EQ(answer.size(), 576U);
    EXPECT_EQ(answer[2] << 8 | answer[3], 576);
    EXPECT_EQ(answer[26] << 8 | answer[27], 1400);
    EXPECT_TRUE(std::equal(answer.begin() + 28, answer.end(), p.begin()));
    EXPECT_EQ(internet_checksum(std::span(answer).subspan(20)), 0);
}

TEST(Ipv4, WhatIsNeverAnswered) {
    constexpr size_t kOffset = 7, kProtocol = 9, kSource = 12, kDestination = 16, kType = 20;
    EXPECT_TRUE(fragmentation_needed(with(kOffset, 1), 2040).empty());
    EXPECT_FALSE(fragmentation_needed(with(kOffset - 1, 0x60), 2040).empty());  // a first fragment
    for (const size_t at : {kSource, kDestination}) {
        for (const uint8_t first : {0, 127, 224, 239, 240, 255})
            EXPECT_TRUE(fragmentation_needed(with(at, first), 2040).empty()) << at << ' ' << int{first};
        for (const uint8_t first : {1, 126, 128, 223})
            EXPECT_FALSE(fragmentation_needed(with(at, first), 2040).empty()) << at << ' ' << int{first};
    }
    std::vector<int> answered;
    for (int type = 0; type < 256; ++type) {
        Packet p = with(kProtocol, 1);
        p[kType] = static_cast<uint8_t>(type);
        if (!fragmentation_needed(p, 2040).empty()) answered.push_back(type);
    }
    EXPECT_EQ(answered, (std::vector<int>{0, 8, 13, 14, 15, 16, 17, 18}));
    Packet bare = with(kProtocol, 1);
    bare.resize(20);
    EXPECT_TRUE(fragmentation_needed(bare, 2040).empty());
}

TEST(Ipv4, HeadersThatAreNone) {
    EXPECT_TRUE(is_ipv4(udp()));
    EXPECT_TRUE(must_not_fragment(udp()));
    EXPECT_FALSE(must_not_fragment(with(6, 0xBF)));
    EXPECT_FALSE(is_ipv4({}));
    EXPECT_FALSE(is_ipv4(std::span<const uint8_t>(udp()).first(19)));
    EXPECT_FALSE(is_ipv4(with(0, 0x65)));
    EXPECT_FALSE(is_ipv4(with(0, 0x44)));
    EXPECT_TRUE(is_ipv4(with(0, 0x4A)));  // 40 octets of 41
    EXPECT_FALSE(is_ipv4(with(0, 0x4B)));
    EXPECT_FALSE(is_ipv4(with(3, 0x28)));
    EXPECT_FALSE(is_ipv4(with(3, 0x2A)));
}

std::vector<Packet> pieces(const Packet& p, uint16_t mtu) {
    std::vector<Packet> all;
    EXPECT_TRUE(fragment(p, mtu, [&](auto piece) { all.emplace_back(piece.begin(), piece.end()); }));
    return all;
}

TEST(Ipv4, FragmentsByTheirOctets) {
    const auto all = pieces(with(6, 0), 35);  // 8 octets each: 15 are no multiple
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0], from_hex("4500001cbeef200040117fd00a0100010a090807" + kPayload.substr(0, 16)));
    EXPECT_EQ(all[1], from_hex("4500001cbeef200140117fcf0a0100010a090807" + kPayload.substr(16, 16)));
    EXPECT_EQ(all[2], from_hex("45000019beef000240119fd10a0100010a090807" + kPayload.substr(32)));
    for (const auto& piece : all) EXPECT_EQ(internet_checksum(std::span(piece).first(20)), 0);
}

/// Offsets continue from the offset of the fragment, and its last piece is not the packet's last.
TEST(Ipv4, FragmentsOfAFragment) {
    Packet p = with(6, 0x21);
    p[7] = 0x02;
    const auto all = pieces(p, 36);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].size(), 36U);
    EXPECT_EQ(all[0][6] << 8 | all[0][7], 0x2102);
    EXPECT_EQ(all[1].size(), 25U);
    EXPECT_EQ(all[1][6] << 8 | all[1][7], 0x2104);
}

/// A fragment offset has 13 bits: data that would overflow into the flags is no part of any packet.
TEST(Ipv4, WhatEndsBeyondAllPacketsIsNotFragmented) {
    Packet p = with(6, 0x1F);
    p[7] = 0xFC;  // octets 65504 to 65524; the last there can be is 65514
    EXPECT_FALSE(fragment(p, 36, [](auto) { ADD_FAILURE(); }));
    p[7] = 0xFA;  // to 65508
    const auto all = pieces(p, 36);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1][6] << 8 | all[1][7], 0x1FFC);
}

TEST(Ipv4, OptionsAreNotFragmented) {
    EXPECT_FALSE(fragment(with(0, 0x46), 36, [](auto) { ADD_FAILURE(); }));
}

}  // namespace
}  // namespace wimax::macd
