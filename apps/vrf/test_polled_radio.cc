// SPDX-License-Identifier: GPL-3.0-or-later
// A radio whose host polls: the host's thread exchanges chunks while it can, the radio's thread otherwise.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vrf/core_path.h"
#include "vrf/test_run_ahead.h"

namespace {

using namespace wimax::vrf;
using namespace wimax::vrf::run_ahead;

bool readable(int fd) {
    pollfd polled{fd, POLLIN, 0};
    return poll(&polled, 1, 0) > 0;
}

TEST(PollDescriptor, IsReadableAfterAReportUntilItIsTaken) {
    PollDescriptor descriptor;
    EXPECT_FALSE(readable(descriptor.fd()));
    for (int i = 0; i < 2; ++i) {
        descriptor.report();
        descriptor.report();
        EXPECT_TRUE(readable(descriptor.fd()));
        descriptor.settle();
        EXPECT_FALSE(readable(descriptor.fd()));
    }
}

TEST(PollDescriptor, IsReadableWhileAFollowedOneIs) {
    PollDescriptor descriptor;
    const int followed = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    descriptor.follow({&followed, 1});
    EXPECT_FALSE(readable(descriptor.fd()));
    eventfd_write(followed, 1);
    descriptor.settle();
    EXPECT_TRUE(readable(descriptor.fd()));
    descriptor.leave({&followed, 1});
    EXPECT_FALSE(readable(descriptor.fd()));
    descriptor.follow({&followed, 1});
    close(followed);
    EXPECT_FALSE(readable(descriptor.fd()));
}

class Polled : public RunAhead {
protected:
    void SetUp() override {
        ASSERT_NO_FATAL_FAILURE(RunAhead::SetUp());
        descriptor_ = radio_->poll_descriptor();
    }
    size_t receive() { return radio_->receive(buffer_, meta_, 0s, true); }
    /// The host promises, and its thread exchanges from then on.
    void hand_over(int64_t chunks) {
        radio_->commit(chunks * int64_t{kChunk}, 0);
        stream();
        ASSERT_TRUE(comes([this] { return readable(descriptor_); }));  // the radio's thread rests
        EXPECT_EQ(receive(), 0U);
        EXPECT_FALSE(readable(descriptor_));
    }
    /// A chunk of the channel, which the radio may not take yet.
    void pass_chunk() {
        auto chunk = port_->rx_chunk();
        ASSERT_TRUE(chunk);
        chunk.header->index = answered_;
        chunk.header->lost_tx_chunks = 0;
        for (size_t i = 0; i < kChunk; ++i) chunk.samples[i] = Sample(float(answered_ + int64_t(i)), 0);
        answered_ += kChunk;
        port_->push();
        port_->wake();
    }

    int descriptor_ = -1;
    std::vector<Sample> buffer_ = std::vector<Sample>(4 * kChunk);
    RxMeta meta_;
};

TEST_F(Polled, APromiseIsSentInTheCallThatGivesIt) {
    hand_over(2);
    EXPECT_EQ(take(2), 2U);
    std::vector<pollfd> channel;
    listener_->add_poll(channel);
    for (int k = 3; k <= 5; ++k) {
        listener_->process();
        EXPECT_FALSE(readable(channel[0].fd));
        radio_->commit(k * int64_t{kChunk}, 0);
        ASSERT_TRUE(port_->front()) << k;
        EXPECT_TRUE(readable(channel[0].fd));
        EXPECT_EQ(take(1), 1U);
        EXPECT_FALSE(port_->front());
        pass_chunk();
        EXPECT_EQ(receive(), kChunk);
    }
}

TEST_F(Polled, SamplesWaitForTheHostAndItsCallTakesThem) {
    hand_over(100);
    EXPECT_EQ(take(kAheadChunks), kAheadChunks);
    for (int k = 0; k < 3; ++k) {
        EXPECT_FALSE(readable(descriptor_));
        pass_chunk();
        ASSERT_TRUE(readable(descriptor_));
        EXPECT_EQ(radio_->now(), k * int64_t{kChunk});
        ASSERT_EQ(receive(), kChunk);
        EXPECT_EQ(meta_.tick, k * int64_t{kChunk});
        EXPECT_EQ(buffer_[7], Sample(float(k * int64_t{kChunk} + 7), 0));
        EXPECT_EQ(radio_->now(), (k + 1) * int64_t{kChunk});
        EXPECT_TRUE(port_->front());  // there is room for one more
        EXPECT_EQ(take(1), 1U);
        EXPECT_EQ(receive(), 0U);
    }
}

TEST_F(Polled, ChunksThatTheHostDoesNotLookAtAreMarked) {
    hand_over(2);
    EXPECT_EQ(take(2), 2U);
    radio_->skip(3 * int64_t{kChunk} + 1, 6 * int64_t{kChunk});
    radio_->commit(8 * int64_t{kChunk}, 0);
    for (int k = 2; k < 8; ++k) {
        ASSERT_TRUE(port_->front()) << k;
        EXPECT_EQ(port_->front().header->unused, k == 4 || k == 5) << k;
        EXPECT_EQ(take(1), 1U);
    }
}

TEST_F(Polled, OmittedSamplesAreZeros) {
    hand_over(100);
    for (const bool omitted : {true, false, true}) {
        auto chunk = port_->rx_chunk();
        chunk.header->omitted = omitted;
        pass_chunk();
        ASSERT_EQ(receive(), kChunk);
        for (size_t i = 1; i < kChunk; ++i) ASSERT_EQ(buffer_[i] == Sample{}, omitted) << i;
    }
}

/// Only an ideal radio in lock-step, and not by a time that has changed since.
TEST(RadioParts, OmitNothingThatTheyWouldChange) {
    Welcome welcome;
    welcome.rate_hz = 1e6;
    welcome.chunk_samples = kChunk;
    const auto omits = [&](const auto& change) {
        RadioOptions options;
        change(options);
        RadioParts parts(options, welcome);
        parts.clock.use(welcome);
        parts.unused.set(0, 5 * int64_t{kChunk});
        EXPECT_FALSE(parts.omits(4 * int64_t{kChunk} + 1, kChunk));
        return parts.omits(4 * int64_t{kChunk}, kChunk);
    };
    EXPECT_TRUE(omits([](RadioOptions&) {}));
    EXPECT_FALSE(omits([](RadioOptions& o) { o.rf.rx.bits = 12; }));
    struct Cores : CorePath {
        void receive(int64_t, std::span<Sample>) override {}
        bool transmit(int64_t, TxFifo&, std::span<Sample>, BurstSpans&) override { return false; }
    };
    EXPECT_FALSE(omits([](RadioOptions& o) { o.cores = std::make_shared<Cores>(); }));
    welcome.mode = TimeMode::rt;
    EXPECT_FALSE(omits([](RadioOptions&) {}));
    welcome.mode = TimeMode::commit;
    RadioParts parts({}, welcome);
    parts.clock.use(welcome);
    parts.unused.set(0, 5 * int64_t{kChunk});
    parts.move_time(kChunk);
    EXPECT_FALSE(parts.omits(kChunk, kChunk));
}

TEST_F(Polled, SeveralChunksComeInOneCall) {
    hand_over(100);
    EXPECT_EQ(take(kAheadChunks), kAheadChunks);
    radio_->set_packet_samples(3 * kChunk);
    for (int k = 0; k < 3; ++k) pass_chunk();
    ASSERT_EQ(receive(), 3 * size_t{kChunk});
    for (size_t i = 0; i < 3 * kChunk; ++i) ASSERT_EQ(buffer_[i], Sample(float(i), 0));
}

/// The radio's thread attaches again, then the host's thread continues.
TEST_F(Polled, TheHostGoesOnWhenTheChannelReturns) {
    hand_over(4);
    EXPECT_EQ(take(4), 4U);
    pass_chunk();
    EXPECT_EQ(receive(), kChunk);
    port_.reset();
    ASSERT_TRUE(comes([this] { return readable(descriptor_); }));
    ASSERT_TRUE(comes([this] {
        receive();
        return !radio_->attached();
    }));
    Welcome again = welcome_;
    again.hold = 0;
    again.first_index = 50 * int64_t{kChunk};
    answer_again(again);
    ASSERT_TRUE(comes([this] { return radio_->attached(); }));
    answered_ = next_ = again.first_index;
    radio_->commit(6 * int64_t{kChunk}, 0);
    EXPECT_TRUE(comes([this] {
        receive();
        return bool(port_->front());
    }));
    EXPECT_EQ(take(1), 1U);
    pass_chunk();
    size_t got = 0;
    EXPECT_TRUE(comes([&] { return (got = receive()) > 0; }));
    EXPECT_EQ(got, kChunk);
}

/// Time continues without the host's calls when it has withdrawn its promise.
TEST_F(Polled, WithoutAPromiseTheRadioGoesOnAlone) {
    hand_over(3);
    EXPECT_EQ(take(3), 3U);
    radio_->clear_tx();
    answer();
    EXPECT_EQ(radio_->now(), int64_t{kChunk});
}

/// A host that waits in a call cannot poll.
TEST_F(Polled, AHostThatWaitsGetsItsSamplesAndEventsToo) {
    hand_over(1);
    EXPECT_EQ(take(1), 1U);
    size_t got = 0;
    Host host([&] { got = radio_->receive(buffer_, meta_, 1h, true); });
    answer();
    host.end();
    EXPECT_EQ(got, kChunk);
    radio_->send(std::vector<Sample>(10, Sample(1, 0)),
                 {.tick = 12 * int64_t{kChunk}, .start_of_burst = true, .end_of_burst = true}, 0s);
    radio_->commit(13 * int64_t{kChunk}, 1);
    EXPECT_EQ(take(kAheadChunks), kAheadChunks);
    TxEvent event{};
    bool any = false;
    Host second([&] { any = radio_->next_event(event, 1h); });
    for (int k = 0; k < 4; ++k) answer();
    second.end();
    EXPECT_TRUE(any);
    EXPECT_EQ(event.tick, 12 * int64_t{kChunk} + 10);
}

/// More samples than the queue holds: the host waits in its call while chunks are sent.
TEST_F(Polled, ABurstLongerThanTheQueueIsSent) {
    constexpr size_t kBurst = 150 * kChunk;
    hand_over(1);
    size_t sent = 0;
    std::atomic<bool> done{false};
    Host host([&] {
        sent = radio_->send(std::vector<Sample>(kBurst, Sample(1, 0)),
                            {.tick = 2 * int64_t{kChunk}, .start_of_burst = true, .end_of_burst = true}, kLimit);
        radio_->commit(2 * int64_t{kChunk} + int64_t{kBurst}, 1);
        while (!done) receive();
    });
    size_t sending = 0;
    for (int chunks = 0; chunks < 152; ++chunks) {
        ASSERT_EQ(take(1), 1U) << chunks;
        sending += last_silent_ ? 0 : 1;
        answer();
    }
    done = true;
    host.end();
    EXPECT_EQ(sent, kBurst);
    EXPECT_EQ(sending, 150U);
    EXPECT_EQ(radio_->counters().underflow + radio_->counters().late, 0U);
}

/// More than a chunk's time without a promise counts, shorter waits do not.
TEST_F(Polled, WaitsForTheHostAreCounted) {
    hand_over(1);
    EXPECT_EQ(take(1), 1U);
    pass_chunk();
    EXPECT_EQ(receive(), kChunk);
    wall_ += std::chrono::nanoseconds(500us).count();
    radio_->commit(2 * int64_t{kChunk}, 0);
    EXPECT_EQ(take(1), 1U);
    EXPECT_EQ(radio_->counters().stalls, 0U);
    pass_chunk();
    EXPECT_EQ(receive(), kChunk);
    wall_ += std::chrono::nanoseconds(1500us).count();
    radio_->commit(3 * int64_t{kChunk}, 0);
    EXPECT_EQ(take(1), 1U);
    EXPECT_EQ(radio_->counters().stalls, 1U);
}

TEST_F(Polled, AnUnpluggedRadioLeaves) {
    hand_over(2);
    EXPECT_EQ(take(2), 2U);
    radio_->inject(RadioFault::unplug, 0);
    EXPECT_TRUE(comes([this] { return !radio_->attached(); }));
    EXPECT_TRUE(comes([this] { return !port_->alive() || (listener_->process(), !port_->alive()); }));
    EXPECT_EQ(receive(), 0U);
}

}  // namespace
