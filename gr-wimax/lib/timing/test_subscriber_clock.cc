// SPDX-License-Identifier: GPL-3.0-or-later
// The subscriber station's frame timing by exact figures, without samples. At 1 MHz a sample is a microsecond: frames
// of 5000, ticks 2000 before the uplink, responses due 1000 before it, a response takes 800, stations send at most 250
// ahead of their slots.
#include "timing/subscriber_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace gr::wimax {
namespace {

using phy::FrameNumber;

constexpr int64_t kFrame = 5000, kSymbol = 100, kHeader = 4 * kSymbol, kSilence = 10'000;
constexpr int64_t kTurnaround = 2000, kLead = 1000, kResponse = 800, kMostAdvance = 250;
constexpr int64_t kFirst = 37'000;  // sample
constexpr int64_t kStart = 40'000;  // of the current frame
constexpr int64_t kMaps = 900;      // frame start to the maps' end

SubscriberClock::Config config() {
    return {.sample_rate_hz = 1'000'000,
            .turnaround = kTurnaround,
            .deadline_lead = kLead,
            .response = kResponse,
            .lock_step = true};
}

SubscriberClock::Frame frame(int64_t start, std::optional<uint8_t> lsb) {
    return {.start = start, .samples = kFrame, .symbol_samples = kSymbol, .lsb = lsb};
}

class SubscriberTiming : public testing::Test {
protected:
    SubscriberTiming() { make(config()); }
    void make(const SubscriberClock::Config& c) {
        made.emplace(c);
        made->jump(0);
    }
    /// Attached, with frame 17 current and its maps passed to the MAC.
    void hear_maps() {
        clock().jump(kFirst);
        hear_maps_of(frame(kStart, 1));
        ASSERT_EQ(clock().number().value(), 17U);
    }
    void hear_maps_of(const SubscriberClock::Frame& f) {
        clock().attach(true, kFirst);
        clock().frame_begins(f);
        ASSERT_TRUE(clock().maps_heard());
        ASSERT_TRUE(clock().waits());
    }
    /// The same after a response to the maps: uplinks at these places from the frame start.
    void tell(int64_t first, int64_t next) {
        ASSERT_TRUE(clock().takes(FrameNumber(17)));
        clock().uplinks(first, next, kStart + kMaps);
        clock().maps_answered(FrameNumber(17), kStart + kMaps);
    }
    /// The tick that is due at exactly `position` and not before.
    SubscriberClock::Tick due_at(int64_t position) {
        EXPECT_EQ(clock().next_due(), position);
        EXPECT_FALSE(clock().due(position - 1).has_value());
        const auto tick = clock().due(position);
        EXPECT_TRUE(tick.has_value());
        return tick.value_or(SubscriberClock::Tick{});
    }
    SubscriberClock& clock() { return *made; }
    std::optional<SubscriberClock> made;
};

TEST_F(SubscriberTiming, SilenceTicksEveryTenMilliseconds) {
    for (int n = 1; n <= 3; ++n) {
        const auto tick = due_at(n * kSilence);
        EXPECT_FALSE(tick.of_frame);
        EXPECT_FALSE(tick.synchronised);
        EXPECT_FALSE(tick.attached);
        EXPECT_EQ(tick.frame_start, n * kSilence);
        EXPECT_EQ(tick.deadline, n * kSilence + kTurnaround - kLead);
        EXPECT_FALSE(clock().waits());
        EXPECT_EQ(clock().commit_behind_answer(), std::nullopt);
    }
}

TEST_F(SubscriberTiming, ASilentTickIsWaitedForOnlyWhereSomebodyAnswers) {
    clock().attach(true, 0);
    EXPECT_TRUE(clock().attached());  // nothing is received: at once
    EXPECT_TRUE(due_at(kSilence).attached);
    EXPECT_TRUE(clock().waits());
    EXPECT_FALSE(clock().tick_answered(FrameNumber(1)));
    EXPECT_TRUE(clock().tick_answered(FrameNumber(0)));
    EXPECT_FALSE(clock().waits());
    EXPECT_FALSE(clock().tick_answered(FrameNumber(0)));
}

TEST_F(SubscriberTiming, WhileSynchronisedATickComesAfterTwoFramesOfSilence) {
    const int64_t frame_samples = 8000;
    auto long_frame = frame(kStart, 1);
    long_frame.samples = frame_samples;
    clock().frame_begins(long_frame);
    EXPECT_TRUE(clock().maps_heard());
    ASSERT_TRUE(clock().owed(kStart + kMaps));
    EXPECT_EQ(clock().next_due(), kStart + kMaps + 2 * frame_samples);
    clock().sync_lost();
    EXPECT_EQ(clock().next_due(), kStart + kMaps + kSilence);
    EXPECT_FALSE(due_at(kStart + kMaps + kSilence).synchronised);
}

TEST_F(SubscriberTiming, FramesAreCountedByTheirStarts) {
    SubscriberClock::Frame first = frame(kStart, std::nullopt);
    first.samples = 0;  // no sample count yet
    clock().frame_begins(first);
    EXPECT_EQ(clock().number().value(), 1U);
    struct Case {
        int64_t later;
        uint32_t passed;
    };
    int64_t start = kStart;
    uint32_t number = 1;
    for (const Case c : {Case{kFrame, 1}, Case{kFrame - 2499, 1}, Case{kFrame + 2499, 1}, Case{kFrame + 2500, 2},
                         Case{3 * kFrame, 3}, Case{1000 * kFrame, 1000}}) {
        clock().frame_begins(frame(start += c.later, std::nullopt));
        EXPECT_EQ(clock().number().value(), number += c.passed);
    }
}

TEST_F(SubscriberTiming, FrameNumbersWrapAt24Bits) {
    clock().frame_begins(frame(kStart, 0));
    ASSERT_EQ(clock().number().value(), 16U);
    clock().frame_begins(frame(kStart + 0xFFFFF0 * kFrame, 0));
    EXPECT_EQ(clock().number().value(), 0U);
    clock().frame_begins(frame(kStart + 0xFFFFF0 * kFrame + 0xFFFFFF * kFrame, 15));
    EXPECT_EQ(clock().number().value(), 0xFFFFFFU);
    clock().frame_begins(frame(kStart + 0xFFFFF0 * kFrame + 0x1000000 * kFrame, 0));
    EXPECT_EQ(clock().number().value(), 0U);
}

TEST_F(SubscriberTiming, ThePrefixesFourBitsCorrectTheCountForward) {
    clock().frame_begins(frame(kStart, 3));  // would be 8
    EXPECT_EQ(clock().number().value(), 19U);
    clock().frame_begins(frame(kStart + kFrame, 4));
    EXPECT_EQ(clock().number().value(), 20U);
    clock().frame_begins(frame(kStart + 2 * kFrame, 4));  // 21 by its start: the next that ends so
    EXPECT_EQ(clock().number().value(), 36U);
    clock().frame_begins(frame(kStart + 3 * kFrame, 7));
    EXPECT_EQ(clock().number().value(), 39U);
}

TEST_F(SubscriberTiming, WithoutMapsItsTickIsOwedAtOnce) {
    clock().frame_begins(frame(kStart, std::nullopt));
    EXPECT_FALSE(clock().owed(kStart).has_value());
    EXPECT_TRUE(clock().maps_missing());
    const auto tick = clock().owed(kStart + 300);
    ASSERT_TRUE(tick.has_value());
    EXPECT_TRUE(tick->of_frame);
    EXPECT_TRUE(tick->synchronised);
    EXPECT_EQ(tick->frame_start, kStart);
    EXPECT_EQ(tick->deadline, kStart + 300 + kTurnaround - kLead);
    EXPECT_FALSE(clock().owed(kStart + 300).has_value());
}

TEST_F(SubscriberTiming, AttachesWithTheNextFrameAndDetachesAtOnce) {
    clock().frame_begins(frame(kStart, 1));
    clock().attach(true, kStart + 100);
    EXPECT_FALSE(clock().attached());
    EXPECT_TRUE(clock().maps_heard());  // no response: the tick is owed
    EXPECT_FALSE(clock().waits());
    EXPECT_FALSE(clock().owed(kStart + kMaps)->attached);
    clock().frame_begins(frame(kStart + kFrame, 2));
    EXPECT_TRUE(clock().attached());
    EXPECT_TRUE(clock().maps_heard());
    EXPECT_TRUE(clock().waits());
    clock().attach(false, kStart + kFrame + kMaps);
    EXPECT_FALSE(clock().waits());
    EXPECT_FALSE(due_at(kStart + kFrame + kMaps).attached);
}

TEST_F(SubscriberTiming, ASilentTickAttachesToo) {
    clock().frame_begins(frame(kStart, 1));
    ASSERT_TRUE(clock().maps_heard());
    ASSERT_TRUE(clock().owed(kStart + kMaps));
    clock().attach(true, kStart + 2000);
    EXPECT_TRUE(due_at(kStart + kMaps + 2 * kFrame).attached);
}

TEST_F(SubscriberTiming, MapsAreWaitedForByTheirFrame) {
    hear_maps();
    EXPECT_TRUE(clock().waits());
    EXPECT_FALSE(clock().takes(FrameNumber(16)));
    EXPECT_FALSE(clock().maps_answered(FrameNumber(16), kStart + kMaps));
    EXPECT_FALSE(clock().tick_answered(FrameNumber(17)));
    EXPECT_TRUE(clock().waits());
    tell(0, 0);
    EXPECT_FALSE(clock().waits());
    const auto tick = due_at(kStart + kMaps);
    EXPECT_EQ(tick.number.value(), 17U);
    EXPECT_EQ(tick.frame_start, kStart);
    EXPECT_EQ(tick.deadline, kStart + kMaps + kTurnaround - kLead);
    EXPECT_TRUE(tick.attached);
    EXPECT_TRUE(clock().waits());
    EXPECT_FALSE(clock().takes(FrameNumber(17)));  // too late now
}

TEST_F(SubscriberTiming, AnAnswerThatCannotBeReadEndsTheWait) {
    hear_maps();
    EXPECT_TRUE(clock().maps_answered(std::nullopt, kStart + kMaps));
    EXPECT_EQ(due_at(kStart + kMaps).number.value(), 17U);
}

TEST_F(SubscriberTiming, TicksItsTurnaroundBeforeTheUplink) {
    hear_maps();
    tell(4000, 0);
    EXPECT_EQ(clock().commit(kStart + kMaps), kStart + 4000 - kMostAdvance);
    const auto tick = due_at(kStart + 4000 - kTurnaround);
    EXPECT_EQ(tick.deadline, kStart + 4000 - kLead);
    EXPECT_TRUE(clock().tick_answered(FrameNumber(17)));
    // The next frame's header has to be received, and needs a response, first.
    EXPECT_EQ(clock().commit_behind_answer(), kStart + kFrame + kHeader + kResponse);
    EXPECT_EQ(clock().commit(kStart + 4000), kStart + 4000 + kResponse);
}

TEST_F(SubscriberTiming, AnUplinkTooNearTicksAtOnceWithTheWholeTurnaround) {
    hear_maps();
    tell(1500, 0);
    EXPECT_LE(clock().next_due(), kStart + kMaps);
    const auto tick = clock().due(kStart + kMaps);
    ASSERT_TRUE(tick.has_value());
    EXPECT_EQ(tick->deadline, kStart + kMaps + kTurnaround - kLead);
}

TEST_F(SubscriberTiming, WhereAResponseTakesLongerThanTheTurnaroundTheTickIsEarlier) {
    auto slow = config();
    slow.response = 2500;
    make(slow);
    hear_maps();
    tell(4500, 0);
    EXPECT_EQ(clock().next_due(), kStart + 4500 - 2500 - kMostAdvance);
    auto coarse = config();
    coarse.chunk = 3000;
    make(coarse);
    EXPECT_EQ(clock().commit(500), 500 + 3000);
    hear_maps();
    tell(4500, 0);
    EXPECT_EQ(clock().next_due(), kStart + 4500 - 3000 - kMostAdvance);
}

TEST_F(SubscriberTiming, TheNextFramesUplinkIsTickedAhead) {
    hear_maps();
    tell(0, 600);
    const int64_t next = kStart + kFrame, uplink = next + 600;
    ASSERT_TRUE(clock().due(kStart + kMaps));  // of frame 17; one after the other
    ASSERT_TRUE(clock().tick_answered(FrameNumber(17)));
    EXPECT_EQ(clock().commit_behind_answer(), uplink - kMostAdvance);
    EXPECT_EQ(clock().commit(uplink), uplink - kMostAdvance);  // never beyond, at any position
    const auto tick = due_at(uplink - kTurnaround);
    EXPECT_EQ(tick.number.value(), 18U);
    EXPECT_EQ(tick.frame_start, next);
    EXPECT_EQ(tick.deadline, uplink - kLead);
    EXPECT_TRUE(tick.of_frame);
    EXPECT_TRUE(tick.synchronised);
    EXPECT_TRUE(clock().waits());
    EXPECT_TRUE(clock().tick_answered(FrameNumber(18)));
    // Maps of frame 18 may let the uplink of 19 begin at its header's end.
    EXPECT_EQ(clock().commit_behind_answer(), next + kFrame + kHeader - kMostAdvance);
    // It has its tick: its maps bring none, whether lost, received or responded to.
    clock().frame_begins(frame(next, 2));
    EXPECT_EQ(clock().number().value(), 18U);
    EXPECT_FALSE(clock().maps_missing());
    EXPECT_TRUE(clock().maps_heard());
    EXPECT_FALSE(clock().owed(next + kMaps).has_value());
    clock().uplinks(3000, 0, next + kMaps);
    EXPECT_TRUE(clock().maps_answered(FrameNumber(18), next + kMaps));
    EXPECT_FALSE(clock().due(next + kMaps).has_value());
    EXPECT_EQ(clock().next_due(), uplink - kTurnaround + kSilence);
}

/// On a separate carrier, the uplink of a frame may begin with the frame.
TEST_F(SubscriberTiming, AnotherCarriersUplinkMayBeginDuringTheMaps) {
    for (const bool one_carrier : {true, false}) {
        auto c = config();
        c.one_carrier = one_carrier;
        make(c);
        hear_maps();
        tell(0, 600);
        ASSERT_TRUE(clock().due(kStart + kMaps));
        ASSERT_TRUE(clock().tick_answered(FrameNumber(17)));
        ASSERT_TRUE(clock().due(kStart + kFrame + 600 - kTurnaround));
        ASSERT_TRUE(clock().tick_answered(FrameNumber(18)));
        EXPECT_EQ(clock().commit_behind_answer(), kStart + 2 * kFrame + (one_carrier ? kHeader : 0) - kMostAdvance);
    }
}

/// With two carriers an uplink may begin after the next frame. The tick of its frame is before that frame.
TEST_F(SubscriberTiming, AnUplinkBeyondItsFrameIsTickedWithinTheFrame) {
    auto pair = config();
    pair.one_carrier = false;
    for (const int64_t uplink :
         {kFrame + kTurnaround - kSymbol - 1, kFrame + kTurnaround - kSymbol, kFrame + kTurnaround, 2 * kFrame}) {
        make(pair);
        hear_maps();
        tell(uplink, 0);
        const auto tick = due_at(kStart + std::min(uplink - kTurnaround, kFrame - kSymbol));
        EXPECT_TRUE(tick.of_frame);
        EXPECT_EQ(tick.number.value(), 17U);
        EXPECT_EQ(tick.deadline, kStart + uplink - kLead);
    }
}

TEST_F(SubscriberTiming, ATickAheadWaitsForTheTickOfTheFrameAtHand) {
    hear_maps();
    tell(4400, 600);  // 17's tick at 2400, 18's at 3600 from the start
    EXPECT_EQ(clock().next_due(), kStart + 2400);
    EXPECT_EQ(due_at(kStart + 2400).number.value(), 17U);
    EXPECT_TRUE(clock().tick_answered(FrameNumber(17)));
    EXPECT_EQ(due_at(kStart + 3600).number.value(), 18U);
    EXPECT_TRUE(clock().tick_answered(FrameNumber(18)));
    // Also if a response claims the opposite order.
    const int64_t start = kStart + 2 * kFrame;
    hear_maps_of(frame(start, 3));
    clock().uplinks(5500, 200, start + kMaps);
    clock().maps_answered(FrameNumber(19), start + kMaps);
    EXPECT_EQ(due_at(start + 3500).number.value(), 19U);
}

TEST_F(SubscriberTiming, TheNextFrameRunsByTheBaseStationsClock) {
    clock().attach(true, 0);
    auto at_hand = frame(kStart, 1);
    at_hand.clock_offset_ppm = 460;  // 2.3 samples per frame
    at_hand.start_fraction = 0.4;
    clock().frame_begins(at_hand);
    clock().maps_heard();
    tell(0, 600);
    ASSERT_TRUE(clock().due(kStart + kMaps));
    ASSERT_TRUE(clock().tick_answered(FrameNumber(17)));
    EXPECT_EQ(clock().due(kStart + kFrame + 600 - kTurnaround)->frame_start, kStart + kFrame + 3);
}

TEST_F(SubscriberTiming, AnUplinkToldForAFrameThatDoesNotComeIsForgotten) {
    hear_maps();
    tell(0, 600);
    ASSERT_TRUE(clock().due(kStart + kMaps));
    ASSERT_TRUE(clock().tick_answered(FrameNumber(17)));
    clock().frame_begins(frame(kStart + 2 * kFrame, 3));  // 19
    EXPECT_EQ(clock().next_due(), kStart + kMaps + 2 * kFrame);
    EXPECT_EQ(clock().commit(kStart + 2 * kFrame), kStart + 2 * kFrame + kResponse);
}

TEST_F(SubscriberTiming, ATickAheadOfAFrameThatDoesNotComeStandsForNoOther) {
    hear_maps();
    tell(0, 600);
    ASSERT_TRUE(clock().due(kStart + kMaps));
    ASSERT_TRUE(clock().tick_answered(FrameNumber(17)));
    ASSERT_EQ(due_at(kStart + kFrame + 600 - kTurnaround).number.value(), 18U);
    ASSERT_TRUE(clock().tick_answered(FrameNumber(18)));
    clock().frame_begins(frame(kStart + 2 * kFrame, 3));
    EXPECT_TRUE(clock().maps_missing());
    EXPECT_EQ(clock().owed(kStart + 2 * kFrame + kMaps)->number.value(), 19U);
}

TEST_F(SubscriberTiming, LostSyncForgetsTheFrameAndItsUplinks) {
    hear_maps();
    tell(4000, 600);
    clock().sync_lost();
    EXPECT_FALSE(clock().synchronised());
    EXPECT_FALSE(clock().takes(FrameNumber(17)));
    EXPECT_EQ(clock().commit(kStart + 1000), kStart + 1000 + kResponse);
    EXPECT_EQ(clock().commit_behind_answer(), std::nullopt);
    EXPECT_FALSE(due_at(kFirst + kSilence).of_frame);
}

TEST_F(SubscriberTiming, AClockSetBackForgetsEverythingButTheNumber) {
    hear_maps();
    tell(4000, 600);
    clock().jump(200);
    EXPECT_FALSE(clock().waits());
    EXPECT_FALSE(clock().synchronised());
    EXPECT_EQ(clock().number().value(), 17U);
    EXPECT_EQ(clock().commit(200), 200 + kResponse);
    const auto tick = due_at(200 + kSilence);
    EXPECT_FALSE(tick.of_frame);
    EXPECT_EQ(tick.deadline, 200 + kSilence + kTurnaround - kLead);  // of no uplink on the old clock
    hear_maps();
    clock().jump(300);
    EXPECT_FALSE(clock().waits());
}

// ---- a second use ---------------------------------------------------------------------------------------------------

/// Random events of a clock: frames with and without maps; responses that arrive, do not arrive or are unreadable;
/// uplinks of this frame and the next; losses; a MAC that attaches and detaches. Returns all results.
class AnyLife {
public:
    AnyLife(SubscriberClock& c, int64_t begin, unsigned seed) : clock_(c), position_(begin), random_(seed) {}

    std::vector<int64_t> said;

    void live(int events) {
        for (int i = 0; i < events; ++i) {
            event();
            say(clock_.next_due());
            say(clock_.commit(position_));
            say(clock_.attached()), say(clock_.synchronised()), say(clock_.waits());
        }
    }
    int64_t position() const { return position_; }

private:
    void say(int64_t v) { said.push_back(v); }
    void say(const std::optional<SubscriberClock::Tick>& t) {
        say(t.has_value());
        if (!t) return;
        say(t->number.lsb()), say(t->frame_start), say(t->deadline), say(t->of_frame), say(t->attached);
        say(t->synchronised);
    }
    unsigned draw(unsigned n) { return static_cast<unsigned>(random_() % n); }
    int64_t place() { return draw(3) == 0 ? 0 : 600 + draw(6000); }
    void event() {
        if (clock_.waits() && draw(8) != 0) return answer();
        switch (draw(7)) {
            case 0: clock_.attach(draw(3) != 0, position_); break;
            case 1: draw(4) == 0 ? clock_.sync_lost() : begin_frame(); break;
            case 2: maps(); break;
            case 3:
                if (clock_.takes(clock_.number())) clock_.uplinks(place(), place(), position_);
                break;
            default: go_on(); break;
        }
    }
    void begin_frame() {
        lsb_ = (lsb_ + 1) & 15;
        auto f = frame(position_, lsb_);
        if (draw(5) == 0) f.samples = 0;
        f.clock_offset_ppm = draw(20);
        f.start_fraction = 0.1 * draw(5);
        clock_.frame_begins(f);
    }
    void maps() {
        if (clock_.waits()) return;
        say(draw(3) == 0 ? clock_.maps_missing() : clock_.maps_heard());
        if (!clock_.waits()) ticked(clock_.owed(position_));
    }
    void answer() {
        // Low bits only: numbers continue from one use to the next.
        const bool right = draw(4) != 0;
        say(clock_.maps_answered(draw(5) == 0 ? std::nullopt : std::optional(clock_.number() + (right ? 0 : 1)),
                                 position_));
        if (!clock_.tick_answered(last_ + (right ? 0 : 1))) return;
        say(clock_.commit_behind_answer().value_or(-1));
    }
    void go_on() {
        if (clock_.waits()) return;
        const int64_t due = clock_.next_due();
        position_ = draw(3) == 0 ? position_ + draw(500) : std::max(position_, due);
        ticked(clock_.due(position_));
    }
    void ticked(const std::optional<SubscriberClock::Tick>& tick) {
        if (tick) last_ = tick->number;
        say(tick);
    }
    SubscriberClock& clock_;
    int64_t position_;
    std::mt19937 random_;
    FrameNumber last_;
    uint8_t lsb_ = 3;
};

TEST(SubscriberClockAgain, AfterAJumpItIsAFreshOne) {
    for (const bool lock_step : {true, false})
        for (unsigned seed = 1; seed <= 400; ++seed) {
            auto c = config();
            c.lock_step = lock_step;
            SubscriberClock used(c), fresh(c);
            used.jump(0);
            AnyLife first(used, 0, seed);
            first.live(static_cast<int>(seed % 60));
            // An attached MAC stays attached; time is set back, or forward by a gap. From here on the number is the
            // prefix's.
            const bool attached = seed % 2 == 0;
            const int64_t from = seed % 3 == 0 ? 100 : first.position() + 12'345;
            used.attach(attached, first.position());
            used.jump(from), fresh.jump(from);
            used.attach(attached, from), fresh.attach(attached, from);
            const bool of_mac = used.attached();
            if (of_mac != fresh.attached()) continue;  // from the next tick on
            used.frame_begins(frame(from + 50, 3)), fresh.frame_begins(frame(from + 50, 3));
            AnyLife again(used, from + 100, seed), anew(fresh, from + 100, seed);
            again.live(80), anew.live(80);
            ASSERT_EQ(again.said, anew.said) << "seed " << seed << ", lock-step " << lock_step;
        }
}

TEST(SubscriberClockAgain, AfterALossOnlyItsSilenceIsCountedOn) {
    // The tick of the silence after the loss; from there on it equals a clock without reception.
    for (unsigned seed = 1; seed <= 400; ++seed) {
        SubscriberClock used(config()), fresh(config());
        used.jump(0);
        AnyLife first(used, 0, seed);
        first.live(static_cast<int>(seed % 60));
        const bool attached = seed % 2 == 0;
        used.attach(false, first.position());  // nothing is awaited
        used.sync_lost();
        used.attach(attached, first.position());
        const int64_t at = used.next_due();
        ASSERT_EQ(used.commit(at - 200), at - 200 + kResponse) << seed;
        const auto tick = used.due(at);
        ASSERT_TRUE(tick && !tick->of_frame) << seed;
        fresh.jump(at - kSilence);
        fresh.attach(attached, at - kSilence);
        const auto other = fresh.due(at);
        ASSERT_TRUE(other) << seed;
        EXPECT_EQ(tick->deadline, other->deadline) << seed;
        if (tick->attached != other->attached) continue;
        used.tick_answered(tick->number), fresh.tick_answered(other->number);
        used.frame_begins(frame(at + 50, 3)), fresh.frame_begins(frame(at + 50, 3));
        AnyLife again(used, at + 100, seed), anew(fresh, at + 100, seed);
        again.live(80), anew.live(80);
        ASSERT_EQ(again.said, anew.said) << "seed " << seed;
    }
}

TEST_F(SubscriberTiming, InRealTimeNothingIsWaitedFor) {
    auto free = config();
    free.lock_step = false;
    make(free);
    clock().jump(kFirst);
    clock().attach(true, kFirst);
    clock().frame_begins(frame(kStart, 1));
    EXPECT_FALSE(clock().maps_heard());
    EXPECT_FALSE(clock().owed(kStart + kMaps).has_value());
    EXPECT_TRUE(clock().takes(FrameNumber(17)));
    clock().uplinks(4000, 0, kStart + 1200);
    EXPECT_FALSE(clock().maps_answered(FrameNumber(17), kStart + 1200));
    EXPECT_TRUE(due_at(kStart + 4000 - kTurnaround).attached);
    EXPECT_FALSE(clock().waits());
}

}  // namespace
}  // namespace gr::wimax
