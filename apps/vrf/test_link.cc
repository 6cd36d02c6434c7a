// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of a radio on a channel's messages: its Welcome and its count of samples, value by value, and what it ignores.
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <future>
#include <iterator>
#include <limits>
#include <span>
#include <vector>
#include <zmq.hpp>
#include <zmq_addon.hpp>

#include "common/scratch.h"
#include "vrf/rx_count.h"

namespace {

using namespace wimax::vrf;

constexpr uint32_t kChunk = 1000;

Welcome good() {
    Welcome w;
    w.accepted = 1;
    w.rate_hz = 1e6;
    w.chunk_samples = kChunk;
    w.first_index = 7 * int64_t{kChunk};
    w.tx_power_dbm = 30;
    w.rx_full_scale_dbm = -20;
    return w;
}
std::string fault(const Welcome& w, const Hello& hello = {}) {
    const auto read = read_welcome(std::as_bytes(std::span(&w, 1)), hello);
    return read ? "" : read.error().str();
}
std::string fault_with(const std::function<void(Welcome&)>& change) {
    Welcome w = good();
    change(w);
    return fault(w);
}

TEST(WelcomeFrom, EveryFieldComesAcross) {
    const Welcome w = good();
    const auto read = read_welcome(std::as_bytes(std::span(&w, 1)), {});
    ASSERT_TRUE(read) << read.error().str();
    EXPECT_EQ(read->rate_hz, 1e6);
    EXPECT_EQ(read->chunk_samples, kChunk);
    EXPECT_EQ(read->first_index, 7000);
    EXPECT_EQ(read->mode, TimeMode::commit);
    EXPECT_EQ(read->hold, 0);
    EXPECT_EQ(read->tx_power_dbm, 30);
    EXPECT_EQ(read->rx_full_scale_dbm, -20);
}

TEST(WelcomeFrom, LimitsOfEachField) {
    using Change = std::function<void(Welcome&)>;
    const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
    const std::pair<Change, const char*> wrong[] = {
        {[](auto& w) { w.rate_hz = 999; }, "sample rate 999 Hz"},
        {[](auto& w) { w.rate_hz = 1.0001e8; }, "sample rate 100010000 Hz"},
        {[=](auto& w) { w.rate_hz = nan; }, "sample rate"},
        {[](auto& w) { w.chunk_samples = 0; }, "chunks of 0 samples"},
        {[](auto& w) { w.chunk_samples = kMaxChunkSamples + 1; }, "chunks of 262145 samples"},
        {[](auto& w) { w.mode = TimeMode::any; }, "time mode -1"},
        {[](auto& w) { w.mode = TimeMode(2); }, "time mode 2"},
        {[](auto& w) { w.first_index = -int64_t{kChunk}; }, "first index -1000"},
        {[](auto& w) { w.first_index = 1001; }, "first index 1001"},
        {[](auto& w) { w.first_index = (kMaxIndex / kChunk + 1) * kChunk; }, "first index"},
        {[](auto& w) { w.tx_power_dbm = 1001; }, "levels 1001 and -20 dBm"},
        {[=](auto& w) { w.rx_full_scale_dbm = -infinite; }, "levels 30 and -inf dBm"},
    };
    for (const auto& [change, why] : wrong) {
        const std::string said = fault_with(change);
        EXPECT_TRUE(said.starts_with(std::string("malformed answer: ") + why)) << why << ": '" << said << "'";
    }
    const Change right[] = {
        [](auto& w) { w.rate_hz = 1e3; },
        [](auto& w) { w.rate_hz = 1e8; },
        [](auto& w) { w.chunk_samples = kMaxChunkSamples, w.first_index = 0; },
        [](auto& w) { w.mode = TimeMode::rt; },
        [](auto& w) { w.first_index = kMaxIndex / kChunk * kChunk; },
        [](auto& w) { w.tx_power_dbm = -1000, w.rx_full_scale_dbm = 1000; },
    };
    for (const auto& change : right) EXPECT_EQ(fault_with(change), "");
}

TEST(WelcomeFrom, RefusalsAreTheChannelsWordsMadePrintable) {
    EXPECT_EQ(fault_with([](auto& w) { w.accepted = 0, copy_text(w.refusal, "busy: \x1b[2J\xff!"); }),
              "refused: busy: ?[2J?!");
    EXPECT_EQ(fault_with([](auto& w) { w.accepted = 0, std::fill(std::begin(w.refusal), std::end(w.refusal), 'x'); }),
              "refused: " + std::string(255, 'x'));
    EXPECT_EQ(fault_with([](auto& w) { w.version = 9; }), "refused: link version: radio 5, channel 9");
    EXPECT_EQ(fault_with([](auto& w) { w.magic = 9; }), "refused: link version: radio 5, channel 5");
}

TEST(WelcomeFrom, OfItsLengthAndWhatTheHelloAskedFor) {
    const Welcome w = good();
    const auto octets = std::as_bytes(std::span(&w, 1));
    EXPECT_EQ(
        read_welcome(octets.first(octets.size() - 1), {}).error().str(),
        "malformed answer: " + std::to_string(sizeof w - 1) + " octets, a Welcome has " + std::to_string(sizeof w));
    EXPECT_FALSE(read_welcome({}, {}));
    Hello hello;
    hello.rate_hz = 1e6 + 1;
    EXPECT_EQ(fault(w, hello), "malformed answer: sample rate: radio 1000001 Hz, channel 1000000 Hz");
    hello.rate_hz = 1e6;
    hello.chunk_samples = kChunk;
    hello.mode = TimeMode::commit;
    EXPECT_EQ(fault(w, hello), "");
    hello.mode = TimeMode::rt;
    EXPECT_EQ(fault(w, hello), "malformed answer: time mode: radio rt, channel commit");
}

TEST(Chunk, OfItsLengthOrSilence) {
    const RxHeader sent{5, 6};
    RxHeader header;
    std::vector<Sample> air(3, Sample(1, 2)), out(3);
    const auto head = std::as_bytes(std::span(&sent, 1));
    const auto samples = std::as_bytes(std::span(air));
    ASSERT_TRUE(read_chunk(head, samples, header, std::span(out), 3));
    EXPECT_EQ(header.index, 5);
    EXPECT_EQ(header.lost_tx_chunks, 6U);
    EXPECT_EQ(out, air);
    EXPECT_TRUE(read_chunk(head, samples.first(0), header, std::span(out), 3));
    EXPECT_FALSE(read_chunk(head.first(head.size() - 1), samples, header, std::span(out), 3));
    EXPECT_FALSE(read_chunk(head, samples.first(samples.size() - 1), header, std::span(out), 3));
    EXPECT_FALSE(read_chunk(head, samples, header, std::span(out).first(2), 2));
}

TEST(Chunk, OfTheFirstChannels) {
    const TxHeader sent;
    TxHeader header;
    std::vector<Sample> air(6), out(6);
    for (size_t i = 0; i < air.size(); ++i) air[i] = Sample(float(i), 0);
    const auto head = std::as_bytes(std::span(&sent, 1));
    const auto octets = [&](size_t samples) { return std::as_bytes(std::span(air)).first(samples * sizeof(Sample)); };
    EXPECT_TRUE(read_chunk(head, octets(3), header, std::span(out), 3));
    EXPECT_EQ(out[2], Sample(2, 0));
    EXPECT_EQ(out[3], Sample());
    EXPECT_TRUE(read_chunk(head, octets(6), header, std::span(out), 3));
    EXPECT_EQ(out, air);
    EXPECT_FALSE(read_chunk(head, octets(4), header, std::span(out), 3));
    EXPECT_FALSE(read_chunk(head, octets(6), header, std::span(out).first(3), 3));
}

TEST(HelloFrom, OneOrTwoTxChannels) {
    Hello hello;
    for (const int channels : {0, 3, 255}) {
        hello.tx_channels = uint8_t(channels);
        EXPECT_EQ(match(hello, good()).error().str(),
                  "TX channels: radio " + std::to_string(channels) + ", channel 1 to 2");
    }
    for (const int channels : {1, 2}) {
        hello.tx_channels = uint8_t(channels);
        EXPECT_TRUE(match(hello, good()));
    }
}

TEST(Listener, ThatIsThereAlreadyIsAFaultOfItsOwn) {
    const auto path = wimax::Scratch::path("once");
    const auto first = listen(path);
    ASSERT_TRUE(first) << first.error().str();
    EXPECT_EQ(listen(path).error().status, wimax::ExitStatus::served_already);
    for (const char* wrong : {"nonsense", "/no/such/folder/channel", "ipc:///no/such/folder/channel", "tcp://nonsense"})
        EXPECT_EQ(listen(wrong).error().status, wimax::ExitStatus::configuration_refused) << wrong;
}

bool readable(std::span<const int> descriptors) {
    std::vector<pollfd> fds;
    for (const int fd : descriptors) fds.push_back({fd, POLLIN, 0});
    return ::poll(fds.data(), fds.size(), 0) > 0;
}

/// Shared memory: chunks can be read at once, but an end that sleeps is woken on request only.
TEST(Wakes, AreOnceForSeveralChunks) {
    auto listener = listen(wimax::Scratch::path("wakes"));
    ASSERT_TRUE(listener) << listener.error().str();
    auto attached =
        std::async(std::launch::async, [] { return attach(wimax::Scratch::path("wakes"), Hello{}, 20'000); });
    std::vector<std::unique_ptr<RadioPort>> ports;
    while (ports.empty()) ports = (*listener)->process();
    ASSERT_TRUE(ports[0]->answer(good()));
    auto link = attached.get();
    ASSERT_TRUE(link) << link.error().str();
    std::vector<pollfd> polled;
    (*listener)->add_poll(polled);
    const std::array of_channel{polled[0].fd};

    for (int k = 0; k < 2; ++k) {
        *(*link)->tx_chunk().header = {};
        ASSERT_TRUE((*link)->send());
    }
    EXPECT_TRUE(ports[0]->front());
    EXPECT_FALSE(readable(of_channel));
    (*link)->wake();
    EXPECT_TRUE(readable(of_channel));
    (*listener)->process();
    EXPECT_FALSE(readable(of_channel));

    for (int k = 0; k < 2; ++k) {
        *ports[0]->rx_chunk().header = {};
        ports[0]->push();
    }
    EXPECT_TRUE((*link)->next());
    EXPECT_FALSE(readable((*link)->descriptors()));
    ports[0]->wake();
    EXPECT_TRUE(readable((*link)->descriptors()));
    for (int k = 0; k < 2; ++k) {
        EXPECT_TRUE((*link)->receive(0));
        (*link)->release();
    }
    EXPECT_FALSE((*link)->receive(0));
    EXPECT_FALSE(readable((*link)->descriptors()));
    ports.clear();
    EXPECT_TRUE(readable((*link)->descriptors()));  // the channel is gone
}

/// Shared memory holds as many chunks of each direction as the time mode needs, in the order in which they were sent.
TEST(Rings, HoldWhatTheTimeModeNeeds) {
    for (const auto mode : {TimeMode::commit, TimeMode::rt}) {
        const auto path = wimax::Scratch::path(to_string(mode));
        auto listener = listen(path);
        ASSERT_TRUE(listener) << listener.error().str();
        auto attached = std::async(std::launch::async, [&] { return attach(path, Hello{}, 20'000); });
        std::vector<std::unique_ptr<RadioPort>> ports;
        while (ports.empty()) ports = (*listener)->process();
        Welcome welcome = good();
        welcome.mode = mode;
        ASSERT_TRUE(ports[0]->answer(welcome));
        auto link = attached.get();
        ASSERT_TRUE(link) << link.error().str();
        const auto slots = static_cast<int>(mode == TimeMode::commit ? kAheadChunks : kRingSlots);
        const auto fill = [&](const auto& place, const auto& send) {
            int count = 0;
            for (auto chunk = place(); chunk; chunk = place(), ++count) {
                *chunk.header = {};
                chunk.header->index = count;
                chunk.samples[0] = chunk.samples[kChunk - 1] = Sample(1, float(count));
                send();
            }
            return count;
        };
        const auto check = [](const auto& chunk, int count) {
            EXPECT_EQ(chunk.header->index, count);
            EXPECT_EQ(chunk.samples[0], Sample(1, float(count)));
            EXPECT_EQ(chunk.samples[kChunk - 1], Sample(1, float(count)));
        };
        EXPECT_EQ(fill([&] { return (*link)->tx_chunk(); }, [&] { (*link)->send(); }), slots);
        EXPECT_EQ(fill([&] { return ports[0]->rx_chunk(); }, [&] { ports[0]->push(); }), slots);
        for (int k = 0; k < slots; ++k) {
            check(ports[0]->front(), k);
            ports[0]->pop();
            check((*link)->next(), k);
            (*link)->release();
        }
        EXPECT_FALSE(ports[0]->front());
        EXPECT_FALSE((*link)->next());
        EXPECT_TRUE((*link)->tx_chunk());
        EXPECT_TRUE(ports[0]->rx_chunk());
    }
}

/// Omitted samples are not sent between hosts.
TEST(Omitted, ChunksHaveNoSamplesInMessages) {
    const std::string address = "ipc://" + wimax::Scratch::path("omitted.zmq");
    auto listener = listen(address);
    ASSERT_TRUE(listener) << listener.error().str();
    auto attached = std::async(std::launch::async, [&] { return attach(address, Hello{}, 20'000); });
    std::vector<std::unique_ptr<RadioPort>> ports;
    while (ports.empty()) ports = (*listener)->process();
    ASSERT_TRUE(ports[0]->answer(good()));
    auto link = attached.get();
    ASSERT_TRUE(link) << link.error().str();
    for (const bool omitted : {false, true}) {
        const auto chunk = ports[0]->rx_chunk();
        *chunk.header = {};
        chunk.header->omitted = omitted;
        std::fill_n(chunk.samples, kChunk, Sample(3, 4));
        ports[0]->push();
        RxChunk there;
        while (!(there = (*link)->receive(20))) ASSERT_TRUE((*link)->alive());
        EXPECT_EQ(there.header->omitted, omitted);
        EXPECT_EQ(there.samples[5], omitted ? Sample() : Sample(3, 4));
        (*link)->release();
    }
}

/// Over each link a radio's chunks of both channels arrive unchanged; channels that do not send are not read.
TEST(TxChannels, BothGoOverEachLink) {
    for (const std::string& address : {wimax::Scratch::path("two"), "ipc://" + wimax::Scratch::path("two.zmq")}) {
        SCOPED_TRACE(address);
        auto listener = listen(address);
        ASSERT_TRUE(listener) << listener.error().str();
        Hello hello;
        hello.tx_channels = 2;
        auto attached = std::async(std::launch::async, [&] { return attach(address, hello, 20'000); });
        std::vector<std::unique_ptr<RadioPort>> ports;
        while (ports.empty()) ports = (*listener)->process();
        ASSERT_TRUE(ports[0]->answer(good()));
        auto link = attached.get();
        ASSERT_TRUE(link) << link.error().str();
        for (int k = 0; k < 40; ++k) {  // more than a ring
            auto chunk = (*link)->tx_chunk();
            ASSERT_TRUE(chunk);
            *chunk.header = {};
            chunk.header->index = k;
            chunk.header->sending = uint8_t(k % 4);
            chunk.header->tx_gain_db = {1, 2};
            for (size_t i = 0; i < 2 * kChunk; ++i) chunk.samples[i] = Sample(float(i), float(k));
            ASSERT_TRUE((*link)->send());
            (*link)->wake();
            while (!ports[0]->front()) (*listener)->process();
            const auto there = ports[0]->front();
            EXPECT_EQ(there.header->index, k);
            EXPECT_EQ(there.header->sending, k % 4);
            EXPECT_EQ(there.header->tx_gain_db, (std::array<float, 2>{1, 2}));
            for (const size_t i : {size_t{0}, size_t{kChunk - 1}, size_t{kChunk}, size_t{2 * kChunk - 1}})
                if (k % 4 >> (i / kChunk) & 1) {
                    EXPECT_EQ(there.samples[i], Sample(float(i), float(k))) << k;
                }
            ports[0]->pop();
            auto answer = ports[0]->rx_chunk();
            ASSERT_TRUE(answer);
            answer.header->index = k;
            answer.samples[kChunk - 1] = Sample(float(k), 7);
            ports[0]->push();
            ports[0]->wake();
            RxChunk heard;
            while (!(heard = (*link)->receive(20))) ASSERT_TRUE((*link)->alive());
            EXPECT_EQ(heard.header->index, k);
            EXPECT_EQ(heard.samples[kChunk - 1], Sample(float(k), 7));
            (*link)->release();
        }
    }
}

/// A channel that sends arbitrary messages over ZeroMQ.
class WildChannel {
public:
    WildChannel() : socket_(context_, zmq::socket_type::router) {
        socket_.set(zmq::sockopt::linger, 0);
        socket_.set(zmq::sockopt::rcvtimeo, kPatienceMs);
        socket_.bind(address);
    }
    /// Awaits a Hello.
    void meet() {
        std::vector<zmq::message_t> parts;
        ASSERT_TRUE(zmq::recv_multipart(socket_, std::back_inserter(parts)));
        ASSERT_EQ(parts.size(), 4U);
        radio_ = parts[0].to_string();
    }
    void say(const std::vector<std::string>& parts) {
        std::vector<zmq::const_buffer> all{zmq::buffer(radio_)};
        for (const auto& part : parts) all.push_back(zmq::buffer(part));
        zmq::send_multipart(socket_, all);
    }
    template <typename T> static std::string octets(const T& structure) {
        return {reinterpret_cast<const char*>(&structure), sizeof structure};
    }

    static constexpr int kPatienceMs = 20'000;
    const std::string address = "ipc://" + wimax::Scratch::path("wild");
    const std::string kWelcome{1}, kRx{3}, kBye{5};

private:
    zmq::context_t context_;
    zmq::socket_t socket_;
    std::string radio_;
};

/// Anything that is no message, or has another kind or length, is ignored; messages are accepted.
TEST(ZmqLink, RubbishOfAChannelIsPassedOver) {
    WildChannel channel;
    const auto attaches = [&] {
        return std::async(std::launch::async, [&] { return attach(channel.address, {}, WildChannel::kPatienceMs); });
    };
    const std::string welcome = WildChannel::octets(good()), header = WildChannel::octets(RxHeader{7000, 0});
    const std::string air(kChunk * sizeof(Sample), 'x'), unknown(1, 99);

    auto refused = attaches();
    channel.meet();
    channel.say({channel.kWelcome, welcome.substr(1), ""});
    EXPECT_EQ(refused.get().error().key, kMalformed) << "a Welcome is an answer, whatever it says";

    auto attached = attaches();
    channel.meet();
    for (const auto& rubbish : std::vector<std::vector<std::string>>{{""},
                                                                     {welcome},
                                                                     {channel.kWelcome, welcome},
                                                                     {channel.kWelcome, welcome, "", ""},
                                                                     {channel.kWelcome + "x", welcome, ""},
                                                                     {unknown, welcome, ""},
                                                                     {channel.kRx, header, air},
                                                                     std::vector<std::string>(20, welcome)})
        channel.say(rubbish);
    channel.say({channel.kWelcome, welcome, "of no use"});
    auto link = attached.get();
    ASSERT_TRUE(link) << link.error().str();
    for (const auto& rubbish : std::vector<std::vector<std::string>>{{channel.kRx, header},
                                                                     {channel.kRx, header.substr(1), air},
                                                                     {channel.kRx, header + "x", air},
                                                                     {channel.kRx, header, air.substr(1)},
                                                                     {channel.kRx, header, air + "x"},
                                                                     {channel.kRx, "", ""},
                                                                     {unknown, header, air},
                                                                     {channel.kWelcome, welcome, ""}})
        channel.say(rubbish);
    channel.say({channel.kRx, WildChannel::octets(RxHeader{8000, 5}), air});
    RxChunk chunk;
    while (!(chunk = (*link)->receive(20))) ASSERT_TRUE((*link)->alive());
    EXPECT_EQ(chunk.header->index, 8000);
    EXPECT_EQ(chunk.header->lost_tx_chunks, 5U);
    EXPECT_EQ(std::memcmp(chunk.samples, air.data(), air.size()), 0);
    (*link)->release();
    EXPECT_FALSE((*link)->receive(0));
    channel.say({channel.kBye, "", ""});
    while ((*link)->alive()) (*link)->receive(20);
}

class Count : public ::testing::Test {
protected:
    void SetUp() override { count.join(good(), 5000); }
    RxCount count;
};

TEST_F(Count, GoesOnAtTheRadiosOwn) {
    EXPECT_EQ(count.index_of(5000), 7000);
    for (int64_t i = 0; i < 3; ++i) {
        const auto arrival = count.take({.index = 7000 + i * 1000, .lost_tx_chunks = 0});
        ASSERT_TRUE(arrival);
        EXPECT_EQ(arrival->first, 5000 + i * 1000);
        EXPECT_FALSE(arrival->gap);
        EXPECT_FALSE(arrival->lost_tx);
        EXPECT_FALSE(arrival->pulse);
    }
    const auto later = count.take({.index = 13'000, .lost_tx_chunks = 0});
    ASSERT_TRUE(later);
    EXPECT_TRUE(later->gap);
    EXPECT_EQ(later->first, 11'000);
    // Another channel begins at its own zero.
    Welcome other = good();
    other.first_index = 0;
    count.join(other, 12'000);
    const auto first = count.take({.index = 0, .lost_tx_chunks = 0});
    ASSERT_TRUE(first);
    EXPECT_EQ(first->first, 12'000);
    EXPECT_FALSE(first->gap);
    EXPECT_EQ(first->pulse, 12'000);
}

TEST_F(Count, WhatNoChannelCountsIsRefused) {
    constexpr int64_t kLast = kMaxIndex / kChunk * kChunk;
    for (const int64_t index :
         {int64_t{6000}, int64_t{0}, int64_t{-1000}, INT64_MIN, int64_t{7001}, INT64_MAX, kLast + kChunk})
        EXPECT_FALSE(count.take({.index = index, .lost_tx_chunks = 0})) << index;
    EXPECT_TRUE(count.take({.index = 7000, .lost_tx_chunks = 0}));
    EXPECT_FALSE(count.take({.index = 7000, .lost_tx_chunks = 0}));  // twice
    EXPECT_TRUE(count.take({.index = kLast, .lost_tx_chunks = 0}));
    // The radio's count has the same limit, for any number of restarts of channels.
    count.join(good(), kLast - 1000);
    EXPECT_TRUE(count.take({.index = 8000, .lost_tx_chunks = 0}));
    EXPECT_FALSE(count.take({.index = 10'000, .lost_tx_chunks = 0}));
}

TEST_F(Count, LostChunksCountFromTheFirstHeader) {
    int64_t index = 6000;
    const auto lost = [&](uint64_t n) { return count.take({.index = index += 1000, .lost_tx_chunks = n})->lost_tx; };
    EXPECT_FALSE(lost(40));
    EXPECT_FALSE(lost(40));
    EXPECT_TRUE(lost(42));
    EXPECT_FALSE(lost(42));
    EXPECT_TRUE(lost(UINT64_MAX));
    EXPECT_FALSE(lost(0));
}

TEST_F(Count, PulsesAreWholeSecondsOfTheChannel) {
    std::vector<int64_t> pulses;
    for (int64_t index = 7000; index < 2'100'000; index += 1000)
        if (const auto pulse = count.take({.index = index, .lost_tx_chunks = 0})->pulse) pulses.push_back(*pulse);
    EXPECT_EQ(pulses, (std::vector<int64_t>{1'000'000 - 2000, 2'000'000 - 2000}));
}

TEST_F(Count, PulsesInsideAChunk) {
    Welcome w = good();
    w.rate_hz = 1'000'500;
    w.first_index = 0;
    count.join(w, 0);
    std::vector<int64_t> pulses;
    for (int64_t index = 0; index < 2'100'000; index += 1000)
        if (const auto pulse = count.take({.index = index, .lost_tx_chunks = 0})->pulse) pulses.push_back(*pulse);
    EXPECT_EQ(pulses, (std::vector<int64_t>{0, 1'000'500, 2'001'000}));
}

/// A pulse at each whole second of the channel, reported with the chunk that contains its sample: exactly one per
/// second, for chunks that divide it or not, across gaps and from any first index.
TEST(RxCountPulses, OneAtEachSecondAndNoOther) {
    for (const uint32_t chunk : {1U, 7U, 999U, 1000U, 1024U, 4096U})
        for (const int64_t first : {int64_t{0}, int64_t{1}, int64_t{3}, int64_t{1000}})
            for (const int64_t own : {int64_t{0}, int64_t{12'345}}) {
                Welcome w = good();
                w.rate_hz = 3000.4;  // a second of 3000 samples
                w.chunk_samples = chunk;
                w.first_index = first * chunk;
                RxCount count;
                count.join(w, own);
                const int64_t base = own - w.first_index;
                int64_t index = w.first_index;
                for (int i = 0; i < 12'000 && index < w.first_index + 20'000; ++i) {
                    if (i % 50 == 49) index += 3 * int64_t(chunk);  // chunks that the channel omitted
                    RxHeader header;
                    header.index = index;
                    const auto arrival = count.take(header);
                    ASSERT_TRUE(arrival);
                    EXPECT_EQ(arrival->first, index + base);
                    EXPECT_EQ(arrival->gap, i % 50 == 49);
                    std::optional<int64_t> expected;
                    for (int64_t n = index; n < index + int64_t(chunk) && !expected; ++n)
                        if (n % 3000 == 0) expected = n + base;
                    ASSERT_EQ(arrival->pulse, expected) << chunk << " from " << index;
                    index += chunk;
                }
            }
}

/// Losses that a channel counted earlier are not counted again by a radio that joins it, or another channel.
TEST(RxCountPulses, LossesAreThoseSinceTheJoin) {
    RxCount count;
    Welcome w = good();
    for (int life = 0; life < 3; ++life) {
        count.join(w, 0);
        int64_t index = w.first_index;
        const auto lost = [&](uint64_t chunks) {
            RxHeader header;
            header.index = index;
            header.lost_tx_chunks = chunks;
            index += kChunk;
            return count.take(header)->lost_tx;
        };
        const uint64_t before = life == 1 ? 50 : 7;  // fewer or more than the channel before
        EXPECT_FALSE(lost(before)) << life;
        EXPECT_FALSE(lost(before));
        EXPECT_TRUE(lost(before + 1));
        EXPECT_FALSE(lost(before + 1));
    }
}

}  // namespace
