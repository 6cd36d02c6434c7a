// SPDX-License-Identifier: GPL-3.0-or-later
// Payload header suppression: heads that are not transmitted, and their encoding in DSA and DSC messages.
#include "mac/cs/header_suppression.h"

#include "mac/flow/agreed_flow.h"
#include "mac/flow/flow_parameters.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_header_suppression {

using Bytes = std::vector<uint8_t>;
Bytes bytes(Octets of) { return {of.begin(), of.end()}; }

HeaderRule rule_of(uint8_t phsi, Bytes field, Bytes mask, bool verify = true) {
    return {phsi, std::move(field), std::move(mask), verify, false};
}

TEST(HeaderSuppression, EthernetAddressesGoAndAnIndexComes) {
    Bytes frame(60);
    std::iota(frame.begin(), frame.end(), uint8_t{1});
    const std::vector<HeaderRule> rules{rule_of(7, Bytes(frame.begin(), frame.begin() + 12), {0xFF, 0xF0})};
    HeaderSuppression sender, receiver;
    const Bytes sdu = bytes(sender.send(frame, rules, 7));
    ASSERT_EQ(sdu.size(), 49U);
    EXPECT_EQ(sdu[0], 7);
    EXPECT_EQ(sdu[1], frame[12]);
    EXPECT_EQ(bytes(receiver.receive(sdu, rules, {})), frame);
    EXPECT_EQ(sender.counters().suppressed, 1U);
    EXPECT_EQ(sender.counters().octets_saved, 11U);
    EXPECT_EQ(receiver.counters().expanded, 1U);
}

TEST(HeaderSuppression, TheMasksHighestBitIsTheFirstOctet) {
    const std::vector<HeaderRule> rules{
        rule_of(1, {0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8}, {0x81, 0x80})};
    const Bytes packet{0xA0, 1, 2, 3, 4, 5, 6, 0xA7, 0xA8, 9};
    HeaderSuppression sender, receiver;
    const Bytes sdu = bytes(sender.send(packet, rules, 1));
    EXPECT_EQ(sdu, (Bytes{1, 1, 2, 3, 4, 5, 6, 9}));
    EXPECT_EQ(bytes(receiver.receive(sdu, rules, {})), packet);
}

TEST(HeaderSuppression, APacketMayGoAltogether) {
    const std::vector<HeaderRule> rules{rule_of(10, {1, 2}, {0xC0})};
    HeaderSuppression sender, receiver;
    const Bytes packet{1, 2};
    const Bytes sdu = bytes(sender.send(packet, rules, 10));
    EXPECT_EQ(sdu, (Bytes{10}));
    EXPECT_EQ(bytes(receiver.receive(sdu, rules, {})), packet);
    EXPECT_TRUE(receiver.receive(Bytes{0}, rules, {}).empty());
    EXPECT_TRUE(receiver.receive(Bytes{}, rules, {}).empty());
    EXPECT_EQ(receiver.counters().malformed, 2U);
}

TEST(HeaderSuppression, AnotherHeadGoesWhole) {
    std::vector<HeaderRule> rules{rule_of(1, {1, 2, 3, 4}, {0xC0})};
    HeaderSuppression sender, receiver;
    const Bytes other{1, 9, 3, 4, 5}, shorter{1, 2, 3};
    for (const auto& packet : {other, shorter}) {
        const Bytes sdu = bytes(sender.send(packet, rules, 1));
        ASSERT_EQ(sdu.size(), packet.size() + 1);
        EXPECT_EQ(sdu[0], 0);
        EXPECT_EQ(bytes(receiver.receive(sdu, rules, {})), packet);
    }
    EXPECT_EQ(bytes(sender.send(other, rules, 2))[0], 0);  // there is no such rule
    EXPECT_EQ(sender.counters().whole, 3U);
    rules[0].verify = false;  // without verification the head is assumed to match
    EXPECT_EQ(bytes(receiver.receive(bytes(sender.send(other, rules, 1)), rules, {})), (Bytes{1, 2, 3, 4, 5}));
    EXPECT_TRUE(sender.send(Bytes(HeaderSuppression::kMostOctets), rules, 1).empty());
}

TEST(HeaderSuppression, WhatNobodyCanExpandIsDroppedAndCounted) {
    const std::vector<HeaderRule> rules{rule_of(1, {1, 2, 3, 4}, {0x80})}, old{rule_of(2, {7}, {0x80})};
    HeaderSuppression receiver;
    EXPECT_TRUE(receiver.receive(Bytes{3, 1, 1, 1}, rules, old).empty());
    EXPECT_EQ(receiver.counters().unknown, 1U);
    EXPECT_EQ(bytes(receiver.receive(Bytes{2, 1}, rules, old)), (Bytes{7, 1}));  // deleted, but the SDU was in transit
    EXPECT_TRUE(receiver.receive(Bytes{1, 1, 1}, rules, old).empty());           // three octets at least
    EXPECT_TRUE(receiver.receive(Bytes{1}, rules, old).empty());
    Bytes longest(HeaderSuppression::kMostOctets + 1, 1);
    EXPECT_TRUE(receiver.receive(longest, rules, old).empty());
    EXPECT_EQ(receiver.counters().malformed, 3U);
    longest.pop_back();
    EXPECT_EQ(receiver.receive(longest, rules, old).size(), HeaderSuppression::kMostOctets);
}

TEST(HeaderSuppression, RandomRulesGiveBackThePacket) {
    std::mt19937 random(1);
    HeaderSuppression sender, receiver;
    for (int round = 0; round < 2000; ++round) {
        Bytes packet(1 + random() % 300);
        for (auto& octet : packet) octet = static_cast<uint8_t>(random());
        HeaderRule rule = rule_of(static_cast<uint8_t>(1 + random() % 255), packet, {});
        rule.field.resize(1 + random() % 255, 0x55);
        rule.mask.resize((rule.field.size() + 7) / 8);
        for (auto& bits : rule.mask) bits = static_cast<uint8_t>(random());
        if (random() % 4 == 0) rule.field[random() % rule.field.size()] ^= 1;
        const std::vector<HeaderRule> rules{rule};
        EXPECT_EQ(bytes(receiver.receive(bytes(sender.send(packet, rules, rule.phsi)), rules, {})), packet);
    }
    EXPECT_GT(sender.counters().suppressed, 500U);
    EXPECT_GT(sender.counters().whole, 500U);
}

ClassifierConfig voice_rule() {
    ClassifierConfig rule;
    rule.protocols = {17};
    rule.source = {{station_address(0), 0xFFFFFFFF}};
    rule.destination = {{kServer, 0xFFFFFFFF}};
    rule.source_ports = rule.destination_ports = {{4000, 4000}};
    rule.phsi = 3;
    return rule;
}

TEST(HeaderSuppression, TheReadyMadeFormIsWhatTheClassifierFixes) {
    ServiceFlowConfig flow;
    flow.classifiers = {voice_rule()};
    HeaderRule ready;
    ready.phsi = 3;
    ready.ipv4_udp = true;
    flow.phs = {ready};
    make_header_rules(flow);
    ASSERT_TRUE(usable(flow.phs[0]));
    EXPECT_FALSE(flow.phs[0].ipv4_udp);
    EXPECT_EQ(flow.phs[0].field.size(), 28U);
    EXPECT_EQ(suppressed_octets(flow.phs[0]), 16U);  // 1 + flags 2 + protocol 1 + addresses 8 + ports 4
    flow.classifiers[0].tos = TosRange{0xB8, 0xB8, 0xFF};
    EXPECT_EQ(suppressed_octets(ipv4_udp_rule(flow.classifiers[0], 3)), 17U);
    flow.classifiers[0].source[0] = {station_address(0), 0xFFFFFF00};  // a subnet, and a range
    flow.classifiers[0].source_ports = {{4000, 4001}};
    EXPECT_EQ(suppressed_octets(ipv4_udp_rule(flow.classifiers[0], 3)), 11U);
}

AgreedFlow flow_with(std::vector<HeaderRule> rules) {
    ServiceFlowConfig flow;
    flow.classifiers = {voice_rule()};
    flow.phs = std::move(rules);
    return agreed(flow, FlowState::active);
}

/// Through the octets of a message.
template <class Message> ServiceFlow on_air(ServiceFlow flow) {
    Message message, heard;
    message.downlink = std::move(flow);
    Buffer octets;
    encode(message, octets);
    EXPECT_TRUE(decode(octets, heard));
    return *heard.downlink;
}

TEST(HeaderRules, GoIntoDsaAndComeOut) {
    const auto rule = rule_of(3, {0x45, 1, 2, 3, 4, 5, 6, 7, 8}, {0x80, 0x80}, false);
    const AgreedFlow sent = flow_with({rule, rule_of(9, {1}, {0x80})});
    const AgreedFlow heard = agreed(on_air<DsaReq>(to_message(sent, 1, 700)), FlowDirection::downlink);
    EXPECT_EQ(heard.config.phs, sent.config.phs);
    EXPECT_EQ(heard.config.classifiers, sent.config.classifiers);
    EXPECT_EQ(heard.config.classifiers.at(0).phsi, 3);
    EXPECT_TRUE(heard.phs);
    EXPECT_EQ(heard.rule_indices.size(), 1U);
    EXPECT_EQ(*to_message(sent, 1, 700).policy & policy::kNoPhs, 0U);
    EXPECT_FALSE(agreed(on_air<DsaReq>(to_message(flow_with({}), 1, 700)), FlowDirection::downlink).phs);
    EXPECT_NE(*to_message(flow_with({}), 1, 700).policy & policy::kNoPhs, 0U);
}

TEST(HeaderRules, AreChangedByDsc) {
    const auto first = rule_of(3, {1, 2}, {0xC0}), second = rule_of(4, {5, 6}, {0x80});
    AgreedFlow flow = flow_with({first, second});
    ServiceFlowConfig wanted = flow.config;
    const auto other = rule_of(6, {1, 9}, {0xC0});
    wanted.phs = {other, rule_of(5, {7}, {0x80})};
    const auto message = on_air<DscReq>(change_message(flow, wanted, FlowState::active, 1, false));
    EXPECT_EQ(header_rules_of(message).size(), 4U);
    ASSERT_EQ(change(flow, message), confirmation::kSuccess);
    EXPECT_EQ(flow.config.phs, wanted.phs);
    EXPECT_EQ(flow.retired_rules, (std::vector{first, second}));

    const auto asked = [&](PhsAction action, const HeaderRule& rule) {
        ServiceFlow change;
        add_header_rules(change, ConvergenceSublayer::ipv4, {{action, rule}});
        return wimax::mac::change(flow, on_air<DscReq>(change));
    };
    EXPECT_EQ(asked(PhsAction::add, rule_of(6, {1}, {0x80})), confirmation::kHeaderSuppression);  // has other values
    EXPECT_EQ(asked(PhsAction::add, rule_of(3, {1}, {0x80})), confirmation::kHeaderSuppression);  // had other values
    EXPECT_EQ(asked(PhsAction::add, other), confirmation::kSuccess);
    EXPECT_EQ(asked(PhsAction::remove, second), confirmation::kHeaderSuppression);  // gone
    EXPECT_EQ(asked(PhsAction::set, second), confirmation::kSuccess);
    EXPECT_EQ(asked(static_cast<PhsAction>(9), second), confirmation::kUnrecognized);
    EXPECT_EQ(flow.config.phs.size(), 3U);
    EXPECT_EQ(asked(PhsAction::remove_all, {}), confirmation::kSuccess);
    EXPECT_TRUE(flow.config.phs.empty());
    EXPECT_EQ(flow.retired_rules.size(), 5U);
    // A flow that was set up without has no octet for an index.
    flow = flow_with({});
    EXPECT_EQ(asked(PhsAction::add, first), confirmation::kHeaderSuppression);
    EXPECT_EQ(agreed(flow.config, FlowState::active).phs, false);
}

}  // namespace test_header_suppression
