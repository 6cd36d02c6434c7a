// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/spec.h"

#include <gtest/gtest.h>

namespace wimax::iq {
namespace {

const char* const kDownlink = R"({"direction": "downlink", "bandwidth_hz": 5000000, "cp": "1/8", "bsid": "20E9FA102240",
    "frame_number": 13372794, "change_count": 127, "lead_in_samples": 10,
    "bursts": [{"rate_id": 4, "diuc": 0, "preamble": 0, "data_symbols": 6, "payload": "8DF1"},
               {"rate_id": 1, "diuc": 2, "preamble": 1, "data_symbols": 7, "payload": ""}]})";
const char* const kUplink = R"({"direction": "uplink", "bandwidth_hz": 5000000, "cp": "1/8", "bsid": "000000000001",
    "frame_number": 1, "uiuc": 7, "rate_id": 2, "data_symbols": 1, "payload": "4529"})";

Faults faults_of(const std::string& text, Purpose purpose = Purpose::generate) {
    const auto spec = parse_spec(text, "s.json", purpose);
    EXPECT_FALSE(spec) << text;
    return spec ? Faults{} : spec.error();
}

// The example with one piece of its text exchanged.
std::string with(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(Spec, Downlink) {
    const auto spec = parse_spec(kDownlink, "s.json", Purpose::generate);
    ASSERT_TRUE(spec) << spec.error().str();
    EXPECT_EQ(spec->bsid, 0x20E9FA102240U);
    EXPECT_EQ(spec->lead_in_samples, 10);
    EXPECT_EQ(spec->tail_samples, 0);
    ASSERT_EQ(spec->frames.size(), 1U);
    ASSERT_EQ(spec->frames[0].bursts.size(), 2U);
    EXPECT_EQ(frame_symbols(spec->frames[0]), 3 + 6 + 8);
    const auto& second = spec->frames[0].bursts[1].format;
    EXPECT_EQ(second.iuc, 2);
    EXPECT_EQ(second.bsid_lsb, 0);
    EXPECT_EQ(second.frame_lsb, 13372794 & 15);
    EXPECT_EQ(second.preamble, phy::Preamble::short_);
    EXPECT_EQ(spec->frames[0].bursts[0].payload, (std::vector<uint8_t>{0x8D, 0xF1}));
    EXPECT_TRUE(spec->warnings.empty());
}

TEST(Spec, UplinkDefaults) {
    const auto spec = parse_spec(kUplink, "s.json", Purpose::generate);
    ASSERT_TRUE(spec) << spec.error().str();
    const auto& format = spec->frames.at(0).bursts.at(0).format;
    EXPECT_EQ(format.subchannel_index, phy::kFullSubchannel);
    EXPECT_EQ(format.midamble_interval, 0);
    EXPECT_EQ(format.preamble, phy::Preamble::short_);
    const auto ranging = parse_spec(with(kUplink, "\"uiuc\"", "\"ranging\": true, \"uiuc\""), "s", Purpose::generate);
    EXPECT_EQ(ranging->frames[0].bursts[0].format.preamble, phy::Preamble::long_);
}

TEST(Spec, SeveralFrames) {
    const std::string text = R"({"direction": "downlink", "bandwidth_hz": 7e6, "cp": "1/4", "bsid": "00000000000f",
        "change_count": 3, "frame_duration_s": 0.005, "frames": [
          {"frame_number": 7, "bursts": [{"rate_id": 0, "data_symbols": 2, "payload": ""}]},
          {"frame_number": 8, "bursts": [{"rate_id": 1, "data_symbols": 3, "payload": "00"}]}]})";
    const auto spec = parse_spec(text, "s.json", Purpose::generate);
    ASSERT_TRUE(spec) << spec.error().str();
    EXPECT_TRUE(spec->several_frames);
    EXPECT_EQ(spec->frame_duration_code, 2);
    EXPECT_EQ(spec->frames.at(1).change_count, 3);
    EXPECT_EQ(spec->frames.at(1).bursts.at(0).format.frame_lsb, 8);
    EXPECT_NE(faults_of(with(text, "0.005", "0.006")).str().find("frame_duration_s"), std::string::npos);
    EXPECT_NE(faults_of(with(text, "\"data_symbols\": 3", "\"data_symbols\": 400")).str().find("frames[1].bursts"),
              std::string::npos);
}

TEST(Spec, DecodeNeedsLittle) {
    const auto spec = parse_spec(R"({"direction": "downlink", "bandwidth_hz": 5000000})", "s", Purpose::decode);
    ASSERT_TRUE(spec) << spec.error().str();
    EXPECT_FALSE(spec->cp);
    EXPECT_EQ(spec->diuc_rates[7], 6);
    EXPECT_EQ(spec->diuc_rates[8], -1);
    const auto rates = parse_spec(R"({"direction": "downlink", "bandwidth_hz": 5000000, "diuc_rates": {"11": 3}})", "s",
                                  Purpose::decode);
    EXPECT_EQ(rates->diuc_rates[11], 3);
    EXPECT_EQ(rates->diuc_rates[1], -1);
    // The generate spec serves as it is.
    EXPECT_TRUE(parse_spec(kDownlink, "s", Purpose::decode));
    EXPECT_TRUE(parse_spec(kUplink, "s", Purpose::decode));
}

TEST(Spec, OneFaultNamesFileKeyAndAllowedValues) {
    const auto check = [](const std::string& text, const char* key, const char* allowed) {
        const Faults faults = faults_of(text);
        ASSERT_EQ(faults.count(), 1U) << text;
        const std::string fault = faults.str();
        EXPECT_TRUE(fault.starts_with("s.json: ")) << fault;
        EXPECT_NE(fault.rfind(allowed), std::string::npos) << fault;
        EXPECT_LT(fault.find(key), fault.rfind(allowed)) << fault;
        EXPECT_EQ(fault.find('\n'), std::string::npos);
    };
    check(with(kDownlink, "\"downlink\"", "\"sideways\""), "direction", "downlink, uplink");
    check(with(kDownlink, "5000000", "100"), "bandwidth_hz", "1250000 to 28000000");
    check(with(kDownlink, "5000000", "\"5000000\""), "bandwidth_hz", "1250000 to 28000000");
    check(with(kDownlink, "1/8", "1/5"), "cp", "1/4, 1/8, 1/16, 1/32");
    check(with(kDownlink, "20E9FA102240", "20E9FA1022"), "bsid", "12 hex digits");
    check(with(kDownlink, "\"rate_id\": 1", "\"rate_id\": 7"), "bursts[1].rate_id", "0 to 6");
    check(with(kDownlink, "\"diuc\": 2", "\"diuc\": 13"), "bursts[1].diuc", "1 to 12");
    check(with(kDownlink, "\"preamble\": 1", "\"preamble\": 2"), "bursts[1].preamble", "0, 1");
    check(with(kDownlink, "\"preamble\": 0", "\"preamble\": 1"), "bursts[0].preamble", "0");
    check(with(kDownlink, "\"data_symbols\": 6", "\"data_symbols\": 0"), "bursts[0].data_symbols", "1 to 2047");
    check(with(kDownlink, "\"data_symbols\": 6, ", ""), "bursts[0].data_symbols", "missing");
    check(with(kDownlink, "\"data_symbols\": 6", "\"data_symbols\": 2040"), "bursts", "up to 2047");
    check(with(kDownlink, "8DF1", "8DF"), "bursts[0].payload", "hex");
    check(with(kDownlink, "8DF1", "8DFX"), "bursts[0].payload", "hex");
    check(with(kDownlink, "8DF1", std::string(2 * 432, '0')), "bursts[0].payload", "431");
    check(with(kDownlink, "13372794", "16777216"), "frame_number", "0 to 16777215");
    check(with(kDownlink, "13372794", "1.5"), "frame_number", "0 to 16777215");
    check(with(kUplink, "\"uiuc\": 7", "\"uiuc\": 16"), "uiuc", "0 to 15");
    check(with(kUplink, "\"uiuc\": 7", "\"subchannel_index\": 0, \"uiuc\": 7"), "subchannel_index", "1 to 31");
    check(with(kUplink, "\"data_symbols\": 1", "\"data_symbols\": 1023"), "data_symbols", "up to 1023");
    check("[]", "object", "direction");
    check("{", "byte", "allowed");
}

TEST(Spec, AllFaultsAtOnceAndUnknownKeysAreRefused) {
    auto text = with(with(kDownlink, "1/8", "1/5"), "\"rate_id\": 4", "\"rate_id\": -1");
    EXPECT_EQ(faults_of(text).count(), 2U);
    const auto refused = [](const std::string& changed) { return faults_of(changed).str(); };
    EXPECT_EQ(refused(with(kDownlink, "\"lead_in_samples\"", "\"lead_in_sample\"")),
              "s.json: lead_in_sample: unknown key, did you mean lead_in_samples?");
    EXPECT_EQ(refused(with(kDownlink, "\"rate_id\": 4", "\"rate_ids\": 1, \"rate_id\": 4")),
              "s.json: bursts[0].rate_ids: unknown key, did you mean rate_id?");
    EXPECT_NE(refused(with(kUplink, "\"uiuc\": 7", "\"colour\": 1, \"uiuc\": 7"))
                  .find("colour: unknown key; allowed: antenna, bandwidth_hz"),
              std::string::npos);
}

TEST(Hex, BothCases) {
    EXPECT_EQ(from_hex("0aF9"), (std::vector<uint8_t>{0x0A, 0xF9}));
    EXPECT_EQ(to_hex({0x0A, 0xF9}), "0AF9");
    EXPECT_FALSE(from_hex("0"));
    EXPECT_FALSE(from_hex("0g"));
}

TEST(Spec, BurstsBesideFramesAreNotDroppedSilently) {
    const auto spec = parse_spec(R"({"direction": "downlink", "bandwidth_hz": 5000000, "bursts": [{}], "frames": [
        {"bursts": [{"rate_id": 0, "data_symbols": 1}]}]})",
                                 "both.json", Purpose::decode);
    ASSERT_TRUE(spec) << spec.error().str();
    ASSERT_EQ(spec->warnings.size(), 1U);
    EXPECT_NE(spec->warnings[0].find("both.json: bursts: "), std::string::npos);
}

}  // namespace
}  // namespace wimax::iq
