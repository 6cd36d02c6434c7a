// SPDX-License-Identifier: GPL-3.0-or-later
// Queues, rate limit, segmentation and reassembly, classification, management messages.
#include "mac/cs/classifier.h"
#include "mac/flow/flow_parameters.h"
#include "mac/flow/management_queue.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"
#include "mac/pdu/cid.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_flow {

constexpr Samples kFrame = 57'600;
constexpr int64_t kRate = 5'760'000;

std::vector<uint8_t> packet(size_t octets, uint32_t number = 0, uint16_t port = 5000) {
    return ip_packet(kServer, station_address(0), octets, port, number);
}
uint32_t hash(const std::vector<uint8_t>& p) { return PacketFields::parse(p).hash(); }

TEST(SduQueue, KeepsOrderInAFlowAndSharesBetweenFlows) {
    SduPool pool(200);
    SduQueue queue(pool, {});
    for (uint32_t i = 0; i < 40; ++i) queue.push(packet(1500, i), hash(packet(40, 0)), 0);
    for (uint32_t i = 100; i < 140; ++i) queue.push(packet(100, i, 7), hash(packet(40, 0, 7)), 0);
    std::vector<uint32_t> bulk, small;
    size_t position = 0, last_small = 0;
    for (auto h = queue.pop(0); h != SduPool::kNone; h = queue.pop(0), ++position) {
        const uint32_t number = number_of(pool.octets(h));
        auto& kind = number < 100 ? bulk : small;
        kind.push_back(number);
        if (number >= 100) last_small = position;
        pool.release(h);
    }
    EXPECT_EQ(bulk.size(), 40U);
    EXPECT_EQ(small.size(), 40U);
    EXPECT_TRUE(std::is_sorted(bulk.begin(), bulk.end()));
    EXPECT_TRUE(std::is_sorted(small.begin(), small.end()));
    EXPECT_LT(last_small, 50U);  // 4000 octets of the small flow have passed when the bulk one had its few quanta
    EXPECT_EQ(pool.free_buffers(), 200U);
}

TEST(SduQueue, FullQueueDropsFromTheLongest) {
    SduPool pool(1000);
    SduQueue queue(pool, {15'000, 0, 0});
    for (uint32_t i = 0; i < 50; ++i) EXPECT_TRUE(queue.push(packet(1500, i), 1, 0));
    EXPECT_TRUE(queue.push(packet(100, 999), 2, 0));
    EXPECT_LE(queue.bytes(), 15'000U);
    EXPECT_EQ(queue.counters().dropped_full, 41U);
    bool seen = false;
    for (auto h = queue.pop(0); h != SduPool::kNone; h = queue.pop(0)) {
        seen = seen || number_of(pool.octets(h)) == 999;
        EXPECT_GE(number_of(pool.octets(h)), 41U);  // the oldest was dropped
        pool.release(h);
    }
    EXPECT_TRUE(seen);
}

/// Fluid load at a part of what is served; returns the dropped fraction and the mean sojourn in frames.
std::pair<double, double> codel_run(double load) {
    SduPool pool(2000);
    SduQueue queue(pool, {3'000'000, 3 * kFrame, 10 * kFrame});
    double credit = 0, sum = 0;
    uint64_t sent = 0, served = 0;
    std::map<uint32_t, Samples> queued;
    uint32_t number = 0;
    for (int frame = 0; frame < 3000; ++frame) {
        const Samples now = frame * kFrame;
        for (credit += 7 * load; credit >= 1; --credit, ++sent) {
            queued[++number] = now;
            queue.push(packet(1500, number), 1, now);
        }
        for (int i = 0; i < 7; ++i) {
            const auto h = queue.pop(now + kFrame / 2);
            if (h == SduPool::kNone) break;
            if (frame > 1500) {
                sum += static_cast<double>(now + kFrame / 2 - queued[number_of(pool.octets(h))]) / kFrame;
                ++served;
            }
            pool.release(h);
        }
    }
    return {static_cast<double>(queue.counters().dropped()) / static_cast<double>(sent),
            sum / static_cast<double>(served)};
}

/// Below the link's rate nothing is dropped; at 120 % the excess is, and the queue stays at three times its target.
TEST(SduQueue, CodelDropsOnlyUnderOverload) {
    const auto light = codel_run(0.95);
    printf("95 %%: dropped %.4f, %.3f frames; ", light.first, light.second);
    EXPECT_EQ(light.first, 0.0);
    EXPECT_NEAR(light.second, 0.5, 0.01);
    const auto heavy = codel_run(1.2);
    printf("120 %%: dropped %.4f, %.3f frames\n", heavy.first, heavy.second);
    EXPECT_NEAR(heavy.first, 1 - 1 / 1.2, 0.005);
    EXPECT_NEAR(heavy.second, 9.0, 0.2);
}

TEST(SduQueue, SlowLinkKeepsAFewPacketsInLine) {
    SduPool pool(100);
    SduQueue queue(pool, {400'000, 3 * kFrame, 10 * kFrame});
    for (int frame = 0; frame < 2000; ++frame) {
        const Samples now = frame * kFrame;
        while (queue.packets() < 5) queue.push(packet(1500, 1), 1, now);
        if (frame % 2 == 0) pool.release(queue.pop(now));  // ten frames in line, far above the target
    }
    EXPECT_EQ(queue.counters().dropped(), 0U);
}

TEST(TokenBucket, LongRunRate) {
    TokenBucket bucket(1'000'000, 3000, kRate);
    uint64_t octets = 0;
    for (int frame = 0; frame <= 1000; ++frame) {
        bucket.update(frame * kFrame);
        while (bucket.available() >= 1500) {
            bucket.take(1500);
            octets += 1500;
        }
    }
    EXPECT_NEAR(static_cast<double>(octets) * 8 / 10.0, 1e6, 1e4);
}

TEST(TokenBucket, IsNeverOverdrawn) {
    TokenBucket bucket(8'000'000, 3000, 1'000'000);  // one octet per sample
    bucket.update(0);
    bucket.take(10'000);
    EXPECT_EQ(bucket.available(), 0U);
    bucket.update(500);
    EXPECT_EQ(bucket.available(), 500U);
    bucket.update(9000);
    EXPECT_EQ(bucket.available(), 3000U);
}

/// Sends packets of random sizes through bursts of random sizes and back.
void segment(bool fragmentation, bool packing, unsigned seed) {
    std::mt19937 random(seed);
    SduPool pool(1000);
    ServiceFlowConfig config;
    config.fragmentation = fragmentation;
    config.packing = packing;
    FlowTransmitter transmitter(700, config, pool, {}, kRate);
    Reassembler reassembler(kMaxSduOctets);
    std::vector<std::vector<uint8_t>> sent, received;
    for (uint32_t i = 0; i < 400; ++i) {
        sent.push_back(packet(32 + random() % 1469, i));
        ASSERT_TRUE(transmitter.push(sent.back(), 1, 0));
    }
    for (int burst = 0; burst < 5000 && received.size() < sent.size(); ++burst) {
        Buffer octets;
        const size_t capacity = fragmentation ? 20 + random() % 4000 : 1600 + random() % 4000;
        PduWriter writer(octets, capacity);
        const bool asks = random() % 3 == 0;
        const size_t used = transmitter.fill(writer, writer.room(), 0, asks ? 777 : 0);
        ASSERT_EQ(used, octets.size());
        ASSERT_LE(octets.size(), capacity);
        octets.resize(capacity, 0xFF);
        PduReader reader(octets);
        bool first = true;
        while (const auto pdu = reader.next()) {
            const auto subheaders = parse_subheaders(*pdu);
            ASSERT_TRUE(subheaders);
            EXPECT_EQ(subheaders->grant_management.has_value(), asks && first);
            if (!packing) {
                EXPECT_FALSE(subheaders->packed);
            }
            if (!fragmentation) {
                EXPECT_FALSE(subheaders->fragmentation.has_value());
            }
            first = false;
            reassembler.receive(*pdu, *subheaders, [&](Octets sdu) { received.emplace_back(sdu.begin(), sdu.end()); });
        }
        ASSERT_FALSE(reader.error());
    }
    EXPECT_EQ(sent, received);
    EXPECT_EQ(transmitter.demand(), 0U);
    EXPECT_EQ(reassembler.counters().dropped, 0U);
    EXPECT_EQ(pool.free_buffers(), 1000U);
}

TEST(Segmentation, RoundTrip) {
    for (unsigned seed = 0; seed < 5; ++seed)
        for (const bool fragmentation : {true, false})
            for (const bool packing : {true, false}) segment(fragmentation, packing, seed);
}

TEST(Segmentation, DemandIsEnough) {
    SduPool pool(100);
    FlowTransmitter transmitter(700, {}, pool, {}, kRate);
    for (uint32_t i = 0; i < 7; ++i) transmitter.push(packet(40 + 300 * i), 1, 0);
    Buffer octets;
    PduWriter writer(octets, transmitter.demand());
    transmitter.fill(writer, writer.room(), 0);
    EXPECT_EQ(transmitter.demand(), 0U);
}

TEST(Segmentation, AGapDropsOneSduAndResynchronises) {
    SduPool pool(100);
    FlowTransmitter transmitter(700, {}, pool, {}, kRate);
    for (uint32_t i = 0; i < 40; ++i) transmitter.push(packet(1000, i), 1, 0);
    Reassembler reassembler(kMaxSduOctets);
    std::vector<uint32_t> received;
    for (int burst = 0; burst < 80; ++burst) {
        Buffer octets;
        PduWriter writer(octets, 700);
        transmitter.fill(writer, writer.room(), 0);
        if (burst == 10 || burst == 20 || burst == 21) continue;  // lost on air
        PduReader reader(octets);
        while (const auto pdu = reader.next())
            reassembler.receive(*pdu, *parse_subheaders(*pdu), [&](Octets sdu) {
                EXPECT_EQ(sdu.size(), 1000U);
                received.push_back(number_of(sdu));
            });
    }
    EXPECT_GE(received.size(), 34U);
    EXPECT_LT(received.size(), 40U);
    EXPECT_TRUE(std::is_sorted(received.begin(), received.end()));
    EXPECT_EQ(received.back(), 39U);
}

TEST(Management, FragmentsOnlyOnThePrimaryConnection) {
    ManagementQueue queue;
    SbcReq small;
    small.fft_sizes = 1;
    DsaReq large;
    large.hmac = HmacTuple{};
    large.uplink = to_message({}, 1, 700);
    queue.may_fragment_on(cid::kBasicMax + 1);
    queue.push(cid::kBasicMax + 1, large);
    queue.push(1, small);
    Reassembler reassembler(4096);
    std::vector<MessageType> types;
    for (int burst = 0; burst < 20 && !queue.empty(); ++burst) {
        Buffer octets;
        PduWriter writer(octets, 40);
        queue.fill(writer, writer.room());
        PduReader reader(octets);
        while (const auto pdu = reader.next())
            reassembler.receive(*pdu, *parse_subheaders(*pdu),
                                [&](Octets message) { types.push_back(*message_type(message)); });
    }
    EXPECT_EQ(types, (std::vector{MessageType::dsa_req, MessageType::sbc_req}));
}

TEST(Classifier, Fields) {
    const auto p = PacketFields::parse(packet(100, 0, 5060));
    EXPECT_TRUE(p.ipv4);
    EXPECT_EQ(p.destination, station_address(0));
    EXPECT_EQ(p.destination_port, 5060);
    auto later = packet(100);
    later[7] = 5;  // fragment offset: no ports in there
    EXPECT_FALSE(PacketFields::parse(later).has_ports);
    EXPECT_FALSE(PacketFields::parse(std::vector<uint8_t>{0x60, 0, 0}).ipv4);
    EXPECT_FALSE(PacketFields::parse({}).ipv4);
    auto options = packet(100);
    options[0] = 0x4F;  // header of 60 octets
    EXPECT_EQ(PacketFields::parse(options).destination_port, 0xA5A5);
    options.resize(40);
    EXPECT_FALSE(PacketFields::parse(options).ipv4);
}

TEST(Classifier, AllConditionsMustHold) {
    ClassifierConfig rule;
    rule.priority = 3;
    rule.protocols = {6, 17};
    rule.destination = {{0x0A000100, 0xFFFFFF00}};
    rule.destination_ports = {{5000, 5010}};
    const auto p = PacketFields::parse(packet(100, 0, 5005));
    EXPECT_TRUE(matches(rule, p));
    EXPECT_FALSE(matches(rule, PacketFields::parse(packet(100, 0, 5011))));
    rule.tos = TosRange{8, 16, 0xFC};
    EXPECT_FALSE(matches(rule, p));
    rule.tos = TosRange{0, 0, 0xFC};
    EXPECT_TRUE(matches(rule, p));
    rule.source = {{0x0B000000, 0xFF000000}};
    EXPECT_FALSE(matches(rule, p));
    EXPECT_EQ(match_priority({rule}, p), -1);
    rule.source.clear();
    EXPECT_EQ(match_priority({ClassifierConfig{}, rule}, p), 3);
    EXPECT_EQ(match_priority({}, p), 0);
}

TEST(FlowParameters, SurviveTheMessage) {
    ServiceFlowConfig flow;
    flow.name = "gold";
    flow.direction = FlowDirection::uplink;
    flow.scheduling = SchedulingType::nrtps;
    flow.traffic_priority = 5;
    flow.max_sustained_rate_bps = 2'000'000;
    flow.min_reserved_rate_bps = 500'000;
    flow.packing = false;
    ClassifierConfig rule;
    rule.priority = 9;
    rule.destination_ports = {{53, 53}};
    flow.classifiers = {rule};
    flow.classifiers = bound_rules(flow, {{0x0A000100, 0xFFFFFF00}});
    ASSERT_EQ(flow.classifiers[0].source.size(), 1U);
    Buffer octets;
    DsaReq request, decoded;
    request.uplink = to_message(flow, 7, 900);
    encode(request, octets);
    ASSERT_TRUE(decode(octets, decoded));
    const auto back = from_message(*decoded.uplink, FlowDirection::uplink);
    EXPECT_EQ(back.name, flow.name);
    EXPECT_EQ(back.scheduling, flow.scheduling);
    EXPECT_EQ(back.traffic_priority, flow.traffic_priority);
    EXPECT_EQ(back.max_sustained_rate_bps, flow.max_sustained_rate_bps);
    EXPECT_EQ(back.min_reserved_rate_bps, flow.min_reserved_rate_bps);
    EXPECT_FALSE(back.packing);
    EXPECT_TRUE(back.fragmentation);
    EXPECT_EQ(back.classifiers, flow.classifiers);
}

/// What a receiver of the flow's message reads as its target.
std::optional<float> target_at_peer(const ServiceFlow& flow) {
    Buffer octets;
    DsaReq request, decoded;
    request.downlink = flow;
    encode(request, octets);
    EXPECT_TRUE(decode(octets, decoded));
    return from_message(*decoded.downlink, FlowDirection::downlink).target_loss;
}

TEST(FlowParameters, TheTargetOfLossesReachesThePeer) {
    ServiceFlowConfig flow;
    EXPECT_TRUE(to_message(flow, 7, 900).vendor_specific.empty());
    EXPECT_EQ(target_at_peer(to_message(flow, 7, 900)), std::nullopt);
    for (const float target : {kLeastTargetLoss, 2.5e-4F, 0.0123F, kMostTargetLoss}) {
        flow.target_loss = target;
        const auto read = target_at_peer(to_message(flow, 7, 900));
        ASSERT_TRUE(read);
        EXPECT_NEAR(*read, target, 0.51e-6);
    }
}

TEST(FlowParameters, OtherVendorsInformationIsNoTarget) {
    ServiceFlowConfig flow;
    flow.target_loss = 0.25F;
    const ServiceFlow ours = to_message(flow, 7, 900);
    for (size_t at = 0; at + 4 < ours.vendor_specific.size(); ++at) {  // identifier, types and lengths
        ServiceFlow other = ours;
        other.vendor_specific[at] ^= 1;
        EXPECT_EQ(target_at_peer(other), std::nullopt) << at;
    }
    for (size_t size = 1; size < ours.vendor_specific.size(); ++size) {
        ServiceFlow cut = ours;
        cut.vendor_specific.resize(size);
        EXPECT_EQ(target_at_peer(cut), std::nullopt) << size;
    }
    ServiceFlow longer = ours;
    longer.vendor_specific.push_back(0);
    EXPECT_EQ(target_at_peer(longer), std::nullopt);
    ServiceFlow none = ours, most = ours;
    std::fill_n(none.vendor_specific.end() - 4, 4, uint8_t{0});
    std::fill_n(most.vendor_specific.end() - 4, 4, uint8_t{255});
    EXPECT_EQ(target_at_peer(none), kLeastTargetLoss);
    EXPECT_EQ(target_at_peer(most), kMostTargetLoss);
}

/// Each SDU with lost fragments counts as dropped once, regardless of which and how many are lost, while the fragments'
/// numbers go round several times; the others are delivered.
TEST(Segmentation, EachSduIsDeliveredOrDroppedOnce) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        SduPool pool(2000);
        FlowTransmitter transmitter(700, {}, pool, {}, kRate);
        Reassembler reassembler(kMaxSduOctets);
        std::vector<std::vector<uint8_t>> delivered, expected;
        uint64_t dropped = 0, delivered_octets = 0;
        for (uint32_t i = 0; i < 1000; ++i) {
            const auto sdu = packet(64 + random() % 1400, i);
            ASSERT_TRUE(transmitter.push(sdu, 1, 0));
            // Every other SDU stays whole, so that the loss of one does not extend into the next.
            const bool spoilt = i % 2 == 1 && random() % 3 > 0;
            const double loss = spoilt ? 0.2 + 0.3 * static_cast<double>(random() % 3) : 0;
            size_t lost = 0, arrived = 0;
            while (transmitter.demand() > 0) {
                Buffer octets;
                PduWriter writer(octets, 40 + random() % 200);
                transmitter.fill(writer, writer.room(), 0, 0);
                PduReader reader(octets);
                while (const auto pdu = reader.next()) {
                    if (std::uniform_real_distribution<>(0, 1)(random) < loss) {
                        ++lost;
                        continue;
                    }
                    ++arrived;
                    reassembler.receive(*pdu, *parse_subheaders(*pdu),
                                        [&](Octets o) { delivered.emplace_back(o.begin(), o.end()); });
                }
            }
            if (lost == 0) {
                expected.push_back(sdu);
                delivered_octets += sdu.size();
            } else if (arrived > 0) {
                ++dropped;
            }
        }
        EXPECT_TRUE(delivered == expected) << seed;
        EXPECT_EQ(reassembler.counters().sdus, expected.size());
        EXPECT_EQ(reassembler.counters().sdu_octets, delivered_octets);
        EXPECT_EQ(reassembler.counters().dropped, dropped) << seed;
        EXPECT_EQ(reassembler.counters().malformed, 0U);
        EXPECT_EQ(transmitter.counters().sdus, 1000U);
        EXPECT_GT(transmitter.counters().fragments, 4096U);
        EXPECT_GT(dropped, 100U);
    }
}

/// One that is longer than allowed is dropped once, and what follows is not touched.
TEST(Segmentation, TooLongAnSduIsDroppedOnce) {
    SduPool pool(10);
    for (const size_t room : {100U, 1000U}) {
        FlowTransmitter transmitter(700, {}, pool, {}, kRate);
        Reassembler reassembler(800);
        std::vector<size_t> sizes;
        for (const size_t octets : {1400U, 800U, 801U, 300U}) transmitter.push(packet(octets), 1, 0);
        while (transmitter.demand() > 0) {
            Buffer octets;
            PduWriter writer(octets, room);
            transmitter.fill(writer, writer.room(), 0, 0);
            PduReader reader(octets);
            while (const auto pdu = reader.next())
                reassembler.receive(*pdu, *parse_subheaders(*pdu), [&](Octets o) { sizes.push_back(o.size()); });
        }
        EXPECT_EQ(sizes.size() + reassembler.counters().dropped, 4U) << room;
        EXPECT_EQ(sizes.back(), 300U);
    }
}

}  // namespace test_flow
