// SPDX-License-Identifier: GPL-3.0-or-later
// The subscriber station's receiver sample by sample: its ticks with and without a base station, reported times, waits,
// commits and frame numbers. 5 MHz, CP 1/8, frames of 10 ms.
#include "blocks/ss_receiver_core.h"
#include "blocks/test_block_doubles.h"
#include "phy/frame/test_receiver_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <random>

namespace gr::wimax {
namespace {

constexpr int64_t kRate = 5'760'000, kFrame = 57'600, kSymbol = 288, kPeriod = 57'600;
constexpr int64_t kStart = 20'000;  // of the first frame
constexpr int64_t kTurnaround = 11'520, kLead = 5760, kResponse = 5760, kMostAdvance = 1440;
constexpr int kBroadcast = 6;                                  // symbols
constexpr int64_t kBroadcastEnd = (3 + kBroadcast) * kSymbol;  // from the frame start
constexpr uint32_t kUplinkSlot = 100 * 72;                     // symbol 100
constexpr int64_t kUplink = int64_t{kUplinkSlot} * 4;          // from the frame start
constexpr int64_t kHeader = 4 * kSymbol;

class SsReceiver : public testing::Test {
protected:
    void make(const ss_receiver::Config& config = {}) {
        phy::DownlinkReceiverConfig core_config;
        core_config.bandwidth_hz = config.bandwidth_hz;
        core_config.cp = phy::CyclicPrefix::g1_8;
        core = std::make_unique<SsReceiverCore>(heard, config, core_config, kRate, radio);
    }
    void SetUp() override { radio->locked = true; }

    /// A frame with the broadcast burst and one more, with the low bits of `number`.
    static const phy::test::Samples& frame(uint32_t number) {
        static std::map<uint32_t, phy::test::Samples> made;
        auto& samples = made[number & 15];
        if (samples.empty()) {
            phy::Modulator modulator(*phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_8));
            phy::test::FramePlan plan{{{1, kBroadcast}, {3, 5, false, 4}}, static_cast<uint8_t>(number & 15), 7};
            samples = plan.modulate(modulator);
        }
        return samples;
    }
    void on_air(int64_t start, uint32_t number, bool prefix = true) { frames.push_back({start, number, prefix}); }
    /// Frames numbered from `number` on, the first at kStart.
    void frames_on_air(int count, uint32_t number = 0) {
        for (int i = 0; i < count; ++i) on_air(kStart + i * kPeriod, number + static_cast<uint32_t>(i));
    }
    void feed(int64_t end) {
        if (!core->started()) core->move_time(position);
        while (position < end) {
            std::vector<phy::Complex> piece(
                static_cast<size_t>(std::min<int64_t>({end - position, 3000, static_cast<int64_t>(core->room())})));
            ASSERT_FALSE(piece.empty());
            for (const auto& [start, number, prefix] : frames) {
                const auto& samples = frame(number);
                for (size_t i = 0; i < piece.size(); ++i) {
                    const int64_t at = position + static_cast<int64_t>(i) - start;
                    if (!prefix && at >= 2 * kSymbol && at < 3 * kSymbol) continue;
                    if (at >= 0 && at < static_cast<int64_t>(samples.size()))
                        piece[i] += amplitude * samples[static_cast<size_t>(at)];
                }
            }
            core->receive(piece);
            position += static_cast<int64_t>(piece.size());
        }
    }
    /// Feeds sample by sample until one more tick; returns the sample count at the tick.
    int64_t tick_comes(int64_t from, int64_t to) {
        feed(from);
        const size_t before = heard.ticks.size();
        while (heard.ticks.size() == before && position < to) feed(position + 1);
        return heard.ticks.size() > before ? position : -1;
    }
    void attach(bool yes = true) {
        Control c;
        c.attached = yes;
        core->on_control(c);
    }
    Expectation expectation(uint32_t number, uint32_t uplink_slot = 0, uint32_t next_slot = 0) {
        Expectation e;
        e.frame_number = phy::FrameNumber(number);
        e.first_uplink_slot = phy::Slot(uplink_slot);
        e.next_uplink_slot = phy::Slot(next_slot);
        return e;
    }
    /// Throws without a tick.
    const Tick& last_tick() const { return heard.ticks.at(heard.ticks.size() - 1); }
    int64_t waits_at() const { return core->status().position; }

    test::Heard heard;
    std::shared_ptr<test::RadioDouble> radio = std::make_shared<test::RadioDouble>();
    std::unique_ptr<SsReceiverCore> core;
    struct OnAir {
        int64_t start;
        uint32_t number;
        bool prefix;  ///< false: the FCH is missing
    };
    std::vector<OnAir> frames;
    int64_t position = 0;
    float amplitude = 1;
};

TEST_F(SsReceiver, SilenceTicksEveryTenMilliseconds) {
    make();
    for (int64_t n = 1; n <= 3; ++n) EXPECT_EQ(tick_comes(n * kFrame - 2, n * kFrame + 10), n * kFrame + 1);
    for (int64_t n = 1; n <= 3; ++n) {
        const auto& tick = heard.ticks[static_cast<size_t>(n - 1)];
        EXPECT_FALSE(tick.synchronised);
        EXPECT_EQ(tick.frame_start_sample, n * kFrame);
        EXPECT_EQ(tick.deadline_sample, n * kFrame + kTurnaround - kLead);
        EXPECT_EQ(tick.sample_rate_hz, kRate);
        EXPECT_EQ(tick.frame_samples, 0);
    }
    EXPECT_EQ(core->status().frames, 0u);
}

TEST_F(SsReceiver, AFrameTicksWithItsBroadcastBurst) {
    make();
    frames_on_air(3, 5);
    EXPECT_NEAR(tick_comes(kStart, kStart + kFrame), kStart + kBroadcastEnd, 1);
    for (int64_t n = 1; n < 3; ++n) {
        const int64_t start = kStart + n * kPeriod;
        EXPECT_EQ(tick_comes(start, start + kFrame), start + kBroadcastEnd);
        const auto& tick = last_tick();
        EXPECT_EQ(tick.frame_number, 5 + n);  // counted from 0, then up to the low bits of the frame prefix
        EXPECT_EQ(tick.frame_start_sample, start);
        EXPECT_EQ(tick.deadline_sample, start + kBroadcastEnd + kTurnaround - kLead);
        EXPECT_EQ(tick.frame_samples, kPeriod);
        EXPECT_TRUE(tick.synchronised);
        EXPECT_FALSE(tick.attached);
        EXPECT_EQ(tick.bsid_lsb, 5);
        EXPECT_NEAR(tick.rssi_dbfs, 0, 0.1);
        EXPECT_GT(tick.cinr_db, 40);
        EXPECT_NEAR(tick.frequency_offset_hz, 0, 1);
    }
    feed(position + kFrame / 2);
    const auto status = core->status();
    EXPECT_EQ(status.frames, 3u);
    EXPECT_EQ(status.bursts, 6u);
    EXPECT_EQ(status.fec_failures + status.fch_failures + status.sync_losses, 0u);
    EXPECT_TRUE(status.synchronised);
    EXPECT_EQ(heard.observed, (std::vector<uint32_t>{5, 6, 7}));
}

TEST_F(SsReceiver, BurstsCarryTheirPlaceAndThePrefix) {
    make();
    frames_on_air(2, 9);
    feed(kStart + 2 * kFrame);
    ASSERT_EQ(heard.bursts.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
        const auto& r = heard.bursts[i];
        EXPECT_EQ(r.frame_number, 9 + i / 2);
        EXPECT_EQ(r.start_slot, i % 2 ? 9u * 72 : 3u * 72);
        EXPECT_EQ(r.burst.index, i % 2 ? 2 : 1);
        EXPECT_EQ(r.frame_start_sample, kStart + static_cast<int64_t>(i / 2) * kPeriod);
        EXPECT_EQ(r.prefix.frame_lsb, 9 + i / 2);
        EXPECT_EQ(r.prefix.bsid_lsb, 5);
        EXPECT_EQ(r.cid, 0u);
        EXPECT_TRUE(r.burst.fec_ok);
    }
    EXPECT_EQ(heard.bursts[3].frame_samples, kPeriod);
    // The payload is moved, not copied: its buffer has the receiver's room for the longest burst.
    EXPECT_GE(heard.bursts[0].burst.payload.capacity(),
              static_cast<size_t>(phy::burst_capacity_bytes(phy::kRates - 1, phy::kMaxFrameSymbols)));
}

TEST_F(SsReceiver, WithoutFramesItTicksAfterTwoThenAfterTenMilliseconds) {
    make();
    frames_on_air(2);
    feed(kStart + kPeriod + kBroadcastEnd);
    ASSERT_EQ(heard.ticks.size(), 2u);
    const int64_t last = kStart + kPeriod + kBroadcastEnd;
    EXPECT_EQ(tick_comes(position, last + 3 * kFrame), last + 2 * kFrame + 1);
    EXPECT_FALSE(last_tick().synchronised);
    EXPECT_EQ(last_tick().frame_start_sample, last + 2 * kFrame);
    for (int i = 0; i < 20 && heard.errors.empty(); ++i) feed(position + kFrame);
    ASSERT_EQ(heard.errors.size(), 1u);
    EXPECT_EQ(heard.errors[0].kind, ErrorKind::sync_lost);
    EXPECT_EQ(heard.errors[0].frame_number, 17u);
    EXPECT_EQ(core->status().sync_losses, 1u);
    EXPECT_FALSE(core->status().synchronised);
    const int64_t lost = tick_comes(position, position + 2 * kFrame);
    EXPECT_EQ(tick_comes(position, position + 2 * kFrame), lost + kFrame);
}

TEST_F(SsReceiver, FramesMissedInAGapAreCounted) {
    make();
    frames_on_air(3);  // 16, 17, 18
    on_air(kStart + 6 * kPeriod, 6);
    on_air(kStart + 7 * kPeriod, 7);
    feed(kStart + 8 * kFrame);
    std::vector<uint32_t> numbers;
    for (const auto& tick : heard.ticks)
        if (tick.synchronised) numbers.push_back(tick.frame_number.value());
    EXPECT_EQ(numbers, (std::vector<uint32_t>{16, 17, 18, 22, 23}));
}

TEST_F(SsReceiver, TheLowBitsOfThePrefixCorrectTheCount) {
    make();
    frames_on_air(2, 3);              // 3, 4
    on_air(kStart + 2 * kPeriod, 2);  // not 5 but 2: the next number that ends so
    on_air(kStart + 3 * kPeriod, 3);
    feed(kStart + 4 * kFrame);
    std::vector<uint32_t> numbers;
    for (const auto& tick : heard.ticks) numbers.push_back(tick.frame_number.value());
    EXPECT_EQ(numbers, (std::vector<uint32_t>{3, 4, 18, 19}));
}

TEST_F(SsReceiver, AFrameWhosePrefixIsLostIsCountedByItsStartAndTicksAtOnce) {
    make();
    frames_on_air(3, 4);
    on_air(kStart + 3 * kPeriod, 7, false);
    on_air(kStart + 5 * kPeriod, 9, false);
    feed(kStart + 3 * kPeriod);
    EXPECT_LE(tick_comes(position, kStart + 4 * kPeriod), kStart + 3 * kPeriod + 4 * kSymbol);
    EXPECT_EQ(last_tick().frame_number, 7u);
    EXPECT_EQ(core->status().fch_failures, 1u);
    feed(kStart + 6 * kPeriod);
    EXPECT_EQ(last_tick().frame_number, 9u);
    EXPECT_EQ(core->status().fch_failures, 2u);
}

/// With a MAC and a radio that waits for it.
constexpr int64_t kGapLead = 4608;  // 0.8 ms

/// Frames that are too strong: the gain falls once, in the gap after the first frame of known length.
TEST_F(SsReceiver, GainGoesDownBetweenFrames) {
    ss_receiver::Config config;
    config.gains = ReceiveGainRange{0, 76, 1, 40};
    make(config);
    frames_on_air(12);
    feed(kStart + kPeriod);
    EXPECT_TRUE(radio->gains.empty());
    feed(kStart + 11 * kPeriod);
    ASSERT_EQ(radio->gains.size(), 1u);
    EXPECT_NEAR(static_cast<double>(radio->gains[0].first), kStart + 2.0 * kPeriod - kGapLead, 2);
    EXPECT_NEAR(radio->gains[0].second, 40 - 18, 1.01);  // samples are at full scale
}

/// With two carriers there may be no pause. The gain falls in the first frame that has one for this station; without a
/// MAC that knows it, or where there is none, a few frames later.
TEST_F(SsReceiver, WithTwoCarriersTheGainWaitsForAPause) {
    ss_receiver::Config config;
    config.gains = ReceiveGainRange{0, 76, 1, 40};
    config.one_carrier = false;
    make(config);
    frames_on_air(14);
    feed(kStart + 8 * kPeriod);
    EXPECT_TRUE(radio->gains.empty());
    feed(kStart + 12 * kPeriod);
    ASSERT_EQ(radio->gains.size(), 1u) << "nothing was said about pauses";
    EXPECT_NEAR(static_cast<double>(radio->gains[0].first), kStart + 10.0 * kPeriod - kGapLead, 2);
    EXPECT_NEAR(radio->gains[0].second, 40 - 18, 1.01);
}

/// Frame 16 has a burst for the station up to its end, frame 17 has none there.
TEST_F(SsReceiver, WithTwoCarriersTheGainChangesAfterTheLastBurst) {
    ss_receiver::Config config;
    config.gains = ReceiveGainRange{0, 76, 1, 40};
    config.one_carrier = false;
    make(config);
    frames_on_air(6);
    feed(kStart - 100);
    attach();
    const auto answer = [this](uint32_t number, int symbols) {
        const int64_t begin = kStart + (number - 16) * kPeriod;
        feed(begin + kBroadcastEnd + 1000);
        auto e = expectation(number);
        e.want_prefix_bursts = false;
        if (symbols > 0) {
            ExpectedBurst wanted;
            wanted.start_slot = phy::Slot::of_symbol(3 + kBroadcast, 72);
            wanted.format.rate_id = 3;
            wanted.format.iuc = 4;
            wanted.format.data_symbols = static_cast<uint16_t>(symbols);
            e.bursts = {wanted};
        }
        core->on_expect(e);
        core->on_done({phy::FrameNumber(number)});
    };
    for (const uint32_t number : {16U, 17U, 18U}) answer(number, 200 - 3 - kBroadcast - 8);
    EXPECT_TRUE(radio->gains.empty()) << "a burst ends within the lead of the change";
    answer(19, 100);
    ASSERT_EQ(radio->gains.size(), 1u);
    EXPECT_NEAR(static_cast<double>(radio->gains[0].first), kStart + 4.0 * kPeriod - kGapLead, 2);
}

TEST_F(SsReceiver, GainStaysWhereNobodyWantsItToFollow) {
    make();
    frames_on_air(12);
    feed(kStart + 11 * kPeriod);
    EXPECT_TRUE(radio->gains.empty());
}

/// Noise, loud in the first look: the gain rises step by step, each change at a time still to come, and then stays.
TEST_F(SsReceiver, SearchesWithAGainForWhatThereIs) {
    ss_receiver::Config config;
    config.gains = ReceiveGainRange{0, 76, 1, 40};
    make(config);
    core->move_time(0);
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 1e-3F / std::sqrt(2.0F));  // -60 dBFS
    std::vector<phy::Complex> noise(2880);
    for (int64_t at = 0; at < 60 * kFrame; at += 2880) {
        const float scale = at == 0 ? 200 : 1;  // -14 dBFS
        for (auto& s : noise) s = {scale * normal(random), scale * normal(random)};
        const size_t before = radio->gains.size();
        core->receive(noise);
        if (radio->gains.size() == before) continue;
        EXPECT_GE(radio->gains.back().first, at + 2880);
    }
    ASSERT_FALSE(radio->gains.empty());
    EXPECT_LE(radio->gains.size(), 4u);
    EXPECT_NEAR(radio->gains.back().second, 40 + 28, 3);  // a loud part of noise at -30 dBFS
}

TEST_F(SsReceiver, StatusCountsWhatWasReported) {
    make();
    // A frame without its prefix, then six that are missing: synchronisation is lost and found again.
    for (int i = 0; i < 4; ++i) on_air(kStart + i * kPeriod, static_cast<uint32_t>(i), i != 2);
    for (int i = 10; i < 13; ++i) on_air(kStart + i * kPeriod + 777, static_cast<uint32_t>(i));
    feed(kStart + 13 * kPeriod);
    const auto status = core->status();
    EXPECT_EQ(status.frames, 7u);
    EXPECT_EQ(status.fch_failures, 1u);
    EXPECT_EQ(status.bursts, 12u);
    EXPECT_EQ(status.bursts, heard.bursts.size());
    EXPECT_EQ(status.fec_failures, 0u);
    EXPECT_EQ(status.sync_losses, 1u);
    EXPECT_EQ(std::count_if(heard.errors.begin(), heard.errors.end(),
                            [](const auto& e) { return e.kind == ErrorKind::sync_lost; }),
              1);
    EXPECT_TRUE(status.synchronised);
    EXPECT_EQ(status.position, position);
    EXPECT_EQ(status.rssi_dbfs, last_tick().rssi_dbfs);
    EXPECT_EQ(status.snr_db, last_tick().cinr_db);
    EXPECT_EQ(status.frequency_offset_hz, last_tick().frequency_offset_hz);
}

/// A jump of time restarts the receiver: a gain change pending on the old clock is dropped, later ones are made. Levels
/// from before the jump do not count after it.
TEST_F(SsReceiver, GainAfterAJumpIsThatOfAFreshReceiver) {
    ss_receiver::Config config;
    config.gains = ReceiveGainRange{0, 76, 1, 40};
    const auto noise = [&](int64_t from, int64_t to, float level) {
        std::mt19937 random(1);
        std::normal_distribution<float> normal(0, level);
        std::vector<phy::Complex> piece(2880);
        for (int64_t at = from; at < to; at += 2880) {
            for (auto& s : piece) s = {normal(random), normal(random)};
            core->receive(piece);
        }
    };
    for (const bool loud_before : {true, false}) {
        make(config);
        core->move_time(0);
        noise(0, 4 * 2880, loud_before ? 0.5F : 1e-3F);  // no look is over yet
        core->move_time(10'000'800);
        radio->gains.clear();
        noise(0, 2 * kFrame, 0.01F);
        EXPECT_TRUE(radio->gains.empty()) << loud_before;  // at a level that may stay
    }
    // A gain change is pending after the current frame. Then the clock is set back, and the next frames are louder.
    constexpr int64_t kLater = 5'000'000;
    radio->gains.clear();
    make(config);
    position = kLater;
    for (int i = 0; i < 2; ++i) on_air(kLater + kStart + i * kPeriod, static_cast<uint32_t>(i));
    feed(kLater + kStart + kPeriod + 2000);
    ASSERT_EQ(radio->gains.size(), 1u);
    frames.clear();
    radio->gains.clear();
    position = 0;
    core->move_time(position);
    amplitude = 4;
    frames_on_air(4);
    feed(kStart + 4 * kPeriod);
    ASSERT_EQ(radio->gains.size(), 1u);
    EXPECT_NEAR(static_cast<double>(radio->gains[0].first), kStart + 2.0 * kPeriod - 4608, 2);
    EXPECT_NEAR(radio->gains[0].second, 40 - 18 - 12, 1.01);
}

class SsReceiverAnswered : public SsReceiver {
protected:
    void SetUp() override {
        SsReceiver::SetUp();
        make();
        frames_on_air(6);
        feed(kStart - 100);
        attach();
        feed(kStart + 5000);  // its first frame: 16
        ASSERT_EQ(waits_at(), heard.bursts.at(0).frame_start_sample + kBroadcastEnd + 1);
    }
    /// Responds to the first frame without an uplink and feeds up to the broadcast burst of the second: synchronised.
    void to_second_frame() {
        core->on_expect(expectation(16));
        core->on_done({phy::FrameNumber(16)});
        start = kStart + kPeriod;
        feed(start + kBroadcastEnd + 1000);
        ASSERT_EQ(waits_at(), start + kBroadcastEnd);
    }
    /// Commits never decrease: the highest counts.
    int64_t promised() const { return *std::max_element(radio->commits.begin(), radio->commits.end()); }
    int64_t start = kStart;
};

/// Kind and connection of the bursts that a MAC expects in one frame do not apply to the next frame. Neither does its
/// choice to receive no bursts of the prefix.
TEST_F(SsReceiverAnswered, ExpectationsHoldForTheirFrame) {
    to_second_frame();
    auto e = expectation(17);
    e.want_prefix_bursts = false;
    ExpectedBurst wanted;  // the frame's second burst again, by the map
    wanted.start_slot = phy::Slot::of_symbol(3 + kBroadcast, 72);
    wanted.format.rate_id = 3;
    wanted.format.iuc = 4;
    wanted.format.data_symbols = 5;
    wanted.kind = BurstKind::contention;
    wanted.cid = 4321;
    e.bursts = {wanted};
    core->on_expect(e);
    core->on_done({phy::FrameNumber(17)});
    feed(start + kPeriod + kBroadcastEnd + 1000);
    core->on_expect(expectation(18));
    core->on_done({phy::FrameNumber(18)});
    feed(start + 2 * kPeriod + kBroadcastEnd + 1000);
    attach(false);  // no MAC expects a burst
    feed(start + 3 * kPeriod - 1000);
    const auto of_frame = [&](uint32_t n) {
        std::vector<BurstReport> found;
        for (const auto& b : heard.bursts)
            if (b.frame_number.value() == n) found.push_back(b);
        return found;
    };
    const auto first = of_frame(17);
    ASSERT_EQ(first.size(), 2u);  // the broadcast burst and the one by the map; none by the prefix
    EXPECT_EQ(first[1].burst.index, 3);
    EXPECT_EQ(first[1].cid, 4321u);
    EXPECT_EQ(first[1].kind, BurstKind::contention);
    for (const uint32_t frame : {18u, 19u}) {
        const auto later = of_frame(frame);
        ASSERT_EQ(later.size(), 2u) << frame;
        EXPECT_EQ(later[1].burst.index, 2);
        for (const auto& b : later) {
            EXPECT_EQ(b.cid, 0u);
            EXPECT_EQ(b.kind, BurstKind::data);
        }
    }
}

TEST_F(SsReceiverAnswered, WaitsAtTheBroadcastBurstForItsAnswer) {
    EXPECT_TRUE(heard.bursts[0].attached);
    EXPECT_TRUE(heard.ticks.empty());
    feed(kStart + 10'000);
    EXPECT_EQ(waits_at(), kStart + kBroadcastEnd + 1);
    core->on_expect(expectation(15));
    EXPECT_TRUE(heard.ticks.empty());  // not that frame's
    core->on_expect(expectation(16));
    ASSERT_EQ(heard.ticks.size(), 1u);
    EXPECT_EQ(heard.ticks.at(0).frame_number, 16u);
    EXPECT_TRUE(heard.ticks.at(0).attached);
    EXPECT_EQ(heard.ticks.at(0).deadline_sample, kStart + kBroadcastEnd + 1 + kTurnaround - kLead);
    EXPECT_EQ(waits_at(), kStart + kBroadcastEnd + 1);
    core->on_done({phy::FrameNumber(15)});
    EXPECT_EQ(waits_at(), kStart + kBroadcastEnd + 1);
    core->on_done({phy::FrameNumber(16)});
    EXPECT_EQ(waits_at(), kStart + 10'000);
}

TEST_F(SsReceiverAnswered, AnAnswerThatCannotBeReadIsReportedAndNotWaitedFor) {
    core->on_expect(phy::failure("x", "torn"));
    ASSERT_EQ(heard.errors.size(), 1u);
    EXPECT_EQ(heard.errors[0].detail, "expect: x: torn");
    EXPECT_EQ(heard.errors[0].frame_number, 16u);
    EXPECT_EQ(heard.ticks.size(), 1u);
}

TEST_F(SsReceiverAnswered, TicksItsTurnaroundBeforeTheUplink) {
    to_second_frame();
    core->on_expect(expectation(17, kUplinkSlot));
    EXPECT_EQ(heard.ticks.size(), 1u);
    EXPECT_EQ(tick_comes(start + kUplink - kTurnaround - 1, start + kFrame), start + kUplink - kTurnaround + 1);
    EXPECT_EQ(waits_at(), start + kUplink - kTurnaround);
    EXPECT_EQ(last_tick().deadline_sample, start + kUplink - kLead);
    EXPECT_EQ(last_tick().frame_start_sample, start);
    core->on_done({phy::FrameNumber(17)});
    // Nothing is sent before the next frame's header has been received and answered.
    EXPECT_EQ(promised(), start + kPeriod + kHeader + kResponse);
}

TEST_F(SsReceiverAnswered, AnUplinkSoonerThanItsTurnaroundTicksAtOnce) {
    to_second_frame();
    const uint32_t slot = (kBroadcastEnd + 2880) / 4;
    core->on_expect(expectation(17, slot));
    EXPECT_EQ(waits_at(), start + kBroadcastEnd);
    ASSERT_EQ(heard.ticks.size(), 2u);
    EXPECT_EQ(heard.ticks.at(1).deadline_sample, start + kBroadcastEnd + kTurnaround - kLead);
}

TEST_F(SsReceiverAnswered, CommitsWhileItListensItsResponseAhead) {
    to_second_frame();
    core->on_expect(expectation(17, kUplinkSlot));
    // The station sends nothing before its uplink, less its largest timing advance.
    EXPECT_EQ(radio->commits.back(), start + kUplink - kMostAdvance);
    core->on_control([] {
        Control c;
        c.attached = false;
        return c;
    }());
    feed(start + kFrame - 1000);
    EXPECT_EQ(radio->commits.back(), position + kResponse);
}

TEST_F(SsReceiverAnswered, AnUplinkThatIsForetoldTicksBeforeItsFramesMaps) {
    to_second_frame();
    const uint32_t slot = 4 * 72 + 36;  // 1296 samples after the start: ticked 10 224 before the frame begins
    const int64_t next = start + kPeriod, uplink = next + 1296;
    core->on_expect(expectation(17, 0, slot));
    core->on_done({phy::FrameNumber(17)});
    EXPECT_EQ(promised(), uplink - kMostAdvance);
    const size_t bursts = heard.bursts.size();
    EXPECT_EQ(tick_comes(uplink - kTurnaround - 1, next + kFrame), uplink - kTurnaround + 1);
    const auto& tick = last_tick();
    EXPECT_EQ(tick.frame_number, 18u);
    EXPECT_EQ(tick.frame_start_sample, next);
    EXPECT_EQ(tick.deadline_sample, uplink - kLead);
    EXPECT_TRUE(tick.synchronised);
    EXPECT_EQ(tick.frame_samples, kPeriod);
    EXPECT_EQ(waits_at(), uplink - kTurnaround);
    // The core promises nothing beyond the requested uplink until the transmitter has processed it.
    EXPECT_EQ(promised(), uplink - kMostAdvance);
    core->on_done({phy::FrameNumber(18)});
    // Frame 19 is unknown: maps of frame 18 may let its uplink begin at the header's end.
    EXPECT_EQ(promised(), next + kPeriod + kHeader - kMostAdvance);
    feed(next + kBroadcastEnd + 100);
    EXPECT_EQ(heard.bursts.size(), bursts + 2);  // burst 2 of frame 17, the broadcast of 18
    const size_t ticks = heard.ticks.size();
    core->on_expect(expectation(18));
    feed(next + kFrame / 2);
    EXPECT_EQ(heard.ticks.size(), ticks);  // it had its tick
}

TEST_F(SsReceiverAnswered, ExpectedBurstsKeepTheirReferences) {
    to_second_frame();
    auto e = expectation(17);
    ExpectedBurst b;
    b.start_slot = phy::Slot(9 * 72);
    b.format = heard.bursts[1].burst.format;
    b.format.frame_lsb = 1;
    b.cid = 4711;
    e.bursts.push_back(b);
    e.want_prefix_bursts = false;
    core->on_expect(e);
    core->on_done({phy::FrameNumber(17)});
    feed(start + kFrame / 2);
    ASSERT_EQ(heard.bursts.size(), 4u);  // both of frame 16, the broadcast of 17 and that one
    EXPECT_EQ(heard.bursts[3].cid, 4711u);
    EXPECT_EQ(heard.bursts[3].start_slot, 9u * 72);
    EXPECT_EQ(heard.bursts[3].burst.index, 3);  // after the two of the frame prefix
    EXPECT_TRUE(heard.bursts[3].burst.fec_ok);
}

TEST_F(SsReceiverAnswered, WhoGoesAwayIsNotWaitedFor) {
    feed(kStart + 10'000);
    core->on_control([] {
        Control c;
        c.attached = false;
        return c;
    }());
    EXPECT_EQ(heard.ticks.size(), 1u);
    EXPECT_FALSE(heard.ticks.at(0).attached);
    EXPECT_EQ(waits_at(), kStart + 10'000);
}

TEST_F(SsReceiverAnswered, AGapForgetsWhatWasWaitedForAndSaysHowLong) {
    to_second_frame();
    core->on_expect(expectation(17, kUplinkSlot, 7200));
    const int64_t before = position;
    position = start + 40 * kFrame;
    core->move_time(position);
    ASSERT_EQ(heard.errors.size(), 1u);
    EXPECT_EQ(heard.errors[0].kind, ErrorKind::time_jump);
    EXPECT_EQ(heard.errors[0].frame_number, 17u);
    EXPECT_EQ(heard.errors[0].microseconds, (position - before) * 1'000'000 / kRate);
    frames.clear();
    const int64_t from = position;
    EXPECT_EQ(tick_comes(position, position + 2 * kFrame), from + kFrame + 1);  // 10 ms of silence
    EXPECT_FALSE(last_tick().synchronised);
}

TEST_F(SsReceiver, AFrameThatIsForetoldBeginsByTheBaseStationsClock) {
    constexpr int64_t kSlow = kPeriod + 1;  // 17.4 ppm
    make();
    for (uint32_t n = 0; n < 9; ++n) on_air(kStart + n * kSlow, n);
    feed(kStart - 100);
    attach();
    for (uint32_t n = 0; n < 8; ++n) {
        feed(kStart + n * kSlow + kBroadcastEnd + 100);
        core->on_expect(expectation(16 + n, 0, n == 7 ? 324 : 0));
        core->on_done({phy::FrameNumber(16 + n)});
    }
    EXPECT_NEAR(last_tick().clock_offset_ppm, 1e6 / kPeriod, 2);
    feed(kStart + 8 * kSlow);
    ASSERT_EQ(last_tick().frame_number, 24u);
    EXPECT_EQ(last_tick().frame_start_sample, kStart + 8 * kSlow);
}

TEST_F(SsReceiver, InRealTimeNothingIsWaitedFor) {
    radio->locked = false;
    make();
    frames_on_air(3);
    feed(kStart - 100);
    attach();
    feed(kStart + kPeriod + kBroadcastEnd);
    EXPECT_EQ(waits_at(), position);
    core->on_expect(expectation(17, kUplinkSlot));
    EXPECT_EQ(tick_comes(position, position + kFrame), kStart + kPeriod + kUplink - kTurnaround + 1);
    EXPECT_TRUE(last_tick().attached);
    feed(position + 1000);
    EXPECT_EQ(waits_at(), position);
}

TEST_F(SsReceiver, LeadsAreInMicroseconds) {
    ss_receiver::Config config;
    config.turnaround_us = 3000;
    config.deadline_lead_us = 500;
    config.response_us = 200;
    make(config);
    EXPECT_EQ(tick_comes(kFrame - 1, kFrame + 10), kFrame + 1);
    EXPECT_EQ(heard.ticks.at(0).deadline_sample, kFrame + 17'280 - 2880);
    EXPECT_EQ(radio->commits.back(), position + 1152);
    // If the response takes longer than the turnaround, the tick is early enough for the response.
    config.turnaround_us = 1000;
    config.response_us = 1500;
    position = 0;
    heard = {};
    make(config);
    frames_on_air(2);
    feed(kStart - 100);
    attach();
    feed(kStart + kBroadcastEnd + 1);
    core->on_expect(expectation(16, kUplinkSlot));
    EXPECT_EQ(tick_comes(position, kStart + kFrame), kStart + kUplink - 8640 - kMostAdvance + 1);
}

TEST_F(SsReceiver, AChunkOfTheRadioIsTheLeastResponse) {
    radio->chunk = 9000;
    make();
    feed(5000);
    EXPECT_EQ(radio->commits.back(), 5000 + 9000);
}

}  // namespace
}  // namespace gr::wimax
