// SPDX-License-Identifier: GPL-3.0-or-later
// Cores between the antenna and the queues of a virtual radio: bursts are sent through the gate; received samples pass
// the detector and give the ordered symbols.
#include "fpga/model/test_ofdm_support.h"
#include "vrf/fpga_cores.h"
#include "vrf/tx_fifo.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wimax::vrf {
namespace {

using namespace std::chrono_literals;
namespace gate = fpga::burst_gate;
namespace frontend = fpga::ofdm_frontend;

class Cores : public ::testing::Test {
protected:
    static constexpr size_t kChunk = 100;

    CoreAccess& core(const std::string& block) {
        return *std::find_if(access.begin(), access.end(), [&](const auto& a) { return a.block == block; });
    }
    /// The given number of samples of value 0.5.
    void burst(std::optional<int64_t> tick, size_t samples, bool end = true) {
        const std::vector<Sample> all(samples, {0.5F, 0});
        fifo.push(all, {.tick = tick, .start_of_burst = true, .end_of_burst = end}, 0s);
    }
    /// Advances time and records the ticks in which samples are sent.
    void pass(size_t chunks) {
        for (size_t i = 0; i < chunks; ++i) {
            std::vector<Sample> out(kChunk, {9, 9});
            BurstSpans on;
            if (!cores.transmit(now, fifo, out, on)) {
                EXPECT_EQ(out[0], Sample(9, 9)) << "untouched";
            } else {
                for (size_t n = 0; n < out.size(); ++n)
                    if (out[n] != Sample{}) loud.push_back(now + int64_t(n));
                for (const auto& span : on) switched_on += span.to - span.from;
            }
            now += kChunk;
        }
    }
    std::vector<int64_t> ticks(int64_t from, int64_t until) {
        std::vector<int64_t> all;
        for (; from < until; ++from) all.push_back(from);
        return all;
    }

    FpgaCores cores;
    std::vector<CoreAccess> access = cores.access();
    TxFifo fifo{10'000};
    int64_t now = 1000;
    std::vector<int64_t> loud;
    size_t switched_on = 0;
};

TEST_F(Cores, AreFoundByName) {
    EXPECT_EQ(access.size(), 3U);
    EXPECT_EQ(core("preamble_detect").peek(fpga::preamble_detect::kIdAddress), fpga::preamble_detect::kId);
    EXPECT_EQ(core("burst_gate").peek(gate::kIdAddress), gate::kId);
    EXPECT_EQ(core("ofdm_frontend").peek(frontend::kRegisterId), frontend::kId);
    EXPECT_FALSE(core("burst_gate").order({}));
}

TEST_F(Cores, NothingLeavesBeforeTheGateIsTold) {
    burst(1050, 20);
    pass(2);
    EXPECT_TRUE(loud.empty());
    EXPECT_EQ(core("burst_gate").peek(gate::kSilenced), 1U);
    core("burst_gate").poke(gate::kEnable, 1);
    burst(1250, 20);
    pass(2);
    EXPECT_EQ(loud, ticks(1250, 1270));
}

/// Across chunk borders, also with its line on in an earlier chunk.
TEST_F(Cores, ABurstLeavesAtItsTimeWithItsLine) {
    auto& at = core("burst_gate");
    at.poke(gate::kEnable, 1);
    at.poke(gate::kEdge, 3);
    at.poke(gate::kLead, 130);
    at.poke(gate::kLag, 40);
    burst(1310, 150);
    pass(8);
    EXPECT_EQ(loud, ticks(1310, 1460));
    EXPECT_EQ(switched_on, 3 + 130 + 150 + 40 + 3U);
    const auto runs = fifo.runs();
    ASSERT_FALSE(runs.empty());
    EXPECT_EQ(runs.front().from, 1180);
    EXPECT_EQ(runs.back().until, 1500);
    TxEvent event{};
    ASSERT_TRUE(fifo.next_event(event, 0s));
    EXPECT_EQ(event.kind, TxEvent::Kind::burst_ack);
    EXPECT_EQ(event.tick, 1460);
    EXPECT_EQ(at.peek(gate::kBursts), 1U);
}

TEST_F(Cores, TheGateCountsWhatIsLate) {
    auto& at = core("burst_gate");
    at.poke(gate::kEnable, 1);
    pass(1);
    burst(1090, 20);
    burst(1150, 10);
    pass(1);
    EXPECT_EQ(loud, ticks(1150, 1160));
    EXPECT_EQ(at.peek(gate::kLate), 1U);
    EXPECT_EQ(at.peek(gate::kLateTimeLow), 1090U);
    burst({}, 10);
    pass(1);
    EXPECT_EQ(at.peek(gate::kLate), 2U) << "one without a time";
}

TEST_F(Cores, ABurstThatIsNotThereInTimeUnderflows) {
    auto& at = core("burst_gate");
    at.poke(gate::kEnable, 1);
    burst(1010, 30, false);
    pass(1);
    EXPECT_EQ(loud, ticks(1010, 1040));
    EXPECT_EQ(at.peek(gate::kUnderflows), 1U);
    fifo.push(std::vector<Sample>(), {.tick = {}, .end_of_burst = true}, 0s);
    burst(1180, 10);
    loud.clear();
    pass(1);
    EXPECT_EQ(loud, ticks(1180, 1190));
}

/// A packet lost on request: the following one is sent at its time.
TEST_F(Cores, WhatIsLostLeavesAGap) {
    core("burst_gate").poke(gate::kEnable, 1);
    fifo.lose(TxEvent::Kind::sequence, 10);
    burst(1010, 30);
    pass(1);
    EXPECT_EQ(loud, ticks(1020, 1040));
}

/// In the middle of a burst, too.
TEST_F(Cores, WhatIsLostOnTheWayLeavesAGap) {
    core("burst_gate").poke(gate::kEnable, 1);
    burst(1010, 150);
    pass(1);
    fifo.lose(TxEvent::Kind::sequence, 10);
    pass(1);
    auto expected = ticks(1010, 1100);
    const auto rest = ticks(1110, 1160);
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(loud, expected);
}

TEST_F(Cores, SamplesPassAndGiveRecordsAndSymbols) {
    const fpga::test::FrameOnAir air;
    auto heard = air.samples;
    for (auto& x : heard) x *= fpga::test::kHeadroom;
    heard.resize((heard.size() / kChunk + 1) * kChunk + 1000);
    const auto first = int64_t(fpga::test::kFirstTime);
    const auto word = air.order().word();
    const std::array order{uint32_t(word.low), uint32_t(word.low >> 32), uint32_t(word.high),
                           uint32_t(word.high >> 32)};
    ASSERT_TRUE(core("ofdm_frontend").order(order));

    std::array<uint32_t, 1000> words{};
    fpga::OfdmFrontend model;
    model.order(air.order());
    std::vector<fpga::AxisWord> expected;
    model.process(fpga::test::radio_words(air.samples, fpga::test::kHeadroom, fpga::test::kFirstTime), expected);
    size_t symbols = 0, records = 0;
    for (size_t at = 0; at < heard.size(); at += kChunk) {
        std::vector<Sample> chunk(heard.begin() + ptrdiff_t(at), heard.begin() + ptrdiff_t(at + kChunk));
        const auto before = chunk;
        cores.receive(first + int64_t(at), chunk);
        for (size_t n = 0; n < kChunk; ++n) EXPECT_LT(std::abs(chunk[n] - before[n]), 1.0F / 32768) << at + n;
        // Several packets wait, and there is room for all of them: they are read one by one.
        const bool takes = at / kChunk % 10 == 9 || at + kChunk == heard.size();
        for (CorePacket packet; takes && (packet = core("ofdm_frontend").take(words)).words > 0;) {
            ASSERT_EQ(packet.words, 201U);
            EXPECT_EQ(uint64_t(packet.time), expected[symbols * 201].time);
            for (size_t n = 0; n < packet.words; ++n) EXPECT_EQ(words[n], expected[symbols * 201 + n].data) << n;
            ++symbols;
            EXPECT_EQ(packet.end_of_burst, symbols == size_t(air.frame.symbols));
        }
        for (CorePacket packet; (packet = core("preamble_detect").take(words)).words > 0;) {
            ASSERT_EQ(packet.words, size_t{fpga::Detection::kWords});
            EXPECT_EQ(packet.time, first + int64_t(fpga::test::kLead));
            EXPECT_LE(at + kChunk, fpga::test::kLead + fpga::PreambleDetect::kLatencySamples + kChunk);
            ++records;
        }
    }
    EXPECT_EQ(symbols, size_t(air.frame.symbols));
    EXPECT_EQ(records, 1U);
}

TEST_F(Cores, WithoutADetectorSamplesPass) {
    const fpga::test::FrameOnAir air;
    auto heard = air.samples;
    for (auto& x : heard) x *= fpga::test::kHeadroom;
    int64_t first = 0;
    for (const bool detects : {true, false, true}) {
        core("preamble_detect").poke(fpga::preamble_detect::kControl, detects);
        auto passed = heard;
        cores.receive(first, passed);
        for (size_t n = 0; n < passed.size(); ++n) ASSERT_LT(std::abs(passed[n] - heard[n]), 1.0F / 32768) << n;
        std::array<uint32_t, 4> words{};
        const auto packet = core("preamble_detect").take(std::span(words).first(2));
        EXPECT_EQ(packet.words, detects ? 2U : 0U);
        EXPECT_EQ(words[2], 0U);
        EXPECT_EQ(core("preamble_detect").take(words).words, detects ? 1U : 0U);
        EXPECT_EQ(packet.time, detects ? first + int64_t(fpga::test::kLead) : 0);
        first += 100'000;
    }
}

}  // namespace
}  // namespace wimax::vrf
