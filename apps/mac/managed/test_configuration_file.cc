// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration files: round trips, each reason for a refusal, and files that are damaged or of another owner.
#include <gtest/gtest.h>

#include "mac/managed/configuration_file.h"
#include "mac/pdu/dictionary.h"
#include "mac/pdu/tlv.h"
#include "mac/privacy/file_signature.h"

#include <random>

using namespace wimax::mac;

namespace test_mac_managed_file {

constexpr MacAddress kMac{2, 0, 0, 0, 0, 7}, kOther{2, 0, 0, 0, 0, 8};
const Buffer kKey{'k', 'e', 'y'};

Octets octets_of(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

TEST(FileSignature, IsThatOfRfc4231) {
    const auto signature = privacy::file_signature(octets_of("Jefe"), octets_of("what do ya want for nothing?"));
    ASSERT_TRUE(signature);
    const Buffer expected{0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24,
                          0x26, 0x08, 0x95, 0x75, 0xc7, 0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27,
                          0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
    EXPECT_TRUE(std::ranges::equal(*signature, expected));
    EXPECT_TRUE(privacy::is_signature(octets_of("Jefe"), octets_of("what do ya want for nothing?"), expected));
    EXPECT_FALSE(privacy::is_signature(octets_of("Jefe"), octets_of("what do ya want for nothing!"), expected));
    EXPECT_FALSE(privacy::file_signature({}, octets_of("x")));
}

ConfigurationFile a_file() {
    ConfigurationFile file;
    file.stations = {kOther, kMac};
    file.not_before_s = 1'700'000'000;
    file.not_after_s = 1'800'000'000;
    ServiceFlowConfig voice;
    voice.name = "voice";
    voice.direction = FlowDirection::uplink;
    voice.scheduling = SchedulingType::ugs;
    voice.max_sustained_rate_bps = 64'000;
    voice.max_latency_ms = 20;
    voice.piggyback = voice.contention_requests = false;
    ClassifierConfig rule;
    rule.destination_ports = {{5004, 5005}};
    voice.classifiers = {rule};
    ServiceFlowConfig data;
    data.name = "data";
    data.traffic_priority = 3;
    file.flows = {voice, data};
    return file;
}

/// A file of these settings, signed with the key.
Buffer signed_file(Buffer settings) {
    const auto signature = privacy::file_signature(kKey, settings);
    end_configuration_file(*signature, settings);
    return settings;
}

std::string reason(Octets file, std::optional<int64_t> time_s = {}) {
    const auto read = read_configuration_file(file, kKey, kMac, time_s);
    return read ? "read" : read.error().reason;
}

TEST(ConfigurationFileTest, IsReadAsItWasWritten) {
    const auto octets = write_configuration_file(a_file(), kKey);
    ASSERT_TRUE(octets);
    EXPECT_EQ(octets->size() % 4, 0U);
    const auto read = read_configuration_file(*octets, kKey, kMac, 1'750'000'000);
    ASSERT_TRUE(read) << read.error().reason;
    EXPECT_EQ(read->stations, a_file().stations);
    EXPECT_EQ(read->not_before_s, a_file().not_before_s);
    EXPECT_EQ(read->not_after_s, a_file().not_after_s);
    ASSERT_EQ(read->flows.size(), 2U);
    EXPECT_EQ(read->flows[0].name, "voice");
    EXPECT_EQ(read->flows[0].direction, FlowDirection::uplink);
    EXPECT_EQ(read->flows[0].scheduling, SchedulingType::ugs);
    EXPECT_EQ(read->flows[0].max_sustained_rate_bps, 64'000U);
    EXPECT_EQ(read->flows[0].max_latency_ms, 20U);
    ASSERT_EQ(read->flows[0].classifiers.size(), 1U);
    EXPECT_EQ(read->flows[0].classifiers[0].destination_ports, a_file().flows[0].classifiers[0].destination_ports);
    EXPECT_EQ(read->flows[1].direction, FlowDirection::downlink);
    EXPECT_EQ(read->flows[1].traffic_priority, 3);
    EXPECT_EQ(write_configuration_file(*read, kKey), octets);
}

TEST(ConfigurationFileTest, EachReasonForARefusal) {
    const Buffer file = *write_configuration_file(a_file(), kKey);
    EXPECT_EQ(reason(file), "valid for a time, and the time is not known");
    EXPECT_EQ(reason(file, 1'700'000'000), "read");
    EXPECT_EQ(reason(file, 1'699'999'999), "not valid yet");
    EXPECT_EQ(reason(file, 1'800'000'000), "read");
    EXPECT_EQ(reason(file, 1'800'000'001), "no longer valid");
    EXPECT_EQ(read_configuration_file(file, kKey, {2, 0, 0, 0, 0, 9}, {}).error().reason, "for another station");
    EXPECT_EQ(read_configuration_file(file, octets_of("kez"), kMac, {}).error().reason, "wrong signature");
    EXPECT_EQ(read_configuration_file(file, {}, kMac, {}).error().reason, "no key for its signature");
    EXPECT_EQ(reason(Buffer{255}), "no signature");
    EXPECT_EQ(reason(Buffer{}), "malformed: no end marker at byte 0");
    EXPECT_EQ(reason(Buffer(16'385, 0)), "malformed: more than 16384 octets at byte 16384");
}

TEST(ConfigurationFileTest, OtherSettingsAreSkipped) {
    EXPECT_EQ(reason(signed_file({})), "read") << "for any station";
    EXPECT_EQ(reason(signed_file({77, 2, 1, 2})), "read");
    EXPECT_EQ(reason(signed_file({143, 1, 9})), "read");
}

TEST(ConfigurationFileTest, MalformedSettingsAreRefusedWithAReason) {
    for (const auto& [settings, why] :
         std::vector<std::pair<Buffer, std::string>>{{{1, 5, 2, 0, 0, 0, 0}, "a MAC address"},
                                                     {{2, 4, 0, 0, 0, 1}, "a time"},
                                                     {{3, 8, 0x80, 0, 0, 0, 0, 0, 0, 0}, "a time"},
                                                     {{145, 3, 5, 9, 1}, "TLV runs over the end"},
                                                     {{145, 4, 3, 2, 'x', 'y'}, "a service flow"}}) {
        const std::string text = reason(signed_file(settings));
        EXPECT_TRUE(text.starts_with("malformed: ") && text.find(why) != std::string::npos) << text;
    }
    Buffer many;
    for (int i = 0; i < 17; ++i) many.insert(many.end(), {146, 0});
    EXPECT_EQ(reason(signed_file(many)), "malformed: more than 16 service flows");
    many.resize(32);
    EXPECT_EQ(reason(signed_file(many)), "read");
    ConfigurationFile too_many;
    too_many.flows.resize(17);
    EXPECT_FALSE(write_configuration_file(too_many, kKey));
}

TEST(ConfigurationFileTest, FormOfTheEnd) {
    Buffer file = signed_file({77, 1, 0});
    ASSERT_EQ(file.size(), 40U);
    ASSERT_EQ(file[37], 255);
    Buffer changed = file;
    changed[39] = 1;
    EXPECT_EQ(reason(changed), "malformed: octets after the end marker at byte 38");
    changed = file;
    changed.resize(37);
    EXPECT_EQ(reason(changed), "malformed: no end marker at byte 37");
    changed.insert(changed.end(), {77, 1, 0, 255});
    EXPECT_EQ(reason(changed), "malformed: a TLV after the signature at byte 37");
    EXPECT_EQ(reason(Buffer{0, 255}), "malformed: a pad before the end marker at byte 0");
    EXPECT_EQ(reason(Buffer{254, 1, 0, 255}), "malformed: a signature of another length at byte 0");
    changed = file;
    changed.resize(16'384);
    EXPECT_EQ(reason(changed), "read");
}

TEST(ConfigurationFileTest, NoChangedBitIsAccepted) {
    const Buffer file = *write_configuration_file(a_file(), kKey);
    for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
        Buffer wrong = file;
        wrong[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        EXPECT_NE(reason(wrong), "read") << bit;
    }
    for (size_t octets = 0; octets + 4 < file.size(); ++octets) EXPECT_NE(reason(Octets(file).first(octets)), "read");
}

/// An operator's tool may be wrong: a valid signature does not make settings well-formed.
TEST(ConfigurationFileTest, RandomSettingsWithAValidSignatureAreReadOrRefused) {
    std::mt19937 random(4);
    const Buffer whole = *write_configuration_file(a_file(), kKey);
    const auto settings = split_configuration_file(whole)->settings;
    size_t read = 0;
    for (int i = 0; i < 10'000; ++i) {
        Buffer damaged(settings.begin(), settings.end());
        for (unsigned k = 0; k < 1 + random() % 3; ++k)
            damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
        const std::string text = reason(signed_file(damaged), 1'750'000'000);
        // An end marker among the settings hides the signature.
        EXPECT_TRUE(text == "read" || text == "for another station" || text == "no signature" ||
                    text == "not valid yet" || text == "no longer valid" || text.starts_with("malformed: "))
            << text;
        read += text == "read";
    }
    EXPECT_GT(read, 100U);
    EXPECT_LT(read, 9'900U);
}

}  // namespace test_mac_managed_file
