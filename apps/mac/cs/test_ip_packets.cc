// SPDX-License-Identifier: GPL-3.0-or-later
// Classification of IPv6 packets in addition to IPv4: fields, rules, flows, and the rules' way through a DSA message.
#include "mac/cs/classifier.h"
#include "mac/cs/destination_map.h"
#include "mac/flow/flow_parameters.h"

#include <gtest/gtest.h>

namespace wimax::mac {
namespace test_ip_packets {

constexpr IpAddress kHere{0x20010DB800000001, 0x1122334455667788}, kThere{0x20010DB800000002, 0x99AABBCCDDEEFF00};
constexpr IpAddress kFirst64{UINT64_MAX, 0};
constexpr uint8_t kUdp = 17, kRouting = 43, kFragment = 44, kNone = 59;

/// With the extension headers given, then UDP ports 1000 and 2000.
std::vector<uint8_t> ipv6_packet(uint8_t first_header, const std::vector<uint8_t>& extensions = {}) {
    std::vector<uint8_t> p(40);
    p[0] = 0x6B;
    p[1] = 0x84;  // traffic class B8, flow label 4...
    p[6] = first_header;
    const auto source = kHere.octets(), destination = kThere.octets();
    std::copy(source.begin(), source.end(), p.begin() + 8);
    std::copy(destination.begin(), destination.end(), p.begin() + 24);
    p.insert(p.end(), extensions.begin(), extensions.end());
    p.insert(p.end(), {0x03, 0xE8, 0x07, 0xD0, 0, 8, 0, 0});
    return p;
}

TEST(Ipv6Packets, Fields) {
    const auto fields = PacketFields::parse(ipv6_packet(kUdp));
    EXPECT_TRUE(fields.ipv6);
    EXPECT_FALSE(fields.ipv4);
    EXPECT_EQ(fields.tos, 0xB8);
    EXPECT_EQ(fields.protocol, kUdp);
    EXPECT_EQ(fields.source, kHere);
    EXPECT_EQ(fields.destination, kThere);
    EXPECT_TRUE(fields.has_ports);
    EXPECT_EQ(fields.source_port, 1000);
    EXPECT_EQ(fields.destination_port, 2000);
    auto cut = ipv6_packet(kUdp);
    cut.resize(43);
    EXPECT_FALSE(PacketFields::parse(cut).has_ports);
    cut.resize(39);
    EXPECT_FALSE(PacketFields::parse(cut).ipv6);
}

TEST(Ipv6Packets, PortsAreBehindExtensionHeaders) {
    std::vector<uint8_t> both(16 + 8);  // routing of 16 octets, then the first fragment
    both[0] = kFragment;
    both[1] = 1;
    both[16] = kUdp;
    both[19] = 1;  // more fragments
    auto fields = PacketFields::parse(ipv6_packet(kRouting, both));
    EXPECT_EQ(fields.protocol, kUdp);
    EXPECT_EQ(fields.destination_port, 2000);
    both[19] = 8;  // a later one
    fields = PacketFields::parse(ipv6_packet(kRouting, both));
    EXPECT_EQ(fields.protocol, kUdp);
    EXPECT_FALSE(fields.has_ports);
    EXPECT_TRUE(fields.ipv6);
    both[1] = 255;  // beyond the packet's end
    fields = PacketFields::parse(ipv6_packet(kRouting, both));
    EXPECT_FALSE(fields.has_ports);
    EXPECT_FALSE(PacketFields::parse(ipv6_packet(kNone)).has_ports);
}

TEST(Ipv6Packets, RulesOfTheirAddresses) {
    const auto fields = PacketFields::parse(ipv6_packet(kUdp));
    ClassifierConfig rule;
    rule.priority = 4;
    EXPECT_TRUE(matches(rule, fields));
    rule.source = {AddressMask(kHere, kFirst64)};
    rule.destination_ports = {{2000, 2000}};
    rule.tos = TosRange{0xB8, 0xB8, 0xFC};
    EXPECT_TRUE(matches(rule, fields));
    rule.source = {AddressMask(IpAddress(0x20010DB800000003, 0), kFirst64)};
    EXPECT_FALSE(matches(rule, fields));
    rule.source = {{0x0A000000, 0}};  // any IPv4 address
    EXPECT_FALSE(matches(rule, fields));
}

TEST(Ipv6Packets, AFlowTakesThoseOfItsConvergenceSublayer) {
    const auto v6 = PacketFields::parse(ipv6_packet(kUdp));
    std::vector<uint8_t> octets(28);
    octets[0] = 0x45;
    const auto v4 = PacketFields::parse(octets);
    ServiceFlowConfig flow;
    EXPECT_EQ(flow_match(flow, v4), 0);
    EXPECT_EQ(flow_match(flow, v6), -1);
    flow.cs = ConvergenceSublayer::ipv6;
    EXPECT_EQ(flow_match(flow, v4), -1);
    EXPECT_EQ(flow_match(flow, v6), 0);
    flow.classifiers.resize(1);
    flow.classifiers[0].priority = 7;
    EXPECT_EQ(flow_match(flow, v6), 7);
}

TEST(Ipv6Packets, HashesOfConnectionsDiffer) {
    auto other = ipv6_packet(kUdp);
    const auto hash = PacketFields::parse(other).hash();
    for (const size_t at : {size_t{8}, size_t{23}, size_t{24}, size_t{39}, size_t{41}, size_t{43}}) {
        other[at] ^= 1;
        EXPECT_NE(PacketFields::parse(other).hash(), hash) << at;
        other[at] ^= 1;
    }
    EXPECT_EQ(PacketFields::parse(other).hash(), hash);
}

TEST(Ipv6Packets, FlowsSurviveTheMessage) {
    ServiceFlowConfig flow;
    flow.direction = FlowDirection::uplink;
    flow.cs = ConvergenceSublayer::ipv6;
    flow.classifiers.resize(1);
    flow.classifiers[0].priority = 3;
    flow.classifiers[0].destination = {AddressMask(kThere, kFirst64)};
    flow.classifiers = bound_rules(flow, {{0x0A000100, 0xFFFFFF00}, AddressMask(kHere, kFirst64)});
    ASSERT_EQ(flow.classifiers[0].source.size(), 1U) << "of its own kind alone";
    EXPECT_EQ(flow.classifiers[0].source[0], AddressMask(kHere, kFirst64));
    DsaReq request, decoded;
    request.uplink = to_message(flow, 7, 900);
    EXPECT_EQ(request.uplink->cs_specification, kCsIpv6);
    EXPECT_TRUE(request.uplink->cs_ipv4.empty());
    Buffer octets;
    encode(request, octets);
    ASSERT_TRUE(decode(octets, decoded));
    ASSERT_EQ(decoded.uplink->cs_ipv6.size(), 1U);
    EXPECT_EQ(decoded.uplink->cs_ipv6[0].rule->destinations[0].address, kThere.octets());
    const auto back = from_message(*decoded.uplink, FlowDirection::uplink);
    EXPECT_EQ(back.cs, ConvergenceSublayer::ipv6);
    EXPECT_EQ(back.classifiers, flow.classifiers);
}

TEST(Ipv6Packets, Addresses) {
    EXPECT_TRUE(IpAddress(0x0A000001U).is_ipv4());
    EXPECT_EQ(IpAddress(0x0A000001U).ipv4(), 0x0A000001U);
    EXPECT_FALSE(kHere.is_ipv4());
    EXPECT_EQ(IpAddress(kHere.octets()), kHere);
    EXPECT_TRUE(kHere.is_unicast());
    EXPECT_FALSE(IpAddress(0xFF02000000000000, 2).is_unicast());
    EXPECT_FALSE(IpAddress().is_unicast());
    EXPECT_FALSE(IpAddress(0xE0000001U).is_unicast());
    EXPECT_TRUE(IpAddress(0xDFFFFFFFU).is_unicast());
}

TEST(Ipv6Packets, ClaimsOfBothKinds) {
    DestinationMap map;
    map.claim(1, AddressMask(kThere, kFirst64));
    map.claim(2, {0x0A000107, 0xFFFFFFFF});
    const auto claimants = [&](IpAddress address) {
        std::vector<uint16_t> out;
        map.claimants(address, [&](uint16_t station) { out.push_back(station); });
        return out;
    };
    EXPECT_EQ(claimants(IpAddress(kThere.high, 5)), std::vector<uint16_t>{1});
    EXPECT_EQ(claimants(0x0A000107U), std::vector<uint16_t>{2});
    EXPECT_TRUE(claimants(kHere).empty());
}

}  // namespace test_ip_packets
}  // namespace wimax::mac
