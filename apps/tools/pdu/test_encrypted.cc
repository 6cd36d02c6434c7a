// SPDX-License-Identifier: GPL-3.0-or-later
// Encrypted PDUs as JSON with their keys, there and back.
#include <gtest/gtest.h>
#include "tools/pdu/tree.h"

#include <algorithm>
#include <fstream>

namespace wimax::pdu {
namespace {

PayloadKey key_of(const std::string& hex) { return {*mac::privacy::TrafficKey::of(*from_hex(hex)), {}, 0}; }

Json published() {
    const Json all = Json::parse(std::ifstream(WIMAX_VECTORS "/mac_pdus.json"));
    return *std::find_if(all.begin(), all.end(),
                         [](const Json& v) { return v["name"] == "aes_ccm_published_cipher_crc8023"; });
}

Json decoded(const std::string& hex, const PayloadKey& key) {
    DecodeOptions options;
    options.key = key;
    return decode_pdus(*from_hex(hex), options);
}

TEST(Encrypted, TheGoldenVectorOpensWithItsKey) {
    const Json v = published();
    const PayloadKey key = key_of(v["decoded"]["tek"]);
    const Json tree = decoded(v["hex"], key), &pdu = tree["pdus"][0];
    for (const char* name : {"pn", "pn_on_wire", "nonce", "ciphertext", "icv", "plaintext"})
        EXPECT_EQ(pdu[name], v["decoded"][name]) << name;
    EXPECT_EQ(pdu["payload"], "00010203");
    EXPECT_EQ(pdu["icv_ok"], true);
    EXPECT_EQ(to_hex(*encode(tree, key)), v["hex"].get<std::string>());
    EXPECT_EQ(to_hex(*encode(tree)), v["hex"].get<std::string>());  // the octets are there without the key, too
}

TEST(Encrypted, WhatFollowsFromOthersMayBeLeftOut) {
    const Json v = published();
    const PayloadKey key = key_of(v["decoded"]["tek"]);
    const Json tree = Json::parse(
        R"({"pdus":[{"header":{"ht":0,"ec":1,"ci":1,"eks":0,"cid":1732},"pn":559412924,"payload":"00010203"}]})");
    EXPECT_EQ(to_hex(*encode(tree, key)), v["hex"].get<std::string>());
    Json implied = tree;
    implied["pdus"][0]["header"].erase("ec");
    EXPECT_EQ(to_hex(*encode(implied, key)), v["hex"].get<std::string>());
}

TEST(Encrypted, AWrongKeyLeavesOctets) {
    const Json v = published();
    const Json tree = decoded(v["hex"], key_of(std::string(32, '0'))), &pdu = tree["pdus"][0];
    EXPECT_EQ(pdu["icv_ok"], false);
    EXPECT_FALSE(pdu.contains("pn"));
    EXPECT_EQ(pdu["payload"], "bcf65721e75536c827a8d71b432ca548");
    EXPECT_EQ(to_hex(*encode(tree, key_of(v["decoded"]["tek"]))), v["hex"].get<std::string>());
    const Json closed = decode_pdus(*from_hex(v["hex"]), {});
    EXPECT_FALSE(closed["pdus"][0].contains("icv_ok"));
    EXPECT_EQ(to_hex(*encode(closed, key_of(v["decoded"]["tek"]))), v["hex"].get<std::string>());
}

TEST(Encrypted, AFaultyIcvIsSentAsItStands) {
    const Json v = published();
    const PayloadKey key = key_of(v["decoded"]["tek"]);
    Json tree = decoded(v["hex"], key);
    tree["pdus"][0].erase("crc");
    tree["pdus"][0]["icv"] = "0000000000000000";
    const Json again = decoded(to_hex(*encode(tree, key)), key);
    EXPECT_EQ(again["pdus"][0]["icv_ok"], false);
    EXPECT_EQ(again["pdus"][0]["crc_ok"], true);
}

TEST(Encrypted, TheKeyOfALogIsFoundByItsEksAndTheCheck) {
    const Json v = published();
    const std::string tek = v["decoded"]["tek"], other = std::string(32, '1');
    const auto line = [](int eks, const std::string& key) { return Json{{"eks", eks}, {"tek", key}}.dump() + "\n"; };
    const auto opens = [&](const std::string& log) {
        DecodeOptions options;
        options.logged = read_key_log(log).value();
        return decode_pdus(*from_hex(v["hex"]), options)["pdus"][0]["payload"] == "00010203";
    };
    EXPECT_TRUE(opens(line(0, tek)));
    EXPECT_TRUE(opens(line(0, other) + "\n" + line(0, tek) + line(0, other) + line(1, other)));
    EXPECT_FALSE(opens(line(1, tek)));
    EXPECT_FALSE(opens(line(0, other)));
    EXPECT_FALSE(opens(""));
    for (const auto& wrong : {std::string("x"), std::string("[]"), std::string("{}"), line(4, tek), line(-1, tek),
                              line(0, "00"), line(0, std::string(16, '0')), line(0, "x")})
        EXPECT_EQ(read_key_log(line(0, tek) + wrong).error().str(), "line 2 is not a key of AES-CCM with its EKS")
            << wrong;
}

TEST(Encrypted, SubheadersArePartOfThePlaintext) {
    const PayloadKey key = key_of("000102030405060708090a0b0c0d0e0f");
    const Json tree = Json::parse(R"({"pdus":[
        {"header":{"ht":0,"type":12,"ci":1,"eks":2,"cid":2053},"subheaders":[{"kind":"fragmentation","fc":2,"fsn":300}],
         "payload":"5555","pn":2147483649},
        {"header":{"ht":0,"type":10,"ci":0,"eks":3,"cid":33},"pn":7,"subheaders":[
            {"kind":"packing","fc":0,"fsn":1,"payload":"aa"},{"kind":"packing","fc":0,"fsn":2,"payload":"bbbb"}]}]})");
    const std::string hex = to_hex(*encode(tree, key));
    const Json back = decoded(hex, key);
    ASSERT_EQ(back["pdus"].size(), 2u);
    EXPECT_EQ(back["pdus"][0]["header"]["len"], 6 + 4 + 2 + 2 + 8 + 4);
    EXPECT_EQ(back["pdus"][0]["header"]["ec"], 1);
    EXPECT_EQ(back["pdus"][0]["plaintext"], "89605555");
    EXPECT_EQ(back["pdus"][0]["subheaders"][0]["fsn"], 300);
    EXPECT_EQ(back["pdus"][0]["pn_on_wire"], "01000080");
    EXPECT_EQ(back["pdus"][1]["subheaders"][1]["payload"], "bbbb");
    // On a management CID, too, an encrypted payload is no message.
    EXPECT_FALSE(back["pdus"][1].contains("message"));
    EXPECT_EQ(to_hex(*encode(back, key)), hex);
    EXPECT_EQ(to_hex(*encode(back)), hex);
}

// FIPS 81's example after a header; the IV of frame 0 is the parameter's.
TEST(Encrypted, DesCbc) {
    PayloadKey key = key_of("0123456789abcdef");
    std::ranges::copy(*from_hex("1234567890abcdef"), key.cbc_iv.begin());
    const std::string text = "4e6f77206973207468652074696d6520666f7220616c6c20";
    const Json tree = {
        {"pdus",
         {{{"header", {{"ht", 0}, {"ci", 0}, {"cid", 2053}}}, {"cbc_iv", "1234567890abcdef"}, {"payload", text}}}}};
    const std::string hex = to_hex(*encode(tree, key));
    EXPECT_EQ(hex.substr(12), "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6");
    const Json back = decoded(hex, key);
    EXPECT_EQ(back["pdus"][0]["payload"], text);
    EXPECT_EQ(to_hex(*encode(back, key)), hex);
    EXPECT_EQ(to_hex(*encode(back)), hex);
    key.frame_number = 1;
    EXPECT_EQ(decoded(hex, key)["pdus"][0]["cbc_iv"], "1234567890abcdee");
    EXPECT_NE(decoded(hex, key)["pdus"][0]["payload"], text);
}

TEST(Encrypted, TooShortForItsCipher) {
    const PayloadKey key = key_of(std::string(32, '0'));
    for (int octets = 0; octets < 12; ++octets) {
        const Json closed = {{"pdus",
                              {{{"header", {{"ht", 0}, {"ec", 1}, {"cid", 2053}}},
                                {"payload", std::string(static_cast<size_t>(2 * octets), '7')}}}}};
        const std::string hex = to_hex(*encode(closed));
        const Json tree = decoded(hex, key);
        EXPECT_EQ(tree["pdus"][0]["icv_ok"], false) << octets;
        EXPECT_EQ(to_hex(*encode(tree, key)), hex) << octets;
    }
}

TEST(Encrypted, WhatIsMissingIsToldByItsPath) {
    const auto faults = [](const char* pdu, const std::optional<PayloadKey>& key) {
        const auto octets = encode(
            Json::parse(std::string(R"({"pdus":[{"header":{"ht":0,"cid":2053},"payload":"00",)") + pdu + "}]}"), key);
        return octets ? "" : octets.error().str();
    };
    const PayloadKey aes = key_of(std::string(32, '0')), des = key_of(std::string(16, '0'));
    EXPECT_EQ(faults(R"("pn":1)", {}), "/pdus/0/pn: a TEK of AES-CCM is needed");
    EXPECT_EQ(faults(R"("pn":1)", des), "/pdus/0/pn: a TEK of AES-CCM is needed");
    EXPECT_EQ(faults(R"("pn":1,"ciphertext":"77")", {}), "/pdus/0: key 'icv' is missing");
    EXPECT_NE(faults(R"("pn":4294967296)", aes), "");
    EXPECT_NE(faults(R"("pn":1,"icv":"00")", aes), "");
    EXPECT_NE(faults(R"("pn":1,"ciphertext":"0000","icv":"0000000000000000")", {}), "");
    EXPECT_NE(faults(R"("cbc_iv":"0000000000000000")", aes), "");
    EXPECT_NE(faults(R"("cbc_iv":"00")", des), "");
    EXPECT_EQ(faults(R"("pn":1,"ciphertext":"77","icv":"0000000000000000")", {}), "");
}

}  // namespace
}  // namespace wimax::pdu
