// SPDX-License-Identifier: GPL-3.0-or-later
// ARQ of service flows: agreement of both ends, admission, SDU buffers and attached feedback.
#include "mac/bs/test_base_parts.h"
#include "mac/flow/arq_exchange.h"
#include "mac/test_packets.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_arq_flows {

ArqConfig some_arq() {
    ArqConfig arq;
    arq.enable = true;
    arq.window_blocks = 200;
    arq.block_octets = 64;
    arq.retry_timeout_ms = 60;
    arq.block_lifetime_ms = 500;
    arq.sync_loss_timeout_ms = 600.01;
    arq.rx_purge_timeout_ms = 0;
    arq.deliver_in_order = false;
    return arq;
}

TEST(ArqParameters, InMessagesAreUnitsOfTenMicroseconds) {
    ServiceFlow message;
    put_arq(some_arq(), message);
    EXPECT_EQ(message.arq_enable, 1);
    EXPECT_EQ(message.arq_window_blocks, 200);
    EXPECT_EQ(message.arq_block_octets, 64);
    EXPECT_EQ(message.arq_retry_transmitter, 4000);
    EXPECT_EQ(message.arq_retry_receiver, 2000);
    EXPECT_EQ(message.arq_block_lifetime, 50'000);
    EXPECT_EQ(message.arq_sync_loss, 60'001);
    EXPECT_EQ(message.arq_rx_purge, 0);
    EXPECT_EQ(message.arq_deliver_in_order, 0);
    EXPECT_EQ(arq_of(message), some_arq());
    ServiceFlow without;
    put_arq({}, without);
    EXPECT_EQ(without, ServiceFlow{});
    EXPECT_FALSE(arq_of(without).enable);
    message.arq_window_blocks = 5000;
    message.arq_block_octets = 0;
    EXPECT_EQ(arq_of(message).window_blocks, 1024);
    EXPECT_EQ(arq_of(message).block_octets, 1);
}

TEST(ArqParameters, InSamples) {
    const auto p = arq_parameters(some_arq(), 5'760'000);
    EXPECT_EQ(p.retry_timeout, 345'600);
    EXPECT_EQ(p.block_lifetime, 2'880'000);
    EXPECT_EQ(p.rx_purge_timeout, 0);
    EXPECT_EQ(p.t22, 2'880'000);
    EXPECT_FALSE(p.deliver_in_order);
}

TEST(ArqParameters, TheSmallerOfBothAndEachSidesPartOfTheRetryTimeout) {
    ServiceFlow answer;
    EXPECT_EQ(agreed_arq(some_arq(), answer, FlowDirection::downlink), some_arq());
    answer.arq_enable = 1;
    answer.arq_window_blocks = 100;
    answer.arq_block_octets = 128;
    answer.arq_block_lifetime = 0;
    answer.arq_retry_transmitter = 1000;
    answer.arq_retry_receiver = 3000;
    ArqConfig expected = some_arq();
    expected.window_blocks = 100;
    expected.retry_timeout_ms = 40 + 30;
    EXPECT_EQ(agreed_arq(some_arq(), answer, FlowDirection::downlink), expected);
    expected.retry_timeout_ms = 10 + 20;
    EXPECT_EQ(agreed_arq(some_arq(), answer, FlowDirection::uplink), expected);
    answer.arq_block_lifetime = 20'000;
    answer.arq_block_octets = 32;
    expected.block_lifetime_ms = 200;
    expected.block_octets = 32;
    EXPECT_EQ(agreed_arq(some_arq(), answer, FlowDirection::uplink), expected);
    answer.arq_enable = 0;
    EXPECT_FALSE(agreed_arq(some_arq(), answer, FlowDirection::uplink).enable);
}

TEST(ArqFlows, OnlyForStationsThatHaveAnnouncedIt) {
    for (const bool announced : {false, true}) {
        BaseStationConfig config;
        config.unknown_station->flows.resize(2);
        config.unknown_station->flows[1].direction = FlowDirection::uplink;
        for (auto& flow : config.unknown_station->flows) flow.arq = some_arq();
        config.unknown_station->flows[0].arq.retry_timeout_ms = 0;
        BaseParts base(config);
        base.range(1);
        Subscriber& station = *base.stations.find(BaseParts::address(1), false);
        base.entry.on_capabilities(station, {});
        RegReq registration;
        registration.arq = announced;
        base.entry.on_registration(station, registration);
        for (const uint16_t tid : BaseParts::asked(station)) base.respond(station, tid);
        for (const auto& flow : station.flows) {
            EXPECT_EQ(flow->transmitter ? flow->transmitter->arq() != nullptr : flow->reassembler->arq() != nullptr,
                      announced);
            EXPECT_EQ(flow->config.arq.retry_timeout_ms, 60) << "six frames, unless told otherwise";
        }
    }
}

/// Two ends of a pair of connections, one each way, without an air interface.
struct Ends {
    struct Flow {
        uint16_t cid;
        std::unique_ptr<FlowTransmitter> transmitter;
        std::unique_ptr<Reassembler> reassembler;
    };
    struct End {
        std::vector<std::unique_ptr<Flow>> flows;
        ArqFeedbackPayload payload;
        size_t got = 0;
    };
    explicit Ends(uint32_t rate_bps = 0) {
        ServiceFlowConfig flow;
        flow.arq = some_arq();
        flow.max_sustained_rate_bps = rate_bps;
        const auto add = [&](End& sender, End& receiver, uint16_t cid) {
            sender.flows.push_back(std::make_unique<Flow>(
                Flow{cid, std::make_unique<FlowTransmitter>(cid, flow, pool, SduQueueConfig{}, 5'760'000), nullptr}));
            receiver.flows.push_back(std::make_unique<Flow>(
                Flow{cid, nullptr, std::make_unique<Reassembler>(kMaxSduOctets, arq_parameters(flow.arq, 5'760'000))}));
        };
        add(a, b, 700);
        add(b, a, 701);
    }
    /// Sends a burst of that many octets from one end to the other.
    Buffer burst(End& from, End& to, size_t octets) {
        Buffer out;
        PduWriter writer(out, octets);
        collect_feedback(from.payload, from.flows);
        for (auto& flow : from.flows)
            if (flow->transmitter) flow->transmitter->fill(writer, writer.room(), now, 0, &from.payload);
        PduReader reader(out);
        while (const auto pdu = reader.next()) {
            const auto subheaders = parse_subheaders(*pdu);
            EXPECT_TRUE(subheaders);
            EXPECT_TRUE(!subheaders->feedback || take_feedback(senders_of(to.flows), *pdu, *subheaders, now));
            flow_of(to.flows, pdu->cid())->reassembler->receive(*pdu, *subheaders, [&](Octets) { ++to.got; });
        }
        return out;
    }
    Samples now = 0;
    SduPool pool{64};
    End a, b;
};

TEST(ArqFlows, SdusStayInTheirBuffersUntilAcknowledgedAndFeedbackRides) {
    Ends ends;
    auto& sender = *ends.a.flows[0]->transmitter;
    for (uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(sender.push(ip_packet(1, 2, 500, 5000, i), 1, 0));
    const size_t free = ends.pool.free_buffers();
    EXPECT_GE(sender.demand(), 20 * 500U);
    ends.burst(ends.a, ends.b, 20'000);
    EXPECT_EQ(ends.b.got, 20U);
    EXPECT_EQ(sender.demand(), 0U);
    EXPECT_EQ(sender.backlog_packets(), 20U);
    EXPECT_EQ(sender.backlog_octets(), 0U);
    EXPECT_EQ(ends.pool.free_buffers(), free);
    EXPECT_EQ(feedback_octets(ends.b.flows), kFeedbackMessageOctets + 4);
    ASSERT_TRUE(ends.b.flows[1]->transmitter->push(ip_packet(2, 1, 100), 1, 0));
    const Buffer back = ends.burst(ends.b, ends.a, 20'000);
    const auto pdu = PduReader(back).next();
    ASSERT_TRUE(pdu);
    EXPECT_EQ(pdu->header.type, type::kArqFeedback | type::kExtended | type::kPacking);
    EXPECT_EQ(pdu->octets.size(), 6U + 3 + 4 + 3 + 100 + 4);
    EXPECT_EQ(ends.a.got, 1U);
    EXPECT_EQ(sender.backlog_packets(), 0U);
    EXPECT_EQ(sender.counters().sdus, 20U);
    EXPECT_EQ(ends.pool.free_buffers(), free + 4) << "of 20, 16 were the queue's own";
    EXPECT_EQ(feedback_octets(ends.b.flows), 0U);
}

TEST(ArqFlows, NoMoreIsAskedForThanTheWindowLetsThrough) {
    Ends ends;
    auto& sender = *ends.a.flows[0]->transmitter;
    for (uint32_t i = 0; i < 30; ++i) sender.push(ip_packet(1, 2, 1500, 5000, i), 1, 0);
    const size_t window = 200 * 64;
    EXPECT_GE(sender.demand(), window);
    EXPECT_LT(sender.demand(), window + 500);
    ends.burst(ends.a, ends.b, 4000);
    EXPECT_GE(sender.demand(), window - 4000);
    EXPECT_LT(sender.demand(), window - 3500 + 500);
}

/// Acknowledged octets leave the rate's bucket: it fills again.
TEST(ArqFlows, AcknowledgedOctetsLeaveTheRate) {
    Ends ends(100'000);
    for (size_t second = 1; second <= 40; ++second) {
        ends.now += 5'760'000;
        ASSERT_TRUE(ends.a.flows[0]->transmitter->push(ip_packet(1, 2, 1500), 1, ends.now));
        ends.a.flows[0]->transmitter->tick(ends.now);
        ends.burst(ends.a, ends.b, 2000);
        ASSERT_EQ(ends.b.got, second);
        ASSERT_TRUE(ends.b.flows[1]->transmitter->push(ip_packet(2, 1, 100), 1, ends.now));
        ends.b.flows[1]->transmitter->tick(ends.now);
        ends.burst(ends.b, ends.a, 2000);
    }
}

/// A receiver reads no further than the element marked as last (6.3.4.2).
TEST(ArqFlows, TheLastElementOfAPayloadAloneIsMarked) {
    const auto parameters = arq_parameters(some_arq(), 5'760'000);
    ArqReceiver one(parameters, kMaxSduOctets), other(parameters, kMaxSduOctets);
    ArqFeedbackPayload payload;
    for (auto [cid, receiver] : {std::pair{uint16_t{700}, &one}, std::pair{uint16_t{701}, &other}}) {
        receiver->receive(FragmentControl::unfragmented, 0, Buffer(64), 0, {});
        payload.add(cid, *receiver);
    }
    Buffer out;
    PduWriter writer(out, 100);
    ASSERT_TRUE(payload.send_alone(writer, 1));
    const auto pdu = PduReader(out).next();
    ASSERT_TRUE(pdu);
    // Each: CID, then the mark, type 1 (cumulative) and BSN 0.
    const Buffer expected{static_cast<uint8_t>(MessageType::arq_feedback), 2, 0xBC, 0x20, 0, 2, 0xBD, 0xA0, 0};
    EXPECT_EQ(Buffer(pdu->body.begin(), pdu->body.end()), expected);
}

/// A flow whose packets are all in flight, in all the buffers that it may have, refuses more and does not fail.
TEST(ArqFlows, WithoutAFreeBufferAPacketIsRefused) {
    Ends ends;
    auto& sender = *ends.a.flows[0]->transmitter;
    size_t taken = 0;
    for (uint32_t i = 0; i < 200; ++i) {
        taken += sender.push(ip_packet(1, 2, 60, 5000, i), 1, 0);
        Buffer out;
        PduWriter writer(out, 2000);
        sender.fill(writer, 2000, 0);
    }
    EXPECT_EQ(taken, 16U + 32);
    EXPECT_EQ(sender.queue_counters().refused, 200 - taken);
}

}  // namespace test_arq_flows
