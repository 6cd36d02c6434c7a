// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's receiver sample by sample: its ticks, reported times, frame numbers across gaps, kept samples and
// commits. 5 MHz, CP 1/8, 10 ms by default.
#include "blocks/bs_receiver_core.h"
#include "blocks/test_block_doubles.h"
#include "phy/base/test_counting_new.h"
#include "phy/base/test_noise.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>

namespace gr::wimax {
namespace {

constexpr int64_t kRate = 5'760'000, kFrame = 57'600, kSymbol = 288;
constexpr int64_t kGrid = 1'728'000;  // 300 ms
constexpr int64_t kLead = 11'520;     // 2 ms

class BsReceiver : public testing::Test {
protected:
    void make(const bs_receiver::Config& config = {}) {
        const auto numerology =
            phy::Numerology::make(config.bandwidth_hz, static_cast<phy::CyclicPrefix>(config.cp_denominator));
        core = std::make_unique<BsReceiverCore>(heard, config, *numerology, radio);
    }
    /// Samples up to `end`, zero where `signal` has none.
    void feed(int64_t end) {
        if (!core->started()) core->move_time(position);
        while (position < end) {
            std::vector<phy::Complex> piece(
                static_cast<size_t>(std::min<int64_t>({end - position, 10'000, static_cast<int64_t>(core->room())})));
            ASSERT_FALSE(piece.empty());
            for (size_t i = 0; i < piece.size(); ++i) {
                const int64_t at = position + static_cast<int64_t>(i) - signal_start;
                if (at >= 0 && at < static_cast<int64_t>(signal.size())) piece[i] = signal[static_cast<size_t>(at)];
            }
            core->receive(piece);
            position += static_cast<int64_t>(piece.size());
        }
    }
    void jump(int64_t sample) {
        position = sample;
        core->move_time(sample);
    }
    static Expectation burst_at(uint32_t frame, uint32_t slot, int symbols, uint16_t cid = 1) {
        Expectation e;
        e.frame_number = phy::FrameNumber(frame);
        ExpectedBurst b;
        b.start_slot = phy::Slot(slot);
        b.format.rate_id = 2;
        b.format.iuc = 7;
        b.format.preamble = phy::Preamble::short_;
        b.format.data_symbols = symbols;
        b.cid = cid;
        e.bursts.push_back(b);
        return e;
    }
    /// The burst of burst_at() on air from `sample` on.
    void put_on_air(const Expectation& e, int64_t sample) {
        const auto& format = e.bursts[0].format;
        phy::Modulator modulator(*phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_8));
        payload.assign(static_cast<size_t>(phy::burst_capacity_bytes(format.rate_id, format.data_symbols)), 0x5A);
        signal.resize(static_cast<size_t>(format.total_symbols() * kSymbol));
        ASSERT_EQ(modulator.uplink({format, payload}, signal), signal.size());
        signal_start = sample;
    }
    int64_t guard() const {
        return phy::UplinkReceiver(*phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_8)).guard_samples();
    }
    static Control attach(bool yes) {
        Control c;
        c.attached = yes;
        return c;
    }

    test::Heard heard;
    std::shared_ptr<test::RadioDouble> radio = std::make_shared<test::RadioDouble>();
    std::unique_ptr<BsReceiverCore> core;
    std::vector<phy::Complex> signal;
    std::vector<uint8_t> payload;
    int64_t position = 0, signal_start = 0;
};

TEST_F(BsReceiver, TicksAtItsLeadWithItsDeadline) {
    make();
    feed(kGrid - kLead - 1);
    EXPECT_TRUE(heard.ticks.empty());
    feed(kGrid - kLead);
    ASSERT_EQ(heard.ticks.size(), 1u);
    feed(kGrid - kLead + kFrame - 1);
    EXPECT_EQ(heard.ticks.size(), 1u);
    feed(kGrid - kLead + kFrame);
    ASSERT_EQ(heard.ticks.size(), 2u);
    for (int64_t n = 0; n < 2; ++n) {
        const auto& tick = heard.ticks[static_cast<size_t>(n)];
        EXPECT_EQ(tick.frame_number, n);
        EXPECT_EQ(tick.frame_start_sample, kGrid + n * kFrame);
        EXPECT_EQ(tick.deadline_sample, kGrid + n * kFrame - 5760);  // 1 ms
        EXPECT_EQ(tick.sample_rate_hz, kRate);
        EXPECT_EQ(tick.frame_samples, kFrame);
        EXPECT_EQ(tick.cp, phy::CyclicPrefix::g1_8);
        EXPECT_TRUE(tick.synchronised);
        EXPECT_FALSE(tick.attached);
    }
    EXPECT_EQ(core->status().frames, 2u);
    EXPECT_EQ(core->status().position, position);
}

TEST_F(BsReceiver, KnowsItsFrontEndUntilItIsToldToForget) {
    make();
    int symbol = 40;
    const auto hear = [&](float dc) {
        const auto expected = burst_at(0, static_cast<uint32_t>(phy::slots_in_samples(symbol * kSymbol)), 4);
        put_on_air(expected, kGrid + symbol * kSymbol);
        // The carrier is off, or else it could be the sender's.
        for (size_t i = 0; i < signal.size(); ++i)
            signal[i] = signal[i] * std::polar(1.0F, 0.008F * static_cast<float>(i)) + dc;
        if (symbol == 40) feed(kGrid);
        core->on_expect(expected);
        symbol += 6;
        feed(kGrid + symbol * kSymbol);
        return core->status().front_end.dc_dbfs;
    };
    hear(0.1F);
    EXPECT_NEAR(hear(0.1F), -20, 1.5);
    core->on_control(attach(false));
    EXPECT_NEAR(core->status().front_end.dc_dbfs, -20, 1.5);
    Control forget;
    forget.forget_front_end = true;
    core->on_control(forget);
    EXPECT_EQ(core->status().front_end.dc_dbfs, -200);
}

struct SymbolCount : phy::SymbolObserver {
    size_t symbols = 0;
    void on_symbol(const phy::SymbolObservation&) override { ++symbols; }
};

TEST_F(BsReceiver, ReceivesABurstWhileItComes) {
    SymbolCount count;
    heard.watcher = &count;
    make();
    const int64_t start = kGrid + 40 * kSymbol;
    const auto expected = burst_at(0, static_cast<uint32_t>(phy::slots_in_samples(40 * kSymbol)), 30);
    put_on_air(expected, start);
    feed(kGrid);
    core->on_expect(expected);
    EXPECT_EQ(count.symbols, 0u);
    for (int symbols = 3; symbols <= 30; ++symbols) {  // its preamble and data
        feed(start + symbols * kSymbol + guard());
        EXPECT_EQ(count.symbols, static_cast<size_t>(symbols - 1));
    }
    EXPECT_TRUE(heard.bursts.empty());
    feed(start + 31 * kSymbol + guard());
    ASSERT_EQ(heard.bursts.size(), 1u);
    EXPECT_EQ(heard.bursts[0].burst.payload, payload);
    EXPECT_EQ(count.symbols, 30u);
    EXPECT_EQ(heard.observed, (std::vector<uint32_t>{0}));
}

TEST_F(BsReceiver, ReceivesABurstAtItsEndInLockStep) {
    SymbolCount count;
    heard.watcher = &count;
    radio->locked = true;
    make();
    const int64_t start = kGrid + 40 * kSymbol;
    const auto expected = burst_at(0, static_cast<uint32_t>(phy::slots_in_samples(40 * kSymbol)), 30);
    put_on_air(expected, start);
    feed(kGrid);
    core->on_expect(expected);
    feed(start + 31 * kSymbol + guard() - 1);
    EXPECT_EQ(count.symbols, 0u);
    feed(start + 31 * kSymbol + guard());
    ASSERT_EQ(heard.bursts.size(), 1u);
    EXPECT_EQ(heard.bursts[0].burst.payload, payload);
    EXPECT_EQ(count.symbols, 30u);
}

/// The only allocation is the payload of the report, which is then moved.
TEST_F(BsReceiver, APayloadIsNotCopied) {
    radio->locked = true;
    make();
    heard.bursts.reserve(2);
    heard.order.reserve(16);
    heard.observed.reserve(16);
    feed(kGrid);
    uint64_t allocations = 0;
    for (const int symbol : {40, 100}) {  // the first burst makes the receiver's buffers grow
        const int64_t start = kGrid + symbol * kSymbol;
        const auto expected = burst_at(0, static_cast<uint32_t>(phy::slots_in_samples(symbol * kSymbol)), 30);
        put_on_air(expected, start);
        core->on_expect(expected);
        feed(start + 31 * kSymbol + guard() - 1);
        const std::vector<phy::Complex> last(1);
        allocations = phy::test::allocations_of([&] { core->receive(last); });
        ++position;
    }
    EXPECT_EQ(allocations, 1U);
    ASSERT_EQ(heard.bursts.size(), 2u);
    EXPECT_EQ(heard.bursts[1].burst.payload, payload);
}

TEST_F(BsReceiver, ABurstThatIsCompleteEarlierGoesFirstAlthoughAnotherHasBegun) {
    SymbolCount count;
    heard.watcher = &count;
    make();
    const int64_t start = kGrid + 40 * kSymbol;
    const auto slot = [](int symbol) { return static_cast<uint32_t>(phy::slots_in_samples(symbol * kSymbol)); };
    const auto expected = burst_at(0, slot(40), 30, 1);
    put_on_air(expected, start);
    feed(kGrid);
    core->on_expect(expected);
    feed(start + 20 * kSymbol + guard());
    EXPECT_EQ(count.symbols, 19u);
    core->on_expect(burst_at(0, slot(30), 4, 2));  // not on the air
    ASSERT_EQ(heard.bursts.size(), 1u);
    EXPECT_EQ(heard.bursts[0].cid, 2u);
    EXPECT_FALSE(heard.bursts[0].burst.detected);
    feed(start + 31 * kSymbol + guard());
    ASSERT_EQ(heard.bursts.size(), 2u);
    EXPECT_EQ(heard.bursts[1].cid, 1u);
    EXPECT_EQ(heard.bursts[1].burst.payload, payload);
    EXPECT_EQ(count.symbols, 19u + 30u);
}

TEST_F(BsReceiver, LeadsAreInMicroseconds) {
    bs_receiver::Config config;
    config.tick_lead_us = 3500;
    config.deadline_lead_us = 250;
    make(config);
    feed(kGrid - 20'160 - 1);
    EXPECT_TRUE(heard.ticks.empty());
    feed(kGrid - 20'160);
    ASSERT_EQ(heard.ticks.size(), 1u);
    EXPECT_EQ(heard.ticks.at(0).deadline_sample, kGrid - 1440);
}

TEST_F(BsReceiver, AChunkOfTheRadioIsTheLeastLead) {
    radio->chunk = 15'000;
    make();
    feed(kGrid - 15'000 - 1);
    EXPECT_TRUE(heard.ticks.empty());
    feed(kGrid - 15'000);
    EXPECT_EQ(heard.ticks.size(), 1u);
    EXPECT_EQ(heard.ticks.at(0).deadline_sample, kGrid - 5760);
}

TEST_F(BsReceiver, FrameNumbersStartWhereTheyAreToldAndWrap) {
    bs_receiver::Config config;
    config.first_frame_number = 0xFFFFFE;
    make(config);
    feed(kGrid + 3 * kFrame);
    Control c;
    c.first_frame_number = phy::FrameNumber(500);
    core->on_control(c);
    feed(kGrid + 5 * kFrame);
    std::vector<uint32_t> numbers;
    for (const auto& tick : heard.ticks) numbers.push_back(tick.frame_number.value());
    EXPECT_EQ(numbers, (std::vector<uint32_t>{0xFFFFFE, 0xFFFFFF, 0, 1, 500, 501}));
}

TEST_F(BsReceiver, FramesMissedInAGapAreCounted) {
    const int64_t tick_at = kGrid - kLead;
    struct Case {
        int64_t gap;  // from just after the tick of frame 0
        uint32_t next;
    };
    // A frame is missed when its tick's sample is; the very sample is in time.
    for (const Case c : {Case{1, 1}, Case{kFrame - 1, 1}, Case{kFrame, 1}, Case{kFrame + 1, 2}, Case{3 * kFrame, 3},
                         Case{3 * kFrame + 1, 4}}) {
        SCOPED_TRACE(c.gap);
        heard = {};
        radio->commits.clear();
        position = 0;
        make();
        feed(tick_at);
        jump(tick_at + c.gap);
        feed(position + 1);
        ASSERT_EQ(heard.errors.size(), 1u);
        EXPECT_EQ(heard.errors[0].kind, ErrorKind::time_jump);
        EXPECT_EQ(heard.errors[0].frame_number, 0u);
        EXPECT_EQ(heard.errors[0].microseconds, c.gap * 1'000'000 / kRate);
        feed(tick_at + c.next * kFrame - 1);
        EXPECT_EQ(heard.ticks.size(), c.gap >= c.next * kFrame - 1 ? 2u : 1u);
        feed(tick_at + c.next * kFrame);
        ASSERT_EQ(heard.ticks.size(), 2u);
        EXPECT_EQ(heard.ticks.at(1).frame_number, c.next);
        EXPECT_EQ(heard.ticks.at(1).frame_start_sample, kGrid + c.next * kFrame);
        EXPECT_EQ(radio->commits[2], kGrid + c.next * kFrame);  // after those of the start and the first tick
    }
}

TEST_F(BsReceiver, SamplesThatFollowAreNoJump) {
    make();
    feed(kGrid);
    jump(kGrid);
    feed(kGrid + kFrame);
    EXPECT_TRUE(heard.errors.empty());
    EXPECT_EQ(heard.ticks.size(), 2u);
}

TEST_F(BsReceiver, AClockSetBackStartsANewGridAndNumbersGoOn) {
    make();
    feed(kGrid + 2 * kFrame);
    const size_t before = heard.ticks.size();
    ASSERT_EQ(heard.ticks.at(heard.ticks.size() - 1).frame_number, 2u);
    const int64_t old = position;
    jump(1000);
    EXPECT_EQ(heard.errors.at(0).microseconds, (1000 - old) * 1'000'000 / kRate);
    EXPECT_EQ(radio->commits.back(), 1000 + kGrid);
    // Samples of frames of the old clock will not arrive.
    core->on_expect(burst_at(2, 0, 4));
    ASSERT_EQ(heard.errors.size(), 2u);
    EXPECT_EQ(heard.errors[1].kind, ErrorKind::invalid);
    feed(1000 + kGrid - kLead);
    ASSERT_EQ(heard.ticks.size(), before + 1);
    EXPECT_EQ(heard.ticks.at(heard.ticks.size() - 1).frame_number, 3u);
    EXPECT_EQ(heard.ticks.at(heard.ticks.size() - 1).frame_start_sample, 1000 + kGrid);
}

TEST_F(BsReceiver, ABurstIsReportedWithItsLastSample) {
    make();
    feed(kGrid - kLead);
    core->on_control(attach(true));
    const auto e = burst_at(0, 720, 10, 4711);
    put_on_air(e, kGrid + 2880 + 5);
    core->on_expect(e);
    const int64_t complete = kGrid + 2880 + 11 * kSymbol + guard();
    feed(complete - 1);
    EXPECT_TRUE(heard.bursts.empty());
    feed(complete);
    ASSERT_EQ(heard.bursts.size(), 1u);
    const auto& r = heard.bursts[0];
    EXPECT_EQ(r.frame_number, 0u);
    EXPECT_EQ(r.cid, 4711u);
    EXPECT_EQ(r.start_slot, 720u);
    EXPECT_EQ(r.direction, phy::Direction::uplink);
    EXPECT_EQ(r.frame_samples, kFrame);
    EXPECT_TRUE(r.attached);
    EXPECT_TRUE(r.burst.fec_ok);
    EXPECT_EQ(r.burst.payload, payload);
    EXPECT_NEAR(r.burst.measured.timing_offset_samples, 5, 0.05);
    EXPECT_NEAR(r.burst.measured.rssi_dbfs, 0, 0.1);
    const auto status = core->status();
    EXPECT_EQ(status.bursts, 1u);
    EXPECT_EQ(status.detected, 1u);
    EXPECT_EQ(status.fec_failures, 0u);
    EXPECT_EQ(status.rssi_dbfs, r.burst.measured.rssi_dbfs);
    EXPECT_EQ(status.cinr_db, r.burst.measured.cinr_db);
    EXPECT_EQ(status.frequency_offset_hz, r.burst.measured.frequency_offset_hz);
}

TEST_F(BsReceiver, SearchAddsItsSlotsToTheAllocation) {
    make();
    feed(kGrid - kLead);
    auto e = burst_at(0, 0, 4);
    e.bursts[0].search_slots = 100;
    put_on_air(e, kGrid + 380);
    core->on_expect(e);
    const int64_t complete = kGrid + 5 * kSymbol + 400 + guard();
    feed(complete - 1);
    EXPECT_TRUE(heard.bursts.empty());
    feed(complete);
    ASSERT_EQ(heard.bursts.size(), 1u);
    EXPECT_TRUE(heard.bursts[0].burst.fec_ok);
    EXPECT_NEAR(heard.bursts[0].burst.measured.timing_offset_samples, 380, 0.1);
}

TEST_F(BsReceiver, OfTwoBurstsInASearchBothAreReported) {
    make();
    feed(kGrid - kLead);
    auto e = burst_at(0, 0, 4, 9);
    e.bursts[0].format.preamble = phy::Preamble::long_;
    e.bursts[0].search_slots = 500;
    put_on_air(e, kGrid + 40);
    const auto alone = signal;
    signal.resize(1900 + alone.size());
    for (size_t i = 0; i < alone.size(); ++i) signal[1900 + i] = 2.0F * alone[i];
    core->on_expect(e);
    feed(kGrid + kFrame);
    ASSERT_EQ(heard.bursts.size(), 2u);
    for (const auto& r : heard.bursts) {
        EXPECT_TRUE(r.burst.fec_ok);
        EXPECT_EQ(r.burst.payload, payload);
        EXPECT_EQ(r.cid, 9u);
        EXPECT_EQ(r.frame_number, 0u);
    }
    EXPECT_NEAR(heard.bursts[0].burst.measured.timing_offset_samples, 1940, 0.1);
    EXPECT_NEAR(heard.bursts[1].burst.measured.timing_offset_samples, 40, 0.1);
    EXPECT_NEAR(heard.bursts[0].burst.measured.rssi_dbfs - heard.bursts[1].burst.measured.rssi_dbfs, 6.02, 0.1);
    EXPECT_EQ(core->status().bursts, 2u);
    EXPECT_EQ(core->status().detected, 2u);
}

TEST_F(BsReceiver, CodesAreLookedForWithTheOpportunitysLastSample) {
    make();
    feed(kGrid - kLead);
    Expectation e;
    e.contention_slots = {phy::Slot(72), phy::Slot(216)};
    core->on_expect(e);
    feed(kGrid + 3 * kSymbol - 1);
    EXPECT_TRUE(heard.contention.empty());
    feed(kGrid + 3 * kSymbol);
    ASSERT_EQ(heard.contention.size(), 1u);
    EXPECT_EQ(heard.contention[0].start_slot, 72u);
    EXPECT_EQ(heard.contention[0].frame_number, 0u);
    feed(kGrid + 5 * kSymbol);
    ASSERT_EQ(heard.contention.size(), 2u);
    EXPECT_EQ(heard.contention[1].start_slot, 216u);
}

TEST_F(BsReceiver, MessagesComeInTheOrderOfAirTimeHoweverSamplesCome) {
    bs_receiver::Config config;
    config.frame_duration_code = 0;  // 2.5 ms, 14 400 samples
    make(config);
    feed(kGrid - kLead);
    // The last sample of one burst is just before that of the next tick. The other burst ends at or after it, and is
    // reported after the tick.
    const int64_t next_tick = kGrid + 14'400 - kLead;
    auto e = burst_at(0, 0, 4, 1);
    e.bursts[0].start_slot = phy::Slot(static_cast<uint32_t>((next_tick - 1 - 5 * kSymbol - guard() - kGrid) / 4));
    e.bursts.push_back(e.bursts[0]);
    e.bursts[1].start_slot = e.bursts[1].start_slot + 1;
    core->on_expect(e);
    heard.order.clear();
    std::vector<phy::Complex> all(20'000);
    core->receive(all);
    EXPECT_EQ(std::string(heard.order.begin(), heard.order.end()), "btb");
    ASSERT_EQ(heard.bursts.size(), 2u);
    EXPECT_EQ(heard.bursts[0].start_slot, e.bursts[0].start_slot);
    EXPECT_EQ(heard.bursts[0].burst.index, 0);
    EXPECT_EQ(heard.bursts[1].burst.index, 1);
}

TEST_F(BsReceiver, OneFrameIsKeptForExpectationsThatComeLate) {
    const auto e = burst_at(0, 0, 10);
    for (const int64_t late : {int64_t{0}, int64_t{400}}) {
        SCOPED_TRACE(late);
        heard = {};
        position = 0;
        make();
        put_on_air(e, kGrid);
        feed(kGrid - guard() + kFrame + late);
        core->on_expect(e);
        ASSERT_EQ(heard.bursts.size(), 1u);
        // A preamble without its first 400 samples is not found.
        EXPECT_EQ(heard.bursts[0].burst.fec_ok && heard.bursts[0].burst.payload == payload, late == 0);
    }
}

TEST_F(BsReceiver, SamplesOfAnAllocationAreKeptToItsEnd) {
    bs_receiver::Config config;
    config.frame_duration_code = 0;
    make(config);
    const auto e = burst_at(0, 0, 120);  // 2.4 frames
    put_on_air(e, kGrid);
    feed(kGrid - kLead);
    core->on_expect(e);
    feed(kGrid + 121 * kSymbol + guard());
    ASSERT_EQ(heard.bursts.size(), 1u);
    EXPECT_TRUE(heard.bursts[0].burst.fec_ok);
    EXPECT_EQ(heard.bursts[0].burst.payload, payload);
}

TEST_F(BsReceiver, WhatCannotComeAnyMoreIsReportedAsNotFound) {
    make();
    feed(kGrid - kLead);
    core->on_control(attach(true));
    auto e = burst_at(0, 1000, 4, 77);
    e.contention_slots = {phy::Slot(5000)};
    core->on_expect(e);
    jump(kGrid + 2 * kFrame);
    ASSERT_EQ(heard.bursts.size(), 1u);
    EXPECT_FALSE(heard.bursts[0].burst.detected);
    EXPECT_EQ(heard.bursts[0].cid, 77u);
    EXPECT_EQ(heard.bursts[0].start_slot, 1000u);
    EXPECT_EQ(heard.bursts[0].frame_number, 0u);
    EXPECT_TRUE(heard.bursts[0].attached);
    EXPECT_EQ(heard.bursts[0].burst.format.data_symbols, 4);
    ASSERT_EQ(heard.contention.size(), 1u);
    EXPECT_EQ(heard.contention[0].start_slot, 5000u);
    feed(kGrid + 3 * kFrame);
    EXPECT_EQ(heard.bursts.size(), 1u);
}

TEST_F(BsReceiver, ExpectationsOfFramesLongAgoAreRefused) {
    make();
    core->on_expect(burst_at(0, 0, 4));
    feed(kGrid - kLead + 20 * kFrame);
    heard.errors.clear();
    for (const uint32_t frame : {20u, 4u, 3u, 21u}) core->on_expect(burst_at(frame, 0, 4));
    ASSERT_EQ(heard.errors.size(), 2u);  // 17 frames old, and not ticked yet
    EXPECT_EQ(heard.errors[0].frame_number, 3u);
    EXPECT_EQ(heard.errors[1].frame_number, 21u);
    EXPECT_EQ(heard.bursts.size(), 1u);
    EXPECT_EQ(heard.bursts[0].frame_number, 4u);
}

TEST_F(BsReceiver, ExpectationsBeforeTheFirstTickAreRefused) {
    make();
    core->on_expect(burst_at(0, 0, 4));
    feed(kGrid - kLead - 1);
    core->on_expect(burst_at(0, 0, 4));
    EXPECT_EQ(heard.errors.size(), 2u);
    feed(kGrid - kLead);
    core->on_expect(burst_at(0, 0, 4));
    EXPECT_EQ(heard.errors.size(), 2u);
}

TEST_F(BsReceiver, AllocationsBeyondItsMemoryAreRefused) {
    make();
    feed(kGrid - kLead);
    const auto most = static_cast<int>((3 * kFrame - 2 * guard()) / kSymbol) - 1;
    core->on_expect(burst_at(0, 0, most));
    EXPECT_TRUE(heard.errors.empty());
    core->on_expect(burst_at(0, 0, most + 1));
    ASSERT_EQ(heard.errors.size(), 1u);
    EXPECT_EQ(heard.errors[0].detail, "expect: burst longer than the receiver's memory");
}

TEST_F(BsReceiver, MoreThan4096AllocationsAtOnceAreRefusedAsSuch) {
    make();
    feed(kGrid - kLead);
    Expectation e;
    e.contention_slots.assign(4097, phy::Slot(7200));
    core->on_expect(e);
    ASSERT_EQ(heard.errors.size(), 1u);
    EXPECT_EQ(heard.errors[0].detail, "expect: more bursts at once than 4096");
}

TEST_F(BsReceiver, AnExpectationThatCannotBeReadIsReported) {
    make();
    feed(kGrid - kLead + 3 * kFrame);
    core->on_expect(phy::failure("x", "missing"));
    ASSERT_EQ(heard.errors.size(), 1u);
    EXPECT_EQ(heard.errors[0].detail, "expect: x: missing");
    EXPECT_EQ(heard.errors[0].frame_number, 3u);
}

TEST_F(BsReceiver, CommitsToTheNextFrameAtOnceWhileNobodyAnswers) {
    make();
    feed(0);
    EXPECT_EQ(radio->commits, (std::vector<int64_t>{kGrid}));
    feed(kGrid - kLead + kFrame);
    EXPECT_EQ(radio->commits, (std::vector<int64_t>{kGrid, kGrid + kFrame, kGrid + 2 * kFrame}));
}

TEST_F(BsReceiver, CommitsWhenTheTransmitterIsDoneWithThatFrame) {
    make();
    core->on_control(attach(true));
    feed(kGrid - kLead);
    ASSERT_TRUE(heard.ticks.at(0).attached);
    EXPECT_EQ(radio->commits.size(), 1u);
    core->on_done({phy::FrameNumber(1)});
    EXPECT_EQ(radio->commits.size(), 1u);
    core->on_done({phy::FrameNumber(0)});
    EXPECT_EQ(radio->commits, (std::vector<int64_t>{kGrid, kGrid + kFrame}));
    core->on_done({phy::FrameNumber(0)});
    EXPECT_EQ(radio->commits.size(), 2u);
    feed(kGrid - kLead + kFrame);
    EXPECT_EQ(radio->commits.size(), 2u);
    core->on_control(attach(false));  // no MAC will respond to that tick
    EXPECT_EQ(radio->commits.back(), kGrid + 2 * kFrame);
}

/// Expectations of the former MAC do not apply to the next one. A session with another first number has none.
TEST_F(BsReceiver, ANewMacIsNotToldOfTheFormersBursts) {
    make();
    core->on_control(attach(true));
    feed(kGrid - kLead);
    auto e = burst_at(0, 40 * 72, 4, 77);
    e.contention_slots = {phy::Slot(100 * 72)};
    put_on_air(e, kGrid + 40 * kSymbol);
    core->on_expect(e);
    core->on_control(attach(false));
    auto control = attach(true);
    control.first_frame_number = phy::FrameNumber(5000);
    core->on_control(control);
    feed(kGrid + 3 * kFrame);
    EXPECT_TRUE(heard.bursts.empty());
    EXPECT_TRUE(heard.contention.empty());
    EXPECT_EQ(core->status().bursts, 0u);
    EXPECT_EQ(heard.ticks.back().frame_number, 5002u);
    core->on_expect(burst_at(0, 40 * 72, 4));  // a number of before
    EXPECT_EQ(heard.errors.size(), 1u);
}

/// Bursts on the air, missing bursts and bursts with wrong code, against the report of each.
TEST_F(BsReceiver, StatusCountsWhatWasReported) {
    make();
    feed(kGrid - kLead);
    std::mt19937 random(3);
    std::normal_distribution<float> gauss(0, 1);
    uint64_t detected = 0, failed = 0, bursts = 0;
    float level = 0;
    for (int i = 0; i < 24; ++i) {
        const int kind = i % 4;  // 0, 1: good, of two levels; 2: too noisy for its code; 3: nothing
        const int64_t start = kGrid + (20 + 20 * i) * kSymbol;
        const auto e = burst_at(static_cast<uint32_t>((start - kGrid) / kFrame),
                                static_cast<uint32_t>((start - kGrid) % kFrame / 4), 6);
        put_on_air(e, start);
        for (auto& s : signal)
            s = s * (kind == 1 ? 0.5F : 1.0F) +
                (kind == 2 ? 0.5F : 0.003F) * gr::wimax::phy::test::complex_of(gauss, random);
        if (kind == 3) signal.clear();
        feed(start - guard() - kSymbol);
        core->on_expect(e);
        feed(start + 8 * kSymbol + guard());
        ASSERT_EQ(heard.bursts.size(), static_cast<size_t>(i + 1));
        const auto& report = heard.bursts.back().burst;
        EXPECT_EQ(report.detected && report.fec_ok, kind < 2) << i;
        ++bursts;
        detected += report.detected;
        failed += report.detected && !report.fec_ok;
        if (report.detected) level = report.measured.rssi_dbfs;
        const auto status = core->status();
        EXPECT_EQ(status.bursts, bursts);
        EXPECT_EQ(status.detected, detected);
        EXPECT_EQ(status.fec_failures, failed);
        EXPECT_EQ(status.rssi_dbfs, level) << i;  // of the last detected one
        EXPECT_EQ(status.frames, heard.ticks.size());
        if (!report.detected) continue;
        EXPECT_EQ(status.cinr_db, report.measured.cinr_db);
        EXPECT_EQ(status.frequency_offset_hz, report.measured.frequency_offset_hz);
    }
    EXPECT_EQ(detected, 18u);
    EXPECT_EQ(failed, 6u);
}

/// After a jump of time, reception does not depend on earlier samples.
TEST_F(BsReceiver, AfterAJumpBurstsAreReceivedAsByAFreshOne) {
    const auto life = [&](int64_t from, uint32_t frame) {
        // A burst of the frame that begins first on the new grid.
        const auto e = burst_at(frame, 40 * 72, 9);
        put_on_air(e, from + kGrid + 40 * kSymbol);
        for (size_t i = 0; i < signal.size(); ++i) signal[i] *= std::polar(0.7F, 0.001F * static_cast<float>(i));
        feed(from + kGrid);
        heard.bursts.clear();
        core->on_expect(e);
        feed(from + kGrid + 60 * kSymbol);
        return heard.bursts.at(0).burst;
    };
    make();
    const auto fresh = life(0, 0);
    ASSERT_TRUE(fresh.fec_ok);
    make();
    position = 5'000'000;
    life(5'000'000, 0);
    feed(5'000'000 + kGrid + 70 * kSymbol);
    auto begun = burst_at(0, 75 * 72, 60);  // a part of it has been received
    put_on_air(begun, 5'000'000 + kGrid + 75 * kSymbol);
    core->on_expect(begun);
    feed(5'000'000 + kGrid + 90 * kSymbol);
    jump(0);
    Control forget;
    forget.forget_front_end = true;
    core->on_control(forget);
    const auto again = life(0, 1);
    EXPECT_EQ(again.payload, fresh.payload);
    EXPECT_EQ(again.start_sample, fresh.start_sample);
    EXPECT_EQ(again.corrected_bytes, fresh.corrected_bytes);
    EXPECT_EQ(again.measured.rssi_dbfs, fresh.measured.rssi_dbfs);
    EXPECT_EQ(again.measured.cinr_db, fresh.measured.cinr_db);
    EXPECT_EQ(again.measured.evm_db, fresh.measured.evm_db);
    EXPECT_EQ(again.measured.timing_offset_samples, fresh.measured.timing_offset_samples);
    EXPECT_EQ(again.measured.frequency_offset_hz, fresh.measured.frequency_offset_hz);
}

TEST_F(BsReceiver, EveryBurstAsksWhoLooksAtItsFrame) {
    make();
    feed(kGrid - kLead + 2 * kFrame);
    core->on_expect(burst_at(1, 0, 4));
    feed(position + 2 * kFrame);
    EXPECT_EQ(heard.observed, (std::vector<uint32_t>{1}));
}

}  // namespace
}  // namespace gr::wimax
