// SPDX-License-Identifier: GPL-3.0-or-later
// SDUs of one length: packed without subheaders, divided by length.
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"

#include <gtest/gtest.h>

using namespace wimax::mac;

namespace test_fixed_sdus {

constexpr int64_t kRate = 5'760'000;

struct Flow {
    explicit Flow(uint32_t octets) : transmitter(700, config(octets), pool, {}, kRate), reassembler(2040, octets) {}
    static ServiceFlowConfig config(uint32_t octets) {
        ServiceFlowConfig flow;
        flow.fixed_sdu_octets = octets;
        return flow;
    }
    void push(uint8_t value, size_t octets) { transmitter.push(std::vector<uint8_t>(octets, value), 0, now); }
    /// Lengths of the PDUs of a burst; what it carried is in `got`.
    std::vector<size_t> burst(size_t room) {
        now += 57'600;
        Buffer octets;
        PduWriter writer(octets, room);
        transmitter.tick(now);
        transmitter.fill(writer, room, now);
        return hear(octets);
    }
    std::vector<size_t> hear(const Buffer& octets) {
        std::vector<size_t> lengths;
        PduReader reader(octets);
        while (const auto pdu = reader.next()) {
            lengths.push_back(pdu->octets.size());
            reassembler.receive(*pdu, *parse_subheaders(*pdu), [this](Octets sdu) {
                EXPECT_EQ(sdu.size(), 50U);
                got.push_back(sdu[0]);
            });
        }
        return lengths;
    }
    SduPool pool{100};
    FlowTransmitter transmitter;
    Reassembler reassembler;
    Samples now = 0;
    std::vector<uint8_t> got;
};

TEST(FixedSdus, LieEndToEnd) {
    Flow flow(50);
    for (uint8_t i = 0; i < 5; ++i) flow.push(i, 50);
    flow.push(9, 51);
    flow.push(9, 49);
    EXPECT_EQ(flow.transmitter.counters().refused_length, 2U);
    EXPECT_EQ(flow.burst(170), (std::vector<size_t>{160}));  // three and ten octets of header and CRC
    EXPECT_EQ(flow.burst(2000), (std::vector<size_t>{110}));
    EXPECT_EQ(flow.got, (std::vector<uint8_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(flow.transmitter.counters().pdus, 2U);
    EXPECT_EQ(flow.transmitter.counters().sdus, 5U);
}

TEST(FixedSdus, AreCutWhereABurstEnds) {
    Flow flow(50);
    flow.push(1, 50);
    flow.push(2, 50);
    EXPECT_EQ(flow.burst(50).size(), 1U);
    EXPECT_EQ(flow.burst(200).size(), 2U);  // the rest of the one, and the other
    EXPECT_EQ(flow.got, (std::vector<uint8_t>{1, 2}));
}

TEST(FixedSdus, AnotherLengthIsAnError) {
    Flow flow(50);
    for (const size_t octets : {49U, 51U, 99U, 150U}) {
        Buffer burst;
        PduWriter writer(burst, 400);
        writer.begin(700, true);
        writer.payload(std::vector<uint8_t>(octets, 7));
        writer.finish();
        flow.hear(burst);
    }
    EXPECT_EQ(flow.reassembler.counters().malformed, 3U);
    EXPECT_EQ(flow.got.size(), 3U);
}

}  // namespace test_fixed_sdus
