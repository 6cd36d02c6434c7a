// SPDX-License-Identifier: GPL-3.0-or-later
// Trees and octets there and back: random ones, damaged ones, and those that must be refused.
#include <gtest/gtest.h>
#include "tools/pdu/test_random_trees.h"

namespace wimax::pdu {
namespace {

/// All of `part` is in `whole`, list elements one by one.
bool within(const Json& part, const Json& whole) {
    if (part.is_object()) {
        if (!whole.is_object()) return false;
        for (const auto& [key, value] : part.items())
            if (!whole.contains(key) || !within(value, whole[key])) return false;
        return true;
    }
    if (!part.is_array()) return part == whole;
    if (!whole.is_array() || whole.size() != part.size()) return false;
    for (size_t i = 0; i < part.size(); ++i)
        if (!within(part[i], whole[i])) return false;
    return true;
}

TEST(Tree, RandomMessages) {
    RandomTrees trees(1);
    for (int i = 0; i < 5000; ++i) {
        const Json tree = trees.message();
        const Buffer octets = encode(tree).value();
        const Json again = decode_message(octets);
        ASSERT_TRUE(within(tree, again)) << tree << "\n" << again;
        ASSERT_EQ(encode(again).value(), octets);
    }
}

TEST(Tree, RandomBursts) {
    RandomTrees trees(2);
    for (int i = 0; i < 2000; ++i) {
        Json tree = {{"pdus", Json::array()}, {"padding_bytes", trees.below(10)}};
        size_t octets_left = 1500;
        for (uint64_t n = trees.below(5); n > 0 && octets_left > 0; --n) {
            Json pdu = trees.pdu();
            const auto alone = encode(Json{{"pdus", {pdu}}});
            if (!alone) continue;  // longer than LEN can say
            if (alone->size() > octets_left) break;
            tree["pdus"].push_back(std::move(pdu));
        }
        const Buffer octets = encode(tree).value();
        const Json again = decode_pdus(octets, {});
        ASSERT_TRUE(again["error"].is_null()) << again["error"] << again["detail"] << tree;
        ASSERT_TRUE(within(tree, again)) << tree << "\n" << again;
        ASSERT_EQ(encode(again).value(), octets);
    }
}

TEST(Tree, DamagedBurstsComeBack) {
    RandomTrees trees(3);
    for (int i = 0; i < 5000; ++i) {
        const auto made = encode(Json{{"pdus", {trees.pdu(), trees.pdu()}}, {"padding_bytes", trees.below(4)}});
        if (!made) continue;
        Buffer octets = *made;
        for (uint64_t n = 1 + trees.below(3); n > 0; --n)
            octets[trees.below(octets.size())] = static_cast<uint8_t>(trees.bits(8));
        if (trees.below(4) == 0) octets.resize(trees.below(octets.size()));
        if (octets.size() >= 6 && trees.below(2)) octets[5] = mac::hcs8(Octets(octets).first(5));
        const Json tree = decode_pdus(octets, {});
        ASSERT_EQ(to_hex(encode(tree).value()), to_hex(octets)) << tree;
    }
}

TEST(Tree, RandomMessagesOctets) {
    RandomTrees trees(4);
    for (int i = 0; i < 20000; ++i) {
        const Buffer octets =
            from_hex(to_hex(Buffer{static_cast<uint8_t>(trees.below(52))}) + trees.hex(trees.below(40))).value();
        const Json tree = decode_message(octets);
        ASSERT_EQ(encode(tree).value(), octets) << tree;
    }
}

// ---- what is an error, and which ----

struct Case {
    const char* hex;
    const char* reason;
    size_t offset;
};

/// A generic header with right LEN and HCS in front of the body.
std::string pdu(uint8_t type, uint16_t cid, const std::string& body) {
    Buffer octets;
    mac::GenericHeader header;
    header.type = type;
    header.cid = cid;
    const auto content = from_hex(body).value();
    header.len = static_cast<uint16_t>(6 + content.size());
    header.encode(octets);
    return to_hex(octets) + to_hex(content);
}

void expect_error(const std::string& hex, const std::string& reason, size_t offset, const DecodeOptions& options = {}) {
    const Json tree = decode_pdus(from_hex(hex).value(), options);
    ASSERT_TRUE(tree["error"].is_object()) << hex << tree;
    EXPECT_EQ(tree["error"]["reason"], reason) << hex << tree;
    EXPECT_EQ(tree["error"]["offset"], offset) << hex << tree;
    EXPECT_EQ(tree["rest"], hex.substr(2 * offset)) << hex;
    EXPECT_EQ(to_hex(encode(tree).value()), hex);
}

TEST(Errors, HeadersAndLengths) {
    const std::string request = "8005dc0021eb";
    expect_error(request + "8005dc0021ec", "hcs", 6);
    expect_error(request + "8005dc", "truncated", 6);
    expect_error("00002a08016b4500", "truncated", 0);
    const auto with_hcs = [](std::string five) { return five + to_hex(Buffer{mac::hcs8(from_hex(five).value())}); };
    expect_error(with_hcs("c005dc0021"), "reserved", 0);  // HT = 1 with EC = 1
    expect_error(with_hcs("9005dc0021"), "reserved", 0);  // request type 2
    expect_error(with_hcs("0080060801"), "reserved", 0);  // extended subheader field of 802.16e
    expect_error(with_hcs("0008060801"), "reserved", 0);
    expect_error(with_hcs("2000060801"), "reserved", 0);           // mesh
    expect_error(with_hcs("0000050801"), "length", 0);             // LEN below the header
    expect_error(with_hcs("0040090801") + "000000", "length", 0);  // no room for the CRC
    expect_error(request + "ffff00ff", "reserved", 6);             // padding that is none
}

TEST(Errors, SubheadersAndUnits) {
    expect_error(pdu(0x01, 700, "00"), "subheader", 0);
    expect_error(pdu(0x0c, 700, "00"), "subheader", 0);
    expect_error(pdu(0x04, 700, "01"), "reserved", 0);
    expect_error(pdu(0x06, 700, "0000"), "subheader", 0);      // fragmented and packed
    expect_error(pdu(0x02, 700, "0001"), "subheader", 0);      // unit shorter than its subheader
    expect_error(pdu(0x02, 700, "0005"), "subheader", 0);      // unit longer than the PDU
    expect_error(pdu(0x10, 700, "02bc0000"), "subheader", 0);  // feedback without a last IE
    expect_error(pdu(0x12, 700, ""), "subheader", 0);          // no unit for the feedback
    DecodeOptions downlink;
    downlink.direction = Direction::downlink;
    expect_error(pdu(0x01, 700, "0000"), "reserved", 0, downlink);
}

TEST(Errors, Messages) {
    expect_error(pdu(0, 33, "0501 040103 0904"), "length", 0);  // TLV runs over the end
    expect_error(pdu(0, 33, "0501 0480"), "length", 0);
    expect_error(pdu(0, 33, "0501 04810103"), "length", 0);  // longer length form than needed
    expect_error(pdu(0, 545, "0b8001 91030104000001"), "length", 0);  // inner TLV over the end of its compound
    expect_error(pdu(0, 65535, "0101030100"), "length", 0);  // burst profile without DIUC
    expect_error(pdu(0, 65535, "0203"), "truncated", 0);
    expect_error(pdu(0, 65535, "02030216d01020300021"), "truncated", 0);  // part of an IE
    expect_error(pdu(0, 33, "17f307"), "reserved", 0);
    expect_error(pdu(0, 33, "17030700"), "length", 0);  // octets left over
    const Json message = decode_message(from_hex("0501 040103 0904").value());
    EXPECT_EQ(message["error"]["reason"], "length");
    EXPECT_EQ(message["name"], "RNG-RSP");
}

TEST(Contents, WhatIsAMessage) {
    const auto first = [](const std::string& hex, uint16_t m) {
        return decode_pdus(from_hex(hex).value(), {Direction::unknown, m})["pdus"][0];
    };
    const std::string body = "1e800100";  // DSX-RVD
    EXPECT_TRUE(first(pdu(0, 640, body), 320).contains("message"));
    EXPECT_FALSE(first(pdu(0, 641, body), 320).contains("message"));
    EXPECT_TRUE(first(pdu(0, 641, body), 321).contains("message"));
    EXPECT_TRUE(first(pdu(0, 0, body), 320).contains("message"));
    EXPECT_FALSE(first(pdu(0, 0xFFFE, body), 320).contains("message"));
    EXPECT_TRUE(first(pdu(1, 33, "0000" + body), 320).contains("message"));
    EXPECT_EQ(first(pdu(4, 545, "00" + body), 320)["payload"], body);
    EXPECT_EQ(first(pdu(0, 33, ""), 320)["payload"], "");
    EXPECT_EQ(first(pdu(0, 33, "320102"), 320)["message"]["payload"], "0102");  // a type of 802.16e
}

/// A value that may have several elements is a list if it has; one of a fixed number is always a list.
TEST(Contents, ListsInClassifierRules) {
    const auto fields = [](const std::string& rule) {
        std::string octets = rule;
        for (const uint8_t type : {3, 100, 145}) octets = to_hex(Buffer{type, uint8_t(octets.size() / 2)}) + octets;
        const Json message = decode_message(from_hex("0b8001" + octets).value());
        return message["tlvs"][0]["tlvs"][0]["tlvs"][0]["fields"];
    };
    EXPECT_EQ(fields("0203b8b8fc"), (Json{{"tos", {0xb8, 0xb8, 0xfc}}}));
    EXPECT_EQ(fields("0201b8"), (Json{{"tos", Json::array({0xb8})}}));
    EXPECT_EQ(fields("030111"), (Json{{"protocol", 17}}));
    EXPECT_EQ(fields("03021106"), (Json{{"protocol", {17, 6}}}));
}

TEST(Contents, DamagedCrcIsAResult) {
    // A message that makes no sense stays octets if the CRC shows that it was damaged.
    Buffer octets =
        encode(Json::parse(R"({"pdus":[{"header":{"ci":1,"cid":33},"payload":"05010401030904"}]})")).value();
    EXPECT_EQ(decode_pdus(octets, {})["error"]["reason"], "length");
    octets.back() ^= 1;
    const Json tree = decode_pdus(octets, {});
    EXPECT_TRUE(tree["error"].is_null());
    EXPECT_EQ(tree["pdus"][0]["crc_ok"], false);
    EXPECT_TRUE(tree["pdus"][0]["crc_style"].is_null());
    EXPECT_EQ(tree["pdus"][0]["payload"], "05010401030904");
    EXPECT_EQ(encode(tree).value(), octets);
}

TEST(Contents, GivenChecksAndLengthsAreSentAsTheyStand) {
    const Buffer octets =
        encode(
            Json::parse(
                R"({"pdus":[{"header":{"ht":0,"ci":1,"len":100,"cid":700,"hcs":1},"payload":"aa","crc":"01020304"}]})"))
            .value();
    EXPECT_EQ(to_hex(octets), "00406402bc01aa01020304");
}

TEST(Contents, GrantManagementReadings) {
    const auto raw = [](const char* readings) {
        const std::string text =
            std::string(R"({"pdus":[{"header":{"type":1,"cid":700},"subheaders":[{"kind":"grant_management",)") +
            readings + R"(}],"payload":""}]})";
        return to_hex(encode(Json::parse(text)).value()).substr(12);
    };
    EXPECT_EQ(raw(R"("raw":700,"pbr":1,"si":1,"pm":1)"), "02bc");
    EXPECT_EQ(raw(R"("pbr":700,"si":1,"pm":1)"), "02bc");
    EXPECT_EQ(raw(R"("si":1,"pm":0)"), "8000");
}

TEST(FramePrefix, Entries) {
    Json tree = decode_frame_prefix(from_hex("5A301006300A580C70143E").value());
    EXPECT_EQ(tree["bsid_lsb"], 5);
    EXPECT_EQ(tree["frame_number_lsb"], 10);
    EXPECT_EQ(tree["change_count_lsb"], 3);
    EXPECT_EQ(tree["hcs_ok"], true);
    EXPECT_EQ(tree["ies"], Json::parse(R"([{"rate_id":1,"length":6},{"diuc":3,"preamble_present":0,"length":10},
        {"diuc":5,"preamble_present":1,"length":12},{"diuc":7,"preamble_present":0,"length":20}])"));
    tree = decode_frame_prefix(from_hex("5A301006300A580C70143F").value());
    EXPECT_EQ(tree["hcs_ok"], false);
    EXPECT_EQ(tree["ies"].size(), 4u);
    EXPECT_EQ(decode_frame_prefix(Buffer(11))["hcs_ok"], false);
    Buffer zone = from_hex("5a30100601230000000000").value();
    zone.back() = mac::hcs8(Octets(zone).first(10));
    EXPECT_EQ(decode_frame_prefix(zone)["ies"][1], Json::parse(R"({"diuc":0,"start_time":291})"));
    EXPECT_EQ(decode_frame_prefix(Buffer(10))["error"]["reason"], "truncated");
}

TEST(FramePrefix, ThereAndBack) {
    const auto back = [](const std::string& hex) {
        return to_hex(encode(decode_frame_prefix(from_hex(hex).value())).value());
    };
    // Four entries; a list that ends early; an STC zone; then a wrong check sequence, a reserved bit, Preamble present
    // in the first entry and an entry after the end of the list; nothing but zeros; too short.
    for (std::string hex : {"5a301006300a580c7014", "12304006000000000000", "12304006012338050000"}) {
        hex += to_hex(Buffer{mac::hcs8(from_hex(hex).value())});
        EXPECT_EQ(back(hex), hex);
        EXPECT_FALSE(decode_frame_prefix(from_hex(hex).value()).contains("octets")) << hex;
    }
    for (std::string hex : {"5a311006300a580c7014", "12304806000000000000", "12304006000038050000"}) {
        hex += to_hex(Buffer{mac::hcs8(from_hex(hex).value())});
        EXPECT_EQ(back(hex), hex);
    }
    for (const std::string hex : {"5a301006300a580c7014ff", "0000000000000000000000", "5a30"})
        EXPECT_EQ(back(hex), hex);
    // Fields written by hand get their check sequence.
    Json tree = decode_frame_prefix(from_hex("5a301006300a580c70143e").value());
    tree.erase("hcs_ok");
    EXPECT_EQ(to_hex(encode(tree).value()), "5a301006300a580c70143e");
    tree["ies"][1]["length"] = 2048;
    EXPECT_FALSE(encode(tree));
    tree["ies"][1]["length"] = 10;
    tree["ies"].push_back(tree["ies"][1]);
    EXPECT_FALSE(encode(tree));
}

TEST(Encode, RefusesWhatDoesNotFit) {
    for (const char* text :
         {R"({})", R"([])", R"(7)", R"({"pdus":7})", R"({"pdus":[{}]})", R"({"pdus":[{"header":{"cid":65536}}]})",
          R"({"pdus":[{"header":{"cid":-1}}]})", R"({"pdus":[{"header":{"cid":1.5}}]})", R"({"msg":256})",
          R"({"msg":4})", R"({"msg":2,"dcd_count":1,"bs_id":"00","ies":[]})",
          R"({"msg":0,"change_count":1,"ranging_backoff":[1],"request_backoff":[1,2],"tlvs":[]})",
          R"({"msg":29,"action":1,"tlvs":[{"type":1,"value":"xyz"}]})", R"({"msg":29,"action":1,"tlvs":[{"type":1}]})",
          R"({"msg":28,"clocks":[{"id":0,"seq":0,"value":128}]})",
          R"({"pdus":[{"header":{"cid":1},"message":{"msg":8,"payload":""},"payload":""}]})",
          R"({"pdus":[{"header":{"cid":1},"subheaders":[{"kind":"mesh"}]}]})",
          R"({"pdus":[],"padding_bytes":99999999})"})
        EXPECT_FALSE(encode(Json::parse(text))) << text;
    const auto lines = [](const char* text) { return encode(Json::parse(text)).error().lines(); };
    EXPECT_EQ(
        lines(R"({"pdus":[{"header":{"cid":65536}},{"header":{}},{"message":{"msg":256},"header":{"cid":1}}],
                        "padding_bytes":-1,"rest":"0g"})"),
        (std::vector<std::string>{
            "/pdus/0/header/cid: value 65536: allowed 0..65535", "/pdus/1/header: key 'cid' is missing",
            "/pdus/2/message/msg: value 256: allowed 0..255", "/rest: not hex at character 2, allowed 0-9 a-f A-F",
            "/padding_bytes: value -1: allowed 0..1048576"}));
    EXPECT_EQ(lines("[]"), std::vector<std::string>{
                               "/: key 'pdus' (a burst), 'msg' (a message) or 'bsid_lsb' (a frame prefix) is needed"});
    EXPECT_EQ(lines(R"({"msg":28})"), (std::vector<std::string>{"/: key 'clocks' is missing"}));
    // The number of a list's elements has eight bits.
    for (const size_t clocks : {255, 256}) {
        const Json clock{{"id", 0}, {"seq", 1}, {"value", -1}};
        const auto octets = encode(Json{{"msg", 28}, {"clocks", std::vector<Json>(clocks, clock)}});
        EXPECT_EQ(octets.has_value(), clocks == 255) << clocks;
        EXPECT_TRUE(!octets || octets->size() == 2 + 3 * clocks);
    }
    // Header and payload: the length of a PDU has eleven bits. A length that is given is sent as it stands.
    for (const size_t octets : {2041, 2042})
        for (const bool given : {false, true}) {
            Json pdu{{"header", {{"cid", 1}}}, {"payload", std::string(2 * octets, '0')}};
            if (given) pdu["header"]["len"] = 2047;
            EXPECT_EQ(encode(Json{{"pdus", {pdu}}}).has_value(), octets == 2041 || given) << octets << given;
        }
    Json deep = Json::array();
    for (int i = 0; i < 1000; ++i) deep = Json::array({Json{{"type", 145}, {"tlvs", std::move(deep)}}});
    EXPECT_FALSE(encode(Json{{"msg", 11}, {"tid", 1}, {"tlvs", deep}}));
}

}  // namespace
}  // namespace wimax::pdu
