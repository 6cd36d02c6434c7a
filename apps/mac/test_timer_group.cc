// SPDX-License-Identifier: GPL-3.0-or-later
// A group of timers expires as its timers do one by one.
#include "mac/timer_group.h"

#include <gtest/gtest.h>

#include <random>

using namespace wimax::mac;

namespace test_timer_group {

enum class Id : uint8_t { first, second, third, fourth };
constexpr size_t kCount = 4;
using Group = TimerGroup<Id, kCount>;

/// The same timers, in a group and one by one.
struct Both {
    Group group;
    std::array<Timer, kCount> timers;

    void start(size_t i, Samples now, Samples duration) {
        group.start(static_cast<Id>(i), now, duration);
        timers[i].start(now, duration);
    }
    void stop(size_t i) {
        group.stop({static_cast<Id>(i)});
        timers[i].stop();
    }
};

TEST(TimerGroup, EachTimerExpiresInTheFrameInWhichATimerDoes) {
    std::mt19937_64 random(1);
    const auto below = [&](uint64_t end) { return static_cast<size_t>(random() % end); };
    size_t expired = 0, frames_due = 0;
    for (int life = 0; life < 300; ++life) {
        Both both;
        for (Samples now = 0; now < 3000; now += 10) {
            if (below(3) == 0) both.start(below(kCount), now, static_cast<Samples>(1 + below(400)));
            if (below(9) == 0) both.stop(below(kCount));
            // As the owner looks at them: at all of them, or at none after one has expired.
            const bool due = both.group.due(now);
            frames_due += due;
            const bool ends = below(2) == 0;
            for (size_t i = 0; i < kCount; ++i) {
                ASSERT_EQ(both.group.running(static_cast<Id>(i)), both.timers[i].running()) << now;
                const bool fires = both.timers[i].expired(now);
                ASSERT_EQ(both.group.expired(static_cast<Id>(i), now), fires) << "timer " << i << " at " << now;
                ASSERT_TRUE(due || !fires) << now;
                expired += fires;
                if (fires && ends) break;
            }
        }
    }
    EXPECT_GT(expired, 3000U);
    EXPECT_LT(frames_due, 2 * expired);
}

TEST(TimerGroup, IsNotDueBeforeItsEarliestDeadline) {
    Group group;
    EXPECT_FALSE(group.due(1'000'000));
    group.start(Id::second, 0, 100);
    group.start(Id::third, 0, 50);
    EXPECT_FALSE(group.due(49));
    EXPECT_TRUE(group.due(50));
    group.stop({Id::third});
    EXPECT_FALSE(group.due(99));
    EXPECT_TRUE(group.due(100));
    EXPECT_TRUE(group.expired(Id::second, 100));
    EXPECT_FALSE(group.expired(Id::second, 100));
    EXPECT_FALSE(group.due(1'000'000));
}

/// A station's timers are started again with each frame that has a map: they cost nothing in between.
TEST(TimerGroup, IsNotDueIfATimerWasStartedAgain) {
    Group group;
    group.start(Id::first, 0, 100);
    group.start(Id::first, 60, 100);
    EXPECT_FALSE(group.due(100));
    EXPECT_FALSE(group.expired(Id::first, 159));
    EXPECT_TRUE(group.due(160));
    EXPECT_TRUE(group.expired(Id::first, 160));
}

}  // namespace test_timer_group
