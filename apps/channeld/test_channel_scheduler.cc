// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the channel's levels and time.
#include "channeld/test_wires.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

TEST_F(SchedulerTest, NoiseOfTheRateAndTheNoiseFigure) {
    start();
    run(40, 0);
    EXPECT_NEAR(dbm(bs), kNoiseDbm, kToleranceDb);
    EXPECT_NEAR(dbm(ss), kNoiseDbm, kToleranceDb);
    EXPECT_NEAR(station("ss1").noise_dbm(), kNoiseDbm, 0.01);
}

TEST_F(SchedulerTest, NoiseFollowsTheNoiseFigureAndNotTheGain) {
    config.defaults.noise_figure_db = 12;
    rx_gain_db = 10;
    start();
    run(40, 0);
    EXPECT_NEAR(dbm(ss), kNoiseDbm + 7, kToleranceDb);
}

/// Chunks that a host does not look at are not computed; those after them have the same bits.
TEST_F(SchedulerTest, UnusedChunksAreOmitted) {
    config.links[0].channel = "sui2";
    const auto run_all = [this](bool unused, double hash_s) {
        config.hash_s = hash_s;
        bs = ss = {};
        next = 0;
        start();
        std::vector<int> omitted;
        for (int i = 0; i < 8; ++i, next += kChunk) {
            std::ranges::fill(ss.rx, Sample(7, 7));
            transmit(bs, next, 1);
            transmit(ss, next, 0);
            ss.sent.back().header.unused = unused && (i == 3 || i == 4);
            serve(2);
            omitted.push_back(ss.rx_header.omitted);
            EXPECT_FALSE(bs.rx_header.omitted);
        }
        return omitted;
    };
    run_all(false, 0);
    const auto all = ss.received;
    EXPECT_EQ(run_all(true, 0), (std::vector{0, 0, 0, 1, 1, 0, 0, 0}));
    ASSERT_EQ(ss.received.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(ss.received[i], i / kChunk == 3 || i / kChunk == 4 ? Sample(7, 7) : all[i]) << i;
    EXPECT_EQ(station("ss1").counters.omitted_rx_chunks, 2U);
    // The status' hash is of what the channel would give.
    EXPECT_EQ(run_all(true, 1), (std::vector{0, 0, 0, 1, 1, 0, 0, 0}));
    const auto hash = station("ss1").hash;
    run_all(false, 1);
    EXPECT_EQ(station("ss1").hash, hash);
}

/// A mark is of one chunk.
TEST(UnusedChunks, AreForgottenInTime) {
    UnusedChunks chunks(100);
    EXPECT_FALSE(chunks.has(0));
    chunks.note(0, true);
    chunks.note(100, true);
    chunks.note(200, false);
    EXPECT_TRUE(chunks.has(0) && chunks.has(100));
    EXPECT_FALSE(chunks.has(200));
    chunks.note(100, false);
    EXPECT_FALSE(chunks.has(100));
    EXPECT_FALSE(chunks.has(int64_t{vrf::kRingSlots} * 100));
    chunks.note(int64_t{vrf::kRingSlots} * 100, true);
    EXPECT_FALSE(chunks.has(0));
}

TEST_F(SchedulerTest, PathLossAndGains) {
    for (const auto& [tx_gain, rx_gain, amplitude] :
         {std::tuple(60.F, 20.F, 1.F), {50.F, 30.F, 1.F}, {60.F, 20.F, 0.5F}}) {
        SCOPED_TRACE(tx_gain);
        tx_gain_db = tx_gain;
        rx_gain_db = rx_gain;
        next = 0;
        bs = {}, ss = {};
        config.links[0].snr_db.reset();
        config.links[0].path_loss_db = 70;
        start();
        run(10, amplitude);
        // 30 dBm at the highest gain; 60 dB above the noise.
        EXPECT_NEAR(dbm(ss), 30 - (60 - tx_gain) - 70 + 20 * std::log10(amplitude), kToleranceDb);
        EXPECT_NEAR(dbm(bs), kNoiseDbm, kToleranceDb);  // does not receive itself
        EXPECT_NEAR(status()["radios"]["ss1"]["rx_dbm"].get<double>(), dbm(ss), 0.02);
        EXPECT_NEAR(status()["radios"]["bs"]["tx_reference_dbm"].get<double>(), 30 - (60 - tx_gain), 1e-6);
    }
}

/// A cable from a radio's transmitter to its receiver needs an exact rule; a pattern that matches both ends makes none.
TEST_F(SchedulerTest, ARadioHearsItselfWhereALinkNamesItTwice) {
    LinkConfig cable = config.links[0];
    cable.snr_db.reset();
    cable.path_loss_db = 60;
    cable.to = cable.from = "bs";
    for (const auto& [name, hears] : {std::pair("bs", true), std::pair("b*", false), std::pair("ss1", false)}) {
        SCOPED_TRACE(name);
        next = 0;
        bs = {}, ss = {};
        config.links = {cable};
        config.links[0].from = config.links[0].to = name;
        start();
        run(10, 1);
        EXPECT_NEAR(dbm(bs), hears ? 30 - (60 - tx_gain_db) - 60 : kNoiseDbm, kToleranceDb);
    }
}

TEST_F(SchedulerTest, SignalToNoiseRatioOfACarrier) {
    for (const double snr : {10.0, 30.0}) {
        next = 0;
        bs = {}, ss = {};
        config.links[0].snr_db = snr;
        start();
        run(100, 1);
        // 200 of 256 carriers carry the power, noise is on all.
        const double signal_dbm = kNoiseDbm + snr - 10 * std::log10(1.28);
        const double sum_dbm = 10 * std::log10(std::pow(10, signal_dbm / 10) + std::pow(10, kNoiseDbm / 10));
        EXPECT_NEAR(dbm(ss), sum_dbm, kToleranceDb);
        EXPECT_NEAR(status()["links"]["bs->ss1"]["path_loss_db"].get<double>(), 30 - signal_dbm, 0.01);
    }
}

/// Rotation of a carrier from sample to sample: sender above receiver is positive, for any cause.
TEST_F(SchedulerTest, CarrierOffsets) {
    struct Case {
        double cfo_hz, tx_hz, rx_hz, tx_ppm, rx_ppm, expected_hz;
    };
    const auto carrier = [](const char* name, double ppm) {
        RadioOverride radio;
        radio.name = name;
        radio.carrier_ppm = ppm;
        return radio;
    };
    for (const Case& c : {Case{0, 0, 0, 0, 0, 0}, Case{3000, 0, 0, 0, 0, 3000}, Case{-700, 0, 0, 0, 0, -700},
                          Case{0, 2000, 0, 0, 0, 2000}, Case{0, 0, 2000, 0, 0, -2000}, Case{0, 0, 0, 2, 0, 7000},
                          Case{0, 0, 0, 0, 2, -7000}, Case{500, 0, 0, 3, 1, 7500}}) {
        SCOPED_TRACE(c.expected_hz);
        next = 0;
        bs = {}, ss = {};
        config.links[0].snr_db.reset();
        config.links[0].path_loss_db = 60;
        config.links[0].cfo_hz = c.cfo_hz;
        config.radios = {carrier("bs", c.tx_ppm), carrier("ss1", c.rx_ppm)};
        start();
        for (int i = 0; i < 10; ++i, next += kChunk) {
            transmit(bs, next, 1);
            transmit(ss, next, 0);
            bs.sent.back().header.tx_frequency_hz += c.tx_hz;
            ss.sent.back().header.rx_frequency_hz += c.rx_hz;
            serve(2);
        }
        std::complex<double> turn = 0;
        for (size_t i = kChunk; i + 1 < ss.received.size(); ++i)
            turn += std::complex<double>(ss.received[i + 1]) * std::conj(std::complex<double>(ss.received[i]));
        EXPECT_NEAR(std::arg(turn) / (2 * M_PI) * 5.76e6, c.expected_hz, 5);
    }
}

TEST_F(SchedulerTest, InterferenceFromItsStartWithItsDuty) {
    auto& i = config.links[0].interference;
    i.power_dbm = -60;
    i.start_ms = 3;
    i.duration_ms = 1.1;
    i.period_ms = 5;
    config.links[0].both = false;
    start();
    run(80, 0);  // 40 ms
    const auto at = [](double ms) { return size_t(std::lround(ms * 5760)); };
    const auto loud = [&](size_t n) { return std::norm(ss.received[n]) > 1e-2 * std::pow(10, (-60 + 10 + 40) / 10.); };
    for (int n = 0; n < 7; ++n) {
        const size_t first = at(3 + 5 * n), end = at(4.1 + 5 * n);
        EXPECT_NEAR(dbm(ss, first, end), -60, 0.25) << n;  // 6336 samples
        EXPECT_NEAR(dbm(ss, end, at(8 + 5 * n)), kNoiseDbm, 0.25) << n;
        // Exact to the sample: some of the eight inside are loud, none outside.
        EXPECT_TRUE(
            std::any_of(&ss.received[first], &ss.received[first] + 8, [](auto s) { return std::norm(s) > 1e-3; }));
        EXPECT_TRUE(std::any_of(&ss.received[end] - 8, &ss.received[end], [](auto s) { return std::norm(s) > 1e-3; }));
        for (size_t k = 1; k <= 8; ++k) EXPECT_FALSE(loud(first - k)) << n;
        for (size_t k = 0; k < 8; ++k) EXPECT_FALSE(loud(end + k)) << n;
    }
    EXPECT_NEAR(dbm(ss, 0, at(3)), kNoiseDbm, 0.25);
    EXPECT_NEAR(dbm(bs), kNoiseDbm, kToleranceDb);
}

TEST_F(SchedulerTest, InterferenceOnceOnly) {
    auto& i = config.links[0].interference;
    i.power_dbm = -60;
    i.start_ms = 1;
    i.duration_ms = 2;
    start();
    run(20, 0);
    EXPECT_NEAR(dbm(ss, 5760, 3 * 5760), -60, kToleranceDb);
    EXPECT_NEAR(dbm(ss, 3 * 5760, ss.received.size()), kNoiseDbm, kToleranceDb);
}

/// Time waits for a radio. A delay up to catch_up_ms is made up, the rest is not.
TEST_F(SchedulerTest, CatchesUpAndStretchesBeyond) {
    config.pace = Pace::wall;
    config.catch_up_ms = 20;
    start();
    transmit_silence(100);
    EXPECT_EQ(serve_all(), 0);
    EXPECT_NEAR(ms_to_wake(), 0.5, 1e-5);  // its first chunk ends then
    pass_ms(0.4);
    EXPECT_EQ(serve_all(), 0);
    pass_ms(0.1);
    EXPECT_EQ(serve_all(), 2);
    pass_ms(20.4);  // 19.9 ms late: made up
    EXPECT_EQ(serve_all(), 2 * 40);
    EXPECT_EQ(scheduler->stretched_s(), 0);
    pass_ms(79.1);  // 100 ms; the next chunk ends at 21 ms and is 79 late
    EXPECT_EQ(serve_all(), 2 * 41);
    EXPECT_NEAR(scheduler->stretched_s(), 0.059, 1e-7);
    EXPECT_NEAR(scheduler->time_s(), 0.041, 1e-9);
    EXPECT_NEAR(ms_to_wake(), 0.5, 1e-5);
    EXPECT_EQ(status()["stretched_s"], scheduler->stretched_s());
}

/// rt mode: samples missing at the time of their chunk are silence. A signal that arrives afterwards is counted as
/// lost, silence is not.
TEST_F(SchedulerTest, RealTimeLosses) {
    config.pace = Pace::wall;
    config.mode = vrf::TimeMode::rt;
    config.links[0].snr_db.reset();
    config.links[0].path_loss_db = 70;
    start();
    const auto go_on = [&](int chunks) {
        for (int served = 0; served < chunks;) {
            if (scheduler->serve()) ++served;
            else wall = scheduler->wake_at();
        }
    };
    transmit(bs, 0, 1);
    transmit(ss, 0, 0);
    scheduler->collect();
    go_on(4);  // two of each; the base station's second was missing
    transmit(bs, kChunk, 1);
    scheduler->collect();
    EXPECT_EQ(station("bs").counters.lost_tx_chunks, 1U);
    EXPECT_EQ(station("ss1").counters.lost_tx_chunks, 0U);
    transmit(ss, 0, 0);
    scheduler->collect();
    EXPECT_EQ(station("ss1").counters.lost_tx_chunks, 0U);
    EXPECT_NEAR(dbm(ss, 0, kChunk), -40, kToleranceDb);
    EXPECT_NEAR(dbm(ss, kChunk, 2 * kChunk), kNoiseDbm, 0.3);
    go_on(2);
    EXPECT_EQ(bs.rx_header.lost_tx_chunks, 1U);
    EXPECT_EQ(ss.rx_header.lost_tx_chunks, 0U);
    ss.reads = false;
    go_on(2);
    EXPECT_EQ(station("ss1").counters.lost_rx_chunks, 1U);
    EXPECT_EQ(station("bs").counters.lost_rx_chunks, 0U);
    const auto radios = status()["radios"];
    EXPECT_EQ(radios["bs"]["lost_tx_chunks"], 1);
    EXPECT_EQ(radios["bs"]["active_tx_chunks"], 1);
    EXPECT_EQ(radios["ss1"]["lost_rx_chunks"], 1);
    EXPECT_EQ(radios["ss1"]["chunks"], 3);
    EXPECT_EQ(radios["bs"]["chunks"], 4);
}

/// A channel that waits for a radio wakes only radios that owe it samples. Others get several chunks at once.
TEST_F(SchedulerTest, LaggingChannelWakesRadiosThatItNeeds) {
    start();
    for (const int ahead : {1, 3, 8}) {
        bs.wakes = ss.wakes = 0;
        for (int64_t k = 0; k < ahead; ++k) transmit(ss, next + k * kChunk, 0);
        for (int64_t k = 0; k < ahead; ++k) {
            EXPECT_EQ(ss.wakes, k / 4) << k;
            transmit(bs, next, 0);
            EXPECT_EQ(serve_all(), 2);
            next += kChunk;
        }
        EXPECT_EQ(bs.wakes, ahead);
        EXPECT_EQ(ss.wakes, (ahead + 3) / 4) << ahead;
        EXPECT_EQ(serve_all(), 0);
        EXPECT_EQ(ss.wakes, (ahead + 3) / 4) << "nothing new";
    }
}

/// With enough chunks for all, each radio is woken in between as well: it works while the channel continues.
TEST_F(SchedulerTest, LaggingChannelWakesARadioForEveryFourChunks) {
    start();
    for (const auto& [chunks, wakes] : {std::pair{3, 1}, {4, 1}, {5, 2}, {8, 2}}) {
        bs.wakes = ss.wakes = 0;
        transmit_silence(chunks);
        EXPECT_EQ(serve_all(), 2 * chunks);
        EXPECT_EQ(bs.wakes, wakes) << chunks;
        EXPECT_EQ(ss.wakes, wakes) << chunks;
    }
}

/// Also in between a radio with full buffers is woken: the channel waits for it.
TEST_F(SchedulerTest, LaggingChannelWakesARadioThatHasNoRoom) {
    start();
    transmit_silence(3);
    EXPECT_EQ(serve_all(), 6);
    for (int k = 0; k < 4; ++k) transmit(ss, next + k * int64_t{kChunk}, 0);
    transmit(bs, next, 0);
    EXPECT_EQ(serve_all(), 2);
    ss.reads = false;
    const int before = ss.wakes;
    transmit(bs, next + kChunk, 0);
    serve_all();
    EXPECT_EQ(ss.wakes, before + 1);
}

/// If only the wall clock is awaited, samples reach their radios when they are due.
TEST_F(SchedulerTest, ChannelInTimeWakesAllRadios) {
    for (const auto mode : {vrf::TimeMode::commit, vrf::TimeMode::rt}) {
        config.pace = Pace::wall;
        config.mode = mode;
        bs = {}, ss = {};
        next = 0;
        start();
        transmit_silence(8);
        for (int k = 1; k <= 8; ++k) {
            pass_ms(0.5);
            scheduler->collect();
            EXPECT_TRUE(scheduler->serve());
            EXPECT_EQ(bs.wakes + ss.wakes, 2 * k - (mode == vrf::TimeMode::rt ? 1 : 2)) << "real time: at once";
            EXPECT_EQ(serve_all(), 1);
            EXPECT_EQ(bs.wakes, k);
            EXPECT_EQ(ss.wakes, k);
        }
    }
}

/// rt mode: models of hardware may be delayed by the machine for 10 ms. A radio has half a chunk for its next samples
/// even if the channel lags.
TEST_F(SchedulerTest, RealTimeHasPatience) {
    config.pace = Pace::wall;
    config.mode = vrf::TimeMode::rt;
    start();
    transmit(bs, 0, 1);
    EXPECT_EQ(serve_all(), 0);
    EXPECT_NEAR(ms_to_wake(), 0.5, 1e-5);
    EXPECT_FALSE(scheduler->awaits_radios());  // before that only the clock counts
    pass_ms(0.5);
    EXPECT_EQ(serve_all(), 0);  // the subscriber station's samples are missing
    EXPECT_NEAR(ms_to_wake(), 10, 1e-5);
    EXPECT_TRUE(scheduler->awaits_radios());
    pass_ms(9.9);
    transmit(ss, 0, 1);
    scheduler->collect();
    EXPECT_EQ(serve_all(), 2);
    EXPECT_EQ(station("ss1").counters.lost_tx_chunks, 0U);
    // The next chunks were due long ago; those of both radios are awaited nevertheless.
    EXPECT_NEAR(ms_to_wake(), 0.6, 1e-5);
    pass_ms(0.6);
    EXPECT_EQ(serve_all(), 2);
    EXPECT_NEAR(ms_to_wake(), 0.5, 1e-5);
    transmit(bs, 2 * int64_t{kChunk}, 1);
    transmit(ss, 2 * int64_t{kChunk}, 1);
    scheduler->collect();
    EXPECT_EQ(serve_all(), 2);
    EXPECT_EQ(station("bs").counters.lost_tx_chunks, 0U);
    EXPECT_EQ(station("bs").counters.active_tx_chunks, 2U);
    // A radio without samples delays all, but only for this time.
    for (int i = 0; i < 60; ++i) {
        pass_ms(0.25);
        serve_all();
    }
    EXPECT_NEAR(scheduler->time_s(), 1e-3 * (0.5 + 9.9 + 0.6 + 60 * 0.25 - 10), 0.5e-3);
    EXPECT_EQ(scheduler->stretched_s(), 0);
}

/// rt mode: a machine that paused kept the radios' threads from running as well. Their missing samples may arrive now.
TEST_F(SchedulerTest, RealTimeHasPatienceAnewWhenItOverslept) {
    config.pace = Pace::wall;
    config.mode = vrf::TimeMode::rt;
    start();
    EXPECT_EQ(serve_all(), 0);
    pass_ms(30);
    EXPECT_EQ(serve_all(), 0);
    EXPECT_NEAR(ms_to_wake(), 10, 1e-5);
    pass_ms(9.9);
    for (int i = 0; i < 20; ++i) {  // when each may be served
        transmit(bs, i * int64_t{kChunk}, 1), transmit(ss, i * int64_t{kChunk}, 1);
        scheduler->collect();
        EXPECT_EQ(serve_all(), 2);
    }
    EXPECT_EQ(station("bs").counters.lost_tx_chunks + station("ss1").counters.lost_tx_chunks, 0U);
    EXPECT_EQ(station("bs").counters.active_tx_chunks, 20U);
    // Samples missing then are silence, and each radio has half a chunk for its next ones.
    pass_ms(0.1);
    EXPECT_EQ(serve_all(), 0);
    pass_ms(0.15);
    EXPECT_EQ(serve_all(), 2);
    EXPECT_NEAR(ms_to_wake(), 0.25, 1e-5);
    transmit(bs, 20 * int64_t{kChunk}, 1);
    scheduler->collect();
    EXPECT_EQ(station("bs").counters.lost_tx_chunks, 1U);
}

/// In lock-step a chunk is served exactly when all radios that it receives have sent their samples.
TEST_F(SchedulerTest, LockStep) {
    start();
    scheduler->collect();
    EXPECT_FALSE(scheduler->serve());
    transmit(bs, 0, 0);
    scheduler->collect();
    EXPECT_FALSE(scheduler->serve());
    transmit(ss, 0, 0);
    serve(2);
    EXPECT_EQ(scheduler->time_s(), 0.0005);
    // A dead radio is silent and time does not wait for it.
    ss.alive = false;
    transmit(bs, kChunk, 0);
    serve(1);
    EXPECT_EQ(station("ss1").counters.died, 1U);
    EXPECT_EQ(scheduler->time_s(), 0.001);
}

/// A radio that sends but does not read stops time for as long as one that does not send.
TEST_F(SchedulerTest, ARadioThatDoesNotReadIsGivenUpAndTakenBack) {
    config.give_up_s = 0.05;
    start();
    run(2, 0);
    ss.reads = false;
    for (int i = 0; i < 4; ++i)
        transmit(bs, next + i * int64_t(kChunk), 0), transmit(ss, next + i * int64_t(kChunk), 0);
    serve(1);  // the base station's; time waits for the other from here on
    for (const double ms : {20, 29}) {
        pass_ms(ms);
        EXPECT_FALSE(scheduler->serve());
        EXPECT_TRUE(scheduler->collect().empty()) << ms;
    }
    pass_ms(2);
    EXPECT_FALSE(scheduler->serve());
    auto said = scheduler->collect();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find("ss1 timed out"), std::string::npos) << said[0];
    EXPECT_EQ(station("ss1").counters.given_up, 1U);
    EXPECT_EQ(status()["radios"]["ss1"]["silent"], true);
    while (scheduler->serve()) scheduler->collect();
    EXPECT_EQ(station("bs").next_rx, next + 4 * int64_t(kChunk));
    EXPECT_EQ(station("ss1").next_rx, next);
    ss.reads = true;
    said = scheduler->collect();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find("ss1 continues at"), std::string::npos) << said[0];
    EXPECT_EQ(station("ss1").next_rx, station("bs").next_rx);
    EXPECT_EQ(station("ss1").tx_end, station("bs").next_rx + kChunk);
    ss.received.clear();
    transmit(bs, next + 4 * int64_t(kChunk), 0);
    serve(2);
    EXPECT_EQ(ss.rx_header.index, next + 4 * int64_t(kChunk));
    scheduler->collect();
    EXPECT_TRUE(ss.sent.empty());  // its earlier samples are in the past
}

/// Each interval counts as 0.1 s at most: a channel that slept has not waited.
TEST_F(SchedulerTest, SleepOfTheChannelItselfIsNoWaiting) {
    config.give_up_s = 0.25;
    start();
    transmit(bs, 0, 0);
    serve(0);
    for (int look = 0; look < 2; ++look) {
        pass_ms(3.6e6);
        serve(0);
        EXPECT_EQ(station("ss1").counters.given_up, 0U) << look;
    }
    pass_ms(3.6e6);
    EXPECT_FALSE(scheduler->serve());
    EXPECT_EQ(scheduler->collect().size(), 1U);
    EXPECT_EQ(station("ss1").counters.given_up, 1U);
}

TEST_F(SchedulerTest, NobodyIsGivenUpAtZero) {
    config.give_up_s = 0;
    start();
    transmit(bs, 0, 0);
    for (int look = 0; look < 100; ++look, pass_ms(1000)) {
        EXPECT_TRUE(scheduler->collect().empty());
        EXPECT_FALSE(scheduler->serve());
    }
    EXPECT_EQ(station("ss1").counters.given_up, 0U);
    transmit(ss, 0, 0);
    serve(2);
    EXPECT_NEAR(station("ss1").counters.waited_s, 100, 1e-6);
    EXPECT_EQ(station("ss1").counters.waits, 1U);
}

}  // namespace
