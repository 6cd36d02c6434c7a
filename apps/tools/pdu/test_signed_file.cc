// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration files: JSON that people write, to octets and back.
#include <gtest/gtest.h>

#include "tools/pdu/format.h"

namespace wimax::pdu {
namespace {

const Buffer kFileKey(32, 0x5A);

Buffer signed_file(const char* json) {
    const auto file = encode_configuration_file(Json::parse(json), kFileKey);
    EXPECT_TRUE(file) << file.error().str();
    return file.value_or(Buffer());
}

std::string fault_of(const std::string& json) {
    const auto file = encode_configuration_file(Json::parse(json), kFileKey);
    return file ? "none" : file.error().str();
}

TEST(ConfigurationFileTree, FieldsBecomeTlvs) {
    const Buffer file = signed_file(R"({"fields": {
        "ss_mac": ["02:00:00:00:00:07", "020000000008"], "not_before": 1700000000,
        "ul_flow": {"class": "a", "scheduling": 6, "max_rate": 64000, "cs": 1, "ipv4_cs_parameters": {
            "rule": {"priority": 1, "protocol": 17, "tos": [1, 2, 3], "dst_ports": [5004, 5005],
                     "dst": ["10.0.0.0/255.0.0.0", "10.0.0.1/255.255.255.255"]}}},
        "dl_flow": [{"class": "b"}, {"class": "c"}]}})");
    EXPECT_EQ(to_hex(file).substr(0, 2 * 26), "010602000000000701060200000000080208000000006553f100");
    const Json tree = decode_configuration_file(file, kFileKey);
    EXPECT_EQ(tree["signature"], "right");
    EXPECT_TRUE(tree["error"].is_null());
    const Json& fields = tree["fields"];
    EXPECT_EQ(fields["ss_mac"], Json::parse(R"(["020000000007", "020000000008"])"));
    EXPECT_EQ(fields["not_before"], 1'700'000'000);
    EXPECT_EQ(fields["ul_flow"][0]["class"], "a");
    const Json& rule = fields["ul_flow"][0]["classifier"]["rule"];
    EXPECT_EQ(rule["protocol"], 17);
    EXPECT_EQ(rule["tos"], Json::parse("[1, 2, 3]"));
    EXPECT_EQ(rule["dst_ports"], Json::parse("[5004, 5005]"));
    EXPECT_EQ(rule["dst"], Json::parse(R"(["10.0.0.0/255.0.0.0", "10.0.0.1/255.255.255.255"])"));
    EXPECT_EQ(fields["dl_flow"].size(), 2U);
    EXPECT_EQ(encode_configuration_file(tree, kFileKey), file) << "from its tlvs";
}

TEST(ConfigurationFileTree, SignaturesAreCompared) {
    Buffer file = signed_file(R"({"fields": {"not_after": 1}})");
    EXPECT_EQ(decode_configuration_file(file, {})["signature"], "not verified");
    EXPECT_EQ(decode_configuration_file(file, Buffer(32, 0))["signature"], "wrong");
    file[9] ^= 1;
    EXPECT_EQ(decode_configuration_file(file, kFileKey)["signature"], "wrong");
    EXPECT_EQ(decode_configuration_file(Buffer{255}, kFileKey)["signature"], "missing");
    EXPECT_EQ(decode_configuration_file(Buffer{1, 9}, kFileKey)["error"]["reason"], "length");
    EXPECT_FALSE(encode_configuration_file(Json::parse(R"({"fields": {}})"), {}));
}

TEST(ConfigurationFileTree, WrongFieldsAreReportedWithTheirPath) {
    for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
             {"{}", "key 'fields' is missing"},
             {R"({"fields": []})", "an object is needed"},
             {R"({"fields": {"mac": "02"}})", "/fields/mac"},
             {R"({"fields": {"ss_mac": "02"}})", "needed are 6 bytes"},
             {R"({"fields": {"ss_mac": 7}})", "a string is needed"},
             {R"({"fields": {"not_before": -1}})", "/fields/not_before"},
             {R"({"fields": {"ul_flow": {"priority": 256}}})", "/fields/ul_flow/priority"},
             {R"({"fields": {"ul_flow": [{}, {"classifier": {}}]}})", "/fields/ul_flow/1/classifier"},
             {R"({"fields": {"ul_flow": {"ipv4_cs_parameters": {"rule": {"dst": "10.0.0.1"}}}}})", "address/mask"},
             {R"({"fields": {"ul_flow": {"ipv4_cs_parameters": {"rule": {"dst": "10.0.0.1/8"}}}}})", "an address of 4"},
             {R"({"fields": {"ul_flow": {"ipv4_cs_parameters": {"rule": {"dst_ports": [1]}}}}})", "[low, high]"},
             {R"({"fields": {"ul_flow": {"ipv4_cs_parameters": {"rule": {"tos": [1, 2]}}}}})", "needed are 3 bytes"},
             {R"({"tlvs": [{"type": 0, "value": ""}]})", "a pad before the end marker"},
             {R"({"tlvs": [{"type": 77, "value": ")" + std::string(40'000, '0') + R"("}]})", "more than 16384 octets"}})
        EXPECT_NE(fault_of(json).find(part), std::string::npos) << json.substr(0, 100) << ": " << fault_of(json);
}

}  // namespace
}  // namespace wimax::pdu
