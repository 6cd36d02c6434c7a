// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <random>
#include <thread>

#include "vrf/rx_fifo.h"
#include "vrf/test_samples.h"
#include "vrf/tx_fifo.h"

namespace {

using namespace wimax::vrf;
using namespace std::chrono_literals;

class Tx : public ::testing::Test {
protected:
    /// The chunk at `first`; empty if silent.
    std::vector<Sample> chunk(int64_t first) {
        std::vector<Sample> out(kChunk, Sample{-1, -1});
        if (fifo.assemble(first, out) == 0) out.clear();
        return out;
    }
    std::vector<TxEvent::Kind> events() {
        std::vector<TxEvent::Kind> kinds;
        for (TxEvent event; fifo.next_event(event, 0s);) kinds.push_back(event.kind);
        return kinds;
    }
    using Kind = TxEvent::Kind;
    /// Kinds with their ticks.
    std::vector<std::pair<Kind, int64_t>> timed_events() {
        std::vector<std::pair<Kind, int64_t>> all;
        for (TxEvent event; fifo.next_event(event, 0s);) all.emplace_back(event.kind, event.tick);
        return all;
    }
    VirtualRadioCounters counters() const {
        VirtualRadioCounters c;
        fifo.count(c);
        return c;
    }
    TxFifo fifo{1000};
};

long sleeps_of_this_thread() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/// The kernel would let it sleep even for a time of zero.
TEST_F(Tx, AHostThatOnlyLooksForEventsDoesNotSleep) {
    constexpr int kLooks = 500;
    const long before = sleeps_of_this_thread();
    TxEvent event{};
    for (int i = 0; i < kLooks; ++i) ASSERT_FALSE(fifo.next_event(event, 0s));
    EXPECT_LT(sleeps_of_this_thread() - before, kLooks / 10);
}

/// Three packets of 40 from 80 on, read when 100 is the next sample: the first is late, the others are sent.
TEST(TxHabits, OfALateBurstThePacketsInTimeAreSent) {
    TxFifo fifo(1000, 1, [] {}, {.late_packets = true});
    std::vector<Sample> out(kChunk);
    EXPECT_EQ(fifo.assemble(0, out), 0);
    for (int i = 0; i < 3; ++i)
        fifo.push(ramp(40, float(40 * i + 1)), {.tick = 80 + 40 * i, .start_of_burst = i == 0, .end_of_burst = i == 2},
                  0s);
    ASSERT_NE(fifo.assemble(100, out), 0);
    EXPECT_EQ(out[19], Sample());
    EXPECT_EQ(out[20], Sample(41, 0));
    EXPECT_EQ(out[99], Sample(120, 0));
    TxEvent event{};
    ASSERT_TRUE(fifo.next_event(event, 0s));
    EXPECT_EQ(event.kind, TxEvent::Kind::late);
    EXPECT_EQ(event.tick, 80);
    ASSERT_TRUE(fifo.next_event(event, 0s));
    EXPECT_EQ(event.kind, TxEvent::Kind::burst_ack);
    EXPECT_FALSE(fifo.next_event(event, 0s));
}

/// The end of a burst is in the filters and leaves them before the next one.
TEST(TxHabits, TheTailOfABurstComesWithTheNext) {
    TxFifo fifo(1000, 1, [] {}, {.tail_samples = 18});
    std::vector<Sample> out(kChunk);
    fifo.push(ramp(50), {.tick = 10, .start_of_burst = true, .end_of_burst = true}, 0s);
    ASSERT_NE(fifo.assemble(0, out), 0);
    EXPECT_EQ(out[27], Sample());
    EXPECT_EQ(out[28], Sample(1, 0));
    EXPECT_EQ(out[59], Sample(32, 0));
    EXPECT_EQ(out[60], Sample());
    fifo.push(ramp(50, 1000), {.tick = 130, .start_of_burst = true, .end_of_burst = true}, 0s);
    ASSERT_NE(fifo.assemble(100, out), 0);
    EXPECT_EQ(out[30], Sample(33, 0));
    EXPECT_EQ(out[47], Sample(50, 0));
    EXPECT_EQ(out[48], Sample(1000, 0));
}

TEST_F(Tx, ATickOffIsContiguousTwoAreNot) {
    for (const int64_t off : {-2, -1, 0, 1, 2}) {
        fifo.clear();
        const int64_t base = 1000 * (off + 10);
        fifo.push(ramp(40), {.tick = base + 10, .start_of_burst = true}, 0s);
        fifo.push(ramp(20, 41), {.tick = base + 50 + off, .end_of_burst = true}, 0s);
        const auto out = chunk(base);
        ASSERT_FALSE(out.empty());
        EXPECT_EQ(out[49], Sample(40, 0));
        if (off == -2) {  // before samples already sent: late
            EXPECT_EQ(std::count(out.begin(), out.end(), Sample{}), 60);
            EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::late, base + 48}}));
            continue;
        }
        const size_t gap = off == 2 ? 2 : 0;
        EXPECT_EQ(out[50 + gap], Sample(41, 0)) << off;
        EXPECT_EQ(out[69 + gap], Sample(60, 0)) << off;
        EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::burst_ack, base + 70 + int64_t(gap)}}));
    }
}

TEST_F(Tx, LeastSlackIsThatOfTheBurstsStarts) {
    fifo.push(ramp(5), {.tick = 20, .start_of_burst = true, .end_of_burst = true}, 0s);
    EXPECT_EQ(counters().least_slack_samples, INT64_MAX);  // time has not started
    chunk(0);
    fifo.push(ramp(5), {.tick = 130, .start_of_burst = true, .end_of_burst = true}, 0s);
    EXPECT_EQ(counters().least_slack_samples, 30);
    fifo.push(ramp(5), {.tick = 170, .start_of_burst = true}, 0s);
    fifo.push(ramp(5), {.tick = 175, .end_of_burst = true}, 0s);
    EXPECT_EQ(counters().least_slack_samples, 30);
    fifo.push(ramp(5), {.tick = 300, .start_of_burst = true}, 0s);
    fifo.push(ramp(5), {.tick = 110, .end_of_burst = true}, 0s);  // not a start
    EXPECT_EQ(counters().least_slack_samples, 30);
    fifo.rebase(1000);  // the next chunk begins at 1100
    fifo.push(ramp(5), {.tick = 1112, .start_of_burst = true, .end_of_burst = true}, 0s);
    EXPECT_EQ(counters().least_slack_samples, 12);
}

TEST_F(Tx, ASecondStartEndsABurstThatIsDropped) {
    chunk(0);
    fifo.push(ramp(30), {.tick = 50, .start_of_burst = true}, 0s);
    fifo.push(ramp(30), {.tick = 80}, 0s);
    fifo.push(ramp(10), {.tick = 150, .start_of_burst = true, .end_of_burst = true}, 0s);
    const auto out = chunk(100);
    ASSERT_FALSE(out.empty());
    EXPECT_EQ(out[49], Sample(0, 0));
    EXPECT_EQ(out[50], Sample(1, 0));
    EXPECT_EQ(out[59], Sample(10, 0));
    EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::late, 50}, {Kind::burst_ack, 160}}));
}

TEST_F(Tx, WhatTheChannelLostIsLate) {
    fifo.lost(77);
    EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::late, 77}}));
    EXPECT_EQ(counters().late, 1U);
    EXPECT_EQ(counters().underflow, 0U);
    EXPECT_EQ(counters().bursts, 0U);
}

TEST_F(Tx, AnUnderflowAtTheSampleThatWasMissing) {
    fifo.push(ramp(150), {.tick = 0, .start_of_burst = true}, 0s);
    chunk(0);
    fifo.rebase(500);
    EXPECT_EQ(chunk(600)[49], Sample(150, 0));
    EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::underflow, 650}}));
    EXPECT_EQ(counters().underflow, 1U);
    EXPECT_EQ(counters().late, 0U);
}

TEST_F(Tx, BlockedWhileRoomIsMissingOnly) {
    int full = 0;
    TxFifo small(800, 1, [&] { ++full; });
    EXPECT_EQ(small.push(ramp(800), {.tick = 0, .start_of_burst = true, .end_of_burst = true}, 0s), 800U);
    EXPECT_EQ(full, 0);
    EXPECT_FALSE(small.blocked());
    EXPECT_EQ(small.push(ramp(1), {.tick = 800, .start_of_burst = true, .end_of_burst = true}, 0s), 0U);
    EXPECT_EQ(full, 1);
    EXPECT_FALSE(small.blocked());  // it was given up
}

/// Bursts and times are common to the channels, samples are separate; a channel with only zeros does not send.
TEST(TxOfTwoChannels, EachHasItsSamples) {
    TxFifo fifo(250, 2);  // the second burst crosses the ring's end
    for (const int64_t base : {0, 200, 400}) {
        SCOPED_TRACE(base);
        auto second = ramp(150, 1000);
        std::fill_n(second.begin(), 60, Sample{});
        ASSERT_EQ(fifo.push({ramp(150), second}, {.tick = base + 40, .start_of_burst = true, .end_of_burst = true}, 0s),
                  150U);
        std::vector<Sample> out(2 * kChunk, Sample{-1, -1});
        EXPECT_EQ(fifo.assemble(base, out), 1);  // of the second channel zeros only
        EXPECT_EQ(out[39], Sample{});
        EXPECT_EQ(out[40], Sample(1, 0));
        EXPECT_EQ(out[99], Sample(60, 0));
        EXPECT_EQ(fifo.assemble(base + int64_t{kChunk}, out), 3);
        EXPECT_EQ(out[0], Sample(61, 0));
        EXPECT_EQ(out[89], Sample(150, 0));
        EXPECT_EQ(out[90], Sample{});
        EXPECT_EQ(out[100], Sample(1060, 0));
        EXPECT_EQ(out[189], Sample(1149, 0));
        EXPECT_EQ(out[190], Sample{});
    }
}

TEST(TxOfTwoChannels, AStreamOfOneOfThem) {
    TxFifo fifo(1000, 2);
    const auto samples = ramp(50);
    std::vector<Sample> out(2 * kChunk, Sample{-1, -1});
    fifo.push(samples, {.tick = 0, .start_of_burst = true, .end_of_burst = true}, 0s);
    EXPECT_EQ(fifo.assemble(0, out), 1);
    fifo.push({{nullptr, samples.data()}, samples.size()}, {.tick = 100, .start_of_burst = true, .end_of_burst = true},
              0s);
    EXPECT_EQ(fifo.assemble(100, out), 2);
    EXPECT_EQ(out[10], Sample{});
    EXPECT_EQ(out[kChunk + 10], Sample(11, 0));
    EXPECT_EQ(fifo.assemble(200, out), 0);
    VirtualRadioCounters counters;
    fifo.count(counters);
    EXPECT_EQ(counters.bursts, 2U);
    EXPECT_EQ(counters.underflow, 0U);
}

TEST_F(Tx, TimedBurstStartsOnItsSampleAndCrossesChunks) {
    fifo.push(ramp(120), {.tick = 150, .start_of_burst = true, .end_of_burst = true}, 0s);
    EXPECT_TRUE(chunk(0).empty());
    const auto second = chunk(100), third = chunk(200);
    ASSERT_EQ(second.size(), kChunk);
    EXPECT_EQ(second[49], Sample(0, 0));
    EXPECT_EQ(second[50], Sample(1, 0));
    EXPECT_EQ(third[69], Sample(120, 0));
    EXPECT_EQ(third[70], Sample(0, 0));
    EXPECT_EQ(events(), std::vector<Kind>{Kind::burst_ack});
    EXPECT_EQ(fifo.bursts_queued(), 1U);
}

TEST_F(Tx, LateBurstIsDroppedWholeAndTheNextOneIsNot) {
    chunk(0);
    fifo.push(ramp(30), {.tick = 99, .start_of_burst = true}, 0s);
    fifo.push(ramp(30), {.tick = {}, .end_of_burst = true}, 0s);
    fifo.push(ramp(10), {.tick = 160, .start_of_burst = true, .end_of_burst = true}, 0s);
    const auto out = chunk(100);
    ASSERT_FALSE(out.empty());
    EXPECT_EQ(std::count(out.begin(), out.end(), Sample{}), 90);
    EXPECT_EQ(out[60], Sample(1, 0));
    EXPECT_EQ(events(), (std::vector<Kind>{Kind::late, Kind::burst_ack}));
    VirtualRadioCounters counters;
    fifo.count(counters);
    EXPECT_EQ(counters.late, 1U);
    EXPECT_EQ(counters.least_slack_samples, -1);
}

TEST_F(Tx, PacketsOfABurstAreContiguousWithOrWithoutTimes) {
    fifo.push(ramp(40), {.tick = 10, .start_of_burst = true}, 0s);
    fifo.push(ramp(40, 41), {.tick = 50}, 0s);
    fifo.push(ramp(20, 81), {.tick = {}, .end_of_burst = true}, 0s);
    const auto out = chunk(0);
    ASSERT_FALSE(out.empty());
    for (size_t i = 0; i < 90; ++i) EXPECT_EQ(out[10 + i], Sample(float(i + 1), 0));
}

TEST_F(Tx, RunningDryIsAnUnderflowAndRecovers) {
    fifo.push(ramp(50), {.tick = {}, .start_of_burst = true}, 0s);
    EXPECT_TRUE(fifo.starving(0, kChunk));
    EXPECT_FALSE(chunk(0).empty());
    EXPECT_EQ(events(), std::vector<Kind>{Kind::underflow});
    EXPECT_TRUE(chunk(100).empty());
    fifo.push(ramp(50), {.tick = {}, .end_of_burst = true}, 0s);
    EXPECT_EQ(chunk(200)[0], Sample(1, 0));
    EXPECT_EQ(events(), std::vector<Kind>{Kind::burst_ack});
}

TEST_F(Tx, ZeroLengthStartOpensNothingAndEndCloses) {
    fifo.push({}, {.tick = 250, .start_of_burst = true}, 0s);
    EXPECT_TRUE(chunk(0).empty());
    EXPECT_TRUE(events().empty());
    EXPECT_EQ(fifo.bursts_queued(), 0U);
    fifo.push(ramp(100), {}, 0s);
    EXPECT_TRUE(chunk(100).empty());
    EXPECT_EQ(chunk(200)[50], Sample(1, 0));  // the time of the start is used
    fifo.push({}, {.tick = {}, .end_of_burst = true}, 0s);
    EXPECT_EQ(chunk(300)[49], Sample(100, 0));
    EXPECT_EQ(events(), std::vector<Kind>{Kind::burst_ack});
    EXPECT_EQ(fifo.bursts_queued(), 1U);
}

/// A burst waits for its rest; whole bursts and those of later chunks do not.
TEST_F(Tx, StarvingIsABurstWithoutItsEndOnly) {
    EXPECT_FALSE(fifo.starving(0, kChunk));
    fifo.push(ramp(40), {.tick = 10, .start_of_burst = true, .end_of_burst = true}, 0s);
    EXPECT_FALSE(fifo.starving(0, kChunk));
    chunk(0);
    fifo.push(ramp(50), {.tick = 150, .start_of_burst = true}, 0s);
    EXPECT_FALSE(fifo.starving(kChunk, kChunk));  // to the chunk's last sample
    EXPECT_TRUE(fifo.starving(kChunk, kChunk + 1));
    EXPECT_FALSE(fifo.starving(0, kChunk + 50));
    EXPECT_TRUE(fifo.starving(0, kChunk + 101));
}

/// Samples that were sent, and lost with their channel, are not sent again.
TEST_F(Tx, NothingGoesOutTwice) {
    fifo.push(ramp(10), {.tick = 20, .start_of_burst = true, .end_of_burst = true}, 0s);
    fifo.push(ramp(10), {.tick = 60, .start_of_burst = true, .end_of_burst = true}, 0s);
    std::vector<Sample> out(kChunk);
    EXPECT_EQ(fifo.assemble(0, out, 50), 1);
    EXPECT_EQ(out[20], Sample{});
    EXPECT_EQ(out[60], Sample(1, 0));
    EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::late, 20}, {Kind::burst_ack, 70}}));
}

TEST_F(Tx, FullQueueTakesWhatFitsUntilTheTimeout) {
    EXPECT_EQ(fifo.push(ramp(1500), {.tick = 0, .start_of_burst = true, .end_of_burst = true}, 0s), 1000U);
    EXPECT_EQ(fifo.push(ramp(1), {}, 0s), 0U);
    EXPECT_EQ(fifo.bursts_queued(), 0U);  // its end never arrived
}

TEST_F(Tx, TimeMayBeChangedInABurst) {
    for (const int64_t delta : {10'000, 7, 0, -7, -3'000}) {
        SCOPED_TRACE(delta);
        fifo.clear();
        fifo.push(ramp(150), {.tick = 5000, .start_of_burst = true}, 0s);
        chunk(5000);
        fifo.rebase(delta);
        fifo.push(ramp(20, 151), {.tick = 5150 + delta}, 0s);  // contiguous in the new time
        fifo.push({}, {.tick = {}, .end_of_burst = true}, 0s);
        const auto out = chunk(5100 + delta);
        ASSERT_FALSE(out.empty());
        for (size_t i = 0; i < 70; ++i) EXPECT_EQ(out[i], Sample(float(101 + i), 0)) << i;
        EXPECT_EQ(out[70], Sample{});
        EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::burst_ack, 5170 + delta}}));
    }
}

class Rx : public ::testing::Test {
protected:
    Rx() { fifo.set_packet_samples(kChunk); }
    void deliver(int64_t first, bool gap = false) { fifo.deliver(first, ramp(kChunk, float(first)), gap); }
    size_t read(size_t n, bool one_packet = false) {
        buffer.resize(n);
        return fifo.receive(buffer, meta, 0s, one_packet);
    }
    using Mode = RxCommand::Mode;
    RxFifo fifo{1000};
    std::vector<Sample> buffer;
    RxMeta meta;
};

TEST_F(Rx, TimedStartCutsOnItsSample) {
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 130});
    EXPECT_TRUE(fifo.streaming());
    for (int64_t at : {0, 100, 200}) deliver(at);
    EXPECT_EQ(read(1000), 170U);
    EXPECT_EQ(meta.tick, 130);
    EXPECT_EQ(buffer[0], Sample(130, 0));
    EXPECT_EQ(read(10), 0U);
    EXPECT_EQ(meta.error, RxError::timeout);
}

TEST_F(Rx, CountedSamplesEndWithEndOfBurst) {
    fifo.command({.mode = Mode::samples_and_done, .samples = 150, .tick = 0});
    deliver(0), deliver(100);
    EXPECT_EQ(read(1000), 150U);
    EXPECT_TRUE(meta.end_of_burst);
    EXPECT_FALSE(fifo.streaming());
}

TEST_F(Rx, ChainContinuesOrBreaks) {
    fifo.command({.mode = Mode::samples_and_more, .samples = 50, .tick = 0});
    fifo.command({.mode = Mode::samples_and_more, .samples = 30, .tick = {}});
    deliver(0);
    EXPECT_EQ(read(1000), 80U);
    EXPECT_EQ(read(1000), 0U);
    EXPECT_EQ(meta.error, RxError::broken_chain);
}

TEST_F(Rx, LateCommandIsAnErrorAndNothingStreams) {
    deliver(0);
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 50});
    deliver(100);
    EXPECT_EQ(read(10), 0U);
    EXPECT_EQ(meta.error, RxError::late_command);
    EXPECT_FALSE(fifo.streaming());
}

TEST_F(Rx, OverflowTellsWhereTheStreamGoesOn) {
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 0});
    for (int64_t at = 0; at < 1200; at += 100) deliver(at);
    EXPECT_EQ(read(2000), 1000U);
    deliver(1200);
    EXPECT_EQ(read(2000), 0U);
    EXPECT_EQ(meta.error, RxError::overflow);
    EXPECT_EQ(meta.tick, 1200);
    EXPECT_EQ(read(2000), kChunk);
    EXPECT_EQ(fifo.overflows(), 1U);
}

TEST_F(Rx, OnePacketAndFragments) {
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 0});
    deliver(0), deliver(100);
    EXPECT_EQ(read(1000, true), kChunk);
    EXPECT_EQ(read(30), 30U);
    EXPECT_TRUE(meta.more_fragments);
    EXPECT_EQ(read(1000), 70U);
    EXPECT_EQ(meta.fragment_offset, 30U);
    EXPECT_EQ(meta.tick, 130);
}

TEST_F(Rx, PacketsGrowWhileNobodyTakesThem) {
    fifo.set_packet_samples(3 * kChunk);
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 0});
    for (int64_t at : {0, 100, 200, 300}) deliver(at);
    EXPECT_EQ(read(1000, true), 3 * kChunk);
    EXPECT_EQ(read(30, true), 30U);
    EXPECT_TRUE(meta.more_fragments);
    deliver(400);
    EXPECT_EQ(read(1000, true), 170U);  // the rest of the packet that has grown
    EXPECT_EQ(meta.tick, 330);
    EXPECT_EQ(meta.fragment_offset, 30U);
    EXPECT_FALSE(meta.more_fragments);
    deliver(600, true);  // after a gap there is another packet
    deliver(700);
    EXPECT_EQ(read(1000, true), 0U);
    EXPECT_EQ(meta.error, RxError::overflow);
    EXPECT_EQ(read(1000, true), 2 * kChunk);
    EXPECT_EQ(meta.tick, 600);
}

TEST_F(Rx, EverySampleOnceWhateverTheSizes) {
    fifo.set_packet_samples(250);
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 0});
    std::mt19937 random(7);
    int64_t delivered = 0, expected = 0;
    while (expected < 100'000) {
        while (fifo.unread() + kChunk <= fifo.capacity() && random() % 3 != 0) deliver(delivered), delivered += kChunk;
        const size_t n = read(1 + random() % 400, random() % 2 != 0);
        if (n == 0) continue;
        ASSERT_EQ(meta.tick, expected);
        for (size_t i = 0; i < n; ++i, ++expected) ASSERT_EQ(buffer[i], Sample(float(expected), 0));
    }
    EXPECT_EQ(fifo.overflows(), 0U);
}

// A host that waits, while another thread delivers chunks: directly to its buffer, through the queue, or in part.
TEST_F(Rx, EverySampleOnceForAHostThatWaits) {
    constexpr int64_t kEnd = 400'000;
    fifo.set_packet_samples(250);
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 0});
    std::thread radio([&] {
        for (int64_t at = 0; at < kEnd; at += kChunk) {
            while (fifo.unread() + kChunk > fifo.capacity()) fifo.announce(), std::this_thread::yield();
            deliver(at);
            if (at / int64_t{kChunk} % 3 == 0 || at + int64_t{kChunk} == kEnd) fifo.announce();  // several at once
        }
    });
    std::mt19937 random(8);
    int64_t expected = 0, wrong = 0;
    while (expected < kEnd) {
        buffer.assign(1 + random() % 400, Sample(-1, 0));
        const size_t n = fifo.receive(buffer, meta, 1s, random() % 2 != 0);
        wrong += n == 0 || meta.tick != expected;
        if (n == 0) break;
        for (size_t i = 0; i < n; ++i, ++expected) wrong += buffer[i] != Sample(float(expected), 0);
    }
    radio.join();
    EXPECT_EQ(expected, kEnd);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(fifo.unread(), 0U);
    EXPECT_EQ(fifo.overflows(), 0U);
}

/// A host that finds nothing fetches, and gets what that delivers from the same call.
TEST_F(Rx, AHostThatFindsNothingFetches) {
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 0});
    int64_t next = 0;
    int fetched = 0;
    fifo.on_empty([&] {
        ++fetched;
        if (next < 3 * int64_t{kChunk}) deliver(next);
        next += kChunk;
    });
    buffer.resize(2 * kChunk);
    for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(fifo.receive(buffer, meta, 0s, true), kChunk) << k;
        EXPECT_EQ(meta.tick, k * int64_t{kChunk});
        EXPECT_EQ(buffer[kChunk - 1], Sample(float((k + 1) * int64_t{kChunk} - 1), 0));
        EXPECT_EQ(fetched, k + 1);
    }
    EXPECT_EQ(fifo.receive(buffer, meta, 0s, true), 0U);
    EXPECT_EQ(meta.error, RxError::timeout);
    EXPECT_EQ(fetched, 4);
    deliver(3 * int64_t{kChunk});
    EXPECT_EQ(fifo.receive(buffer, meta, 0s, true), kChunk);
    EXPECT_EQ(fetched, 4);  // there was something
}

TEST_F(Rx, StopForgetsWhatWasToStartLater) {
    fifo.command({.mode = RxCommand::Mode::start, .samples = 0, .tick = 150});
    EXPECT_TRUE(fifo.streaming());
    fifo.command({.mode = RxCommand::Mode::stop, .samples = 0, .tick = {}});
    EXPECT_FALSE(fifo.streaming());
    deliver(100);
    EXPECT_EQ(fifo.unread(), 0U);
}

TEST_F(Rx, StopActsWhileTimeStandsStill) {
    fifo.command({.mode = Mode::start, .samples = 0, .tick = 0});
    deliver(0);
    fifo.command({.mode = Mode::stop, .samples = 0, .tick = {}});
    EXPECT_FALSE(fifo.streaming());
    deliver(100);
    EXPECT_EQ(read(1000), kChunk);
    EXPECT_TRUE(meta.end_of_burst);
}

// ---- edges, and a second use ----------------------------------------------------------------------------------------

/// The last sample in time and the first late one, in the middle of a chunk and at its borders, in the first chunk and
/// after a gap.
TEST_F(Tx, LateIsWhatBeginsBeforeTheNextSample) {
    for (const int64_t begin : {0, 300, 10'000})
        for (const int64_t off : {-1, 0, 1}) {
            fifo.clear();
            chunk(begin);  // the next sample is the first of the following chunk
            const int64_t next = begin + int64_t(kChunk);
            fifo.push(ramp(5), {.tick = next + off, .start_of_burst = true, .end_of_burst = true}, 0s);
            const auto out = chunk(next);
            if (off < 0) {
                EXPECT_TRUE(out.empty());
                EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::late, next + off}}));
                continue;
            }
            ASSERT_FALSE(out.empty()) << begin << ' ' << off;
            EXPECT_EQ(out[size_t(off)], Sample(1, 0));
            EXPECT_EQ(timed_events(), (std::vector<std::pair<Kind, int64_t>>{{Kind::burst_ack, next + off + 5}}));
        }
}

/// A burst that ends with the chunk's last sample, and one that has a sample left.
TEST_F(Tx, ABurstEndsAtAChunksBorder) {
    for (const size_t length : {kChunk - 1, kChunk, kChunk + 1}) {
        fifo.clear();
        const int64_t begin = 1000 * int64_t(length);
        fifo.push(ramp(length), {.tick = begin, .start_of_burst = true, .end_of_burst = true}, 0s);
        EXPECT_EQ(chunk(begin).size(), kChunk);
        EXPECT_EQ(timed_events().size(), length <= kChunk ? 1U : 0U) << length;
        EXPECT_EQ(chunk(begin + int64_t(kChunk)).empty(), length <= kChunk);
        EXPECT_EQ(timed_events().size(), length <= kChunk ? 0U : 1U) << length;
        EXPECT_EQ(counters().underflow, 0U);
    }
}

/// Random actions of a host: bursts whole and in pieces, with times before, at and after the present, ended or begun
/// again, and losses on request. Compares all output and all events.
struct AnyHost {
    TxFifo& fifo;
    std::mt19937 random;
    int64_t now = 0;
    std::vector<float> left{};
    std::vector<std::pair<TxEvent::Kind, int64_t>> events{};

    unsigned draw(unsigned n) { return unsigned(random() % n); }
    void live(int steps) {
        for (int i = 0; i < steps; ++i) {
            if (draw(3) == 0) {
                std::vector<Sample> out(kChunk, Sample{-1, -1});
                left.push_back(fifo.assemble(now, out));
                for (const auto s : out) left.push_back(s.real());
                now += int64_t(kChunk);
            } else if (draw(25) == 0) {
                fifo.lose(draw(2) == 0 ? TxEvent::Kind::underflow : TxEvent::Kind::sequence, draw(3) * 10);
            } else {
                TxMeta meta{.tick = {}, .start_of_burst = draw(3) == 0, .end_of_burst = draw(3) == 0};
                if (draw(3) != 0) meta.tick = now + int64_t(draw(250)) - 30;
                left.push_back(float(fifo.push(ramp(draw(120), float(draw(1000))), meta, 0s)));
            }
            left.push_back(fifo.starving(now, kChunk));
            left.push_back(float(fifo.bursts_queued()));
            for (TxEvent event{}; fifo.next_event(event, 0s);) events.emplace_back(event.kind, event.tick);
        }
    }
};

TEST(TxAgain, AClearedFifoIsAFreshOne) {
    for (const TxHabits& habits : {TxHabits{}, TxHabits{.late_packets = true, .tail_samples = 18, .packet_samples = 40},
                                   TxHabits{.tail_samples = 5, .frames = 6, .event_delay_samples = 150}})
        for (unsigned seed = 1; seed <= 80; ++seed) {
            TxFifo used(
                400, 1, [] {}, habits),
                fresh(
                    400, 1, [] {}, habits);
            AnyHost first{used, std::mt19937(seed), 0};
            first.live(int(seed % 50));
            used.clear();
            const int64_t from = first.now + 500;
            AnyHost again{used, std::mt19937(seed + 1000), from}, anew{fresh, std::mt19937(seed + 1000), from};
            std::vector<Sample> out(kChunk);
            EXPECT_EQ(used.assemble(from - int64_t(kChunk), out), 0) << seed;  // both know the present
            fresh.assemble(from - int64_t(kChunk), out);
            again.live(60), anew.live(60);
            ASSERT_EQ(again.left, anew.left) << seed;
            ASSERT_EQ(again.events, anew.events) << seed;
        }
}

/// A burst in any of the forms that a host may use: whole, in packets of any size, begun and ended by packets without
/// samples, with or without its time in each packet.
void send_burst(TxFifo& fifo, int64_t tick, const std::vector<Sample>& samples, std::mt19937& random) {
    const auto draw = [&](unsigned n) { return unsigned(random() % n); };
    const bool empty_start = draw(2) == 0, empty_end = draw(2) == 0, times = draw(2) == 0;
    if (empty_start) fifo.push({}, {.tick = tick, .start_of_burst = true, .end_of_burst = false}, 0s);
    for (size_t at = 0; at < samples.size();) {
        const size_t n = std::min<size_t>(draw(3) == 0 ? 1 : 1 + draw(60), samples.size() - at);
        TxMeta meta{.tick = {}, .start_of_burst = at == 0 && !empty_start, .end_of_burst = false};
        if (times || meta.start_of_burst) meta.tick = tick + int64_t(at);
        meta.end_of_burst = !empty_end && at + n == samples.size();
        ASSERT_EQ(fifo.push(std::vector(samples.begin() + long(at), samples.begin() + long(at + n)), meta, 0s), n);
        at += n;
    }
    if (empty_end) fifo.push({}, {.tick = {}, .start_of_burst = false, .end_of_burst = true}, 0s);
}

/// Reassembled, the samples for a gate equal those that the queue sends without one.
TEST(TxHandedOut, IsWhatIsAssembled) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        std::mt19937 random(seed), same(seed);
        TxFifo assembles(2000), hands_out(2000);
        std::vector<Sample> sent, handed_out;
        int64_t place = 0, begun = 0, ended = 0;
        uint64_t bursts = 0;
        int64_t next = 20;  // tick of the next burst
        for (int64_t first = 0; first < 3000; first += int64_t(kChunk)) {
            for (; next < first + 2 * int64_t(kChunk) && next < 2500; ++bursts) {
                const auto samples = ramp(1 + random() % 180, float(next));
                same.seed(seed + unsigned(next));
                auto again = same;
                send_burst(assembles, next, samples, same);
                send_burst(hands_out, next, samples, again);
                next += int64_t(samples.size() + 5 + random() % 90);
            }
            std::vector<Sample> out(kChunk);
            if (assembles.assemble(first, out) == 0) std::ranges::fill(out, Sample{});
            sent.insert(sent.end(), out.begin(), out.end());
            handed_out.resize(size_t(first) + kChunk);
            hands_out.hand_out(first + int64_t(kChunk), [&](const BurstPart& part) {
                begun += part.tick.has_value();
                ended += part.end;
                place = part.tick.value_or(place);
                for (const auto sample : part.samples) handed_out.at(size_t(place++)) = sample;
            });
        }
        ASSERT_EQ(handed_out, sent) << seed;
        EXPECT_EQ(begun, int64_t(bursts)) << seed;
        EXPECT_EQ(ended, int64_t(bursts)) << seed;
    }
}

/// The same for a receiver: commands of all kinds, whole packets and fragments, overflows, losses.
struct AnyListener {
    RxFifo& fifo;
    std::mt19937 random;
    int64_t now = 0;
    uint32_t restarts_before = 0;
    std::vector<int64_t> got{};
    uint32_t restarts = 0;

    unsigned draw(unsigned n) { return unsigned(random() % n); }
    void live(int steps) {
        for (int i = 0; i < steps; ++i) {
            const auto kind = draw(20);
            if (kind < 6) {
                fifo.deliver(now, ramp(kChunk, float(now)), draw(15) == 0);
                now += int64_t(kChunk);
            } else if (kind < 15) {
                std::vector<Sample> out(1 + draw(400));
                RxMeta meta;
                const size_t n = fifo.receive(out, meta, 0s, draw(2) == 0);
                restarts = std::max(restarts, meta.restarts);
                for (size_t k = 0; k < n; ++k) got.push_back(int64_t(out[k].real()));
                got.insert(got.end(), {int64_t(n), meta.tick, meta.has_tick, meta.start_of_burst, meta.end_of_burst,
                                       meta.more_fragments, int64_t(meta.fragment_offset), int64_t(meta.error),
                                       int64_t(meta.has_tick ? meta.restarts - restarts_before : 0)});
            } else if (kind == 15) {
                draw(2) == 0 ? fifo.overflow(draw(3) * 70) : fifo.lose(draw(3) * 30);
            } else {
                RxCommand command{RxCommand::Mode(draw(4)), 1 + draw(300), {}};
                if (draw(2) == 0) command.tick = now + int64_t(draw(300)) - 50;
                fifo.command(command);
            }
            got.insert(got.end(), {int64_t(fifo.unread()), fifo.streaming(), fifo.stopped()});
        }
    }
};

TEST(RxAgain, AClearedFifoIsAFreshOne) {
    for (const RxHabits& habits : {RxHabits{}, RxHabits{.frames = 5, .restart_samples = 130}})
        for (const bool real_time : {false, true})
            for (unsigned seed = 1; seed <= 80; ++seed) {
                RxFifo used(600, habits), fresh(600, habits);
                for (auto* fifo : {&used, &fresh}) fifo->set_packet_samples(70), fifo->set_real_time(real_time);
                AnyListener first{used, std::mt19937(seed)};
                first.live(int(seed % 60));
                const uint64_t overflows = used.overflows();
                // The number of restarts is reported with the next packets.
                used.clear();
                EXPECT_FALSE(used.stopped()) << seed;
                used.command({.mode = RxCommand::Mode::samples_and_done, .samples = 1, .tick = first.now});
                used.deliver(first.now, ramp(kChunk), false);
                std::vector<Sample> one(1);
                RxMeta meta;
                ASSERT_EQ(used.receive(one, meta, 0s, true), 1U) << seed;
                used.clear();
                const int64_t from = first.now + 1000;
                AnyListener again{used, std::mt19937(seed + 1000), from, meta.restarts};
                AnyListener anew{fresh, std::mt19937(seed + 1000), from};
                again.live(80), anew.live(80);
                ASSERT_EQ(again.got, anew.got) << seed << (real_time ? " in real time" : "");
                EXPECT_EQ(used.overflows() - overflows, fresh.overflows()) << seed;
            }
}

/// A fault requested for a previous stream does not affect the next.
TEST(RxAgain, HeldPacketsAreThoseOfTheirStream) {
    RxFifo fifo(1000, {.frames = 100});
    fifo.set_real_time(true);
    fifo.set_packet_samples(kChunk);
    fifo.command({.mode = RxCommand::Mode::start, .samples = 0, .tick = 0});
    fifo.hold(24h);
    fifo.deliver(0, ramp(kChunk), false);
    fifo.clear();
    fifo.command({.mode = RxCommand::Mode::start, .samples = 0, .tick = 100});
    fifo.deliver(100, ramp(kChunk), false);
    std::vector<Sample> out(kChunk);
    RxMeta meta;
    EXPECT_EQ(fifo.receive(out, meta, 0s, true), kChunk);
}

/// A queue that is exactly full, and one sample more, for any begin in its ring.
TEST_F(Rx, OneSampleMoreThanThereIsRoomForIsAnOverflow) {
    for (const size_t before : {size_t{0}, size_t{37}, size_t{999}})
        for (const size_t more : {size_t{0}, size_t{1}}) {
            RxFifo ring(1000);
            ring.set_packet_samples(kChunk);
            ring.command({.mode = Mode::start, .samples = 0, .tick = 0});
            int64_t at = 0;
            if (before > 0) {  // read by a host, so that the ring's end is in between; one sample stays
                ring.deliver(0, ramp(before), false);
                buffer.resize(before - 1);
                ASSERT_EQ(ring.receive(buffer, meta, 0s, false), before - 1);
                at = int64_t(before);
            }
            const size_t room = 1000 - ring.unread();
            ring.deliver(at, ramp(room - 1, 5), false);
            EXPECT_EQ(ring.overflows(), 0U);
            ring.deliver(at + int64_t(room) - 1, ramp(1 + more, 9), false);
            EXPECT_EQ(ring.overflows(), more) << before;
            EXPECT_EQ(ring.unread(), more == 0 ? 1000U : 999U);
        }
}

}  // namespace
