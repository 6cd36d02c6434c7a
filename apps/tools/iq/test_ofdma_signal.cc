// SPDX-License-Identifier: GPL-3.0-or-later
// OFDMA specs, maps and samples against the golden vectors.
#include "tools/iq/ofdma_generate.h"
#include "tools/iq/ofdma_map.h"
#include "tools/iq/spec.h"

#include <gtest/gtest.h>

#include <fstream>

namespace wimax::iq {
namespace {

using nlohmann::json;

const json& vector_case(const std::string& name) {
    static const json all = json::parse(std::ifstream(WIMAX_VECTORS "/phy_ofdma.json"));
    return all.at("cases").at(name);
}

json downlink() {
    return json::parse(R"({"phy": "ofdma1024", "direction": "downlink", "bandwidth_hz": 10000000, "cp": "1/8",
        "preamble_index": 2, "frame_number": 4711, "symbols": 29,
        "fch": {"subchannel_groups": 63, "map_repetition": 4, "map_code": "ctc"}, "map": "auto",
        "bursts": [{"symbol": 5, "subchannel": 0, "symbols": 4, "subchannels": 10, "code": "ctc-16qam-1/2",
                    "repetition": 1, "boosting_db": 0, "payload": "8DF1"},
                   {"symbol": 5, "subchannel": 10, "symbols": 4, "subchannels": 6, "code": "cc-qpsk-1/2",
                    "repetition": 2, "boosting_db": 3, "payload": "00"}], "lead_in_samples": 7, "tail_samples": 100000})");
}
json uplink() {
    return json::parse(R"({"phy": "ofdma1024", "direction": "uplink", "bandwidth_hz": 10000000, "cp": "1/8",
        "id_cell": 2, "ul_perm_base": 2, "frame_number": 4711, "symbols": 18, "rotation": true,
        "regions": [{"uiuc": 12, "symbol": 0, "subchannel": 0, "symbols": 3, "subchannels": 6}],
        "bursts": [{"first_slot": 0, "slots": 10, "code": "ctc-qpsk-1/2", "repetition": 1, "payload": "45"}],
        "ranging": [{"kind": "initial", "code": 3, "symbol": 0, "subchannel": 0, "delay_samples": 20, "gain_db": -6}]})");
}

std::string faults_of(const json& spec) {
    const auto parsed = parse_ofdma_spec(spec, "s.json");
    return parsed ? "" : parsed.error().str();
}
/// Faults after one value was replaced.
std::string faults_with(json spec, const char* pointer, const json& value) {
    spec[json::json_pointer(pointer)] = value;
    return faults_of(spec);
}

std::vector<Complex> samples_of(const json& spec) {
    const auto parsed = parse_ofdma_spec(spec, "s.json");
    EXPECT_TRUE(parsed) << parsed.error().str();
    const auto made = modulate(*parsed);
    EXPECT_TRUE(made);
    return *made;
}

void expect_sums(const json& expected, std::span<const Complex> samples) {
    std::complex<double> sum, sum_n;
    double power = 0;
    for (size_t n = 0; n < samples.size(); ++n) {
        sum += std::complex<double>(samples[n]);
        sum_n += static_cast<double>(n) * std::complex<double>(samples[n]);
        power += std::norm(samples[n]);
    }
    ASSERT_EQ(samples.size(), expected.at("samples").get<size_t>());
    const auto& s = expected.at("sum");
    const auto& m = expected.at("sum_n_times_x");
    EXPECT_NEAR(std::abs(sum - std::complex<double>(s[0].get<double>(), s[1].get<double>())), 0, 1e-2);
    EXPECT_NEAR(std::abs(sum_n - std::complex<double>(m[0].get<double>(), m[1].get<double>())), 0, 50);
    EXPECT_NEAR(power, expected.at("sum_abs2").get<double>(), 0.1);
}

DlMapMessage message_of_the_vector(const std::string& name) {
    const auto& in = vector_case(name).at("inputs");
    DlMapMessage map{in.at("frame_number").get<uint32_t>(),
                     in.at("dcd_count").get<uint8_t>(),
                     in.value("bsid", uint64_t{0}),
                     in.at("dl_symbols").get<uint8_t>(),
                     {}};
    for (const auto& ie : in.at("ies")) {
        if (ie.contains("extended")) continue;  // the CID_Switch_IE
        map.elements.push_back({ie.at("diuc").get<uint8_t>(),
                                ie.at("cids")[0].get<uint16_t>(),
                                {ie.at("symbol").get<int>(), ie.at("subchannel").get<int>(),
                                 ie.at("n_symbols").get<int>(), ie.at("n_subchannels").get<int>()},
                                0,
                                1});
    }
    return map;
}

TEST(OfdmaMap, MessageOfTheVector) {
    EXPECT_EQ(to_hex(encode_dl_map(message_of_the_vector("dl_map_message"))),
              vector_case("dl_map_message").at("outputs").at("pdu_with_header_and_crc"));
}

TEST(OfdmaMap, CompressedMapOfTheVectorWithoutUplink) {
    const auto& in = vector_case("compressed_map").at("inputs");
    DlMapMessage map = message_of_the_vector("compressed_map");
    map.bsid = in.at("operator_id").get<uint64_t>() << 24 | in.at("sector_id").get<uint64_t>();
    const auto octets = encode_compressed_dl_map(map);
    // The vector has an UL-MAP appended: another flag and length, further octets before the CRC.
    const auto whole = *from_hex(vector_case("compressed_map").at("outputs").at("octets").get<std::string>());
    EXPECT_EQ(octets[0], whole[0] & ~0x10);
    EXPECT_EQ(octets[1], octets.size());
    EXPECT_TRUE(std::equal(octets.begin() + 2, octets.end() - 4, whole.begin() + 2));
}

TEST(OfdmaMap, BoostingCodes) {
    EXPECT_EQ(boosting_code(0), 0);
    EXPECT_EQ(boosting_code(-12), 7);
    EXPECT_FALSE(boosting_code(1));
}

TEST(OfdmaSpec, DownlinkOfTheVector) {
    const auto& in = vector_case("dl_frame").at("inputs");
    json spec = downlink();
    spec["preamble_index"] = in.at("preamble_index");
    spec["symbols"] = in.at("data_symbols").get<int>() + 1;
    spec["map"] = in.at("dl_map_pdu");
    spec["bursts"] = json::array();
    for (const auto& burst : in.at("bursts"))
        spec["bursts"].push_back({{"symbol", burst.at("symbol")},
                                  {"subchannel", burst.at("subchannel")},
                                  {"symbols", burst.at("n_symbols")},
                                  {"subchannels", burst.at("n_subchannels")},
                                  {"code", ofdma::find_fec_code(burst.at("fec_code").get<int>())->name},
                                  {"payload", burst.at("payload")}});
    expect_sums(vector_case("dl_frame").at("outputs").at("time"), samples_of(spec));
}

TEST(OfdmaSpec, UplinkOfTheVector) {
    const auto& in = vector_case("ul_burst_16qam_with_region").at("inputs");
    json spec = uplink();
    spec["id_cell"] = in.at("idcell");
    spec["ul_perm_base"] = in.at("ul_perm_base");
    spec["frame_number"] = in.at("frame_number");
    spec["symbols"] = 12;
    spec["bursts"] = {{{"first_slot", in.at("first_slot")},
                       {"slots", in.at("slots")},
                       {"code", "ctc-16qam-1/2"},
                       {"payload", in.at("payload")}}};
    spec.erase("ranging");
    expect_sums(vector_case("ul_burst_16qam_with_region").at("outputs").at("time"), samples_of(spec));
}

TEST(OfdmaSpec, MapAnnouncesTheBursts) {
    const auto spec = parse_ofdma_spec(downlink(), "s.json");
    ASSERT_TRUE(spec) << spec.error().str();
    const auto& dl = std::get<OfdmaDownlink>(spec->signal);
    DlMapMessage map{4711, 0, 0, 28, {{1, {}, {5, 0, 4, 10}, 0, 1}, {2, {}, {5, 10, 4, 6}, 3, 2}}};
    EXPECT_EQ(dl.map, encode_dl_map(map));
    EXPECT_EQ(dl.map.size(), 6U + 13 + 9 + 4);
    EXPECT_EQ(dl.prefix.map_slots, 4 * 6);
    EXPECT_EQ(dl.prefix.repetition_code, 2);
    EXPECT_EQ(dl.prefix.coding, ofdma::MapCoding::ctc);
    json compressed = downlink();
    compressed["map"] = "compressed";
    const auto other = parse_ofdma_spec(compressed, "s.json");
    ASSERT_TRUE(other);
    EXPECT_EQ(std::get<OfdmaDownlink>(other->signal).map, encode_compressed_dl_map(map));
}

TEST(OfdmaSpec, SilenceBeforeAndAfter) {
    const auto spec = parse_ofdma_spec(downlink(), "s.json");
    ASSERT_TRUE(spec);
    std::vector<Complex> all;
    ASSERT_TRUE(generate(*spec, [&all](std::span<const Complex> part) {
        all.insert(all.end(), part.begin(), part.end());
        return Outcome{};
    }));
    EXPECT_EQ(all.size(), 7U + 29 * 1152 + 100000);
    EXPECT_EQ(all[6], Complex{});
    EXPECT_NE(all[7], Complex{});
    EXPECT_EQ(all.back(), Complex{});
}

TEST(OfdmaSpec, PathsOfStationsAreApplied) {
    json code_only = uplink(), early = uplink();
    code_only.erase("bursts");
    early.erase("bursts");
    early["ranging"][0]["delay_samples"] = 0;
    early["ranging"][0]["gain_db"] = 0;
    const auto late = samples_of(code_only), at_once = samples_of(early);
    ASSERT_EQ(late.size(), at_once.size() + 20);
    for (size_t i = 0; i < at_once.size(); ++i) ASSERT_NEAR(std::abs(late[i + 20] - at_once[i] * 0.50118723F), 0, 1e-6);
    early["ranging"][0]["cfo_hz"] = 1000;
    const auto turned = samples_of(early);
    EXPECT_NEAR(std::abs(turned[1120] - at_once[1120] * std::polar(1.0F, 0.62831853F)), 0, 1e-5);
}

TEST(OfdmaSpec, FaultsNameKeyValueAndRange) {
    const auto d = downlink(), u = uplink();
    EXPECT_EQ(faults_of(d), "");
    EXPECT_EQ(faults_of(u), "");
    const auto names = [](const std::string& faults, std::initializer_list<const char*> parts) {
        for (const char* part : parts) EXPECT_NE(faults.find(part), std::string::npos) << part << " in: " << faults;
    };
    names(faults_with(d, "/preamble_index", 114), {"preamble_index", "114", "0 to 113"});
    names(faults_with(d, "/symbols", 28), {"symbols", "28", "odd"});
    names(faults_with(d, "/symbols", 49), {"symbols", "49", "3 to 48"});
    names(faults_with(d, "/fch/map_code", "btc"), {"fch.map_code", "btc", "cc, ctc"});
    names(faults_with(d, "/fch/subchannel_groups", 2), {"fch.subchannel_groups", "2", "sums with 1"});
    names(faults_with(d, "/fch/map_repetition", 3), {"fch.map_repetition", "3", "1, 2, 4, 6"});
    names(faults_with(d, "/bursts/0/code", "ctc-16qam-2/3"), {"bursts[0].code", "ctc-16qam-1/2"});
    names(faults_with(d, "/bursts/0/repetition", 2), {"bursts[0].repetition", "2", "QPSK"});
    names(faults_with(d, "/bursts/0/symbol", 4), {"bursts[0].symbol", "4", "odd"});
    names(faults_with(d, "/bursts/0/symbols", 26), {"bursts[0].symbols", "26", "up to 24"});
    names(faults_with(d, "/bursts/1/subchannels", 21), {"bursts[1].subchannels", "21", "up to 20"});
    names(faults_with(d, "/bursts/0/payload", std::string(482, '0')), {"bursts[0].payload", "241 bytes", "240"});
    names(faults_with(d, "/bursts/0/boosting_db", 1), {"bursts[0].boosting_db", "-12"});
    names(faults_with(d, "/bursts/0/symbol", 1), {"bursts[0]", "overlaps FCH and map", "28 slots"});
    names(faults_with(d, "/bursts/1/subchannel", 9), {"bursts[1]", "overlaps bursts[0]"});
    names(faults_with(d, "/burst", 1), {"burst", "bursts"});
    names(faults_with(d, "/map", std::string(2000, '0')), {"map", "668 slots", "up to 255"});
    names(faults_with(u, "/symbols", 19), {"symbols", "19", "multiples of 3"});
    names(faults_with(u, "/ul_perm_base", 70), {"ul_perm_base", "70", "0 to 69"});
    names(faults_with(u, "/bursts/0/slots", 205), {"bursts[0].slots", "205", "1 to 204"});
    names(faults_with(u, "/ranging/0/kind", "first"), {"ranging[0].kind", "initial, periodic, bandwidth"});
    names(faults_with(u, "/ranging/0/subchannel", 30), {"ranging[0].subchannel", "30", "0 to 29"});
    names(faults_with(u, "/regions/0/subchannels", 36), {"regions[0].subchannels", "36", "1 to 35"});
    names(faults_with(u, "/regions/0",
                      {{"uiuc", 12}, {"symbol", 0}, {"subchannel", 0}, {"symbols", 18}, {"subchannels", 35}}),
          {"bursts[0].first_slot", "no data slot"});
    names(faults_with(u, "/direction", "both"), {"direction", "both", "downlink, uplink"});
    names(faults_with(u, "/bandwidth_hz", 1), {"bandwidth_hz"});
}

TEST(OfdmaSpec, OtherCommandsRefuseIt) {
    const auto spec = parse_spec(downlink().dump(), "s.json", Purpose::decode);
    ASSERT_FALSE(spec);
    EXPECT_NE(spec.error().str().find("phy: value \"ofdma1024\": allowed ofdm256"), std::string::npos)
        << spec.error().str();
    EXPECT_TRUE(is_ofdma(downlink()));
    EXPECT_FALSE(is_ofdma(json::object()));
}

}  // namespace
}  // namespace wimax::iq
