// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the receivers' parts: tones, frame clock, tracker, equalizer, measurements.
#include "phy/acquire/synchronizer.h"
#include "phy/channel/tone_finder.h"
#include "phy/channel/tracking.h"
#include "phy/frame/frame_start_tracker.h"
#include "phy/frame/test_receiver_support.h"
#include "phy/receive/equalizer.h"
#include "phy/receive/measurements.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <gtest/gtest.h>

#include <limits>

namespace gr::wimax::phy::test {
namespace {

/// A finder that gets preambles with a tone of this power over the noise, 31 carriers above the receiver's frequency
/// before any correction.
class ToneMemory {
public:
    /// True if it reports a tone.
    bool hears(float over_noise, bool keep = true) {
        ChannelEstimate channel;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) channel.response[k] = 1;
        channel.noise_variance = 0.01F;
        channel.complete();
        const int taken_off = ++preambles_ % 5 - 2;
        Carriers carriers;
        const auto preamble = preamble_carriers(PreambleSymbol::p_even);
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) carriers[k] = preamble[static_cast<size_t>(bin_of(k))];
        carriers[31 - taken_off] += std::sqrt(over_noise * channel.noise_variance);
        finder_.begin(taken_off);
        auto tone = finder_.find({carriers, PreambleSymbol::p_even}, channel);
        if (tone) {
            EXPECT_NEAR(tone->carrier, 31 - taken_off, 0.01);
            finder_.remember(*tone);
        }
        if (keep) finder_.keep();
        else finder_.forget();
        return tone.has_value();
    }
    bool hears_nothing(int times) {
        bool heard = false;
        for (int i = 0; i < times; ++i) heard |= hears(0);
        return heard;
    }
    void reset() { finder_.reset(); }

private:
    ToneFinder finder_;
    int preambles_ = 0;
};

/// Power over the noise: possibly noise, certainly no noise, sufficient at the position of a known tone.
constexpr float kMayBeNoise = 14, kNoNoise = 40, kFaint = 6;

TEST(ToneFinder, WhatMayBeNoiseIsAToneTheFifthTime) {
    ToneMemory memory;
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(memory.hears(kMayBeNoise)) << i;
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(memory.hears(i % 2 == 0 ? kMayBeNoise : kFaint)) << i;
    ToneMemory of_bad_bursts;
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(of_bad_bursts.hears(kMayBeNoise, false)) << i;
}

TEST(ToneFinder, SuspicionsAreForgottenSoonerThanTones) {
    ToneMemory memory;
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(memory.hears(kMayBeNoise));
    memory.hears_nothing(16);  // one more preamble without it would be too many
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(memory.hears(kMayBeNoise)) << i;
    ToneMemory patient;
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(patient.hears(kMayBeNoise));
    EXPECT_FALSE(patient.hears_nothing(15));
    EXPECT_FALSE(patient.hears(kMayBeNoise));
    EXPECT_TRUE(patient.hears(kFaint));
    EXPECT_FALSE(patient.hears_nothing(199));
    EXPECT_TRUE(patient.hears(kFaint));
    EXPECT_FALSE(patient.hears_nothing(200));
    EXPECT_FALSE(patient.hears(kFaint));
}

TEST(ToneFinder, WhatIsNoNoiseIsKnownAtOnceUntilAReset) {
    ToneMemory memory;
    EXPECT_FALSE(memory.hears(kFaint));
    EXPECT_TRUE(memory.hears(kNoNoise));
    EXPECT_TRUE(memory.hears(kFaint));
    memory.reset();
    EXPECT_FALSE(memory.hears(kFaint));
}

TEST(FrameStartTracker, LearnsFromNumbersAndDistance) {
    FrameStartTracker clock(5'760'000);
    clock.decoded(1000.2, 14);
    EXPECT_FALSE(clock.locked());
    // The frame between was missed: 20 ms and two numbers later.
    clock.decoded(1000.2 + 2 * 57600 * (1 + 15e-6), 0);
    ASSERT_TRUE(clock.locked());
    EXPECT_EQ(clock.frame_samples(), 57600);
    EXPECT_NEAR(clock.clock_offset_ppm(), 15, 0.1);
    clock.advance();
    EXPECT_NEAR(clock.start(), 1000.2 + 3 * 57600 * (1 + 15e-6), 0.1);
    // The base station starts over with 5 ms frames, of which every second falls on the old grid.
    clock.decoded(clock.start(), 2);
    EXPECT_EQ(clock.frame_samples(), 28800);
}

TEST(FrameStartTracker, TwoFramesTellTheClock) {
    // 10 ppm: 0.288 samples in a frame of 10 ms.
    FrameStartTracker clock(5'760'000);
    clock.decoded(1000.25, 3);
    clock.decoded(1000.25 + 28800.288, 4);
    EXPECT_NEAR(clock.drift(28800), 0.288, 1e-6);
    clock.advance();
    EXPECT_NEAR(clock.start(), 1000.25 + 2 * 28800.288, 1e-3);
}

TEST(FrameStartTracker, JumpsAreBelievedAndErrorsFiltered) {
    const auto moved_by = [](double error) {
        FrameStartTracker clock(5'760'000);
        clock.decoded(0, 0);
        clock.decoded(28800, 1);
        for (int frame = 0; frame < 10; ++frame) {
            clock.advance();
            clock.measured(clock.start(), 4e-4);
        }
        clock.advance();
        const double before = clock.start();
        clock.measured(before + error, 4e-3);
        return (clock.start() - before) / error;
    };
    EXPECT_NEAR(moved_by(3.1), 1, 1e-9);
    EXPECT_NEAR(moved_by(-40), 1, 1e-9);
    EXPECT_LT(moved_by(2.9), 0.5);
    EXPECT_GT(moved_by(2.9), 0.01);
    EXPECT_NEAR(moved_by(-2.9), moved_by(2.9), 1e-6);
}

TEST(FrameStartTracker, UnlockedByContradiction) {
    FrameStartTracker clock(5'760'000);
    clock.decoded(0, 0);
    clock.decoded(28800, 1);
    ASSERT_TRUE(clock.locked());
    clock.decoded(2 * 28800, 9);
    EXPECT_FALSE(clock.locked());
}

TEST(FrameStartTracker, AResetOneIsAFreshOne) {
    // For any earlier frames: one prefix, two, or many, of any duration.
    for (const int64_t frame : {14400, 57600})
        for (const int decoded : {1, 2, 7}) {
            FrameStartTracker clock(5'760'000), fresh(5'760'000);
            for (int i = 0; i < decoded; ++i)
                clock.decoded(static_cast<double>(i * frame) * (1 + 20e-6), static_cast<uint8_t>(i));
            clock.reset();
            EXPECT_FALSE(clock.locked());
            EXPECT_EQ(clock.drift(1e6), 0);
            EXPECT_EQ(clock.drift_variance(1e6), fresh.drift_variance(1e6));
            for (int i = 0; i < 3; ++i) {
                const double start = static_cast<double>((decoded + i) * frame);
                for (auto* c : {&clock, &fresh}) c->decoded(start, static_cast<uint8_t>(decoded + i));
                EXPECT_EQ(clock.frame_samples(), fresh.frame_samples()) << frame << ' ' << decoded << ' ' << i;
                EXPECT_EQ(clock.locked(), i > 0);
                EXPECT_EQ(clock.clock_offset_ppm(), fresh.clock_offset_ppm());
                EXPECT_EQ(clock.drift_variance(1e6), fresh.drift_variance(1e6));
            }
        }
}

TEST(LinkTracker, LearnsRatesAndCarriesThemOn) {
    LinkTracker tracker;
    LinkTracker::Start start;
    start.phase_variance = 1e-3;
    start.phase_rate_variance = 1e-2;
    start.delay_rate_variance = 1e-4;
    tracker.start(start, {});
    std::mt19937_64 random(4);
    std::normal_distribution<double> noise(0, 0.1);
    for (int symbol = 1; symbol <= 60; ++symbol) {
        tracker.advance_to(symbol);
        tracker.correct_phase(0.05 * symbol + noise(random) - tracker.phase(), 0.01);
        tracker.correct_delay(0.006 * symbol + 0.2 * noise(random) - tracker.delay(), 4e-4);
    }
    EXPECT_NEAR(tracker.phase_rate(), 0.05, 0.005);
    EXPECT_NEAR(tracker.delay_rate(), 0.006, 0.0006);
    tracker.advance_to(100);
    EXPECT_NEAR(tracker.phase(), 5, 0.2);
    EXPECT_NEAR(tracker.delay(), 0.6, 0.03);
}

TEST(LinkTracker, WhatIsNoNumberIsNotBelieved) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
    for (const auto& [error, variance] :
         {std::pair{kNan, 0.01}, {kInf, 0.01}, {0.1, kNan}, {0.1, kInf}, {0.1, -0.01}, {0.1, 0.0}}) {
        LinkTracker tracker;
        tracker.start({.phase_variance = 1e-3, .phase_rate_variance = 1e-2, .delay_variance = 1e-3}, {});
        tracker.advance_to(1);
        tracker.correct_phase(error, variance);
        tracker.correct_delay(error, variance);
        EXPECT_EQ(tracker.phase(), 0) << error << ' ' << variance;
        EXPECT_EQ(tracker.phase_rate(), 0);
        EXPECT_EQ(tracker.delay(), 0);
        EXPECT_EQ(tracker.delay_rate(), 0);
        // The state is unchanged, and it continues.
        tracker.correct_phase(0.2, 1e-3 + 1e-2 + 5e-5);
        EXPECT_NEAR(tracker.phase(), 0.1, 1e-3);
    }
}

TEST(LinkTracker, StepsOfAnyLengthLeadToTheSame) {
    for (const double rate_noise : {0.0, 2e-5}) {
        DriftingState at_once{0.3, -0.02, 1e-3, 2e-4, 3e-4}, in_steps = at_once;
        at_once.advance(12, 1e-4, rate_noise);
        for (const double step : {1.0, 0.5, 3.5, 7.0}) in_steps.advance(step, 1e-4, rate_noise);
        EXPECT_NEAR(at_once.value, in_steps.value, 1e-12);
        EXPECT_NEAR(at_once.rate, in_steps.rate, 1e-12);
        EXPECT_NEAR(at_once.rate_variance, in_steps.rate_variance, 1e-12);
        EXPECT_NEAR(at_once.rate_variance, 3e-4 + 12 * rate_noise, 1e-12);
        if (rate_noise > 0) continue;  // changes within a step count from the next one on
        EXPECT_NEAR(at_once.value_variance, in_steps.value_variance, 1e-12);
        EXPECT_NEAR(at_once.covariance, in_steps.covariance, 1e-12);
    }
}

/// A midamble shows phase and delay again, but not their drift: an error at that time is no drift.
TEST(LinkTracker, RenewedItKeepsItsRates) {
    LinkTracker tracker;
    LinkTracker::Start start;
    start.phase_rate = 0.05;
    start.delay_rate = 0.01;
    start.phase_variance = start.delay_variance = 1e-3;
    start.phase_rate_variance = start.delay_rate_variance = 1e-2;
    tracker.start(start, {});
    tracker.advance_to(20);
    const double phase = tracker.phase(), delay = tracker.delay();
    tracker.renew(1e-3, 4e-3);
    tracker.correct_phase(0.4, 1e-3);
    tracker.correct_delay(-0.2, 4e-3);
    EXPECT_NEAR(tracker.phase() - phase, 0.2, 1e-9);
    EXPECT_NEAR(tracker.delay() - delay, -0.1, 1e-9);
    EXPECT_EQ(tracker.phase_rate(), 0.05);
    EXPECT_EQ(tracker.delay_rate(), 0.01);
}

/// Drifts of oscillators and channels do not depend on the numerology: equal uncertainty in hertz and seconds after
/// equal times.
TEST(LinkTracker, WhatIsUncertainGrowsWithSecondsNotWithSymbols) {
    struct Uncertainty {
        double frequency_hz2, clock, phase_gain, delay_gain;
    };
    const auto after_10_ms = [](int64_t bandwidth_hz, CyclicPrefix cp) {
        const auto num = *Numerology::make(bandwidth_hz, cp);
        const auto rate = static_cast<double>(num.sample_rate_hz);
        const SymbolPace pace{num.symbol_samples() / rate, static_cast<double>(num.symbol_samples())};
        LinkTracker tracker;
        tracker.start({}, pace);
        for (int symbol = 1; symbol * pace.seconds <= 10e-3; ++symbol) tracker.advance_to(symbol);
        const double turn = 2 * std::numbers::pi * pace.seconds, half_us = 5e-10 * rate;
        Uncertainty u{tracker.phase_rate_variance() / (turn * turn),
                      tracker.delay_rate_variance() / (pace.samples * pace.samples), 0, 0};
        tracker.correct_phase(1, 0.01);
        tracker.correct_delay(1, half_us * half_us);
        u.phase_gain = tracker.phase();
        u.delay_gain = tracker.delay();
        return u;
    };
    const auto usual = after_10_ms(5'000'000, CyclicPrefix::g1_8);
    EXPECT_NEAR(std::sqrt(usual.frequency_hz2), 4.5, 0.1);
    EXPECT_NEAR(std::sqrt(usual.clock), 1.55e-8, 0.05e-8);
    EXPECT_NEAR(usual.phase_gain, 0.785, 0.005);
    for (const auto& other :
         {after_10_ms(1'250'000, CyclicPrefix::g1_4), after_10_ms(20'000'000, CyclicPrefix::g1_32)}) {
        EXPECT_NEAR(other.frequency_hz2, usual.frequency_hz2, 0.03 * usual.frequency_hz2);
        EXPECT_NEAR(other.clock, usual.clock, 0.03 * usual.clock);
        EXPECT_NEAR(other.phase_gain, usual.phase_gain, 0.03 * usual.phase_gain);
        EXPECT_NEAR(other.delay_gain, usual.delay_gain, 0.03 * usual.delay_gain);
    }
}

/// Phase and delay are off by as much as the tracker expects, and only pilots show it (no decision is possible at the
/// origin). Half of both is corrected if the pilots' noise has the same variance.
TEST(Equalizer, PilotsCountForWhatTheirNoiseLeavesOpen) {
    constexpr double kTurn = 2 * std::numbers::pi, kPhase = 0.05, kDelay = 0.1;
    const auto& carriers = carrier_set(kFullSubchannel);
    double squares = 0;
    for (const auto p : carriers.pilot_indices()) squares += kPilotOffsets[p] * kPilotOffsets[p];
    for (const double snr : {3.0, 30.0}) {
        ChannelEstimate channel;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
            channel.response[k] = 1;
            channel.purity[k] = 1;
        }
        channel.noise_variance = static_cast<float>(1 / snr);
        channel.complete();
        Equalizer equalizer;
        equalizer.configure(6, kFullSubchannel);
        equalizer.use_channel(channel);
        LinkTracker::Start start;
        start.phase_variance = 1 / (2 * snr * kPilotCarriers);
        start.delay_variance = 1 / (2 * snr * squares) * std::pow(kFftSize / kTurn, 2);
        LinkTracker tracker;
        tracker.start(start, {});
        const auto& pilots = pilot_values(Direction::downlink, 3);
        Carriers symbol;
        for (const auto p : carriers.pilot_indices()) {
            const int k = kPilotOffsets[p];
            symbol[k] = pilots[p] * Complex(std::polar(1.0, kPhase - kTurn * k * kDelay / kFftSize));
        }
        QualityMeter meter;
        equalizer.equalize(symbol, 0, pilots, tracker, meter);
        EXPECT_NEAR(tracker.phase(), kPhase / 2, 0.001) << snr;
        EXPECT_NEAR(tracker.delay(), kDelay / 2, 0.002) << snr;
    }
}

TEST(QualityMeter, KnownSymbolsDecideWhenDecisionsFail) {
    QualityMeter meter;
    BurstMeasurement out;
    meter.reset(6);
    meter.add_data(192, 0.5F, 0.5F, 192, 192);  // decisions hide most of the noise
    meter.add_pilots(0.8F, 8);
    meter.report(0.1F, 100, out);
    EXPECT_NEAR(out.cinr_db, 10, 0.1);
    meter.reset(6);
    meter.add_data(192, 0.192F, 0.192F, 192, 192);
    meter.add_pilots(0.016F, 8);
    meter.report(0.002F, 100, out);
    EXPECT_NEAR(out.cinr_db, 30, 0.1);
    EXPECT_NEAR(out.evm_db, -30, 0.1);
    EXPECT_NEAR(out.rssi_dbfs, 0, 0.1);
}

/// Sums of any symbols: signal, error and both noises are means over all carriers added since the reset; the preamble
/// counts as its number of carriers. Decisions are used from the rate's CINR on.
TEST(QualityMeter, FiguresAreMeansSinceTheReset) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<float> level(0.1F, 2), noise(1e-4F, 0.4F);
    const std::array<std::pair<int, double>, 4> limits{{{1, 5}, {2, 9}, {4, 16.5}, {6, 23}}};
    QualityMeter meter;
    std::array<int, 2> believed{};
    for (int burst = 0; burst < 400; ++burst) {
        const auto& [bits, limit_db] = limits[static_cast<size_t>(burst) % 4];
        meter.reset(bits);
        const float gain = level(random), typical = gain * noise(random);
        double reference = 0, error = 0, point_error = 0, point_reference = 0, pilot_error = 0;
        int carriers = 0, pilots = 0;
        for (int symbol = 0, count = 1 + static_cast<int>(random() % 9); symbol < count; ++symbol) {
            const int n = random() % 2 == 0 ? 192 : 12, p = random() % 3 == 0 ? 0 : 8;
            const float r = gain * static_cast<float>(n), e = 0.7F * typical * static_cast<float>(n);
            const float pe = e / gain, pr = static_cast<float>(n), q = typical * level(random) * static_cast<float>(p);
            meter.add_data(r, e, pe, pr, n);
            meter.add_pilots(q, p);
            reference += r, error += e, point_error += pe, point_reference += pr, pilot_error += q;
            carriers += n, pilots += p;
        }
        const int looks = random() % 2 == 0 ? 100 : 12;
        BurstMeasurement out;
        meter.report(typical, looks, out);
        const auto db = [](double ratio) { return 10 * std::log10(ratio); };
        const double signal = reference / carriers;
        const double known = db(signal / ((static_cast<double>(typical) * looks + pilot_error) / (looks + pilots)));
        const bool decided = known > limit_db;
        ++believed[decided];
        EXPECT_NEAR(out.cinr_db, decided ? db(signal / (error / carriers)) : known, 1e-3) << burst;
        EXPECT_NEAR(out.rssi_dbfs, db(signal), 1e-3);
        EXPECT_NEAR(out.evm_db, db(point_error / point_reference), 1e-3);
    }
    EXPECT_GT(std::min(believed[0], believed[1]), 50);
    const BurstMeasurement before{-1, -2, -3, -4, -5};
    BurstMeasurement out = before;
    meter.reset(2);
    meter.report(0.1F, 100, out);  // of no symbol
    EXPECT_EQ(out.cinr_db, before.cinr_db);
    EXPECT_EQ(out.rssi_dbfs, before.rssi_dbfs);
}

}  // namespace
}  // namespace gr::wimax::phy::test
