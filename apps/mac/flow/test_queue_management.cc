// SPDX-License-Identifier: GPL-3.0-or-later
// Directives of a queue policy in the queue, what the policy is given, and the guard: each kind of fault returns the
// queues to CoDel for a frame, and the third fault for good.
#include "mac/flow/queue_management.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_queue_management {

const std::vector<uint8_t> kPacket = ip_packet(1, 2, 1000);

std::vector<uint8_t> capable(size_t octets) {
    auto packet = ip_packet(1, 2, octets);
    packet[1] = 2;
    return packet;
}

/// The published sequence of SplitMix64 for the seed 1234567.
TEST(UniformDraws, FollowTheReferenceSequence) {
    UniformDraws draws(1234567);
    for (const uint64_t word : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                4593380528125082431ULL, 16408922859458223821ULL})
        EXPECT_EQ(draws.next(), static_cast<double>(word >> 11) / 9007199254740992.0);
}

struct Queue {
    explicit Queue(uint64_t seed = 1, bool ecn = true) : queue(pool, {60'000'000, 100, 1000, SIZE_MAX, ecn, 0, seed}) {}
    /// Which of the packets are in the queue afterwards.
    std::vector<bool> push(int count, const std::vector<uint8_t>& packet = kPacket) {
        std::vector<bool> kept;
        for (int i = 0; i < count; ++i) {
            const size_t before = queue.packets();
            EXPECT_TRUE(queue.push(packet, 1, 0)) << "a drop is no refusal";
            kept.push_back(queue.packets() > before);
        }
        return kept;
    }
    void drain(Samples now = 0) {
        while (!queue.empty()) pool.release(queue.pop(now));
    }
    SduPool pool{40'000};
    SduQueue queue;
};

TEST(QueueDirective, DropsArrivalsWithTheProbability) {
    constexpr int kPackets = 10'000;
    for (const double p : {0.0, 0.02, 0.3, 1.0}) {
        Queue of;
        of.queue.direct({p, 0, 0, true});
        of.push(kPackets);
        const double deviation = std::sqrt(kPackets * p * (1 - p));
        EXPECT_NEAR(static_cast<double>(of.queue.counters().dropped_policy), kPackets * p, 4 * deviation);
        EXPECT_EQ(of.queue.packets() + of.queue.counters().dropped_policy, size_t{kPackets});
        EXPECT_EQ(of.queue.counters().dropped(), of.queue.counters().dropped_policy);
        EXPECT_EQ(of.queue.counters().arrived_octets, kPackets * kPacket.size()) << "dropped ones have arrived, too";
    }
}

TEST(QueueDirective, DrawsFollowFromTheSeed) {
    const auto kept = [](uint64_t seed) {
        Queue of(seed);
        of.queue.direct({0.5, 0, 0, true});
        return of.push(200);
    };
    EXPECT_EQ(kept(7), kept(7));
    EXPECT_NE(kept(7), kept(8));
}

TEST(QueueDirective, MarksInPlaceOfDropsWhereTheEndsSupportIt) {
    const auto run = [](const std::vector<uint8_t>& packet, bool ecn, const QueueDirective& directive) {
        Queue of(1, ecn);
        of.queue.direct(directive);
        of.push(1000, packet);
        uint64_t marked = 0;
        while (!of.queue.empty()) {
            const auto handle = of.queue.pop(0);
            marked += (of.pool.octets(handle)[1] & 3) == 3;
            of.pool.release(handle);
        }
        EXPECT_EQ(marked, of.queue.counters().marked);
        return std::pair(of.queue.counters().marked, of.queue.counters().dropped_policy);
    };
    using Counts = std::pair<uint64_t, uint64_t>;
    EXPECT_EQ(run(capable(1000), true, {0.2, 1, 0, true}), (Counts{1000, 0})) << "a marked packet is not dropped";
    EXPECT_EQ(run(kPacket, true, {1, 1, 0, true}), (Counts{0, 1000})) << "its ends do not support ECN";
    EXPECT_EQ(run(capable(1000), false, {1, 1, 0, true}), (Counts{0, 1000})) << "ECN is off";
    EXPECT_EQ(run(capable(1000), true, {1, 0, 0, true}), (Counts{0, 1000})) << "the policy does not mark";
    const auto [marked, dropped] = run(capable(1000), true, {0.6, 0.4, 0, true});
    EXPECT_NEAR(static_cast<double>(marked), 400, 60);
    EXPECT_NEAR(static_cast<double>(dropped), 200, 60) << "one draw decides on both";
}

TEST(QueueDirective, DropsHeadsOnce) {
    Queue of;
    for (uint32_t n = 0; n < 5; ++n) of.queue.push(ip_packet(1, 2, 1000, 5000, n), 1, 0);
    of.queue.push(ip_packet(3, 4, 1000, 5000, 100), 2, 0);
    of.queue.direct({0, 0, 2, true});
    EXPECT_EQ(of.queue.packets(), 4U);
    EXPECT_EQ(of.queue.counters().dropped_policy, 2U);
    const auto first = of.queue.pop(0);
    EXPECT_EQ(number_of(of.pool.octets(first)), 2U) << "from the head of the longest sub-queue";
    of.pool.release(first);
    of.queue.direct({0, 0, 100, true});
    EXPECT_TRUE(of.queue.empty());
    EXPECT_EQ(of.queue.counters().dropped_policy, 5U);
    of.push(3);
    EXPECT_EQ(of.queue.packets(), 3U) << "arrivals are not concerned";
    of.drain();
}

TEST(QueueDirective, SwitchesCodelOff) {
    for (const bool codel : {true, false}) {
        Queue of;
        of.push(1500);
        of.queue.direct({0, 0, 0, codel});
        for (Samples now = 0; now < 5000; now += 10) of.pool.release(of.queue.pop(now));
        EXPECT_EQ(of.queue.counters().dropped_codel, codel ? 7U : 0U);
        of.drain(5000);
    }
}

/// Has the outcome and the directive that a test sets.
struct Loaded final : QueuePolicy {
    struct Results {
        PolicyOutcome outcome;
        QueueDirective directive{0.5, 0, 0, false};
        std::vector<std::vector<QueueState>> calls;
    };
    explicit Loaded(Results& has) : of(has) {}
    PolicyOutcome manage(std::span<const QueueState> queues, std::span<QueueDirective> directives) override {
        of.calls.emplace_back(queues.begin(), queues.end());
        std::ranges::fill(directives, of.directive);
        return of.outcome;
    }
    std::string reason() const override { return "as the test wants"; }
    Results& of;
};

class Managed : public ::testing::Test {
protected:
    Managed() { clock.sample_rate_hz = 100'000; }
    void frame() {
        clock.now += 1000;
        management.manage([this](const auto& visit) {
            visit(first.queue, uint16_t{11}, 1U, parameters);
            visit(second.queue, uint16_t{12}, 2U, parameters);
        });
    }
    /// Whether the first queue follows the loaded policy: it drops about half of all arrivals.
    bool follows() {
        const auto before = first.queue.counters().dropped_policy;
        first.push(100);
        first.drain(clock.now);
        return first.queue.counters().dropped_policy > before;
    }
    Queue first{1}, second{2};
    ServiceFlowConfig parameters;
    FrameClock clock;
    Loaded::Results results;
    std::vector<std::string> lines;
    PolicyAccount account{"queue_management", [this](const std::string& line, bool) { lines.push_back(line); }};
    QueueManagement management{std::make_unique<Loaded>(results), &account, clock};
};

TEST_F(Managed, ThePolicySeesWhatHappenedSinceItsLastCall) {
    frame();
    EXPECT_TRUE(results.calls.empty()) << "no queue has packets or arrivals";
    results.directive = {};
    clock.now = 5000;
    first.queue.push(kPacket, 1, 4500);
    first.queue.push(kPacket, 2, 4800);
    frame();
    ASSERT_EQ(results.calls.size(), 1U);
    ASSERT_EQ(results.calls[0].size(), 1U) << "the second queue has nothing";
    const auto& state = results.calls[0][0];
    EXPECT_EQ(state.cid, 11);
    EXPECT_EQ(state.sfid, 1U);
    EXPECT_EQ(state.parameters, &parameters);
    EXPECT_EQ(state.packets, 2U);
    EXPECT_EQ(state.octets, 2000U);
    EXPECT_EQ(state.limit_octets, 60'000'000U);
    EXPECT_EQ(state.head_age, 1500);
    EXPECT_EQ(state.arrived_octets, 2000U);
    EXPECT_EQ(state.sent_octets, 0U);
    first.pool.release(first.queue.pop(clock.now));
    frame();
    const auto& later = results.calls[1][0];
    EXPECT_EQ(later.packets, 1U);
    EXPECT_EQ(later.head_age, 2200) << "of the oldest packet that waits";
    EXPECT_EQ(later.arrived_octets, 0U);
    EXPECT_EQ(later.sent_octets, 1000U);
    EXPECT_DOUBLE_EQ(later.served_bps, 8 * 1000 / 0.01);
    first.pool.release(first.queue.pop(clock.now));
    frame();
    EXPECT_EQ(results.calls.size(), 2U) << "it is empty again";
}

TEST_F(Managed, AQueueWithAProbabilityInForceIsReported) {
    first.push(10);
    frame();
    first.drain();
    for (int i = 0; i < 3; ++i) frame();
    EXPECT_EQ(results.calls.size(), 4U) << "so that the policy can withdraw it";
    results.directive = {0, 0, 0, false};
    frame();
    frame();
    EXPECT_EQ(results.calls.size(), 5U) << "without CoDel it needs no call";
}

TEST_F(Managed, DirectivesHoldUntilTheNextCall) {
    first.push(10);
    frame();
    EXPECT_TRUE(follows());
    EXPECT_EQ(account.counters().calls, 1U);
    EXPECT_TRUE(lines.empty());
}

TEST_F(Managed, AFaultReturnsTheQueuesToTheBuiltInDisciplineForAFrame) {
    for (const auto result : {PolicyResult::late, PolicyResult::failed, PolicyResult::busy}) {
        results.outcome = {};
        first.push(10);
        frame();
        EXPECT_TRUE(follows());
        results.outcome.result = result;
        frame();
        EXPECT_FALSE(follows());
    }
    EXPECT_EQ(account.counters().late, 1U);
    EXPECT_EQ(account.counters().failed, 1U);
    EXPECT_EQ(account.counters().busy, 1U);
    EXPECT_FALSE(account.replaced());
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1], "queue_management: fault 2 of 3 of the loaded policy, failed: as the test wants");
}

TEST_F(Managed, ProbabilitiesOutsideTheRangeAreNonsense) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const QueueDirective& directive :
         {QueueDirective{1.1, 0, 0, true}, QueueDirective{0, -0.1, 0, true}, QueueDirective{nan, 0, 0, true}}) {
        results.directive = directive;
        first.push(10);
        frame();
        EXPECT_FALSE(follows());
    }
    EXPECT_EQ(account.counters().nonsense, 3U);
    EXPECT_NE(lines[0].find("flow of CID 11 gets drop_probability 1.1"), std::string::npos) << lines[0];
    EXPECT_NE(lines[1].find("mark_probability -0.1"), std::string::npos) << lines[1];
}

/// Also a queue that was idle at the third fault.
TEST_F(Managed, TheThirdFaultIsTheLast) {
    second.push(10);
    first.push(10);
    frame();
    second.drain();
    results.outcome.result = PolicyResult::failed;
    for (int i = 0; i < 3; ++i) {
        first.push(10);
        frame();
    }
    EXPECT_TRUE(account.replaced());
    const size_t calls = results.calls.size();
    results.outcome = {};
    first.push(10);
    frame();
    frame();
    EXPECT_EQ(results.calls.size(), calls) << "it is not called again";
    EXPECT_FALSE(follows());
    second.push(1500);
    EXPECT_EQ(second.queue.packets(), 1500U);
    for (Samples now = 0; now < 5000; now += 10) second.pool.release(second.queue.pop(now));
    EXPECT_EQ(second.queue.counters().dropped_codel, 7U) << "CoDel is back";
    EXPECT_EQ(lines.back(), "queue_management: the built-in policy replaces the loaded one after 3 faults");
}

TEST(QueueManagement, WithoutALoadedPolicyNothingIsVisited) {
    FrameClock clock;
    QueueManagement management(nullptr, nullptr, clock);
    management.manage([](const auto&) { FAIL(); });
}

}  // namespace test_queue_management
