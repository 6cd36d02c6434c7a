// SPDX-License-Identifier: GPL-3.0-or-later
// Secondary management connection between two ends, without an air interface: packets both ways under one CID, losses,
// and ARQ-Resets, which restart both directions.
#include "mac/flow/secondary_connection.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_secondary_connection {

constexpr uint16_t kCid = 900, kBasicCid = 3;
constexpr int64_t kSampleRateHz = 5'760'000;
constexpr Samples kFrame = kSampleRateHz / 100;
constexpr size_t kBurstOctets = 400;

ArqConfig some_arq() {
    ArqConfig arq;
    arq.enable = true;
    arq.window_blocks = 64;
    arq.block_octets = 32;
    arq.retry_timeout_ms = 60;
    arq.block_lifetime_ms = 0;  // for ever: no packet is given up
    arq.sync_loss_timeout_ms = 300;
    arq.rx_purge_timeout_ms = 0;
    return arq;
}

struct End {
    explicit End(const ArqConfig& arq)
        : connection(std::make_unique<SecondaryConnection>(SecondaryConnection::Terms{kCid, arq}, kSampleRateHz)) {}
    /// A packet with its number.
    bool push(Samples now) {
        const bool taken = connection->push(ip_packet(1, 2, 300, 5000, static_cast<uint32_t>(pushed.size())), now);
        if (taken) pushed.push_back(ip_packet(1, 2, 300, 5000, static_cast<uint32_t>(pushed.size())));
        return taken;
    }
    Reassembler::Sink sink() {
        return [this](Octets packet) { got.emplace_back(packet.begin(), packet.end()); };
    }
    std::unique_ptr<SecondaryConnection> connection;
    ManagementQueue queue;
    ArqFeedbackPayload payload;
    std::vector<Buffer> pushed, got;
    bool answered = true;
};

struct Link {
    explicit Link(const ArqConfig& arq = some_arq()) : Link(arq, arq) {}
    Link(const ArqConfig& of_a, const ArqConfig& of_b) : a(of_a), b(of_b) {}

    /// One frame each way. What `lost` chooses does not arrive.
    void frame() {
        now += kFrame;
        for (End* end : {&a, &b}) {
            const ArqContext context{end->queue, kBasicCid, now};
            end->answered = end->connection->tick(context, end->sink()) && end->answered;
        }
        pass(a, b);
        pass(b, a);
    }
    void frames(int count) {
        while (count-- > 0) frame();
    }
    /// Number of frames until the packets of both ends have arrived.
    int frames_to_deliver(int most) {
        for (int i = 0; i < most; ++i) {
            frame();
            if (a.got == b.pushed && b.got == a.pushed) return i;
        }
        return most;
    }
    uint64_t resets(End& end, bool transmitter) const {
        return transmitter ? end.connection->transmitter->arq()->resets()
                           : end.connection->reassembler->arq()->resets();
    }

    Samples now = 0;
    std::function<bool(bool from_a, const Pdu& pdu)> lost = [](bool, const Pdu&) { return false; };
    End a, b;

private:
    void pass(End& from, End& to) {
        Buffer out;
        PduWriter writer(out, kBurstOctets);
        from.queue.fill(writer, kBurstOctets);
        collect_feedback(from.payload, as_flows(from.connection));
        from.connection->transmitter->fill(writer, writer.room(), now, 0, &from.payload);
        if (!from.payload.empty()) from.payload.send_alone(writer, kBasicCid);
        PduReader reader(out);
        while (const auto pdu = reader.next())
            if (!lost(&from == &a, *pdu)) take(to, *pdu);
    }
    void take(End& to, const Pdu& pdu) {
        const auto subheaders = parse_subheaders(pdu);
        ASSERT_TRUE(subheaders);
        const auto senders = senders_of(as_flows(to.connection));
        if (pdu.cid() == kCid) {
            EXPECT_TRUE(!subheaders->feedback || take_feedback(senders, pdu, *subheaders, now));
            return to.connection->reassembler->receive(pdu, *subheaders, to.sink());
        }
        const ArqContext context{to.queue, kBasicCid, now};
        if (message_type(pdu.body) == MessageType::arq_feedback)
            EXPECT_TRUE(take_feedback(senders, pdu.body.subspan(1), now));
        else EXPECT_TRUE(to.connection->take_arq_command(pdu.body, context, to.sink()));
    }
};

TEST(SecondaryConnection, CarriesPacketsBothWaysDespiteLosses) {
    std::mt19937 random(7);
    Link link;
    link.lost = [&](bool, const Pdu&) { return random() % 4 == 0; };
    for (int i = 0; i < 40; ++i) {
        EXPECT_TRUE(link.a.push(link.now));
        EXPECT_TRUE(link.b.push(link.now));
        link.frames(4);
    }
    EXPECT_LT(link.frames_to_deliver(2000), 2000);
    link.frames(100);
    EXPECT_TRUE(link.a.connection->idle() || !link.a.connection->transmitter->backlog_packets());
    EXPECT_EQ(link.a.got.size(), 40u) << "none twice";
    EXPECT_TRUE(link.a.answered && link.b.answered);
}

TEST(SecondaryConnection, WithoutArqPacketsPassInOrder) {
    Link link{ArqConfig()};
    for (int i = 0; i < 20; ++i) {
        link.a.push(link.now);
        link.b.push(link.now);
    }
    EXPECT_LT(link.frames_to_deliver(100), 100);
    EXPECT_TRUE(link.a.connection->idle());
    EXPECT_FALSE(link.a.connection->take_arq_command({}, {link.a.queue, kBasicCid, 0}, link.a.sink()));
}

/// A peer that asks for more responses than the connection can carry costs no memory.
TEST(SecondaryConnection, AFullQueueLosesItsOldestPackets) {
    Link link;
    for (int i = 0; i < 1000; ++i) link.a.push(link.now);
    link.frames(100);
    ASSERT_EQ(link.b.got.size(), 32u);
    EXPECT_EQ(link.b.got.back(), link.a.pushed.back());
    link.a.push(link.now);
    link.frames(5);
    EXPECT_EQ(link.b.got.size(), 33u);
}

/// A direction in which nothing arrives for longer than the timeout is reset, by either end, and the other one with it.
TEST(SecondaryConnection, AResetRestartsBothDirections) {
    for (const bool from_a : {true, false}) {
        Link link;
        End& sender = from_a ? link.a : link.b;
        End& receiver = from_a ? link.b : link.a;
        for (End* end : {&sender, &receiver}) end->push(link.now);
        EXPECT_LT(link.frames_to_deliver(50), 50);  // both have sent blocks: their numbers are not 0
        link.lost = [from_a](bool of_a, const Pdu& pdu) { return pdu.cid() == kCid && of_a == from_a; };
        sender.push(link.now);
        link.frames(20);
        receiver.push(link.now);
        link.frames(60);
        link.lost = [](bool, const Pdu&) { return false; };
        link.frames(100);
        for (End* end : {&sender, &receiver})
            for (const bool transmitter : {true, false}) EXPECT_GE(link.resets(*end, transmitter), 1u);
        EXPECT_EQ(link.resets(sender, true), link.resets(sender, false));
        EXPECT_EQ(link.resets(sender, true), link.resets(receiver, false));
        EXPECT_EQ(link.resets(receiver, true), link.resets(receiver, false));
        // What was under way is lost with the reset. All later packets arrive.
        for (End* end : {&sender, &receiver}) {
            end->got.clear();
            end->pushed.clear();
        }
        for (int i = 0; i < 10; ++i) {
            sender.push(link.now);
            receiver.push(link.now);
        }
        EXPECT_LT(link.frames_to_deliver(200), 200);
        EXPECT_TRUE(link.a.answered && link.b.answered);
    }
}

/// Blocks after a missing one wait at the receiving end, which may be the first to notice.
TEST(SecondaryConnection, TheReceivingEndMayBeginAReset) {
    ArqConfig patient = some_arq();
    patient.sync_loss_timeout_ms = 0;  // never
    Link link(patient, some_arq());
    ASSERT_TRUE(link.a.push(0) && link.a.push(0));
    const Buffer head(link.a.pushed[0].begin(), link.a.pushed[0].begin() + 30);
    link.lost = [&](bool, const Pdu& pdu) { return !std::ranges::search(pdu.octets, head).empty(); };
    link.frames(25);
    EXPECT_EQ(link.resets(link.b, false), 0u);
    link.frames(25);
    for (End* end : {&link.a, &link.b})
        for (const bool transmitter : {true, false}) EXPECT_EQ(link.resets(*end, transmitter), 1u);
    link.a.got.clear();
    link.b.got.clear();
    link.a.pushed.clear();
    link.lost = [](bool, const Pdu&) { return false; };
    link.a.push(link.now);
    link.b.push(link.now);
    EXPECT_LT(link.frames_to_deliver(50), 50);
}

TEST(SecondaryConnection, APeerThatDoesNotAnswerAResetIsReported) {
    Link link;
    link.a.push(link.now);
    link.lost = [](bool, const Pdu&) { return true; };
    link.frames(20);
    EXPECT_TRUE(link.a.answered);
    link.frames(400);
    EXPECT_FALSE(link.a.answered);
}

TEST(SecondaryConnection, CommandsForOthersAreRefused) {
    Link link;
    const ArqContext context{link.a.queue, kBasicCid, 0};
    const auto refused = [&](const auto& message) {
        Buffer octets;
        encode(message, octets);
        return !link.a.connection->take_arq_command(octets, context, link.a.sink());
    };
    EXPECT_TRUE(refused(ArqReset{kCid + 1, 0}));
    EXPECT_TRUE(refused(ArqReset{kCid, 3}));
    EXPECT_TRUE(refused(ArqDiscard{kCid + 1, 0}));
    EXPECT_TRUE(link.a.queue.empty());
    EXPECT_FALSE(refused(ArqDiscard{kCid, 0}));
    EXPECT_TRUE(link.a.queue.empty());
    EXPECT_FALSE(refused(ArqReset{kCid, 0}));
    EXPECT_EQ(link.a.queue.size(), 1u) << "one response, although both directions restart";
}

}  // namespace test_secondary_connection
