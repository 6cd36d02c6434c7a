// SPDX-License-Identifier: GPL-3.0-or-later
// Structures against the golden messages: decode, look at values, encode to the same octets.
#include <gtest/gtest.h>

#include <algorithm>
#include "mac/pdu/cid.h"
#include "mac/pdu/fast_power.h"
#include "mac/pdu/pdu.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace wimax::mac {
namespace {

Buffer from_hex(std::string hex) {
    std::erase(hex, ' ');
    Buffer out;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        out.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return out;
}

Buffer vector(const std::string& name) {
    static const auto all = nlohmann::json::parse(std::ifstream(WIMAX_VECTORS "/mac_pdus.json"));
    for (const auto& v : all)
        if (v["name"] == name) return from_hex(v["hex"]);
    ADD_FAILURE() << "no vector " << name;
    return {};
}

Buffer body(const std::string& name) {
    const Buffer burst = vector(name);
    const auto pdu = PduReader(burst).next();
    EXPECT_TRUE(pdu) << name;
    return pdu ? Buffer(pdu->body.begin(), pdu->body.end()) : Buffer{};
}

/// Decodes a golden message and expects the encoder to give it back.
template <class M> M round_trip(const std::string& name) {
    const Buffer octets = body(name);
    M message;
    const auto result = decode(octets, message);
    EXPECT_TRUE(result) << name << ": " << result.error().detail;
    Buffer again;
    encode(message, again);
    EXPECT_EQ(again, octets) << name;
    return message;
}

TEST(Messages, Maps) {
    const auto dl = round_trip<DlMap>("dl_map_ofdm");
    EXPECT_EQ(dl.dcd_count, 3);
    EXPECT_EQ(dl.bs_id, 0x0216d0102030u);
    ASSERT_EQ(dl.ies.size(), 3u);
    EXPECT_EQ(dl.ies[1], (DlMapIe{33, 2, true, 9, {}}));
    const auto ul = round_trip<UlMap>("ul_map_ofdm");
    EXPECT_EQ(ul.alloc_start_ps, 8000u);
    ASSERT_EQ(ul.ies.size(), 4u);
    EXPECT_EQ(ul.ies[2].duration_symbols, 6);
    EXPECT_EQ(ul.ies[2].midamble, 1);
    const auto focused = round_trip<UlMap>("ul_map_focused_contention");
    EXPECT_EQ(focused.ies.at(1).focused, (FocusedContention{9, 1, 37, 5}));
}

TEST(Messages, Descriptors) {
    // 802.16e sent 0 in the channel ID octet; TLV order is the one of our encoder.
    const auto dcd = round_trip<Dcd>("dcd_ofdm");
    EXPECT_EQ(dcd.rss_ir_max_dbm, -76);
    EXPECT_EQ(dcd.frame_number, 0x012345u);
    ASSERT_EQ(dcd.profiles.size(), 3u);
    EXPECT_EQ(dcd.profiles[2].fec, 6);
    EXPECT_EQ(dcd.profiles[2].entry_threshold, 96);
    const auto ucd = round_trip<Ucd>("ucd_ofdm");
    EXPECT_EQ(ucd.ranging_backoff, (std::array<uint8_t, 2>{2, 6}));
    EXPECT_EQ(ucd.ranging_opportunity_ps, 560);
    EXPECT_EQ(ucd.profiles.at(2).focused_power_boost_db, 3);
}

TEST(Messages, Entry) {
    const auto req = round_trip<RngReq>("rng_req_initial");
    EXPECT_EQ(req.requested_profile, (RequestedProfile{3, 2}));
    EXPECT_EQ(req.ss_mac, (MacAddress{2, 0x16, 0xd0, 0xaa, 0xbb, 1}));
    const auto rsp = round_trip<RngRsp>("rng_rsp_continue");
    EXPECT_EQ(rsp.timing_adjust_samples, -40);
    EXPECT_EQ(rsp.power_adjust_qdb, 6);
    EXPECT_EQ(rsp.frequency_adjust_hz, -1250);
    EXPECT_EQ(rsp.status, RangingStatus::continue_ranging);
    RngRsp success;  // its TLVs are in another order than ours
    ASSERT_TRUE(decode(body("rng_rsp_success"), success));
    EXPECT_EQ(success.basic_cid, 33);
    EXPECT_EQ(success.primary_cid, 545);
    EXPECT_EQ(success.operational_profile, (OperationalProfile{2, 3}));
    SbcReq sbc;
    ASSERT_TRUE(decode(body("sbc_req_ofdm"), sbc));
    EXPECT_EQ(sbc.maximum_power, (std::array<uint8_t, 4>{168, 168, 160, 156}));
    EXPECT_EQ(sbc.current_transmit_power, 120);
    const auto reg = round_trip<RegReq>("reg_req_hmac");
    EXPECT_EQ(reg.cs_support, 10u);
    EXPECT_EQ(reg.hmac->ak_sequence, 1);
    EXPECT_EQ(round_trip<RegRsp>("reg_rsp_managed").secondary_cid, 1057);
    RegRsp managed;
    ASSERT_TRUE(decode(from_hex("0700 0107 120101 13020040 020101 05020421"), managed));
    EXPECT_EQ(managed.secondary_arq->arq_enable, 1);
    EXPECT_EQ(managed.secondary_arq->arq_window_blocks, 0x40);
    EXPECT_EQ(managed.secondary_cid, 1057);
    Buffer again;
    encode(managed, again);
    EXPECT_EQ(again, from_hex("0700 0107 120101 13020040 020101 05020421"));
}

/// Of a managed station (6.3.2.3.29 and 30).
TEST(Messages, ConfigurationFileComplete) {
    TftpCplt complete;
    ASSERT_TRUE(decode(from_hex("1f"), complete));
    EXPECT_FALSE(complete.hmac);
    complete.hmac = HmacTuple{};
    Buffer octets;
    encode(complete, octets);
    EXPECT_EQ(octets, from_hex("1f 9515" + std::string(42, '0')));
    TftpRsp answer;
    ASSERT_TRUE(decode(from_hex("2001"), answer));
    EXPECT_EQ(answer.response, 1);
    EXPECT_FALSE(decode(from_hex("20"), answer));
}

TEST(Messages, Reports) {
    RepReq request;
    ASSERT_TRUE(decode(from_hex("24 0106 0101c6 020105"), request));
    EXPECT_EQ(request.request, (ReportRequest{0xC6, 5}));
    RepRsp answer;
    answer.report = Report{5, 8, std::array<uint8_t, 2>{0x2D, 7}, std::array<uint8_t, 2>{0x2B, 0}};
    answer.current_transmit_power = 0xA8;
    Buffer octets;
    encode(answer, octets);
    EXPECT_EQ(octets, from_hex("25 010e 010105 040108 05022d07 06022b00 9301a8"));
    RepRsp again;
    ASSERT_TRUE(decode(octets, again));
    EXPECT_EQ(again, answer);
}

/// Result of is_text() for a service class name of these octets on the air.
bool is_name(const Buffer& octets) {
    DsaReq req;
    req.uplink.emplace();
    req.uplink->service_class = std::string(octets.size() - 1, 'x');  // and its zero
    Buffer message;
    encode(req, message);
    const Buffer placeholder(octets.size() - 1, 'x');
    const auto at = std::search(message.begin(), message.end(), placeholder.begin(), placeholder.end());
    std::copy(octets.begin(), octets.end(), at);
    DsaReq again;
    EXPECT_TRUE(decode(message, again));
    EXPECT_TRUE(again.uplink && again.uplink->service_class);
    Buffer repeated;
    encode(again, repeated);
    DsaReq third;
    EXPECT_TRUE(decode(repeated, third) && third == again) << "a structure comes back from its own encoding";
    return is_text(*again.uplink->service_class);
}

TEST(Messages, NamesEndWithTheirOneZero) {
    EXPECT_TRUE(is_name({'g', 0}));
    EXPECT_TRUE(is_name({'g', 'o', 'l', 'd', 0}));
    EXPECT_FALSE(is_name({'g', 'o', 'l', 'd'})) << "not terminated";
    EXPECT_FALSE(is_name({'g', 0, 'l', 0})) << "a zero within";
    EXPECT_FALSE(is_name({'g', 0, 0})) << "two zeros";
    EXPECT_FALSE(is_name({0, 0}));
    Buffer most(128, 'x'), more(129, 'x');
    EXPECT_FALSE(is_name(most));
    most.back() = more.back() = 0;
    EXPECT_TRUE(is_name(most));
    EXPECT_FALSE(is_name(more));
    EXPECT_FALSE(is_text(""));
}

TEST(Messages, ServiceFlows) {
    const auto req = round_trip<DsaReq>("dsa_req_bs_ul_rtps_ipv4");
    EXPECT_EQ(req.tid, 32769);
    ASSERT_TRUE(req.uplink);
    EXPECT_EQ(req.uplink->service_class, "gold");
    EXPECT_EQ(req.uplink->scheduling, Scheduling::rtps);
    ASSERT_EQ(req.uplink->cs_ipv4.size(), 1u);
    const auto& rule = *req.uplink->cs_ipv4[0].rule;
    EXPECT_EQ(rule.sources, (std::vector<Ipv4Mask>{{0x0a000000, 0xffffff00}}));
    EXPECT_EQ(rule.destination_ports, (std::vector<PortRange>{{5060, 5061}}));
    EXPECT_EQ(round_trip<DsaRsp>("dsa_rsp_ok").cc, 0);
    EXPECT_EQ(round_trip<DsaAck>("dsa_ack_ok").tid, 32769);
    EXPECT_EQ(round_trip<DsdReq>("dsd_req").sfid, 257u);
}

TEST(Messages, Others) {
    EXPECT_EQ(round_trip<DregCmd>("dreg_cmd_02").action, 2);
    const auto dbpc = round_trip<DbpcReq>("dbpc_req");
    EXPECT_EQ(dbpc.diuc, 3);
    EXPECT_EQ(dbpc.change_count, 7);
    const auto feedback = round_trip<ArqFeedback>("arq_feedback_msg");
    ASSERT_EQ(feedback.ies.size(), 2u);
    EXPECT_EQ(feedback.ies[1].maps[0], 61455);
    EXPECT_EQ(round_trip<ArqDiscard>("arq_discard"), (ArqDiscard{2050, 2047}));
    EXPECT_EQ(round_trip<ArqReset>("arq_reset_step0"), (ArqReset{2050, 0}));
    ArqReset confirmed;
    ASSERT_TRUE(decode(from_hex("23080280"), confirmed));
    EXPECT_EQ(confirmed.type, 2);
    EXPECT_EQ(message_type(body("dbpc_req")), MessageType::dbpc_req);
    EXPECT_FALSE(message_type(Buffer{8}));
}

TEST(Messages, FastPowerControl) {
    const auto adjust = [](const char* octets, uint16_t cid) -> Opt<int8_t> {
        const Buffer message = from_hex(octets);
        const auto control = FastPowerControl::read(message);
        return control ? control->adjust_qdb(cid) : Opt<int8_t>(99);
    };
    // Two stations: CID 0x0102 by -1 dB, CID 5 by 31.75 dB.
    constexpr auto kTwo = "26027e 0102fc 00057f";
    EXPECT_EQ(adjust(kTwo, 0x0102), -4);
    EXPECT_EQ(adjust(kTwo, 5), 127);
    EXPECT_EQ(adjust(kTwo, 6), std::nullopt);
    EXPECT_EQ(adjust(kTwo, 0x0200), std::nullopt) << "not across entries";
    EXPECT_EQ(adjust("260000", 5), std::nullopt);
    for (const auto* broken : {"26", "2601", "260100", "2601000005", "26010000057f00", "26ff00 00057f"})
        EXPECT_EQ(adjust(broken, 5), 99) << broken;
}

TEST(Messages, LenientWhereItIsSafe) {
    RegReq reg;  // CS support in four octets, an unknown TLV, a known one of wrong length
    ASSERT_TRUE(decode(from_hex("06 070400000002 c80101 0a020001"), reg));
    EXPECT_EQ(reg.cs_support, 2u);
    EXPECT_FALSE(reg.arq);
    EXPECT_TRUE(decode(from_hex("17f307"), *std::make_unique<DbpcReq>()));  // reserved bits
    RngRsp rsp;                                                             // length in a longer form than needed
    ASSERT_TRUE(decode(from_hex("0501 04820001 03"), rsp));
    EXPECT_EQ(rsp.status, RangingStatus::success);
}

/// Parameters of periodic allocations: numbers and lengths are from memory.
TEST(Messages, MulticastAssignments) {
    const Buffer octets = from_hex("154321 0102ff05 020101 030101 040412345678 050102 060103");
    McaReq request;
    ASSERT_TRUE(decode(octets, request));
    EXPECT_EQ(request.tid, 0x4321);
    EXPECT_EQ(request.multicast_cid, 0xFF05);
    EXPECT_EQ(request.assignment, 1);
    EXPECT_EQ(request.group_type, 1U);
    EXPECT_EQ(request.periodic_parameters, 0x12345678U);
    EXPECT_EQ(request.periodic_type, 2U);
    EXPECT_EQ(request.operation, 3U);
    Buffer again;
    encode(request, again);
    EXPECT_EQ(again, octets);
    const auto plain = [](const std::string& tlvs) {
        McaReq one;
        EXPECT_TRUE(decode(from_hex(("154321 0102ff05 020101" + tlvs).c_str()), one));
        return one.plain();
    };
    for (const auto* tlvs : {"", " 030100", " 060100", " 030100 040400000001 050101 060100"})
        EXPECT_TRUE(plain(tlvs)) << tlvs;
    for (const auto* tlvs : {" 030101", " 0301ff", " 040400000000", " 050100", " 060101", " 030100 060102"})
        EXPECT_FALSE(plain(tlvs)) << tlvs;
    EXPECT_FALSE(plain(" 03020001"));  // of another length
    EXPECT_FALSE(plain(" 060400000001"));
    McaReq longer;  // those count as absent
    ASSERT_TRUE(decode(from_hex("154321 03050000000001 04050000000001 05050000000001 06050000000001"), longer));
    EXPECT_FALSE(longer.group_type || longer.periodic_parameters || longer.periodic_type || longer.operation);
    EXPECT_FALSE(decode(from_hex("154321 0404000000"), longer));
}

/// A UL-MAP with entry on a subchannel: whatever its twelve bits mean, the next elements are read right.
TEST(Messages, MapElementsAfterASubchannelizedNetworkEntry) {
    for (const size_t entries : {1U, 2U}) {
        for (uint32_t bits = 0; bits < 1U << 12; bits += 37) {
            Buffer octets = from_hex("0300 01 00001f40");
            BitWriter out(octets);
            const auto element = [&](uint64_t cid, uint64_t start, uint64_t uiuc, uint64_t duration) {
                out.put(cid << 32 | start << 21 | uint64_t{16} << 16 | uiuc << 12 | duration << 2, 48);
            };
            for (size_t i = 0; i < entries; ++i) {
                element(0xFFFF, i, uiuc::kNetworkEntry, 4);
                out.put(bits, 12);
            }
            element(33, 6, uiuc::kFirstProfile, 9);
            element(0, 15, uiuc::kEndOfMap, 0);
            UlMap map;
            ASSERT_TRUE(decode(octets, map)) << bits;
            ASSERT_EQ(map.ies.size(), entries + 2) << bits;
            EXPECT_EQ(map.ies[0].uiuc, uiuc::kNetworkEntry);
            const UlMapIe& grant = map.ies[entries];
            EXPECT_EQ(grant.cid, 33);
            EXPECT_EQ(grant.start_symbols, 6);
            EXPECT_EQ(grant.uiuc, uiuc::kFirstProfile);
            EXPECT_EQ(grant.duration_symbols, 9);
            EXPECT_EQ(map.ies.back().start_symbols, 15);
            Buffer again;
            encode(map, again);
            EXPECT_EQ(again.size(), octets.size());
            EXPECT_EQ(Buffer(again.begin() + 3, again.end()), Buffer(octets.begin() + 3, octets.end())) << bits;
        }
    }
}

/// The message with a TLV at its end, of a type that the standard does not define.
template <class M> void expect_unknown_skipped(const std::string& name) {
    Buffer octets = body(name);
    M known, with;
    ASSERT_TRUE(decode(octets, known)) << name;
    for (const uint8_t octet : from_hex("c902abcd")) octets.push_back(octet);
    const auto result = decode(octets, with);
    EXPECT_TRUE(result) << name << ": " << (result ? "" : result.error().detail);
    EXPECT_EQ(with, known) << name;
}

/// The same at the end of a TLV of others, which begins with these octets: type, length and the first one in it.
template <class M> void expect_unknown_skipped_in(const std::string& name, const std::string& begin) {
    Buffer octets = body(name);
    M known, with;
    ASSERT_TRUE(decode(octets, known)) << name;
    const Buffer wanted = from_hex(begin), unknown = from_hex("c902abcd");
    const auto at = std::search(octets.begin(), octets.end(), wanted.begin(), wanted.end());
    ASSERT_NE(at, octets.end()) << name;
    const auto length = at[1];
    at[1] = static_cast<uint8_t>(length + unknown.size());
    octets.insert(at + 2 + length, unknown.begin(), unknown.end());
    const auto result = decode(octets, with);
    EXPECT_TRUE(result) << name << ": " << (result ? "" : result.error().detail);
    EXPECT_EQ(with, known) << name;
}

/// Equipment of other makers, and later editions, have further parameters.
TEST(Messages, UnknownParametersAreSkippedInEachMessage) {
    expect_unknown_skipped<Dcd>("dcd_ofdm");
    expect_unknown_skipped<Ucd>("ucd_ofdm");
    expect_unknown_skipped<RngReq>("rng_req_initial");
    expect_unknown_skipped<RngRsp>("rng_rsp_continue");
    expect_unknown_skipped<RngRsp>("rng_rsp_success");
    expect_unknown_skipped<SbcReq>("sbc_req_ofdm");
    expect_unknown_skipped<RegReq>("reg_req_hmac");
    expect_unknown_skipped<RegRsp>("reg_rsp_managed");
    expect_unknown_skipped<DsaReq>("dsa_req_bs_ul_rtps_ipv4");
    expect_unknown_skipped<DsaRsp>("dsa_rsp_ok");
    expect_unknown_skipped<DsaAck>("dsa_ack_ok");
    expect_unknown_skipped<DsdReq>("dsd_req");
    expect_unknown_skipped<DregCmd>("dreg_cmd_02");
}

/// A burst profile and a service flow with a parameter of another maker.
TEST(Messages, UnknownParametersAreSkippedInCompounds) {
    expect_unknown_skipped_in<Dcd>("dcd_ofdm", "010a01");
    expect_unknown_skipped_in<Ucd>("ucd_ofdm", "010a06");
    expect_unknown_skipped_in<DsaReq>("dsa_req_bs_ul_rtps_ipv4", "916801");
}

TEST(Messages, ErrorsNameTheOctet) {
    RngRsp rsp;
    auto result = decode(from_hex("0501 040103 0904"), rsp);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().offset, 5u);
    EXPECT_EQ(result.error().reason, Reason::length);
    DsaReq dsa;
    result = decode(from_hex("0b8001 9105 0104000001"), dsa);  // inner TLV longer than its compound
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().offset, 5u);
    DlMap map;
    result = decode(from_hex("0203"), map);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, Reason::truncated);
    EXPECT_FALSE(decode(Buffer{}, map));
    EXPECT_FALSE(decode(from_hex("03"), map));
}

TEST(Messages, RandomOctetsAndCuts) {
    std::mt19937 random(1);
    const Buffer dsa = body("dsa_req_bs_ul_rtps_ipv4");
    for (int i = 0; i < 20000; ++i) {
        Buffer octets = dsa;
        for (int flips = 0; flips < 3; ++flips)
            octets[1 + random() % (octets.size() - 1)] = static_cast<uint8_t>(random());
        octets.resize(1 + random() % octets.size());
        DsaReq message;
        (void)decode(octets, message);
    }
}

}  // namespace
}  // namespace wimax::mac
