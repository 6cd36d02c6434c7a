// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of radio models on streams: delayed events, limited frames, overflows, and faults on request.
#include <gtest/gtest.h>

#include "vrf/rx_fifo.h"
#include "vrf/test_samples.h"
#include "vrf/tx_fifo.h"

namespace {

using namespace wimax::vrf;
using namespace std::chrono_literals;
constexpr size_t kPacket = 40;

struct Transmitter {
    explicit Transmitter(TxHabits habits)
        : fifo(
              1000, 1, [] {}, habits) {}
    /// Like a streamer: a packet per call. Returns the number of samples accepted.
    size_t burst(int64_t tick, size_t packets) {
        size_t taken = 0;
        for (size_t i = 0; i < packets; ++i)
            taken += fifo.push(
                ramp(kPacket, float(i * kPacket + 1)),
                {.tick = tick + int64_t(i * kPacket), .start_of_burst = i == 0, .end_of_burst = i + 1 == packets}, 0s);
        return taken;
    }
    std::vector<Sample> chunk(int64_t first) {
        std::vector<Sample> out(kChunk);
        fifo.assemble(first, out);
        return out;
    }
    std::vector<std::pair<TxEvent::Kind, int64_t>> events() {
        std::vector<std::pair<TxEvent::Kind, int64_t>> all;
        for (TxEvent event{}; fifo.next_event(event, 0s);) all.emplace_back(event.kind, event.tick);
        return all;
    }
    TxFifo fifo;
};
using Kind = TxEvent::Kind;
using Events = std::vector<std::pair<Kind, int64_t>>;

TEST(TxEvents, TheHostLearnsOfThemLater) {
    Transmitter t({.event_delay_samples = 150});
    t.burst(10, 1);
    t.chunk(0);
    EXPECT_EQ(t.events(), Events{});
    t.fifo.rebase(1000);
    t.chunk(1100);
    EXPECT_EQ(t.events(), (Events{{Kind::burst_ack, 50}}));
    t.chunk(1200);
    EXPECT_EQ(t.events(), Events{});
}

/// A packet is accepted whole or not.
TEST(TxFrames, NoMorePacketsThanFrames) {
    Transmitter t({.frames = 2});
    EXPECT_EQ(t.burst(110, 3), 2 * kPacket);
    EXPECT_FALSE(t.fifo.blocked());
    t.chunk(0);
    EXPECT_EQ(t.fifo.push(ramp(kPacket), {}, 0s), 0U);
    const auto out = t.chunk(100);
    EXPECT_EQ(out[10], Sample(1, 0));
    EXPECT_EQ(out[89], Sample(80, 0));
    EXPECT_EQ(t.fifo.push(ramp(kPacket), {}, 0s), kPacket);
}

TEST(TxFrames, WhoWaitsForAFrameIsSeen) {
    bool seen = false;
    TxFifo* fifo = nullptr;
    TxFifo full(1000, 1, [&] { seen = fifo->blocked(); }, {.frames = 1});
    fifo = &full;
    full.push(ramp(kPacket), {}, 0s);
    full.push(ramp(kPacket), {}, 0s);
    EXPECT_TRUE(seen);
}

/// The packet after it keeps its time.
TEST(TxLosses, AnUnderflowTakesAPacketOfABurst) {
    for (const Kind kind : {Kind::underflow, Kind::sequence}) {
        Transmitter t({.packet_samples = kPacket});
        t.burst(10, 2);
        t.fifo.lose(kind, 0);
        const auto out = t.chunk(0);
        EXPECT_EQ(out[10], Sample());
        EXPECT_EQ(out[49], Sample());
        EXPECT_EQ(out[50], Sample(41, 0));
        EXPECT_EQ(out[89], Sample(80, 0));
        EXPECT_EQ(t.events(), (Events{{kind, 10}, {Kind::burst_ack, 90}}));
        VirtualRadioCounters counters;
        t.fifo.count(counters);
        EXPECT_EQ(counters.underflow, kind == Kind::underflow);
    }
}

TEST(TxLosses, SoManySamplesAsOneSays) {
    Transmitter t({});
    t.burst(10, 1);
    t.fifo.lose(Kind::underflow, 7);
    const auto out = t.chunk(0);
    EXPECT_EQ(out[16], Sample());
    EXPECT_EQ(out[17], Sample(8, 0));
    t.burst(110, 1);  // the whole of it, and its end
    t.fifo.lose(Kind::underflow, 1000);
    EXPECT_EQ(t.chunk(100), std::vector<Sample>(kChunk));
    t.burst(210, 1);
    EXPECT_EQ(t.chunk(200)[10], Sample(1, 0));
    EXPECT_EQ(t.events(),
              (Events{{Kind::underflow, 10}, {Kind::burst_ack, 50}, {Kind::underflow, 110}, {Kind::burst_ack, 250}}));
}

class Receiver : public ::testing::Test {
protected:
    void use(RxHabits habits, bool real_time) {
        fifo.emplace(1000, habits);
        fifo->set_real_time(real_time);
        fifo->set_packet_samples(kChunk / 2);
        fifo->command({.mode = RxCommand::Mode::start, .samples = 0, .tick = 0});
    }
    void deliver(int64_t first) { fifo->deliver(first, ramp(kChunk, float(first)), false); }
    /// Reads one packet.
    size_t read() {
        buffer.resize(1000);
        return fifo->receive(buffer, meta, 0s, true);
    }
    size_t read_all() {
        size_t n = 0;
        for (size_t got; (got = read()) > 0;) n += got;
        return n;
    }
    std::optional<RxFifo> fifo;
    std::vector<Sample> buffer;
    RxMeta meta;
};

/// If time waits for the host, the length of the gap is the model's and does not depend on the host.
TEST_F(Receiver, AnOverflowEndsAfterTheModelsTime) {
    use({.frames = 100, .restart_samples = 130}, false);
    deliver(0);
    fifo->overflow(0);
    for (int64_t at = 100; at < 400; at += 100) deliver(at);
    EXPECT_EQ(read_all(), kChunk);
    EXPECT_EQ(meta.error, RxError::overflow);
    EXPECT_EQ(meta.tick, 100);
    EXPECT_EQ(meta.restarts, 0U);
    EXPECT_EQ(read(), 50U);
    EXPECT_EQ(meta.tick, 230);
    EXPECT_EQ(buffer[0], Sample(230, 0));
    EXPECT_EQ(meta.restarts, 1U);
    EXPECT_EQ(fifo->overflows(), 1U);
}

/// A host that does not read for long, for instance while it opens another radio. The queue (1000 samples) stays full.
TEST_F(Receiver, AFullQueueIsOneOverflow) {
    for (const bool real_time : {false, true}) {
        use({.frames = 100}, real_time);
        for (int64_t at = 0; at < 5000; at += 100) deliver(at);
        EXPECT_EQ(read_all(), 1000U);
        EXPECT_EQ(meta.error, RxError::overflow);
        EXPECT_EQ(meta.tick, 1000);
        EXPECT_EQ(read(), 0U);
        EXPECT_EQ(meta.error, RxError::timeout);
        deliver(5000);
        EXPECT_EQ(read(), 50U);
        EXPECT_EQ(meta.tick, 5000);
        EXPECT_EQ(fifo->overflows(), 1U);
    }
}

TEST_F(Receiver, TheGapIsAsLongAsOneSays) {
    use({.frames = 100, .restart_samples = 30}, false);
    fifo->overflow(250);
    for (int64_t at = 0; at < 400; at += 100) deliver(at);
    EXPECT_EQ(read(), 0U);
    EXPECT_EQ(meta.error, RxError::overflow);
    read();
    EXPECT_EQ(meta.tick, 250);
}

/// A slow host: four packets wait, no frame is left for the next ones.
TEST_F(Receiver, FramesAreFiniteInRealTime) {
    use({.frames = 4, .restart_samples = 30}, true);
    for (int64_t at = 0; at < 600; at += 100) deliver(at);
    EXPECT_EQ(read_all(), 4 * kChunk / 2);
    EXPECT_EQ(meta.error, RxError::overflow);
    EXPECT_EQ(meta.tick, 200);
    deliver(600);  // it has read the overflow and receives again 30 samples after the present of that time
    EXPECT_EQ(read(), 50U);
    EXPECT_EQ(meta.tick, 630);
    EXPECT_EQ(fifo->overflows(), 1U);
}

TEST_F(Receiver, WhereTimeWaitsFramesDoNotCount) {
    use({.frames = 4}, false);
    for (int64_t at = 0; at < 600; at += 100) deliver(at);
    EXPECT_EQ(read_all(), 6 * kChunk);
    EXPECT_EQ(meta.error, RxError::timeout);
}

TEST_F(Receiver, ALostPacketIsAGapAndASequenceError) {
    use({.frames = 100}, false);
    deliver(0);
    fifo->lose(0);
    deliver(100);
    EXPECT_EQ(read_all(), kChunk);
    EXPECT_EQ(meta.error, RxError::sequence);
    EXPECT_EQ(meta.tick, 100);
    EXPECT_EQ(read(), 50U);
    EXPECT_EQ(meta.tick, 150);
    EXPECT_EQ(meta.restarts, 0U);
    EXPECT_EQ(fifo->overflows(), 0U);
}

TEST_F(Receiver, HeldPacketsAreNotReadableInRealTime) {
    for (const bool real_time : {true, false}) {
        use({.frames = 100}, real_time);
        fifo->hold(24h);
        deliver(0);
        EXPECT_EQ(read(), real_time ? 0U : 50U);
        EXPECT_EQ(meta.error, real_time ? RxError::timeout : RxError::none);
    }
}

TEST_F(Receiver, AnotherStartForgetsWhatWasWanted) {
    use({.frames = 100}, false);
    fifo->overflow(500);
    deliver(0);
    fifo->clear();
    fifo->command({.mode = RxCommand::Mode::start, .samples = 0, .tick = 100});
    deliver(100);
    EXPECT_EQ(read(), 50U);
    EXPECT_EQ(meta.tick, 100);
}

}  // namespace
