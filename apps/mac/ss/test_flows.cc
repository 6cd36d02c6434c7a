// SPDX-License-Identifier: GPL-3.0-or-later
// A subscriber station's service flows: effect of DSA and DSD on the table, and their part of the uplink: grants filled
// in serving order, requests in them and in contention.
#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/test_listener.h"
#include "mac/flow_limits.h"
#include "mac/ss/contention.h"
#include "mac/ss/service_flow_agent.h"
#include "mac/ss/uplink_builder.h"
#include "mac/test_packets.h"

#include <set>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_flows {

struct Bench {
    Bench()
        : privacy(policy, {}, {clock, event, management}),
          flows({}, {clock, event, privacy}),
          agent({}, {clock, event, flows, management.queue}),
          contention({}, {clock, flows, management, random, bursts}),
          builder({}, {clock, flows, management, bursts}) {
        clock.sample_rate_hz = 5'760'000;
    }
    ServiceFlow parameters(uint32_t sfid, Scheduling type = Scheduling::best_effort) const {
        ServiceFlow flow;
        flow.sfid = sfid;
        flow.cid = static_cast<uint16_t>(1000 + sfid);
        flow.scheduling = type;
        if (type == Scheduling::ugs) flow.maximum_rate_bps = 1'000'000;
        return flow;
    }
    uint8_t add(uint32_t sfid, Scheduling type = Scheduling::best_effort) {
        return flows.add(parameters(sfid, type), FlowDirection::uplink, 57'600);
    }
    /// The response to a DSA-REQ; nothing if there is none.
    std::optional<DsaRsp> ask(const DsaReq& request) {
        management.queue.clear();
        agent.receive(request);
        return sent<DsaRsp>();
    }
    template <class Message> std::optional<Message> sent() {
        Buffer octets;
        PduWriter writer(octets, 2000);
        management.queue.fill(writer, 2000);
        PduReader reader(octets);
        const auto pdu = reader.next();
        Message message;
        if (!pdu || !decode(pdu->body, message)) return {};
        EXPECT_EQ(pdu->cid(), 325);
        return message;
    }
    void packets(size_t count, size_t octets, uint16_t cid) {
        for (size_t i = 0; i < count; ++i)
            ASSERT_TRUE(flows.find(cid)->transmitter->push(ip_packet(1, 2, octets), 0, clock.now));
    }
    UplinkBuilder::Result build(std::vector<UlMapIe> ies) {
        bursts.take_back(tx.bursts);
        flows.tick();
        return builder.build(uplink_with(std::move(ies)), 5, tx);
    }
    struct Contents {
        size_t data = 0;
        std::vector<BandwidthRequestHeader> requests;
        std::vector<uint16_t> cids;
    };
    Contents contents(size_t burst) const {
        Contents c;
        PduReader reader(tx.bursts.at(burst).payload);
        while (const auto pdu = reader.next()) {
            if (pdu->is_request) {
                c.requests.push_back(pdu->request);
            } else {
                c.data += pdu->octets.size();
                c.cids.push_back(pdu->cid());
            }
        }
        return c;
    }

    FrameClock clock;
    std::vector<std::string> lines;
    EventSink event{clock, [this](const Event& one) { lines.push_back(one.text); }};
    Backoff::Random random{1};
    BurstStore bursts;
    ManagementConnections management;
    SubscriberPrivacy policy;
    PrivacyAgent privacy;
    FlowTable flows;
    ServiceFlowAgent agent;
    RequestContention contention;
    UplinkBuilder builder;
    sap::TxFrame tx;
};

TEST(FlowTable, RefusesWithTheRightCode) {
    Bench b;
    EXPECT_EQ(b.add(1), confirmation::kSuccess);
    EXPECT_EQ(b.add(1), confirmation::kFlowExists);
    auto missing = b.parameters(2);
    missing.cid.reset();
    EXPECT_EQ(b.flows.add(missing, FlowDirection::uplink, 57'600), confirmation::kParameterMissing);
    auto other = b.parameters(2);
    other.cs_specification = 9;  // ATM
    EXPECT_EQ(b.flows.add(other, FlowDirection::uplink, 57'600), confirmation::kUnrecognized);
    for (uint32_t i = 2; i <= kMaxFlowsEachWay; ++i) EXPECT_EQ(b.add(i), confirmation::kSuccess);
    EXPECT_EQ(b.add(99), confirmation::kServiceLimit);
    EXPECT_EQ(b.flows.add(b.parameters(99), FlowDirection::downlink, 57'600), confirmation::kSuccess);
    EXPECT_EQ(b.lines.size(), 3U) << "the others are over the budget of their kind";
    EXPECT_EQ(b.lines[0], "uplink flow 1, CID 1001");
}

/// A base station may have fewer basic CIDs than ours.
TEST(FlowTable, AnyCidAboveTwoManagementCidsCanBeAFlow) {
    for (const auto& [cid, allowed] : {std::pair<uint16_t, bool>{0, false},
                                       {1, false},
                                       {2, false},
                                       {3, true},
                                       {129, true},
                                       {640, true},
                                       {cid::kLastTransport, true},
                                       {cid::kAasInitialRanging, false},
                                       {cid::kBroadcast, false}}) {
        Bench b;
        auto parameters = b.parameters(1);
        parameters.cid = cid;
        EXPECT_EQ(b.flows.add(parameters, FlowDirection::downlink, 57'600) == confirmation::kSuccess, allowed) << cid;
        EXPECT_EQ(b.flows.find(cid) != nullptr, allowed) << cid;
    }
}

/// 2..128 octets including one terminating zero.
TEST(FlowTable, NamesThatTheStandardDoesNotAllowAreRefused) {
    const std::string zero_within("a\0b", 3);
    for (const auto& name :
         {std::string(), zero_within, std::string("a\0", 2), std::string(128, 'x'), std::string(1000, 'x')}) {
        Bench b;
        auto one = b.parameters(1);
        one.service_class = name;
        for (const auto direction : {FlowDirection::uplink, FlowDirection::downlink})
            EXPECT_EQ(b.flows.add(one, direction, 57'600), confirmation::kUnrecognized) << name.size();
        EXPECT_EQ(b.add(1), confirmation::kSuccess);
        EXPECT_EQ(b.flows.change(one), confirmation::kUnrecognized) << name.size();
    }
    for (const auto& name : {std::string("x"), std::string(127, 'x'), std::string("\x1B[2J\n")}) {
        Bench b;
        auto one = b.parameters(1);
        one.service_class = name;
        EXPECT_EQ(b.flows.add(one, FlowDirection::uplink, 57'600), confirmation::kSuccess) << name.size();
        EXPECT_EQ(b.flows.change(one), confirmation::kSuccess) << name.size();
    }
}

TEST(FlowTable, OnlyAChangeThatWasMadeCanBeSettled) {
    Bench b;
    ASSERT_EQ(b.add(1), confirmation::kSuccess);
    const auto priority = [&b] { return int{b.flows.find(1001)->config.traffic_priority}; };
    for (const bool holds : {false, true}) {
        b.flows.settle(1, holds);
        b.flows.settle(2, holds);
        EXPECT_EQ(priority(), 0) << holds;
    }
    for (const bool holds : {true, false}) {
        auto other = b.parameters(1);
        other.qos_set_type = qos_set::kAdmitted | qos_set::kActive;
        other.traffic_priority = holds ? 3 : 5;
        ASSERT_EQ(b.flows.change(other), confirmation::kSuccess);
        b.flows.settle(2, false);
        b.flows.settle(1, holds);
        b.flows.settle(1, false);  // again, without a change
        EXPECT_EQ(priority(), 3) << holds;
    }
}

/// Each frame asks for these instead of looking at the flows.
TEST(FlowTable, KnowsDirectionsArqAndActivityOfItsFlowsAfterEachChange) {
    Bench b;
    const auto known = [&b] { return std::tuple(b.flows.both_ways(), b.flows.with_arq(), b.flows.all_up()); };
    EXPECT_EQ(known(), std::tuple(false, false, true));
    auto up = b.parameters(1);
    up.qos_set_type = qos_set::kProvisioned | qos_set::kAdmitted;
    ASSERT_EQ(b.flows.add(up, FlowDirection::uplink, 57'600), confirmation::kSuccess);
    EXPECT_EQ(known(), std::tuple(false, false, false));
    auto down = b.parameters(2);
    ServiceFlowConfig with_arq;
    with_arq.arq.enable = true;
    put_arq(with_arq.arq, down);
    ASSERT_EQ(b.flows.add(down, FlowDirection::downlink, 57'600), confirmation::kSuccess);
    EXPECT_EQ(known(), std::tuple(true, true, false));
    up.qos_set_type = qos_set::kAdmitted | qos_set::kActive;
    ASSERT_EQ(b.flows.change(up), confirmation::kSuccess);
    EXPECT_EQ(known(), std::tuple(true, true, true));
    b.flows.settle(1, false);
    EXPECT_EQ(known(), std::tuple(true, true, false)) << "undone";
    b.flows.remove(2);
    EXPECT_EQ(known(), std::tuple(false, false, false));
    b.flows.clear();
    EXPECT_EQ(known(), std::tuple(false, false, true));
}

TEST(FlowTable, ServingOrderAndCountersOfDeletedFlows) {
    Bench b;
    b.add(1);
    b.add(2, Scheduling::ugs);
    b.add(3, Scheduling::rtps);
    const auto& list = b.flows.flows();
    EXPECT_EQ(list[0]->sfid, 2U);
    EXPECT_EQ(list[1]->sfid, 3U);
    EXPECT_EQ(list[2]->sfid, 1U);
    b.packets(2, 100, 1001);
    b.build({element(11, 5, 0, 20)});
    EXPECT_EQ(b.flows.totals().ul_sdus, 2U);
    b.flows.clear();
    EXPECT_EQ(b.flows.totals().ul_sdus, 2U);
    EXPECT_EQ(b.flows.totals().ul_bytes, 200U);
    EXPECT_FALSE(b.flows.push(ip_packet(1, 2, 100)));
    EXPECT_EQ(b.flows.unclassified(), 1U);
}

TEST(ServiceFlowAgent, AnswersOnceAndAgain) {
    Bench b;
    DsaReq request;
    request.tid = 0x8001;
    request.uplink = b.parameters(7);
    EXPECT_FALSE(b.ask(request));  // not registered yet
    b.agent.start(325, 57'600);
    auto answer = b.ask(request);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->cc, confirmation::kSuccess);
    EXPECT_EQ(answer->uplink->cid, 1007);
    answer = b.ask(request);  // repeated: the same response, and no second flow
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->cc, confirmation::kSuccess);
    EXPECT_EQ(b.flows.flows().size(), 1U);
    DsaReq empty;
    empty.tid = 0x8002;
    EXPECT_EQ(b.ask(empty)->cc, confirmation::kParameterMissing);
    DsaReq both;  // a new one, and one without numbers: neither is kept
    both.tid = 0x8003;
    both.downlink = b.parameters(8);
    both.uplink.emplace();
    EXPECT_EQ(b.ask(both)->cc, confirmation::kParameterMissing);
    EXPECT_EQ(b.flows.flows().size(), 1U);
    both.tid = 0x8004;  // "SFID in use" is more specific than "parameter missing"
    both.downlink = b.parameters(7);
    DsaAck acknowledge;
    acknowledge.tid = 0x8001;
    b.agent.receive(acknowledge);
    EXPECT_EQ(b.ask(both)->cc, confirmation::kFlowExists);
    DsdReq gone;
    for (const uint16_t tid : {0x8005, 0x8006, 0x8005}) {
        gone.tid = tid;
        gone.sfid = 7;
        b.management.queue.clear();
        b.agent.receive(gone);
        EXPECT_EQ(b.sent<DsdRsp>()->cc, tid == 0x8005 ? confirmation::kSuccess : confirmation::kFlowNotFound);
    }
}

TEST(ServiceFlowAgent, UnacknowledgedFlowsGo) {
    Bench b;
    b.agent.start(325, 57'600);
    DsaReq request;
    request.tid = 0x8001;
    request.uplink = b.parameters(7);
    b.ask(request);
    for (int i = 0; i < 3; ++i) {
        b.clock.now += b.clock.from_ms(299);
        b.agent.run_timers();
        EXPECT_FALSE(b.sent<DsaRsp>());
        b.clock.now += b.clock.from_ms(1);
        b.agent.run_timers();
        EXPECT_TRUE(b.sent<DsaRsp>()) << i;
    }
    b.clock.now += b.clock.from_ms(300);
    b.agent.run_timers();
    EXPECT_TRUE(b.flows.flows().empty());
    EXPECT_EQ(b.lines.back(), "no acknowledgement (T8), flow 7 deleted");
    EXPECT_EQ(b.sent<DsdReq>()->sfid, 7U);  // the base station may have it
    EXPECT_EQ(b.ask(request)->cc, confirmation::kAddAborted);
    request.tid = 0x8002;
    request.uplink = b.parameters(8);
    b.ask(request);
    DsaAck ack;
    ack.tid = 0x8002;
    b.agent.receive(ack);
    b.management.queue.clear();
    b.clock.now += b.clock.from_ms(500);
    b.agent.run_timers();
    EXPECT_EQ(b.flows.flows().size(), 1U);
    EXPECT_FALSE(b.sent<DsaRsp>());
}

/// 108 octets per symbol at 64-QAM 3/4; a burst loses one octet to the tail.
TEST(UplinkBuilder, GrantsAreFilledInServingOrder) {
    Bench b;
    b.add(1);
    b.add(2, Scheduling::ugs);
    b.packets(10, 1000, 1001);
    b.packets(1, 200, 1002);
    EXPECT_FALSE(b.build({element(11, 6, 0, 11)}).granted);
    const auto result = b.build({element(9, 6, 0, 3), element(11, 5, 10, 6), element(14, 0, 16, 0)});
    EXPECT_TRUE(result.granted);
    EXPECT_TRUE(result.could_ask);
    ASSERT_EQ(b.tx.bursts.size(), 1U);
    EXPECT_EQ(b.tx.bursts[0].start_slot, 7200U + 720);
    EXPECT_EQ(b.tx.bursts[0].format.rate_id, 6);
    EXPECT_EQ(b.tx.bursts[0].format.data_symbols, 5);
    const auto c = b.contents(0);
    EXPECT_EQ(c.cids, (std::vector<uint16_t>{1002, 1001}));
    ASSERT_EQ(c.requests.size(), 0U);  // the rest was requested by piggyback
    EXPECT_EQ(b.builder.counters().piggyback_requests, 1U);
    EXPECT_EQ(b.builder.counters().capacity_bytes, bytes_in(6, 5));
    EXPECT_EQ(c.data, bytes_in(6, 5));
    const auto& flow = *b.flows.find(1001);
    EXPECT_GE(flow.request.octets() + 40, flow.demand());
}

TEST(UplinkBuilder, WhatNoDataCarryIsAskedForInAHeader) {
    Bench b;
    b.add(1);
    b.packets(1, 1000, 1001);
    const auto result = b.build({element(5, 5, 0, 2)});  // one symbol of BPSK: 11 octets
    EXPECT_TRUE(result.could_ask);
    const auto c = b.contents(0);
    EXPECT_EQ(c.data, 0U);
    ASSERT_EQ(c.requests.size(), 1U);
    EXPECT_EQ(c.requests[0].cid, 1001);
    EXPECT_EQ(c.requests[0].type, RequestType::aggregate);
    EXPECT_EQ(c.requests[0].br, b.flows.find(1001)->demand());
    b.build({element(5, 5, 0, 2)});
    EXPECT_TRUE(b.contents(0).requests.empty());  // it is known
    b.clock.now += b.clock.from_ms(100);          // T16
    b.flows.expire_requests();
    b.build({element(5, 5, 0, 2)});
    EXPECT_EQ(b.contents(0).requests.size(), 1U);
    EXPECT_FALSE(b.build({element(9, 5, 0, 1)}).granted);  // a preamble alone
    EXPECT_EQ(b.builder.counters().grants_unusable, 1U);
    EXPECT_EQ(b.builder.counters().grants, 3U);
}

/// T16 runs from the oldest request that may be lost.
TEST(RequestRecord, LaterPiggybackDoesNotProlongT16) {
    RequestRecord record;
    record.incremental_sent(100, 0, 1000);
    record.incremental_sent(100, 600, 1000);
    record.expire(999);
    EXPECT_EQ(record.octets(), 200U);
    record.expire(1000);
    EXPECT_EQ(record.octets(), 0U);
    EXPECT_TRUE(record.needs_aggregate(300));
}

TEST(RequestContention, AsksOnceAndAgainWhenNoGrantCame) {
    Bench b;
    b.add(1);
    Ucd ucd = lab_ucd();
    const auto frame = [&] {
        b.bursts.take_back(b.tx.bursts);
        b.contention.on_map(5);
        b.contention.add_request(uplink_with({element(2, cid::kBroadcast, 30, 4)}), terms_of(ucd), 5, b.tx);
        return b.tx.bursts.size();
    };
    EXPECT_EQ(frame(), 0U);  // nothing to ask for
    b.packets(1, 500, 1001);
    EXPECT_EQ(frame(), 1U);
    EXPECT_EQ(b.tx.bursts[0].start_slot, 7200U + 30 * 72);
    EXPECT_EQ(b.tx.bursts[0].format.iuc, uiuc::kReqRegionFull);
    const auto c = b.contents(0);
    ASSERT_EQ(c.requests.size(), 1U);
    EXPECT_EQ(c.requests[0].br, 522U);  // sent in two pieces: 10 and 12 octets of overhead
    EXPECT_EQ(c.requests[0].cid, 1001);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(frame(), 0U) << i;  // the reservation timeout: four maps
    EXPECT_EQ(frame(), 1U);
    EXPECT_EQ(b.contention.counters().lost, 1U);
    b.contention.spare();
    EXPECT_EQ(frame(), 0U);  // the base station's record still holds it
    b.flows.find(1001)->request.lost();
    EXPECT_EQ(frame(), 1U);
    EXPECT_EQ(b.contention.counters().requests, 3U);
}

/// Sixteen more tries, then the packet is dropped.
TEST(RequestContention, GivesUpThePacketThatCannotBeAskedFor) {
    Bench b;
    b.add(1);
    b.packets(1, 500, 1001);
    const Ucd ucd = lab_ucd();
    int frames = 0;
    for (; frames < 1000 && b.flows.find(1001)->demand() > 0; ++frames) {
        b.bursts.take_back(b.tx.bursts);
        b.contention.on_map(5);
        b.contention.add_request(uplink_with({element(2, cid::kBroadcast, 30, 2)}), terms_of(ucd), 5, b.tx);
    }
    EXPECT_EQ(b.contention.counters().requests, 17U);
    EXPECT_EQ(frames, 17 * 5 + 1);
    EXPECT_EQ(b.flows.find(1001)->transmitter->counters().dropped_contention, 1U);
}

/// Whatever its policy (6.3.5.2.1).
TEST(RequestContention, UgsNeverAsks) {
    Bench b;
    b.add(1, Scheduling::ugs);
    b.packets(1, 500, 1001);
    ASSERT_TRUE(b.flows.find(1001)->config.contention_requests);
    b.contention.add_request(uplink_with({element(2, cid::kBroadcast, 30, 2)}), terms_of(lab_ucd()), 5, b.tx);
    EXPECT_EQ(b.contention.counters().requests, 0U);
}

/// A station that sends codes in a region of one opportunity per frame.
struct FocusedBench : Bench {
    FocusedBench() {
        add(1);
        packets(1, 500, 1001);
        clock.frame = phy::FrameNumber(100);
    }
    void frame(std::optional<FocusedContention> answer = {}) {
        tx.frame_number = clock.frame;
        bursts.take_back(tx.bursts);
        tx.codes.clear();
        contention.on_map(5);
        there.focused = answer.value_or(FocusedContention{});
        std::vector<UlMapIe> ies{element(uiuc::kReqRegionFocused, cid::kBroadcast, 30, kFocusedOpportunitySymbols)};
        if (answer) ies.push_back(there);
        auto terms = terms_of(ucd);
        terms.narrow = narrow;
        contention.add_request(uplink_with(ies), terms, 5, tx);
        if (!tx.codes.empty()) code = {clock.frame.lsb(), 0, tx.codes[0].what.channel, tx.codes[0].what.code};
        clock.frame = clock.frame + 1;
    }
    /// Codes that it sends.
    std::set<int> drawn() {
        std::set<int> all;
        for (int i = 0; i < 300; ++i) {
            contention.forget();
            frame();
            EXPECT_EQ(tx.codes.size(), 1U);
            all.insert(code.code);
        }
        return all;
    }
    Ucd ucd = lab_ucd();
    bool narrow = false;
    UlMapIe there = element(uiuc::kFocusedContention, cid::kBroadcast, 40, 2);  ///< of the answer
    FocusedContention code;
};

/// UCD TLV 151 from 0 to 8. If one set of codes is empty, all stations use the other; a larger value counts as absent.
TEST(RequestContention, CodesAreOfTheSetForTheStationsWidth) {
    const auto from_to = [](int first, int end) {
        std::set<int> codes;
        for (int code = first; code < end; ++code) codes.insert(code);
        return codes;
    };
    FocusedBench b;
    for (int announced = -1; announced <= 255; ++announced) {
        b.ucd.focused_codes = static_cast<uint8_t>(announced);
        if (announced < 0) b.ucd.focused_codes.reset();
        const bool both = announced > 0 && announced < 8;
        b.narrow = true;
        ASSERT_EQ(b.drawn(), both ? from_to(0, announced) : from_to(0, 8)) << announced;
        b.narrow = false;
        ASSERT_EQ(b.drawn(), both ? from_to(announced, 8) : from_to(0, 8)) << announced;
        if (announced == 10) announced = 250;
    }
}

/// Preamble and 7 octets of BPSK 1/2 on 8, 4, 2 and 1 subchannels; an answer that cannot hold them is none.
TEST(RequestContention, AnAnswerOnSubchannelsIsUsedThere) {
    struct Case {
        uint8_t subchannel;
        uint16_t symbols;
    };
    for (const auto& c : {Case{8, 3}, Case{24, 3}, Case{4, 4}, Case{28, 4}, Case{2, 6}, Case{30, 6}, Case{1, 11},
                          Case{31, 11}, Case{16, 2}, Case{0, 2}}) {
        SCOPED_TRACE(int{c.subchannel});
        for (const int missing : {1, 0}) {
            FocusedBench b;
            b.there.subchannel = c.subchannel;
            b.there.duration_symbols = static_cast<uint16_t>(c.symbols - missing);
            b.frame();
            b.frame(b.code);
            ASSERT_EQ(b.tx.bursts.size(), missing == 0 ? 1U : 0U);
            if (missing != 0) continue;
            const auto& burst = b.tx.bursts[0];
            EXPECT_EQ(burst.format.subchannel_index, c.subchannel == 0 ? kAllSubchannels : c.subchannel);
            EXPECT_EQ(burst.format.data_symbols, c.symbols - 1);
            EXPECT_EQ(burst.format.total_symbols(), c.symbols);
            EXPECT_EQ(burst.format.rate_id, 0);
            EXPECT_EQ(burst.start_slot, phy::Slot(7200).after(40, 72));
            PduReader reader(burst.payload);
            const auto pdu = reader.next();
            ASSERT_TRUE(pdu);
            EXPECT_TRUE(pdu->is_request);
            EXPECT_EQ(pdu->request.cid, 1001);
            EXPECT_EQ(b.contention.counters().requests, 1U);
        }
    }
}

TEST(RequestContention, AnswersOfOtherCodesAreNotTaken) {
    FocusedBench b;
    b.frame();
    ASSERT_EQ(b.contention.counters().codes, 1U);
    for (uint8_t* part : {&b.code.opportunity, &b.code.channel, &b.code.code}) {  // before the timeout: four maps
        *part ^= 1;
        b.frame(b.code);
        *part ^= 1;
        EXPECT_TRUE(b.tx.bursts.empty());
    }
    b.frame(b.code);
    EXPECT_EQ(b.tx.bursts.size(), 1U);
    EXPECT_EQ(b.contention.counters().answered, 1U);
    EXPECT_EQ(b.contention.counters().lost, 0U);
}

TEST(RequestContention, ACodeThatIsNotAnsweredIsFollowedByAnother) {
    FocusedBench b;
    for (int i = 0; i < 5; ++i) b.frame();
    EXPECT_EQ(b.contention.counters().codes, 1U);
    EXPECT_EQ(b.contention.counters().lost, 0U);
    const auto late = b.code;
    for (int i = 0; i < 3; ++i) b.frame();  // the window grows: one of two opportunities
    EXPECT_EQ(b.contention.counters().codes, 2U);
    EXPECT_EQ(b.contention.counters().lost, 1U);
    b.frame(late);
    EXPECT_EQ(b.contention.counters().requests, 0U);
    b.frame(b.code);
    EXPECT_EQ(b.contention.counters().requests, 1U);
}

/// An outstanding request, a code, and failed attempts: contention restarts after forgetting any of them.
TEST(RequestContention, WhatIsForgottenIsNotWaitedFor) {
    for (const auto drop : {&RequestContention::spare, &RequestContention::forget})
        for (const int frames : {1, 2, 4}) {  // within the timeout: four maps
            FocusedBench b;
            for (int i = 0; i < frames; ++i) b.frame();
            ASSERT_EQ(b.contention.counters().codes, 1U);
            const auto former = b.code;
            (b.contention.*drop)();
            b.frame(former);
            EXPECT_TRUE(b.tx.bursts.empty()) << "addressed to no station";
            EXPECT_EQ(b.contention.counters().answered, 0U);
            EXPECT_EQ(b.contention.counters().codes, 2U) << "at once";
            EXPECT_EQ(b.contention.counters().lost, 0U);
        }
    for (const auto drop : {&RequestContention::spare, &RequestContention::forget})
        for (const int maps : {0, 1, 3}) {
            Bench b;
            b.add(1);
            b.packets(1, 500, 1001);
            const Ucd ucd = lab_ucd();
            const auto frame = [&] {
                b.bursts.take_back(b.tx.bursts);
                b.contention.on_map(5);
                b.contention.add_request(uplink_with({element(2, cid::kBroadcast, 30, 2)}), terms_of(ucd), 5, b.tx);
                return b.tx.bursts.size();
            };
            EXPECT_EQ(frame(), 1U);
            for (int i = 0; i < maps; ++i) EXPECT_EQ(frame(), 0U);
            (b.contention.*drop)();
            for (int i = 0; i < 10; ++i) EXPECT_EQ(frame(), 0U) << "it is asked for";
            EXPECT_EQ(b.contention.counters().lost, 0U) << "no request waited";
            EXPECT_GT(b.flows.find(1001)->request.octets(), 0U);
            b.flows.find(1001)->request.lost();
            EXPECT_EQ(frame(), 1U);
            for (int i = 0; i < maps; ++i) EXPECT_EQ(frame(), 0U);
            (b.contention.*drop)();
            b.flows.find(1001)->request.lost();
            EXPECT_EQ(frame(), 1U) << "at once, after " << maps << " maps";
        }
}

/// The window that grew with attempts, and the backoff drawn from it, are discarded as well.
TEST(RequestContention, AfterItForgetsTheFirstWindowIsDrawnFrom) {
    FocusedBench b;
    b.ucd.request_backoff = {0, 10};
    for (int i = 0; i < 2000 && b.contention.counters().lost < 8; ++i) b.frame();
    ASSERT_EQ(b.contention.counters().lost, 8U);
    for (int i = 0; i < 20; ++i) {
        b.contention.forget();
        const uint64_t before = b.contention.counters().codes;
        b.frame();
        EXPECT_EQ(b.contention.counters().codes, before + 1) << i;
    }
}

/// T16 of each way to request: in a header of a grant, by piggyback, in contention. Tests the last millisecond before
/// the request is lost.
TEST(RequestRecord, T16EndsEachRequest) {
    enum class Way { header, piggyback, contention };
    for (const auto way : {Way::header, Way::piggyback, Way::contention}) {
        Bench b;
        b.add(1);
        b.packets(way == Way::piggyback ? 10 : 1, 1000, 1001);
        if (way == Way::contention)
            b.contention.add_request(uplink_with({element(2, cid::kBroadcast, 30, 2)}), terms_of(lab_ucd()), 5, b.tx);
        else b.build({way == Way::header ? element(5, 5, 0, 2) : element(11, 5, 10, 6)});
        EXPECT_EQ(b.builder.counters().piggyback_requests, way == Way::piggyback);
        EXPECT_EQ(b.builder.counters().aggregate_requests, way == Way::header);
        const auto& record = b.flows.find(1001)->request;
        const size_t asked = record.octets();
        EXPECT_GT(asked, 0U);
        b.clock.now += b.clock.from_ms(100) - 1;
        b.flows.expire_requests();
        EXPECT_EQ(record.octets(), asked) << int(way);
        EXPECT_FALSE(record.needs_aggregate(asked));
        b.clock.now += 1;
        b.flows.expire_requests();
        EXPECT_EQ(record.octets(), 0U) << int(way);
        EXPECT_TRUE(record.needs_aggregate(asked));
    }
}

/// An aggregate request replaces the backlog and restarts T16. One for nothing, a grant of all, and a known loss end
/// it.
TEST(RequestRecord, T16IsOfTheLastAggregateRequest) {
    RequestRecord record;
    record.aggregate_sent(100, 0, 1000);
    record.aggregate_sent(200, 600, 1000);
    record.expire(1599);
    EXPECT_EQ(record.octets(), 200U);
    record.expire(1600);
    EXPECT_EQ(record.octets(), 0U);
    const auto ended = [](auto end) {
        RequestRecord one;
        one.aggregate_sent(100, 0, 1000);
        end(one);
        one.incremental_sent(50, 900, 1000);
        one.expire(1899);
        EXPECT_EQ(one.octets(), 50U);
        one.expire(1900);
        EXPECT_EQ(one.octets(), 0U);
    };
    ended([](RequestRecord& one) { one.aggregate_sent(0, 500, 1000); });
    ended([](RequestRecord& one) { one.lost(); });
    ended([](RequestRecord& one) { one.clear(); });
    ended([](RequestRecord& one) {
        size_t granted = 100;
        one.use(granted);
        one.expire(500);
    });
}

}  // namespace test_flows
