// SPDX-License-Identifier: GPL-3.0-or-later
// How far a radio's TX chunks run ahead of its received samples, and its time. The test is the channel.
#include <gtest/gtest.h>

#include "vrf/streamers.h"
#include "vrf/test_run_ahead.h"

namespace {

using namespace wimax::vrf;
using namespace wimax::vrf::run_ahead;

TEST_F(RunAhead, ACommitIsUsedUpToTheLimit) {
    radio_->commit(100 * int64_t{kChunk}, 0);
    stream();
    EXPECT_EQ(take(kAheadChunks), kAheadChunks);
    EXPECT_EQ(left(), 0U);
}

TEST_F(RunAhead, AnAnswerMakesRoomForAChunk) {
    radio_->commit(100 * int64_t{kChunk}, 0);
    stream();
    EXPECT_EQ(take(kAheadChunks), kAheadChunks);
    for (int i = 0; i < 3; ++i) {
        answer();
        EXPECT_EQ(take(1), 1U);
    }
}

TEST_F(RunAhead, NotASampleBeyondACommit) {
    radio_->commit(3 * int64_t{kChunk} + kChunk / 2, 0);
    stream();
    EXPECT_EQ(take(3), 3U);
    answer();
    answer();
    EXPECT_FALSE(port_->front());
    const std::vector<Sample> burst(kChunk, Sample(1, 0));
    radio_->send(burst, {.tick = 4 * int64_t{kChunk}, .start_of_burst = true, .end_of_burst = true}, 1s);
    radio_->commit(5 * int64_t{kChunk}, 1);  // only after a response to its chunks: the worker waits for one
    answer();
    EXPECT_EQ(take(2), 2U);
    EXPECT_FALSE(last_silent_);
    EXPECT_EQ(last_first_, Sample(1, 0));
    EXPECT_EQ(radio_->counters().late, 0U);
    EXPECT_EQ(left(), 0U);
}

/// A promise of bursts that are not all queued holds its chunks back.
TEST_F(RunAhead, NotBeforeTheBurstsPromised) {
    radio_->commit(5 * int64_t{kChunk}, 2);
    stream();
    const std::vector<Sample> burst(kChunk, Sample(1, 0));
    radio_->send(burst, {.tick = 1 * int64_t{kChunk}, .start_of_burst = true, .end_of_burst = true}, 1s);
    pass(0s);  // the worker checks
    EXPECT_FALSE(port_->front());
    radio_->send(burst, {.tick = 4 * int64_t{kChunk}, .start_of_burst = true, .end_of_burst = true}, 1s);
    EXPECT_EQ(take(5), 5U);
    EXPECT_FALSE(last_silent_);
    EXPECT_EQ(radio_->counters().late, 0U);
    EXPECT_EQ(left(), 0U);
}

/// In a held channel time starts with the host's first samples, all of them queued: a chunk sent while they are copied
/// would make the burst late.
TEST_F(RunAhead, TheFirstBurstOfAHeldRadioIsInTime) {
    const std::vector<Sample> burst(100 * kChunk, Sample(1, 0));  // fills the queue
    for (int i = 0; i < 20; ++i) {
        if (i > 0) {
            TearDown();
            ASSERT_NO_FATAL_FAILURE(SetUp());
        }
        radio_->send(burst, {.tick = 0, .start_of_burst = true, .end_of_burst = true}, 1s);
        ASSERT_EQ(take(1), 1U);
        ASSERT_FALSE(last_silent_) << i;
        ASSERT_EQ(radio_->counters().late, 0U) << i;
    }
}

/// Patience with a host that is about to send more starts when time does, not when the radio was held.
TEST_F(RunAhead, AHeldRadioWaitsForTheRestOfTheFirstChunk) {
    const std::vector<Sample> half(kChunk / 2, Sample(1, 0));
    ASSERT_TRUE(comes([this] { return looks_ > 0; }));  // the worker waits
    wall_ += std::chrono::nanoseconds(1h).count();
    radio_->send(half, {.tick = 0, .start_of_burst = true}, 1s);
    pass(0s);
    EXPECT_FALSE(port_->front());
    radio_->send(half, {.tick = {}, .end_of_burst = true}, 1s);
    EXPECT_EQ(take(1), 1U);
    EXPECT_EQ(radio_->counters().underflow, 0U);
    EXPECT_EQ(radio_->counters().bursts, 1U);
    EXPECT_EQ(radio_->counters().stalls, 0U);  // being held is none
}

/// Only time makes room in the queue, and the host cannot promise while it waits for room: it must not wait forever.
TEST_F(RunAhead, ABurstLongerThanTheQueueGoesOut) {
    constexpr size_t kSamples = 250 * kChunk;  // the queue holds 100 chunks
    constexpr int64_t kStart = 5 * kChunk;
    std::vector<Sample> burst(kSamples);
    for (size_t i = 0; i < kSamples; ++i) burst[i] = Sample(float(i), 1);
    radio_->commit(kChunk, 0);
    size_t sent = 0;
    Host host([&] {
        sent = radio_->send(burst, {.tick = kStart, .start_of_burst = true, .end_of_burst = true}, kLimit);
        radio_->commit(kStart + int64_t{kSamples}, 1);
    });
    size_t wrong = 0, chunks = 0;
    for (; chunks < 255; ++chunks) {
        if (!comes([&] { return bool(port_->front()); })) break;
        const auto chunk = port_->front();
        EXPECT_TRUE(chunk.header->streaming);
        for (size_t i = 0; i < kChunk; ++i) {
            const int64_t at = chunk.header->index + int64_t(i) - kStart;
            if (at >= 0 && (chunk.header->sending == 0 || chunk.samples[i] != burst[size_t(at)])) ++wrong;
        }
        port_->pop();
        answer();
    }
    EXPECT_EQ(chunks, 255U);
    EXPECT_EQ(wrong, 0U);
    host.end();
    EXPECT_EQ(sent, kSamples);
    const auto counters = radio_->counters();
    EXPECT_EQ(counters.late, 0U);
    EXPECT_EQ(counters.underflow, 0U);
}

/// Settings are valid from the chunk that contains their tick.
TEST_F(RunAhead, TimedTuningAtItsTick) {
    radio_->tune([](Tuning& t) { t.rx_frequency_hz = 1e9; });
    radio_->tune([](Tuning& t) { t.rx_frequency_hz = 2e9; }, 3 * int64_t{kChunk});
    radio_->tune([](Tuning& t) { t.rx_frequency_hz = 3e9; }, 6 * int64_t{kChunk} - 1);
    radio_->tune([](Tuning& t) { t.tx_gain_db[0] = 7; }, 7 * int64_t{kChunk} + 1);
    radio_->commit(100 * int64_t{kChunk}, 0);
    stream();
    std::vector<double> frequencies;
    std::vector<float> gains;
    while (frequencies.size() < kAheadChunks && comes([&] { return bool(port_->front()); })) {
        const auto chunk = port_->front();
        frequencies.push_back(chunk.header->rx_frequency_hz);
        gains.push_back(chunk.header->tx_gain_db[0]);
        port_->pop();
    }
    EXPECT_EQ(frequencies, (std::vector<double>{1e9, 1e9, 1e9, 2e9, 2e9, 3e9, 3e9, 3e9}));
    EXPECT_EQ(gains, (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 7}));
}

/// Values that a UHD host reads of each event.
TEST_F(RunAhead, EventCodes) {
    const std::vector<Sample> samples(kChunk / 2, Sample(1, 0));
    radio_->commit(0, 0);  // no chunk leaves before all is queued
    radio_->send(samples, {.tick = 100, .start_of_burst = true, .end_of_burst = true}, 1s);
    radio_->send(samples, {.tick = 50, .start_of_burst = true, .end_of_burst = true}, 1s);
    radio_->send(samples, {.tick = kChunk + 100, .start_of_burst = true}, 1s);
    radio_->commit(2 * int64_t{kChunk}, 2);
    EXPECT_EQ(take(2), 2U);
    using Event = uhd::async_metadata_t;
    const std::vector<std::pair<Event::event_code_t, int64_t>> expected{
        {Event::EVENT_CODE_BURST_ACK, 600},
        {Event::EVENT_CODE_TIME_ERROR, 50},
        {Event::EVENT_CODE_UNDERFLOW, kChunk + 600},
    };
    for (const auto& [code, tick] : expected) {
        Event event;
        ASSERT_TRUE(comes([&] { return recv_async(*radio_, 1e6, event, 0); }));  // the radio's wall clock is stopped
        EXPECT_EQ(event.event_code, code);
        EXPECT_EQ(event.time_spec.to_ticks(1e6), tick);
    }
    EXPECT_EQ(radio_->counters().late, 1U);
    EXPECT_EQ(radio_->counters().underflow, 1U);
    EXPECT_EQ(radio_->counters().bursts, 1U);
}

/// A timeout of 20 chunks has passed when both clocks say so.
TEST_F(RunAhead, TimeoutsCountTheRadiosTime) {
    constexpr auto kTimeout = 20ms;
    const std::vector<Sample> burst(kChunk, Sample(1, 0));
    radio_->commit(INT64_MAX / 2, 0);
    radio_->send(burst, {.tick = 12 * int64_t{kChunk}, .start_of_burst = true, .end_of_burst = true}, 1s);
    EXPECT_EQ(take(1), 1U);  // the worker runs ahead and reads no clock
    std::atomic<int> done{0};
    bool first = false, second = true, third = true;
    const uint64_t looks = looks_;
    Host host([&] {
        TxEvent event{};
        first = radio_->next_event(event, kTimeout) && event.kind == TxEvent::Kind::burst_ack;
        done = 1;
        second = radio_->next_event(event, kTimeout);  // there is no other, and time continues
        done = 2;
        third = radio_->next_event(event, kTimeout);
        done = 3;
    });
    EXPECT_TRUE(comes([&] { return looks_ > looks + 1; }));
    pass(1s);
    EXPECT_EQ(done, 0);  // no sample has passed
    while (done < 2 && take(1) == 1) {
        answer();
        wall_ += std::chrono::nanoseconds(1ms).count();
    }
    pass(0s);
    pass(2900ms);  // time is stopped
    EXPECT_EQ(done, 2);
    wall_ += std::chrono::nanoseconds(200ms).count();
    EXPECT_TRUE(comes([&] { return done == 3; }));
    host.end();
    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
    EXPECT_FALSE(third);
}

/// A channel with impossible counts is left, and its count is not used; the radio attaches again.
TEST_F(RunAhead, ACountThatCannotBeIsNotBelieved) {
    stream();
    EXPECT_EQ(take(1), 1U);
    answer();
    EXPECT_EQ(take(1), 1U);
    auto chunk = port_->rx_chunk();
    ASSERT_TRUE(chunk);
    chunk.header->index = INT64_MAX - 1;
    port_->push();
    port_->wake();
    std::unique_ptr<RadioPort> again;
    ASSERT_TRUE(comes([&] {
        for (auto& port : listener_->process()) again = std::move(port);
        return again != nullptr;
    }));
    EXPECT_FALSE(radio_->attached());
    EXPECT_EQ(radio_->now(), kChunk);
    Welcome welcome = welcome_;
    welcome.first_index = 90 * int64_t{kChunk};
    ASSERT_TRUE(again->answer(welcome));
    port_ = std::move(again);
    next_ = welcome.first_index;
    EXPECT_EQ(take(1), 1U);
    chunk = port_->rx_chunk();
    ASSERT_TRUE(chunk);
    chunk.header->index = welcome.first_index;
    port_->push();
    port_->wake();
    EXPECT_TRUE(comes([this] { return radio_->now() == 2 * int64_t{kChunk}; }));  // its own time continues
}

/// A host that reads nothing for a quarter of a second has stopped: from then on time does not wait for it, until it
/// reads again.
TEST_F(RunAhead, AReaderThatStoppedIsAwaitedOnceOnly) {
    stream();
    const auto goes_on = [this] { return take(1) == 1 && (answer(), true); };
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(goes_on());  // two chunks may be unread, and the one in transit
    pass(0s);                                            // the worker waits
    pass(240ms);
    EXPECT_FALSE(port_->front());
    wall_ += std::chrono::nanoseconds(20ms).count();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(goes_on()) << i;
    std::vector<Sample> samples(kChunk);
    RxMeta meta;
    EXPECT_EQ(radio_->receive(samples, meta, 1s, true), kChunk);
    ASSERT_TRUE(goes_on());  // was in transit
    pass(0s);
    pass(240ms);
    EXPECT_FALSE(port_->front());
    EXPECT_EQ(radio_->counters().stalls, 1U);
    wall_ += std::chrono::nanoseconds(20ms).count();
    EXPECT_TRUE(goes_on());
}

/// A new stream begins without the samples left by the last one.
TEST_F(RunAhead, AClearedStreamHasNoSamples) {
    stream();
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(take(1), 1U);
        answer();
    }
    std::vector<Sample> samples(kChunk);
    RxMeta meta;
    EXPECT_EQ(radio_->receive(samples, meta, 0s, true), kChunk);
    radio_->clear_rx();
    EXPECT_EQ(radio_->receive(samples, meta, 0s, true), 0U);
    EXPECT_EQ(meta.error, RxError::timeout);
}

/// Another channel may have longer chunks, but not longer than half of what the radio can hold.
TEST_F(RunAhead, ChunksThatDoNotFitAreRefused) {
    Welcome large = welcome_;
    large.chunk_samples = kMaxChunkSamples;
    port_.reset();
    ASSERT_TRUE(comes([this] { return !radio_->attached(); }));
    answer_again(large);
    ASSERT_TRUE(comes([this] { return said().find("the radio holds") != std::string::npos; }));
    EXPECT_NE(said().find("refused: chunks of " + std::to_string(kMaxChunkSamples) + " samples"), std::string::npos)
        << said();
    EXPECT_FALSE(radio_->attached());
    port_.reset();
    answer_again(welcome_);
    EXPECT_TRUE(comes([this] { return radio_->attached(); }));
}

TEST_F(RunAhead, LevelsFollowTheGains) {
    radio_->tune([](Tuning& t) { t.tx_gain_db[0] = 45.5, t.rx_gain_db = 12; });
    EXPECT_DOUBLE_EQ(radio_->tx_reference_dbm(), 30 - (60 - 45.5));
    EXPECT_DOUBLE_EQ(radio_->rx_reference_dbm(), -20 - 12);
}

/// A second of the channel begins a chunk after the radio attached.
class SecondAhead : public RunAhead {
protected:
    SecondAhead() { welcome_.first_index = next_ = 999 * int64_t{kChunk}; }
    void answer_next() {
        auto chunk = port_->rx_chunk();
        ASSERT_TRUE(chunk);
        *chunk.header = {.index = welcome_.first_index + count_, .lost_tx_chunks = 0};
        count_ += kChunk;
        port_->push();
        port_->wake();
    }
    int64_t count_ = 0;
};

TEST_F(SecondAhead, TimeIsSetAtThePulse) {
    radio_->set_now(40);
    radio_->set_at_next_pps(7'000'000);
    radio_->command({.mode = RxCommand::Mode::start, .samples = 0, .tick = {}});
    EXPECT_EQ(take(1), 1U);
    answer_next();
    ASSERT_TRUE(comes([this] { return radio_->now() == 1040; }));
    EXPECT_EQ(radio_->last_pps(), 0);
    EXPECT_EQ(take(1), 1U);
    answer_next();
    ASSERT_TRUE(comes([this] { return radio_->now() == 7'001'000; })) << radio_->now();
    EXPECT_TRUE(comes([this] { return radio_->last_pps() == 7'000'000; })) << radio_->last_pps();
    // The next one is a second later, and changes nothing.
    for (int i = 0; i < 1001; ++i) {
        std::vector<Sample> samples(kChunk);
        RxMeta meta;
        ASSERT_EQ(take(1), 1U);
        answer_next();
        ASSERT_EQ(radio_->receive(samples, meta, 1s, true), kChunk);
    }
    EXPECT_TRUE(comes([this] { return radio_->last_pps() == 8'000'000; })) << radio_->last_pps();
    // Its samples may be readable shortly before they count.
    EXPECT_TRUE(comes([this] { return radio_->now() == 7'001'000 + 1'001'000; })) << radio_->now();
}

/// Time runs from the beginning, as without radios to wait for, and 25 times slower than the wall clock.
class FreeTime : public SecondAhead {
protected:
    FreeTime() { welcome_.hold = 0; }
    /// The channel continues until the host has ended, for at most two seconds of its time.
    void answer_until_ended() {
        while (!ended_ && count_ < 2'000'000) {
            wall_ += std::chrono::nanoseconds(25ms).count();
            ASSERT_EQ(take(1), 1U);
            answer_next();
        }
    }
    std::atomic<bool> asked_{false}, ended_{false};
};

TEST_F(FreeTime, ATimeThatWasSetHoldsHoweverSlowTheChannelIs) {
    int64_t now = 0;
    Host host([&] {
        radio_->set_at_next_pps(7'000'000);
        now = radio_->now();
        ended_ = true;
    });
    answer_until_ended();
    host.end();
    EXPECT_GE(now, 7'000'000);
}

TEST_F(FreeTime, WhoLooksForAPulseSeesItHoweverSlowTheChannelIs) {
    int64_t first = -1, second = -1;
    Host host([&] {
        first = radio_->last_pps();
        asked_ = true;
        second = radio_->last_pps();
        ended_ = true;
    });
    ASSERT_TRUE(comes([this] { return asked_.load(); }));
    answer_until_ended();
    host.end();
    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 1000);  // at its count of 1000 a second of the channel begins
}

TEST_F(FreeTime, NobodyWaitsForAPulseWhileTimeStandsStill) {
    Host host([&] {
        radio_->set_at_next_pps(7'000'000);
        ended_ = true;
    });
    const uint64_t before = looks_;
    ASSERT_TRUE(comes([&] { return looks_ > before + 4; }));
    EXPECT_FALSE(ended_);
    wall_ += std::chrono::nanoseconds(3100ms).count();
    EXPECT_TRUE(comes([&] { return ended_.load(); }));
    host.end();
}

TEST_F(RunAhead, WithoutACommitOneChunkAtATime) {
    stream();
    EXPECT_EQ(take(1), 1U);
    EXPECT_EQ(left(), 0U);
}

TEST_F(RunAhead, WithoutACommitTheNextChunkAfterAnAnswer) {
    stream();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(take(1), 1U);
        answer();
    }
}

}  // namespace
