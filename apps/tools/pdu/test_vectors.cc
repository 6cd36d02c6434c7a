// SPDX-License-Identifier: GPL-3.0-or-later
// Every golden vector: octets come back, and every value of its summary is in the JSON.
#include <gtest/gtest.h>
#include "tools/pdu/format.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace wimax::pdu {
namespace {

const Json& vectors() {
    static const Json all = Json::parse(std::ifstream(WIMAX_VECTORS "/mac_pdus.json"));
    return all;
}

/// Names in the vectors' flat summary that are others in the JSON. 802.16e calls the DCD's channel ID reserved.
const std::map<std::string, std::string> kRenamed = {{"gm_si", "si"},     {"gm_pm", "pm"},
                                                     {"sn", "fsn"},       {"packed", "subheaders"},
                                                     {"feedback", "ies"}, {"reserved", "dl_channel_id"}};
/// Values that are not in the octets, or need a key.
const std::set<std::string> kNotInOctets = {
    "type_name", "tek",        "pn",         "pn_on_wire", "nonce",       "ciphertext",      "icv",  "plaintext",
    "ak",        "hmac_key_u", "hmac_key_d", "kek",        "length_form", "phy_sync_octets", "units"};

std::string without_colons(std::string text) {
    std::erase(text, ':');
    return text;
}

bool matches(const Json& expected, const Json& actual);

/// Some value called `key` in `tree`, at any depth, matches.
bool contains(const Json& tree, const std::string& key, const Json& expected) {
    if (tree.is_object()) {
        if (const auto it = tree.find(key); it != tree.end() && matches(expected, *it)) return true;
    }
    if (!tree.is_structured()) return false;
    return std::any_of(tree.begin(), tree.end(), [&](const Json& child) { return contains(child, key, expected); });
}

bool matches(const Json& expected, const Json& actual) {
    if (expected.is_object() && actual.is_array() && actual.size() == 1) return matches(expected, actual[0]);
    if (expected.is_object()) {
        if (!actual.is_object()) return false;
        return std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& item) {
            const auto renamed = kRenamed.find(item.key());
            return contains(actual, renamed == kRenamed.end() ? item.key() : renamed->second, item.value());
        });
    }
    if (expected.is_array()) {
        if (!actual.is_array() || actual.size() != expected.size()) return false;
        for (size_t i = 0; i < expected.size(); ++i)
            if (!matches(expected[i], actual[i])) return false;
        return true;
    }
    if (expected.is_string() && actual.is_string())
        return without_colons(expected.get<std::string>()) == without_colons(actual.get<std::string>());
    return expected == actual;
}

Json decode_vector(const Json& v) {
    DecodeOptions options;
    options.direction = v["direction"] == "dl" ? Direction::downlink : Direction::uplink;
    return decode_pdus(from_hex(v["hex"]).value(), options);
}

TEST(Vectors, DecodeAndEncode) {
    EXPECT_EQ(vectors().size(), 45u);
    for (const Json& v : vectors()) {
        const Json tree = decode_vector(v);
        EXPECT_TRUE(tree["error"].is_null()) << v["name"] << tree["error"];
        EXPECT_EQ(to_hex(encode(tree).value()), v["hex"].get<std::string>()) << v["name"];
    }
}

TEST(Vectors, MessagesAlone) {
    size_t messages = 0;
    for (const Json& v : vectors()) {
        const Json tree = decode_vector(v);
        for (const Json& pdu : tree["pdus"]) {
            if (!pdu.contains("message")) continue;
            ++messages;
            const Buffer octets = encode(pdu["message"]).value();
            EXPECT_EQ(decode_message(octets), pdu["message"]) << v["name"];
            EXPECT_EQ(octets.size() + 10, pdu["header"]["len"]) << v["name"];
        }
    }
    EXPECT_EQ(messages, 29u);
}

TEST(Vectors, ComputedFieldsMayBeLeftOut) {
    for (const Json& v : vectors()) {
        if (v["kind"] == "fragment") continue;  // its LEN is not the one on air
        Json tree = decode_vector(v);
        for (Json& pdu : tree["pdus"]) {
            pdu["header"].erase("len");
            pdu["header"].erase("hcs");
            pdu.erase("crc");
            for (Json& subheader : pdu["subheaders"]) subheader.erase("len");
        }
        EXPECT_EQ(to_hex(encode(tree).value()), v["hex"].get<std::string>()) << v["name"];
    }
}

TEST(Vectors, EveryValueOfTheSummary) {
    size_t compared = 0;
    for (const Json& v : vectors()) {
        const Json tree = decode_vector(v);
        for (const auto& [key, value] : v["decoded"].items()) {
            if (kNotInOctets.contains(key) || (v["kind"] == "fragment" && key == "payload")) continue;
            ++compared;
            EXPECT_TRUE(matches(Json{{key, value}}, tree)) << v["name"] << " " << key << " " << value << "\n" << tree;
        }
    }
    EXPECT_GT(compared, 200u);
}

TEST(Vectors, SummaryOfTheServiceFlow) {
    for (const Json& v : vectors()) {
        if (v["name"] != "dsa_req_bs_ul_rtps_ipv4") continue;
        const Json tree = decode_vector(v);
        const Json& flow = tree["pdus"][0]["message"]["tlvs"][0];
        EXPECT_EQ(flow["fields"]["max_rate"], 2000000);
        EXPECT_EQ(flow["fields"]["class"], "gold");
        const Json& rule = flow["tlvs"].back()["tlvs"][1];
        EXPECT_EQ(rule["fields"]["dst_ports"], Json({5060, 5061}));
        EXPECT_EQ(rule["fields"]["src"], "10.0.0.0/255.255.255.0");
    }
}

}  // namespace
}  // namespace wimax::pdu
