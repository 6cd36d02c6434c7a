// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's frame timing and its queue of bursts by exact figures, without samples: frames of 5000 samples,
// ticks 2000 before them, responses due 1000 before them, the first frame 30 000 after the first sample.
#include "timing/base_station_clock.h"
#include "timing/uplink_queue.h"

#include <gtest/gtest.h>

namespace gr::wimax {
namespace {

using phy::FrameNumber;

TEST(FrameNumber, Has24Bits) {
    EXPECT_EQ(FrameNumber(0x1234567).value(), 0x234567U);
    EXPECT_EQ(FrameNumber(-1).value(), 0xFFFFFFU);
    EXPECT_EQ((FrameNumber(0xFFFFFF) + 1).value(), 0U);
    EXPECT_EQ((FrameNumber(0xFFFFFE) + 5).value(), 3U);
    EXPECT_EQ((FrameNumber(2) + -3).value(), 0xFFFFFFU);
    EXPECT_EQ((FrameNumber(7) + (int64_t{1} << 40)).value(), 7U);
}

TEST(FrameNumber, IsSoManyFramesBehindAnother) {
    EXPECT_EQ(FrameNumber(10).since(FrameNumber(10)), 0U);
    EXPECT_EQ(FrameNumber(10).since(FrameNumber(7)), 3U);
    EXPECT_EQ(FrameNumber(2).since(FrameNumber(0xFFFFFE)), 4U);
    EXPECT_EQ(FrameNumber(7).since(FrameNumber(10)), 0xFFFFFDU);
}

TEST(FrameNumber, TheNextWithLowBitsIsAtMostFifteenAhead) {
    EXPECT_EQ(FrameNumber(0x25).lsb(), 5);
    EXPECT_EQ(FrameNumber(0x25).next_with(5).value(), 0x25U);
    EXPECT_EQ(FrameNumber(0x25).next_with(6).value(), 0x26U);
    EXPECT_EQ(FrameNumber(0x25).next_with(4).value(), 0x34U);
    EXPECT_EQ(FrameNumber(0xFFFFFE).next_with(1).value(), 1U);
}

constexpr int64_t kFrame = 5000, kFirst = 30'000, kLead = 2000;

BaseStationClock::Config config(int64_t first_frame = 100) {
    return {.frame_samples = kFrame,
            .grid_delay = kFirst,
            .tick_lead = kLead,
            .deadline_lead = 1000,
            .first_frame = FrameNumber(first_frame)};
}

class BaseStationTiming : public testing::Test {
protected:
    BaseStationTiming() { clock.begin(0); }
    void tick(int times) {
        for (int i = 0; i < times; ++i) last = clock.tick();
    }
    BaseStationClock clock{config()};
    BaseStationClock::Frame last;
};

/// The lead of commits moves them and nothing else.
TEST(BaseStationClock, CommitsStopTheirLeadBeforeAFrame) {
    auto early = config();
    early.commit_lead = 40;
    BaseStationClock with(early), without(config());
    const auto same = [&] {
        EXPECT_EQ(with.commit(), without.commit() - 40);
        EXPECT_EQ(with.tick_at(), without.tick_at());
    };
    for (auto* clock : {&with, &without}) clock->begin(0);
    same();
    for (auto* clock : {&with, &without}) clock->tick();
    same();
    for (auto* clock : {&with, &without}) clock->attach(true), clock->tick(), clock->answered(clock->number());
    same();
    for (auto* clock : {&with, &without}) clock->skip_to(100'000);
    same();
    for (auto* clock : {&with, &without}) clock->attach(false);
    same();
}

TEST_F(BaseStationTiming, FramesFollowEachOtherOnTheGrid) {
    EXPECT_EQ(clock.tick_at(), kFirst - kLead);
    EXPECT_EQ(clock.commit(), kFirst);
    for (int n = 0; n < 3; ++n) {
        const auto frame = clock.tick();
        EXPECT_EQ(frame.number.value(), 100U + static_cast<uint32_t>(n));
        EXPECT_EQ(frame.start, kFirst + n * kFrame);
        EXPECT_EQ(frame.deadline, frame.start - 1000);
        EXPECT_EQ(clock.number(), frame.number);
        EXPECT_EQ(clock.tick_at(), kFirst + (n + 1) * kFrame - kLead);
    }
}

TEST_F(BaseStationTiming, TheGridBeginsBehindTheFirstSample) {
    BaseStationClock later(config());
    later.begin(123'456);
    EXPECT_EQ(later.tick_at(), 123'456 + kFirst - kLead);
    EXPECT_EQ(later.commit(), 123'456 + kFirst);
}

TEST_F(BaseStationTiming, NumbersWrapAndStartWhereTheyAreTold) {
    BaseStationClock wraps(config(0xFFFFFF));
    wraps.begin(0);
    EXPECT_EQ(wraps.tick().number.value(), 0xFFFFFFU);
    EXPECT_EQ(wraps.tick().number.value(), 0U);
    EXPECT_EQ(wraps.start_of(FrameNumber(0xFFFFFF)), kFirst);
    wraps.set_next_number(FrameNumber(500));
    EXPECT_EQ(wraps.number().value(), 0U);
    EXPECT_EQ(wraps.tick().number.value(), 500U);
}

TEST_F(BaseStationTiming, WithoutAMacEverythingUpToTheNextFrameIsCommitted) {
    tick(1);
    EXPECT_FALSE(clock.waits());
    EXPECT_EQ(clock.commit(), kFirst + kFrame);
    tick(2);
    EXPECT_EQ(clock.commit(), kFirst + 3 * kFrame);
}

TEST_F(BaseStationTiming, NothingIsCommittedBeyondAFrameWithoutItsAnswer) {
    clock.attach(true);
    tick(1);
    EXPECT_TRUE(clock.waits());
    EXPECT_EQ(clock.commit(), kFirst);
    EXPECT_FALSE(clock.answered(FrameNumber(99)));
    EXPECT_FALSE(clock.answered(FrameNumber(101)));
    EXPECT_TRUE(clock.waits());
    EXPECT_EQ(clock.commit(), kFirst);
    EXPECT_TRUE(clock.answered(FrameNumber(100)));
    EXPECT_FALSE(clock.waits());
    EXPECT_EQ(clock.commit(), kFirst + kFrame);
    EXPECT_FALSE(clock.answered(FrameNumber(100)));
    tick(2);  // 101 had no response when the next was due
    EXPECT_EQ(clock.commit(), kFirst + kFrame);
}

TEST_F(BaseStationTiming, WhoGoesIsNotWaitedFor) {
    clock.attach(true);
    tick(1);
    clock.attach(false);
    EXPECT_FALSE(clock.attached());
    EXPECT_FALSE(clock.waits());
    EXPECT_EQ(clock.commit(), kFirst + kFrame);
    clock.attach(true);  // from the next tick on
    EXPECT_FALSE(clock.waits());
    EXPECT_FALSE(clock.answered(FrameNumber(100)));
}

TEST_F(BaseStationTiming, FramesWhoseTicksAreLostAreCounted) {
    const int64_t due = kFirst - kLead + kFrame;  // of the frame after the one ticked
    struct Case {
        int64_t sample;
        uint32_t number;
    };
    for (const Case c : {Case{due - 1, 101}, Case{due, 101}, Case{due + 1, 102}, Case{due + kFrame, 102},
                         Case{due + kFrame + 1, 103}, Case{due + 1000 * kFrame, 1101}}) {
        SCOPED_TRACE(c.sample);
        BaseStationClock fresh(config());
        fresh.begin(0);
        fresh.tick();
        fresh.skip_to(c.sample);
        const int64_t start = kFirst + (int64_t{c.number} - 100) * kFrame;
        EXPECT_EQ(fresh.commit(), start);
        EXPECT_EQ(fresh.tick_at(), start - kLead);
        EXPECT_EQ(fresh.number().value(), 100U);
        const auto frame = fresh.tick();
        EXPECT_EQ(frame.number.value(), c.number);
        EXPECT_EQ(frame.start, start);
    }
}

TEST_F(BaseStationTiming, NumbersWrapOverAGap) {
    BaseStationClock wraps(config(0xFFFFFD));
    wraps.begin(0);
    wraps.tick();
    wraps.skip_to(kFirst + 5 * kFrame);
    EXPECT_EQ(wraps.tick().number.value(), 3U);
}

TEST_F(BaseStationTiming, AClockSetBackStartsANewGridAndNumbersGoOn) {
    tick(3);
    clock.begin(1000);
    EXPECT_EQ(clock.commit(), 1000 + kFirst);
    EXPECT_EQ(clock.start_of(FrameNumber(102)), std::nullopt);  // its samples will not arrive
    const auto frame = clock.tick();
    EXPECT_EQ(frame.number.value(), 103U);
    EXPECT_EQ(frame.start, 1000 + kFirst);
    EXPECT_EQ(clock.start_of(FrameNumber(103)), 1000 + kFirst);
    EXPECT_EQ(clock.start_of(FrameNumber(102)), std::nullopt);
}

TEST_F(BaseStationTiming, StartsOfTheLastSeventeenFramesAreKnown) {
    EXPECT_EQ(clock.start_of(FrameNumber(0)), std::nullopt);  // before any tick
    EXPECT_EQ(clock.start_of(FrameNumber(100)), std::nullopt);
    tick(1);
    EXPECT_EQ(clock.start_of(FrameNumber(100)), kFirst);
    EXPECT_EQ(clock.start_of(FrameNumber(99)), std::nullopt);
    tick(19);
    EXPECT_EQ(clock.start_of(FrameNumber(119)), kFirst + 19 * kFrame);
    EXPECT_EQ(clock.start_of(FrameNumber(103)), kFirst + 3 * kFrame);
    EXPECT_EQ(clock.start_of(FrameNumber(102)), std::nullopt);
    EXPECT_EQ(clock.start_of(FrameNumber(120)), std::nullopt);
}

AwaitedUplink awaited(int64_t first, int64_t complete, uint16_t cid) {
    AwaitedUplink item;
    item.first = first;
    item.complete = complete;
    item.cid = cid;
    return item;
}

TEST(UplinkQueue, IsInTheOrderOfCompletion) {
    UplinkQueue queue(10);
    EXPECT_EQ(queue.complete_at(), UplinkQueue::kNever);
    EXPECT_EQ(queue.needed_from(), UplinkQueue::kNever);
    for (const auto& item : {awaited(50, 300, 1), awaited(10, 400, 2), awaited(20, 200, 3), awaited(90, 300, 4)})
        EXPECT_TRUE(queue.add(item));
    EXPECT_EQ(queue.needed_from(), 10);
    EXPECT_EQ(queue.complete_at(), 200);
    // Bursts that end together are in the order of their requests.
    for (const uint16_t cid : {3, 1, 4, 2}) EXPECT_EQ(queue.take().cid, cid);
    EXPECT_EQ(queue.complete_at(), UplinkQueue::kNever);
}

TEST(UplinkQueue, HasAnEnd) {
    UplinkQueue queue(2);
    EXPECT_TRUE(queue.add(awaited(0, 10, 1)));
    EXPECT_TRUE(queue.add(awaited(0, 20, 2)));
    EXPECT_FALSE(queue.add(awaited(0, 5, 3)));
    EXPECT_EQ(queue.complete_at(), 10);
    queue.take();
    EXPECT_TRUE(queue.add(awaited(0, 5, 3)));
    EXPECT_EQ(queue.complete_at(), 5);
    queue.clear();
    EXPECT_TRUE(queue.all().empty());
}

}  // namespace
}  // namespace gr::wimax
