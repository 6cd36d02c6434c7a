// SPDX-License-Identifier: GPL-3.0-or-later
// The two machines over a channel that loses, repeats and delays: SDUs are delivered as sent, in order, once.
#include "mac/arq/arq_receiver.h"
#include "mac/arq/arq_sender.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace wimax::mac;

namespace test_arq_machines {

constexpr Samples kFrame = 1000;
constexpr size_t kLongestSdu = 2040;

struct Packet {
    FragmentControl fc;
    uint16_t bsn;
    Buffer data;
};
struct Losses {
    double loss = 0, repeat = 0, delay = 0;  ///< by a frame
};

/// A sender with SDUs to send, a channel, a receiver, and the feedback's way back. Frames are the clock.
class Link {
public:
    Link(const ArqParameters& parameters, uint32_t seed, Losses losses)
        : parameters_(parameters),
          losses_(losses),
          random_(seed),
          sender(parameters,
                 [this](uint32_t sdu, bool delivered) {
                     ASSERT_EQ(held.erase(sdu), 1U);
                     released_whole += delivered;
                 }),
          receiver(parameters, kLongestSdu) {}

    /// `octets` of payload in the frame at most; SDUs of 1..`longest` octets, no more than `most` altogether.
    void frame(size_t octets, size_t longest, uint32_t most) {
        now += kFrame;
        sender.tick(now);
        for (size_t left = octets; left > 0;) {
            if (sender.wants_sdu() && next_sdu < most) {
                in.push_back(content(1 + random_() % longest));
                held.insert(next_sdu);
                sender.add(next_sdu++, in.back().size());
            }
            const auto fragment = sender.next(std::min<size_t>(left, parameters_.block_octets + random_() % 2040));
            if (!fragment) break;
            ASSERT_EQ(held.count(fragment->sdu), 1U);
            const auto& sdu = in[fragment->sdu];
            const auto begin = sdu.begin() + static_cast<std::ptrdiff_t>(fragment->offset);
            air({fragment->fc, bsn_of(fragment->first),
                 Buffer(begin, begin + static_cast<std::ptrdiff_t>(fragment->octets))},
                data_);
            sender.sent(*fragment, now);
            left -= std::min(left, fragment->octets + 12);
        }
        if (const auto bsn = sender.discard_due(now); bsn && !happens(losses_.loss)) receiver.discard(*bsn, sink);
        arrive(data_, [this](const Packet& p) { receiver.receive(p.fc, p.bsn, p.data, now, sink); });
        receiver.tick(now, sink);
        if (receiver.feedback_due()) {
            std::array<FeedbackIe, kMaxFeedbackElements> ies;
            const size_t count = receiver.feedback(7, ies);
            receiver.feedback_sent();
            air(std::vector<FeedbackIe>(ies.begin(), ies.begin() + static_cast<std::ptrdiff_t>(count)), feedback_);
        }
        arrive(feedback_, [this](const std::vector<FeedbackIe>& ies) {
            for (const auto& ie : ies) sender.acknowledge(ie, now);
            for (const auto& ie : ies) sender.repeat_missing(ie, now);
        });
    }
    Buffer content(size_t octets) {
        Buffer sdu(octets);
        for (auto& octet : sdu) octet = static_cast<uint8_t>(random_());
        return sdu;
    }
    /// Messages in transit do not arrive.
    void forget_air() {
        data_ = {};
        feedback_ = {};
    }
    bool happens(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }

    ArqParameters parameters_;
    Losses losses_;
    std::mt19937 random_;
    std::set<uint32_t> held;
    uint32_t next_sdu = 0, released_whole = 0;
    std::vector<Buffer> in, out;
    ArqReceiver::Sink sink = [this](Octets sdu) { out.emplace_back(sdu.begin(), sdu.end()); };
    Samples now = 0;
    ArqSender sender;
    ArqReceiver receiver;

private:
    template <class T> struct Queue { std::vector<T> now, later; };
    template <class T> void air(T what, Queue<T>& queue) {
        for (int copies = happens(losses_.repeat) ? 2 : 1; copies > 0; --copies)
            if (!happens(losses_.loss)) (happens(losses_.delay) ? queue.later : queue.now).push_back(what);
    }
    template <class T, class Take> static void arrive(Queue<T>& queue, Take&& take) {
        for (const T& what : queue.now) take(what);
        queue.now = std::move(queue.later);
        queue.later.clear();
    }
    Queue<Packet> data_;
    Queue<std::vector<FeedbackIe>> feedback_;
};

struct Shape {
    ArqParameters parameters;
    size_t octets = 0, longest = 0;
};
Shape random_shape(std::mt19937& random) {
    Shape shape;
    auto& p = shape.parameters;
    constexpr uint16_t kBlocks[] = {1, 16, 40, 128, 500, 2040};
    p.block_octets = kBlocks[random() % std::size(kBlocks)];
    constexpr uint16_t kWindows[] = {1, 2, 7, 64, 300, 1024};
    p.window_blocks = kWindows[random() % std::size(kWindows)];
    p.retry_timeout = kFrame * (3 + random() % 6);
    shape.longest = 1 + random() % std::min<size_t>(kLongestSdu, size_t{p.block_octets} * 40);
    shape.octets = 500 + random() % 10'000;
    return shape;
}

/// More than two rounds of the block numbers, with every size of block and window.
TEST(ArqMachines, WithoutEndEverythingArrivesInOrderAndOnce) {
    uint64_t rounds = 0, repeats = 0;
    for (uint32_t seed = 0; seed < 72; ++seed) {
        std::mt19937 random(seed);
        const Shape shape = random_shape(random);
        Link link(shape.parameters, seed, {seed % 4 * 0.1, seed % 3 * 0.05, seed % 2 * 0.1});
        int frames = 0;
        const auto most_blocks = uint64_t{5000};
        while (link.sender.counters().blocks < most_blocks && frames++ < 1500)
            link.frame(shape.octets, shape.longest, UINT32_MAX);
        const uint32_t sent = link.next_sdu;
        for (int i = 0; i < 3000 && !link.held.empty(); ++i) link.frame(shape.octets, shape.longest, sent);
        ASSERT_TRUE(link.held.empty()) << "seed " << seed;
        ASSERT_TRUE(link.out == link.in) << "seed " << seed;
        EXPECT_EQ(link.released_whole, sent);
        EXPECT_EQ(link.sender.held_sdus(), 0U);
        EXPECT_EQ(link.sender.blocks_in_flight(), 0U);
        EXPECT_EQ(link.sender.sendable_octets(), 0U);
        EXPECT_EQ(link.receiver.counters().blocks, link.sender.counters().blocks);
        EXPECT_EQ(link.receiver.counters().outside + link.receiver.counters().malformed, 0U);
        EXPECT_TRUE(seed % 4 != 0 || link.sender.counters().repeats == 0U) << "seed " << seed;
        rounds += link.sender.counters().blocks / 2048;
        repeats += link.sender.counters().repeats;
    }
    EXPECT_GT(rounds, 72U);
    EXPECT_GT(repeats, 20'000U);
}

TEST(ArqMachines, WithoutOrderEachArrivesOnce) {
    for (uint32_t seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        Shape shape = random_shape(random);
        shape.parameters.deliver_in_order = false;
        shape.parameters.window_blocks = std::max<uint16_t>(shape.parameters.window_blocks, 64);
        Link link(shape.parameters, seed, {0.2, 0.05, 0.1});
        for (int i = 0; i < 100; ++i) link.frame(shape.octets, shape.longest, UINT32_MAX);
        const uint32_t sent = link.next_sdu;
        for (int i = 0; i < 1000 && !link.held.empty(); ++i) link.frame(shape.octets, shape.longest, sent);
        ASSERT_FALSE(link.out == link.in) << "seed " << seed;
        std::sort(link.out.begin(), link.out.end());
        std::sort(link.in.begin(), link.in.end());
        ASSERT_TRUE(link.out == link.in) << "seed " << seed;
    }
}

/// With a lifetime SDUs may be lost, and only then: those that arrive do so in order, whole and once.
TEST(ArqMachines, WhatIsDiscardedIsMissingAndNothingElse) {
    uint64_t discarded = 0, arrived = 0;
    for (uint32_t seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        Shape shape = random_shape(random);
        auto& p = shape.parameters;
        p.block_lifetime = kFrame * (2 + random() % 12);
        p.rx_purge_timeout = seed % 2 == 0 ? 0 : p.block_lifetime + 4 * kFrame;
        p.deliver_in_order = seed % 3 != 0;
        Link link(p, seed, {0.3, 0.05, 0.05});
        for (int i = 0; i < 400; ++i) link.frame(shape.octets, shape.longest, UINT32_MAX);
        const uint32_t sent = link.next_sdu;
        for (int i = 0; i < 300 && (!link.held.empty() || link.sender.blocks_in_flight() > 0); ++i)
            link.frame(shape.octets, shape.longest, sent);
        ASSERT_TRUE(link.held.empty()) << "seed " << seed;
        EXPECT_EQ(link.sender.blocks_in_flight(), 0U) << "seed " << seed;
        std::set<uint32_t> numbers;
        uint32_t next = 0;
        for (const auto& sdu : link.out) {
            uint32_t number = p.deliver_in_order ? next : 0;
            while (number < sent && (link.in[number] != sdu || numbers.count(number) > 0)) ++number;
            ASSERT_LT(number, sent) << "seed " << seed << ": what was never sent, or late, or came before";
            numbers.insert(number);
            next = number + 1;
        }
        EXPECT_EQ(link.sender.counters().discarded_sdus + link.released_whole, sent);
        // Only the sender gives up an SDU whose last feedback was lost.
        EXPECT_GE(link.out.size(), link.released_whole) << "seed " << seed;
        discarded += link.sender.counters().discarded_sdus;
        arrived += link.out.size();
    }
    EXPECT_GT(discarded, 500U);
    EXPECT_GT(arrived, 2500U);
}

/// One loss costs only the repetition of its blocks: later blocks in transit are not repeated.
TEST(ArqMachines, OneLossIsRepeatedOnce) {
    ArqParameters p;
    p.retry_timeout = 6 * kFrame;
    Link link(p, 1, {});
    link.frame(10'000, 1500, UINT32_MAX);
    link.losses_.loss = 1;
    link.frame(3000, 1500, UINT32_MAX);
    link.losses_.loss = 0;
    const uint64_t lost = link.sender.blocks_in_flight();
    link.frame(10'000, 1500, UINT32_MAX);  // later arrivals reveal the gap
    EXPECT_EQ(link.sender.counters().repeats, 0U);
    link.frame(10'000, 1500, UINT32_MAX);
    EXPECT_EQ(link.sender.counters().repeats, lost);
    for (int i = 0; i < 30; ++i) link.frame(10'000, 1500, UINT32_MAX);
    EXPECT_EQ(link.sender.counters().repeats, lost);
    EXPECT_EQ(link.sender.counters().timeouts, 0U);
    EXPECT_EQ(link.receiver.counters().repeated, 0U);
}

TEST(ArqMachines, ALostLastBlockIsRepeatedByTimeout) {
    ArqParameters p;
    p.retry_timeout = 6 * kFrame;
    Link link(p, 1, {});
    link.losses_.loss = 1;
    link.frame(3000, 1500, 1);
    link.losses_.loss = 0;
    int frames = 1;
    for (; link.out.empty() && frames < 20; ++frames) link.frame(3000, 1500, 1);
    EXPECT_EQ(frames, 7);
    EXPECT_EQ(link.sender.counters().timeouts, link.sender.counters().blocks);
}

/// A block that is never acknowledged stops the window; both ends notice, by their own timers.
TEST(ArqMachines, LossOfSynchronisationIsNoticedByBothEnds) {
    ArqParameters p;
    p.retry_timeout = 4 * kFrame;
    p.sync_loss_timeout = 20 * kFrame;
    Link link(p, 1, {});
    for (int i = 0; i < 100; ++i) {
        link.frame(5000, 1500, UINT32_MAX);
        ASSERT_FALSE(link.sender.out_of_sync(link.now) || link.receiver.out_of_sync(link.now));
    }
    const auto noticed = [&](auto& machine) {
        for (int i = 1; i <= 40; ++i) {
            link.frame(5000, 1500, UINT32_MAX);
            if (machine.out_of_sync(link.now)) return i;
        }
        return 0;
    };
    link.receiver.reset();  // alone: it waits for block 0
    EXPECT_EQ(noticed(link.receiver), 21);
    link.losses_.loss = 1;
    EXPECT_EQ(noticed(link.sender), 21);
    link.losses_.loss = 0;
    // Both restart: SDUs begun are lost, later ones arrive.
    link.sender.reset();
    link.receiver.reset();
    const size_t lost = link.sender.counters().reset_sdus;
    EXPECT_GT(lost, 0U);
    link.out.clear();
    const uint32_t first = link.next_sdu - static_cast<uint32_t>(link.held.size());
    for (int i = 0; i < 10; ++i) link.frame(5000, 1500, UINT32_MAX);
    ASSERT_GT(link.out.size(), 20U);
    for (uint32_t i = 0; i < link.out.size(); ++i) ASSERT_TRUE(link.out[i] == link.in[first + i]) << i;
}

/// The lifetime counts from a block's first transmission; its SDU is given up too. The discard repeats until received.
TEST(ArqSender, GivesUpTheWholeSduWhenABlockIsTooOld) {
    ArqParameters p;
    p.block_octets = 100;
    p.window_blocks = 8;
    p.retry_timeout = 2 * kFrame;
    p.block_lifetime = 5 * kFrame;
    std::vector<std::pair<uint32_t, bool>> released;
    ArqSender sender(p, [&](uint32_t sdu, bool whole) { released.emplace_back(sdu, whole); });
    const auto send = [&](Samples at, size_t room) {
        const auto f = sender.next(room);
        if (f) sender.sent(*f, at);
        return f ? f->blocks : 0;
    };
    sender.add(1, 450);
    EXPECT_FALSE(sender.wants_sdu());
    EXPECT_EQ(send(0, 210), 2U);
    EXPECT_EQ(sender.unsent_octets_of_sdus(), 250U);
    EXPECT_EQ(send(kFrame, 149), 1U);
    sender.tick(5 * kFrame - 1);
    EXPECT_TRUE(released.empty());
    EXPECT_FALSE(sender.discard_due(5 * kFrame - 1));
    EXPECT_EQ(sender.sendable_octets(), 300U + 150U);
    sender.tick(5 * kFrame);
    EXPECT_EQ(released, (std::vector{std::pair{1U, false}}));
    EXPECT_EQ(sender.sendable_octets(), 0U);
    EXPECT_EQ(sender.discard_due(5 * kFrame), 2);  // what was sent, and no more
    EXPECT_FALSE(sender.discard_due(7 * kFrame - 1));
    EXPECT_EQ(sender.discard_due(7 * kFrame), 2);
    EXPECT_EQ(sender.blocks_in_flight(), 3U);  // they hold the window until the receiver knows
    EXPECT_TRUE(sender.wants_sdu());
    sender.add(2, 50);
    const auto next = sender.next(1000);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->first, 3U);
    EXPECT_EQ(next->fc, FragmentControl::unfragmented);
    sender.sent(*next, 7 * kFrame);
    FeedbackIe ack;
    ack.bsn = 2;
    sender.acknowledge(ack, 8 * kFrame);
    EXPECT_EQ(sender.blocks_in_flight(), 1U);
    EXPECT_FALSE(sender.discard_due(20 * kFrame));
}

/// An SDU without a block sent is sent after the reset, from number 0.
TEST(ArqSender, AResetKeepsTheSduThatWasNotBegun) {
    ArqParameters p;
    p.block_octets = 100;
    std::vector<std::pair<uint32_t, bool>> released;
    ArqSender sender(p, [&](uint32_t sdu, bool whole) { released.emplace_back(sdu, whole); });
    sender.add(1, 450);
    sender.sent(*sender.next(1000), 0);
    sender.add(2, 250);
    sender.reset();
    EXPECT_EQ(released, (std::vector{std::pair{1U, false}}));
    EXPECT_EQ(sender.counters().reset_sdus, 1U);
    const auto next = sender.next(1000);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->sdu, 2U);
    EXPECT_EQ(next->first, 0U);
    EXPECT_EQ(next->octets, 250U);
}

TEST(ArqSender, FeedbackThatCannotBeRightIsIgnored) {
    ArqParameters p;
    p.block_octets = 100;
    p.retry_timeout = 100 * kFrame;
    std::vector<uint32_t> released;
    ArqSender sender(p, [&](uint32_t sdu, bool) { released.push_back(sdu); });
    sender.add(1, 300);
    sender.sent(*sender.next(1000), 0);
    const auto say = [&](AckType type, uint16_t bsn, uint16_t map) {
        FeedbackIe ie;
        ie.ack_type = type;
        ie.bsn = bsn;
        ie.map_count = type == AckType::cumulative ? 0 : 1;
        ie.maps[0] = map;
        sender.acknowledge(ie, 0);
        sender.repeat_missing(ie, 0);
    };
    say(AckType::cumulative, 3, 0);  // not sent yet
    say(AckType::cumulative, 2040, 0);
    EXPECT_EQ(sender.counters().bad_feedback, 2U);
    EXPECT_EQ(sender.blocks_in_flight(), 3U);
    say(AckType::cumulative, 2047, 0);  // as far as before
    EXPECT_EQ(sender.counters().bad_feedback, 2U);
    say(AckType::selective, 2, 0xFFFF);  // block 2, and others that were not sent
    EXPECT_EQ(sender.blocks_in_flight(), 3U);
    say(AckType::cumulative_selective, 0, 0x8000);  // 0; 1 and 2 in the map are zero, of which 2 is done
    EXPECT_EQ(sender.blocks_in_flight(), 2U);
    EXPECT_EQ(sender.sendable_octets(), 0U);  // block 1 went with block 2, so it may still come
    EXPECT_TRUE(released.empty());
    say(AckType::cumulative, 1, 0);
    EXPECT_EQ(released, std::vector<uint32_t>{1});
}

TEST(ArqReceiver, OnlyTheLastBlockOfAnSduIsShort) {
    ArqParameters p;
    p.block_octets = 100;
    ArqReceiver receiver(p, kLongestSdu);
    std::vector<size_t> sizes;
    const ArqReceiver::Sink sink = [&](Octets sdu) { sizes.push_back(sdu.size()); };
    const Buffer octets(3000, 1);
    receiver.receive(FragmentControl::first, 0, Octets(octets).first(150), 0, sink);
    receiver.receive(FragmentControl::unfragmented, 0, {}, 0, sink);
    receiver.receive(FragmentControl::unfragmented, 0, Octets(octets).first(2041), 0, sink);
    EXPECT_EQ(receiver.counters().malformed, 3U);
    EXPECT_FALSE(receiver.feedback_due());
    receiver.receive(FragmentControl::first, 0, Octets(octets).first(200), 0, sink);
    receiver.receive(FragmentControl::last, 2, Octets(octets).first(1), 0, sink);
    EXPECT_EQ(sizes, std::vector<size_t>{201});
    // Fragments that together are longer than an SDU may be.
    receiver.receive(FragmentControl::first, 3, Octets(octets).first(2000), 0, sink);
    receiver.receive(FragmentControl::last, 23, Octets(octets).first(50), 0, sink);
    receiver.receive(FragmentControl::unfragmented, 24, Octets(octets).first(7), 0, sink);
    EXPECT_EQ(sizes, (std::vector<size_t>{201, 7}));
    EXPECT_EQ(receiver.counters().dropped_sdus, 1U);
}

TEST(ArqReceiver, BlocksBeyondTheWindowAreNotTaken) {
    ArqParameters p;
    p.block_octets = 100;
    p.window_blocks = 8;
    ArqReceiver receiver(p, kLongestSdu);
    std::vector<Buffer> out;
    const ArqReceiver::Sink sink = [&](Octets sdu) { out.emplace_back(sdu.begin(), sdu.end()); };
    const Buffer early(400, 1), first(600, 2);
    receiver.receive(FragmentControl::unfragmented, 6, early, 0, sink);  // 6 and 7; 8 and 9 are beyond
    EXPECT_EQ(receiver.counters().blocks, 2U);
    EXPECT_EQ(receiver.counters().outside, 2U);
    receiver.receive(FragmentControl::unfragmented, 0, first, 0, sink);
    EXPECT_EQ(out, std::vector<Buffer>{first});
    receiver.receive(FragmentControl::unfragmented, 6, early, 0, sink);
    EXPECT_EQ(out, (std::vector<Buffer>{first, early}));
    EXPECT_EQ(receiver.counters().blocks, 10U);
}

TEST(ArqReceiver, PurgesWhatWaitsTooLongForAHole) {
    ArqParameters p;
    p.block_octets = 100;
    p.rx_purge_timeout = 10 * kFrame;
    ArqReceiver receiver(p, kLongestSdu);
    std::vector<size_t> sizes;
    const ArqReceiver::Sink sink = [&](Octets sdu) { sizes.push_back(sdu.size()); };
    const Buffer octets(300, 1);
    receiver.receive(FragmentControl::unfragmented, 1, Octets(octets).first(10), 0, sink);
    receiver.receive(FragmentControl::unfragmented, 3, Octets(octets).first(30), 5 * kFrame, sink);
    receiver.tick(10 * kFrame - 1, sink);
    EXPECT_TRUE(sizes.empty());
    receiver.feedback_sent();
    receiver.tick(10 * kFrame, sink);
    EXPECT_EQ(sizes, std::vector<size_t>{10});
    EXPECT_TRUE(receiver.feedback_due());
    receiver.receive(FragmentControl::unfragmented, 2, Octets(octets).first(20), 11 * kFrame, sink);
    EXPECT_EQ(sizes, (std::vector<size_t>{10, 20, 30}));
    EXPECT_EQ(receiver.counters().given_up, 1U);
    receiver.receive(FragmentControl::unfragmented, 0, Octets(octets).first(5), 12 * kFrame, sink);
    EXPECT_EQ(sizes.size(), 3U);
    EXPECT_EQ(receiver.counters().repeated, 1U);
}

TEST(ArqReceiver, WithoutOrderAnSduIsDeliveredWithItsLastMissingBlock) {
    ArqParameters p;
    p.block_octets = 100;
    p.deliver_in_order = false;
    ArqReceiver receiver(p, kLongestSdu);
    std::vector<size_t> sizes;
    const ArqReceiver::Sink sink = [&](Octets sdu) { sizes.push_back(sdu.size()); };
    const Buffer octets(300, 1);
    receiver.receive(FragmentControl::last, 3, Octets(octets).first(30), 0, sink);
    receiver.receive(FragmentControl::unfragmented, 4, Octets(octets).first(40), 0, sink);
    EXPECT_EQ(sizes, std::vector<size_t>{40});
    receiver.receive(FragmentControl::first, 1, Octets(octets).first(200), 0, sink);
    EXPECT_EQ(sizes, (std::vector<size_t>{40, 230}));
    receiver.receive(FragmentControl::unfragmented, 0, Octets(octets).first(10), 0, sink);
    receiver.receive(FragmentControl::unfragmented, 5, Octets(octets).first(50), 0, sink);
    EXPECT_EQ(sizes, (std::vector<size_t>{40, 230, 10, 50}));
    EXPECT_EQ(receiver.counters().dropped_sdus, 0U);
}

/// Blocks that are given up let the window move: a flow that is idle after that is in step.
TEST(ArqReceiver, GivingUpBlocksEndsTheStall) {
    ArqParameters p;
    p.block_octets = 100;
    p.rx_purge_timeout = 10 * kFrame;
    p.sync_loss_timeout = 15 * kFrame;
    const Buffer octets(100, 1);
    for (const bool purged : {true, false}) {
        ArqReceiver receiver(p, kLongestSdu);
        receiver.receive(FragmentControl::unfragmented, 1, octets, 0, {});
        EXPECT_FALSE(receiver.out_of_sync(15 * kFrame - 1));
        EXPECT_TRUE(receiver.out_of_sync(15 * kFrame));
        if (purged) receiver.tick(10 * kFrame, {});
        else receiver.discard(0, {});
        EXPECT_FALSE(receiver.out_of_sync(1'000'000 * kFrame)) << (purged ? "purged" : "discarded");
        // The next stall counts from its own first block.
        receiver.receive(FragmentControl::unfragmented, 4, octets, 100 * kFrame, {});
        EXPECT_FALSE(receiver.out_of_sync(115 * kFrame - 1));
        EXPECT_TRUE(receiver.out_of_sync(115 * kFrame));
    }
    // Blocks before the window, and a repetition within it, are not counted as a stall.
    ArqReceiver receiver(p, kLongestSdu);
    receiver.receive(FragmentControl::unfragmented, 0, octets, 0, {});
    receiver.receive(FragmentControl::unfragmented, 0, octets, 10 * kFrame, {});
    EXPECT_FALSE(receiver.out_of_sync(100 * kFrame));
}

/// Transcript of both machines during a life, so that two lives can be compared.
std::string life(Link& link, Samples begin, int frames, uint32_t seed) {
    std::string told;
    link.random_.seed(seed);
    link.out.clear();
    const size_t sent_before = link.in.size();
    link.now = begin;
    const auto before_sender = link.sender.counters();
    const auto before_receiver = link.receiver.counters();
    told += std::to_string(link.sender.out_of_sync(begin)) + std::to_string(link.receiver.out_of_sync(begin)) +
            std::to_string(link.receiver.feedback_due()) + std::to_string(link.sender.discard_due(begin).has_value()) +
            "\n";
    for (int i = 0; i < frames; ++i) {
        link.losses_ = i < frames / 2 ? Losses{0.3, 0.1, 0.1} : Losses{};
        link.frame(3000, 1500, UINT32_MAX);
        std::array<FeedbackIe, kMaxFeedbackElements> ies;
        const size_t count = link.receiver.feedback(7, ies);
        for (size_t e = 0; e < count; ++e)
            told += std::to_string(ies[e].bsn) + "." + std::to_string(static_cast<int>(ies[e].ack_type)) + " ";
        told += std::to_string(link.sender.blocks_in_flight()) + " " + std::to_string(link.sender.sendable_octets()) +
                " " + std::to_string(link.sender.held_sdus()) + " " + std::to_string(link.sender.window_room_octets()) +
                " " + std::to_string(link.sender.unsent_octets_of_sdus()) + " " +
                std::to_string(link.sender.out_of_sync(link.now)) +
                std::to_string(link.receiver.out_of_sync(link.now)) + std::to_string(link.receiver.feedback_octets()) +
                "\n";
    }
    const auto& s = link.sender.counters();
    const auto& r = link.receiver.counters();
    for (const uint64_t figure :
         {s.blocks - before_sender.blocks, s.repeats - before_sender.repeats, s.timeouts - before_sender.timeouts,
          s.discarded_sdus - before_sender.discarded_sdus, s.bad_feedback - before_sender.bad_feedback,
          r.blocks - before_receiver.blocks, r.repeated - before_receiver.repeated, r.outside - before_receiver.outside,
          r.given_up - before_receiver.given_up, r.dropped_sdus - before_receiver.dropped_sdus,
          r.malformed - before_receiver.malformed})
        told += std::to_string(figure) + ",";
    for (const auto& sdu : link.out) told += std::string(sdu.begin(), sdu.end());
    for (size_t i = sent_before; i < link.in.size(); ++i) told += std::to_string(link.in[i].size()) + ";";
    return told;
}

/// After a reset at any time both machines behave like new ones, regardless of the previous life.
TEST(ArqMachines, ALifeAfterAResetIsLikeTheFirst) {
    for (uint32_t seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        Shape shape = random_shape(random);
        shape.parameters.block_lifetime = seed % 2 == 0 ? 0 : 12 * kFrame;
        shape.parameters.rx_purge_timeout = seed % 3 == 0 ? 0 : 9 * kFrame;
        shape.parameters.sync_loss_timeout = 30 * kFrame;
        shape.parameters.deliver_in_order = seed % 5 != 0;
        Link used(shape.parameters, seed, {0.3, 0.2, 0.2}), fresh(shape.parameters, seed, {});
        for (int i = 0; i < 60; ++i) used.frame(shape.octets, shape.longest, UINT32_MAX);
        used.losses_.loss = 1;  // it ends with a stall
        for (int i = 0; i < 35; ++i) used.frame(shape.octets, shape.longest, UINT32_MAX);
        used.sender.reset();
        used.receiver.reset();
        used.forget_air();
        // An SDU that was not begun stays: the new sender gets it, too.
        ASSERT_LE(used.sender.held_sdus(), 1U);
        if (used.sender.held_sdus() == 1) {
            fresh.in = used.in;
            fresh.next_sdu = used.next_sdu;
            const uint32_t kept = *used.held.rbegin();
            fresh.held.insert(kept);
            fresh.sender.add(kept, used.in[kept].size());
        }
        const Samples begin = seed % 4 == 0 ? 0 : 5000 * kFrame;
        ASSERT_TRUE(life(fresh, begin, 80, seed + 1) == life(used, begin, 80, seed + 1)) << "seed " << seed;
    }
}

}  // namespace test_arq_machines
