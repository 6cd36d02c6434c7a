// SPDX-License-Identifier: GPL-3.0-or-later
// The reset handshake: each end as the initiator, each message lost, both at once, no other end.
#include "mac/arq/arq_reset.h"

#include <gtest/gtest.h>

#include <deque>

using namespace wimax::mac;

namespace test_arq_reset {

constexpr Samples kT22 = 500;
constexpr auto kRequest = ArqResetType::request, kAcknowledge = ArqResetType::acknowledge,
               kConfirm = ArqResetType::confirm;

struct End {
    ArqResetDialog reset{kT22};
    int anew = 0, failed = 0;
    std::deque<ArqResetType> out;
    std::vector<ArqResetType> all;
    void take(const ArqResetDialog::Step& step) {
        anew += step.begin_anew;
        failed += step.failed;
        if (!step.send) return;
        out.push_back(*step.send);
        all.push_back(*step.send);
    }
};

/// Two ends; of the messages of a bit mask, in the order in which they are sent, those that are lost.
struct Pair {
    explicit Pair(uint32_t lost = 0) : lost_(lost) {}
    void run(int samples) {
        for (const Samples end = now + samples; now < end; ++now) {
            for (End* e : {&a, &b}) e->take(e->reset.on_time(now));
            pass(a, b);
            pass(b, a);
        }
    }
    void pass(End& from, End& to) {
        for (; !from.out.empty(); from.out.pop_front())
            if (!(lost_ >> std::min(sent_++, 31) & 1)) to.take(to.reset.on_message(from.out.front(), now));
    }
    Samples now = 0;
    End a, b;

private:
    uint32_t lost_;
    int sent_ = 0;
};

TEST(ArqReset, ThreeMessagesAndEachBeginsAnewOnce) {
    Pair p;
    p.a.take(p.a.reset.begin(p.now));
    EXPECT_TRUE(p.a.reset.running());
    p.run(2);
    EXPECT_EQ(p.a.all, (std::vector{kRequest, kConfirm}));
    EXPECT_EQ(p.b.all, (std::vector{kAcknowledge}));
    EXPECT_EQ(p.a.anew, 1);
    EXPECT_EQ(p.b.anew, 1);
    EXPECT_FALSE(p.a.reset.running());
    EXPECT_FALSE(p.b.reset.running());
}

/// The other end has stopped when this one restarts.
TEST(ArqReset, TheResponderIsSilentUntilConfirmed) {
    Pair p;
    p.b.take(p.b.reset.on_message(kRequest, 0));
    EXPECT_TRUE(p.b.reset.running());
    EXPECT_EQ(p.b.anew, 0);
    p.b.take(p.b.reset.on_message(kRequest, 0));
    EXPECT_EQ(p.b.all, (std::vector{kAcknowledge, kAcknowledge}));
    p.b.take(p.b.reset.on_message(kConfirm, 0));
    EXPECT_EQ(p.b.anew, 1);
}

/// Any of the first eight messages lost in any combination that leaves each step a try: it ends, and both are idle.
TEST(ArqReset, SurvivesLosses) {
    for (uint32_t lost = 0; lost < 16; ++lost) {
        Pair p(lost);
        p.a.take(p.a.reset.begin(p.now));
        p.run(20 * kT22);
        EXPECT_GE(p.a.anew, 1) << lost;
        EXPECT_GE(p.b.anew, 1) << lost;
        EXPECT_EQ(p.a.failed + p.b.failed, 0) << lost;
        EXPECT_FALSE(p.a.reset.running() || p.b.reset.running()) << lost;
    }
}

TEST(ArqReset, BothAtOnce) {
    for (uint32_t lost = 0; lost < 16; ++lost) {
        Pair p(lost);
        p.a.take(p.a.reset.begin(p.now));
        p.b.take(p.b.reset.begin(p.now));
        p.run(20 * kT22);
        EXPECT_GE(p.a.anew, 1) << lost;
        EXPECT_GE(p.b.anew, 1) << lost;
        EXPECT_EQ(p.a.failed + p.b.failed, 0) << lost;
        EXPECT_FALSE(p.a.reset.running() || p.b.reset.running()) << lost;
    }
}

/// A peer may drop its own request for this end's: its answer is enough.
TEST(ArqReset, OfTwoThatAskEachActsOnTheAnswer) {
    End a;
    a.take(a.reset.begin(0));
    a.take(a.reset.on_message(kRequest, 0));
    EXPECT_EQ(a.anew, 0);
    a.take(a.reset.on_message(kAcknowledge, 0));
    EXPECT_EQ(a.all, (std::vector{kRequest, kAcknowledge, kConfirm}));
    EXPECT_EQ(a.anew, 1);
    EXPECT_FALSE(a.reset.running());
}

TEST(ArqReset, NobodyAnswers) {
    Pair p(~0U);
    p.a.take(p.a.reset.begin(p.now));
    p.run(5 * kT22);
    EXPECT_EQ(p.a.failed, 0);
    EXPECT_EQ(p.a.all.size(), 5U);
    p.run(2);
    EXPECT_EQ(p.a.failed, 1);
    EXPECT_FALSE(p.a.reset.running());
    p.run(5 * kT22);
    EXPECT_EQ(p.a.all.size(), 5U);
}

/// T22 to the sample, at either end, and a dialog that follows another has all of its tries.
TEST(ArqReset, T22RunsFromEachMessage) {
    for (const bool asks : {true, false}) {
        End e;
        Samples now = 0;
        for (int life = 0; life < 3; ++life) {
            e.all.clear();
            e.take(asks ? e.reset.begin(now) : e.reset.on_message(kRequest, now));
            for (int i = 0; i < ArqResetDialog::kRetries; ++i) {
                e.take(e.reset.on_time(now + kT22 - 1));
                EXPECT_EQ(e.all.size(), 1U + static_cast<size_t>(i));
                now += kT22;
                e.take(e.reset.on_time(now));
                EXPECT_EQ(e.all.size(), 2U + static_cast<size_t>(i));
                EXPECT_EQ(e.all.back(), asks ? kRequest : kAcknowledge);
            }
            EXPECT_TRUE(e.reset.running());
            EXPECT_EQ(e.anew, life);
            if (life == 1) {  // it ends without an answer
                now += kT22;
                e.take(e.reset.on_time(now));
                EXPECT_EQ(e.failed, 1);
            } else {
                e.take(e.reset.on_message(asks ? kAcknowledge : kConfirm, now));
                EXPECT_EQ(e.failed, life / 2);
            }
            EXPECT_EQ(e.anew, life + 1);
            EXPECT_FALSE(e.reset.running());
            const size_t told = e.all.size();
            e.take(e.reset.on_time(now + 100 * kT22));
            EXPECT_EQ(e.all.size(), told);
        }
    }
}

}  // namespace test_arq_reset
