// SPDX-License-Identifier: GPL-3.0-or-later
// Classification of Ethernet frames, with a VLAN's tag and without, and the rules' way through a DSA message.
#include "mac/cs/classifier.h"
#include "mac/flow/flow_parameters.h"

#include <gtest/gtest.h>

namespace wimax::mac {
namespace test_ethernet_frames {

constexpr uint64_t kThere = 0x02AABBCCDD01, kHere = 0x06112233EE02;

/// `tag`: priority 5, VLAN 0x123.
std::vector<uint8_t> frame(bool tag) {
    std::vector<uint8_t> f{0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0x01, 0x06, 0x11, 0x22, 0x33, 0xEE, 0x02};
    if (tag) f.insert(f.end(), {0x81, 0x00, 0xA1, 0x23});
    f.insert(f.end(), {0x88, 0xB5, 1, 2, 3});
    return f;
}
PacketFields fields_of(bool tag) { return PacketFields::parse(frame(tag), UserLink::ethernet); }

TEST(EthernetFrames, Fields) {
    const auto plain = fields_of(false), tagged = fields_of(true);
    for (const auto& fields : {plain, tagged}) {
        EXPECT_TRUE(fields.ethernet);
        EXPECT_FALSE(fields.ipv4 || fields.ipv6 || fields.has_ports);
        EXPECT_EQ(fields.destination, IpAddress::of_mac(kThere));
        EXPECT_EQ(fields.source, IpAddress::of_mac(kHere));
        EXPECT_EQ(fields.ethertype, 0x88B5);
    }
    EXPECT_FALSE(plain.tag);
    EXPECT_EQ(tagged.tag, 0xA123);
    auto cut = frame(true);
    cut.resize(17);
    EXPECT_FALSE(PacketFields::parse(cut, UserLink::ethernet).tag);
    cut.resize(13);
    EXPECT_FALSE(PacketFields::parse(cut, UserLink::ethernet).ethernet);
    EXPECT_FALSE(PacketFields::parse(frame(false)).ethernet) << "of IP's link";
}

TEST(EthernetFrames, AllConditionsMustHold) {
    const auto plain = fields_of(false), tagged = fields_of(true);
    ClassifierConfig rule;
    rule.source = {AddressMask::of_mac(kHere)};
    rule.destination = {AddressMask::of_mac(0x02AABB000000, 0xFFFFFF000000)};
    rule.ethertype = 0x88B5;
    EXPECT_TRUE(matches(rule, plain));
    EXPECT_TRUE(matches(rule, tagged));
    rule.vlan_id = 0x123;
    EXPECT_FALSE(matches(rule, plain));
    EXPECT_TRUE(matches(rule, tagged));
    rule.user_priority = PriorityRange{5, 6};
    EXPECT_TRUE(matches(rule, tagged));
    rule.user_priority = PriorityRange{6, 7};
    EXPECT_FALSE(matches(rule, tagged));
    rule.user_priority = PriorityRange{0, 4};
    EXPECT_FALSE(matches(rule, tagged));
    rule.user_priority.reset();
    rule.vlan_id = 0x124;
    EXPECT_FALSE(matches(rule, tagged));
    rule.vlan_id.reset();
    rule.ethertype = 0x0800;
    EXPECT_FALSE(matches(rule, tagged));
    rule.ethertype.reset();
    rule.source = {AddressMask::of_mac(kHere + 1)};
    EXPECT_FALSE(matches(rule, tagged));
}

TEST(EthernetFrames, AFlowTakesThoseOfItsConvergenceSublayer) {
    const auto plain = fields_of(false), tagged = fields_of(true);
    ServiceFlowConfig flow;
    EXPECT_EQ(flow_match(flow, plain), -1) << "of IPv4";
    flow.cs = ConvergenceSublayer::ipv6;
    EXPECT_EQ(flow_match(flow, plain), -1);
    flow.cs = ConvergenceSublayer::ethernet;
    EXPECT_EQ(flow_match(flow, plain), 0);
    EXPECT_EQ(flow_match(flow, tagged), 0);
    EXPECT_EQ(flow_match(flow, PacketFields::parse(std::vector<uint8_t>(28, 0x45))), -1);
    flow.cs = ConvergenceSublayer::vlan;
    EXPECT_EQ(flow_match(flow, plain), -1);
    EXPECT_EQ(flow_match(flow, tagged), 0);
}

TEST(EthernetFrames, HashesOfStationsAndTypesDiffer) {
    const auto hash = fields_of(false).hash();
    for (const size_t at : {size_t{0}, size_t{5}, size_t{6}, size_t{11}, size_t{13}}) {
        auto other = frame(false);
        other[at] ^= 2;
        EXPECT_NE(PacketFields::parse(other, UserLink::ethernet).hash(), hash) << at;
    }
}

TEST(EthernetFrames, FlowsSurviveTheMessage) {
    for (const auto cs : {ConvergenceSublayer::ethernet, ConvergenceSublayer::vlan}) {
        ServiceFlowConfig flow;
        flow.direction = FlowDirection::uplink;
        flow.cs = cs;
        flow.classifiers.resize(1);
        auto& rule = flow.classifiers[0];
        rule.destination = {AddressMask::of_mac(kThere), AddressMask::of_mac(kHere, 0xFFFF00000000)};
        rule.ethertype = 0x86DD;
        rule.user_priority = PriorityRange{2, 6};
        rule.vlan_id = 0xABC;
        flow.classifiers = bound_rules(flow, {{0x0A000100, 0xFFFFFF00}, AddressMask::of_mac(kHere)});
        ASSERT_EQ(flow.classifiers[0].source, std::vector<AddressMask>{AddressMask::of_mac(kHere)});
        DsaReq request, decoded;
        request.uplink = to_message(flow, 7, 900);
        Buffer octets;
        encode(request, octets);
        ASSERT_TRUE(decode(octets, decoded));
        EXPECT_EQ(decoded.uplink->cs_specification, static_cast<uint8_t>(cs));
        const auto& sent = cs == ConvergenceSublayer::vlan ? decoded.uplink->cs_vlan : decoded.uplink->cs_ethernet;
        ASSERT_EQ(sent.size(), 1U);
        EXPECT_EQ(sent[0].rule->vlan_id, 0xABC0) << "left justified";
        EXPECT_EQ(sent[0].rule->ethertype, (std::array<uint8_t, 3>{1, 0x86, 0xDD}));
        const auto back = from_message(*decoded.uplink, FlowDirection::uplink);
        EXPECT_EQ(back.cs, cs);
        EXPECT_EQ(back.classifiers, flow.classifiers);
    }
}

}  // namespace test_ethernet_frames
}  // namespace wimax::mac
