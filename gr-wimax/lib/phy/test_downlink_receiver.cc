/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test_receiver_support.h"

#include <gnuradio/wimax/phy/uplink_receiver.h>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace gr::wimax::phy::test {
namespace {

constexpr int64_t kBandwidth = 5'000'000;
constexpr double kTwentyPpmHz = 20e-6 * 5.8e9;

Numerology numerology(int64_t bandwidth_hz = kBandwidth, CyclicPrefix cp = CyclicPrefix::g1_8) {
    return *Numerology::make(bandwidth_hz, cp);
}

struct Outcome {
    bool found = false, prefix_ok = false;
    int good_bursts = 0;
    Recorder recorder;
};

/// One frame through the channel into a fresh receiver that knows the bandwidth only.
Outcome receive_one(const FramePlan& plan, const Numerology& num, Channel channel, uint64_t seed) {
    Modulator modulator(num);
    const auto sent = plan.modulate(modulator);
    channel.delay_samples += 700;
    const auto received = pass(sent, channel, static_cast<double>(num.sample_rate_hz), sent.size() + 1300, seed);
    DownlinkReceiverConfig config;
    config.bandwidth_hz = num.bandwidth_hz;
    DownlinkReceiver receiver(config);
    Outcome out;
    EXPECT_EQ(receiver.process(received, 0, out.recorder), received.size());
    out.found = out.recorder.frames.size() == 1 && out.recorder.frames[0].cp == num.cp;
    out.prefix_ok = out.found && out.recorder.frames[0].fch_ok;
    const auto payloads = plan.payloads();
    for (const auto& [sync, burst] : out.recorder.bursts)
        out.good_bursts += burst.fec_ok && burst.payload == payloads[static_cast<size_t>(burst.index - 1)];
    return out;
}

TEST(DownlinkReceiver, EveryRateWithOffsetAndUnknownTiming) {
    for (int rate = 0; rate < kRates; ++rate) {
        const FramePlan plan{{{rate, 12, false, 1}, {rate, 5, true, rate + 1}}, 3, static_cast<uint64_t>(rate)};
        std::mt19937_64 random(static_cast<uint64_t>(rate));
        Channel channel;
        channel.snr_db = 35;
        channel.frequency_hz = rate % 2 ? 10e3 : -10e3;
        channel.delay_samples = std::uniform_real_distribution<double>(0, 500)(random);
        const auto out = receive_one(plan, numerology(), channel, 10 + static_cast<uint64_t>(rate));
        ASSERT_TRUE(out.prefix_ok) << rate;
        EXPECT_EQ(out.good_bursts, 2) << rate;
        const auto& sync = out.recorder.frames[0];
        EXPECT_NEAR(static_cast<double>(sync.start_sample) + sync.start_fraction, channel.delay_samples + 700, 0.2);
        EXPECT_NEAR(sync.frequency_offset_hz, channel.frequency_hz, 30);
        EXPECT_NEAR(sync.rssi_dbfs, 0, 0.3);
        EXPECT_NEAR(out.recorder.bursts[0].burst.measured.cinr_db, 35, 0.6);
        EXPECT_NEAR(out.recorder.bursts[0].burst.measured.evm_db, -35, 0.6);
    }
}

TEST(DownlinkReceiver, EveryPrefixAndSeveralBandwidths) {
    uint64_t seed = 1;
    for (const int64_t bandwidth : {1'250'000, 3'500'000, 7'000'000, 10'000'000, 20'000'000})
        for (const auto cp : kCyclicPrefixes) {
            const FramePlan plan{{{1, 4, false, 1}, {5, 4, false, 6}}, 9, seed};
            Channel channel;
            channel.snr_db = 28;
            channel.frequency_hz = seed % 2 ? 3e3 : -3e3;
            channel.delay_samples = static_cast<double>(seed * 37 % 90) + 0.4;
            const auto out = receive_one(plan, numerology(bandwidth, cp), channel, seed);
            EXPECT_TRUE(out.prefix_ok) << bandwidth << ' ' << to_string(cp);
            EXPECT_EQ(out.good_bursts, 2) << bandwidth << ' ' << to_string(cp);
            ++seed;
        }
}

TEST(DownlinkReceiver, FirstPrefixAtLowSnrAndTwentyPpm) {
    struct Case {
        int64_t bandwidth_hz;
        double snr_db;
        int least;  // of 100
    };
    for (const auto& c : {Case{5'000'000, 3, 99}, {5'000'000, 0, 90}, {1'250'000, 3, 99}, {1'250'000, 0, 90}}) {
        int decoded = 0;
        for (int trial = 0; trial < 100; ++trial) {
            std::mt19937_64 random(static_cast<uint64_t>(trial) * 31 + 7);
            const FramePlan plan{{{0, 1, false, 1}}, 1, 5};
            Channel channel;
            channel.snr_db = c.snr_db;
            channel.frequency_hz = std::uniform_real_distribution<double>(-kTwentyPpmHz, kTwentyPpmHz)(random);
            channel.clock_ppm = std::uniform_real_distribution<double>(-20, 20)(random);
            channel.delay_samples = std::uniform_real_distribution<double>(0, 64)(random);
            const auto cp = kCyclicPrefixes[static_cast<size_t>(trial % 4)];
            decoded +=
                receive_one(plan, numerology(c.bandwidth_hz, cp), channel, static_cast<uint64_t>(trial)).prefix_ok;
        }
        EXPECT_GE(decoded, c.least) << c.bandwidth_hz << ' ' << c.snr_db;
    }
}

TEST(DownlinkReceiver, TheFirstFrameIsFoundWhereverItBegins) {
    // Soon after the search: noise of few samples correlates by chance, and where the signal's first samples are in
    // the same window, that noise looks like the end of a preamble.
    constexpr int kFrames = 4000;
    int found = 0;
    for (uint64_t seed = 0; seed < kFrames; ++seed) {
        Channel channel;
        channel.snr_db = 30;
        channel.frequency_hz = 10e3 * std::sin(static_cast<double>(seed));
        channel.delay_samples = static_cast<double>(seed % 40) - 110;  // 590 to 629 samples
        found += receive_one({{}, 3, seed}, numerology(), channel, seed + 1).prefix_ok;
    }
    EXPECT_EQ(found, kFrames);
}

TEST(DownlinkReceiver, SnrAndCinrAreUnbiased) {
    constexpr int kFrames = 200;
    constexpr double kSnrDb = 14;
    std::array<double, 3> sums{};  // of the preamble, and of bursts without and with a preamble of their own
    for (int i = 0; i < kFrames; ++i) {
        const FramePlan plan{{{1, 4, false, 1}, {6, 4, true, 7}}, 3, static_cast<uint64_t>(i)};
        Channel channel;
        channel.snr_db = kSnrDb;
        channel.delay_samples = 0.1 * i;
        const auto out = receive_one(plan, numerology(), channel, static_cast<uint64_t>(i) + 700);
        ASSERT_EQ(out.recorder.bursts.size(), 2U);
        sums[0] += static_cast<double>(out.recorder.frames[0].snr_db);
        for (size_t burst = 0; burst < 2; ++burst)
            sums[1 + burst] += static_cast<double>(out.recorder.bursts[burst].burst.measured.cinr_db);
    }
    for (size_t i = 0; i < sums.size(); ++i) {
        RecordProperty("bias_" + std::to_string(i), std::to_string(sums[i] / kFrames - kSnrDb));
        EXPECT_NEAR(sums[i] / kFrames, kSnrDb, 0.2) << i;
    }
}

TEST(DownlinkReceiver, ErrorRateNearGenie) {
    // SNR at which a receiver that knows everything loses one block in a hundred, plus 0.5 dB.
    constexpr std::array<double, kRates> kGenie{-0.23, 4.08, 6.58, 9.66, 12.87, 16.76, 18.37};
    constexpr int kTrials = 25, kSymbols = 12;
    for (int rate = 0; rate < kRates; ++rate) {
        int lost = 0, counted = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
            const FramePlan plan{{{rate, kSymbols, false, 1}}, 1, static_cast<uint64_t>(trial)};
            Channel channel;
            channel.snr_db = kGenie[static_cast<size_t>(rate)] + 0.5;
            channel.frequency_hz = 10e3 * std::cos(trial);
            channel.delay_samples = 0.1 * trial;
            const auto out = receive_one(plan, numerology(), channel, static_cast<uint64_t>(trial) + 1000);
            if (!out.prefix_ok || out.recorder.bursts.empty()) continue;  // a lost prefix is counted elsewhere
            const auto wanted = plan.payloads()[0];
            const auto& got = out.recorder.bursts[0].burst.payload;
            ASSERT_EQ(got.size(), wanted.size());
            const auto block = static_cast<size_t>(kRateTable[static_cast<size_t>(rate)].uncoded_bytes);
            for (size_t at = 0; at < wanted.size(); at += block) {
                const auto end = std::min(at + block, wanted.size());
                lost +=
                    !std::equal(wanted.begin() + static_cast<ptrdiff_t>(at),
                                wanted.begin() + static_cast<ptrdiff_t>(end), got.begin() + static_cast<ptrdiff_t>(at));
                ++counted;
            }
        }
        EXPECT_GE(counted, kTrials * kSymbols * 9 / 10) << rate;
        // One in a hundred is expected at worst; 3 % of 300 is four deviations above that.
        EXPECT_LE(lost, counted * 3 / 100 + 1) << rate;
    }
}

TEST(DownlinkReceiver, StaticMultipath) {
    int decoded = 0, trials = 0;
    std::mt19937_64 random(5);
    std::normal_distribution<float> gauss(0, 0.7071F);
    for (int rate = 0; rate < 4; ++rate)
        for (int trial = 0; trial < 25; ++trial, ++trials) {
            // SUI-2: 0, 0.4 and 1.1 us; 0, -12, -15 dB; K = 11 on the first path.
            Channel channel;
            channel.snr_db = 20;
            channel.frequency_hz = 10e3;
            const float total = 1 + 0.063F + 0.032F;
            channel.paths = {
                {0, (std::sqrt(11.0F / 12) + std::sqrt(1.0F / 12) * Complex(gauss(random), gauss(random))) /
                        std::sqrt(total)},
                {2.304, std::sqrt(0.063F / total) * Complex(gauss(random), gauss(random))},
                {6.336, std::sqrt(0.032F / total) * Complex(gauss(random), gauss(random))}};
            const FramePlan plan{{{rate, 3, false, 1}}, 1, static_cast<uint64_t>(trial)};
            decoded += receive_one(plan, numerology(), channel, random()).good_bursts;
        }
    EXPECT_GE(decoded, trials * 95 / 100);
}

TEST(DownlinkReceiver, PathsUpToThePrefix) {
    for (const auto cp : kCyclicPrefixes) {
        const int cp_samples = numerology(kBandwidth, cp).cp_samples();
        Channel channel;
        channel.snr_db = 30;
        channel.paths = {{0, {0.6F, 0.2F}}, {0.5 * cp_samples, {-0.3F, 0.5F}}, {cp_samples - 3.0, {0.1F, -0.4F}}};
        int good = 0;
        for (uint64_t seed = 0; seed < 5; ++seed) {
            const FramePlan plan{{{1, 6, false, 1}, {3, 6, false, 4}}, 1, seed};
            channel.delay_samples = 3.3 * static_cast<double>(seed);
            good += receive_one(plan, numerology(kBandwidth, cp), channel, seed).good_bursts;
        }
        EXPECT_EQ(good, 10) << to_string(cp);
    }
}

/// Frames in a row, `gap_frames` of which are silent.
struct Stream {
    Numerology num = numerology();
    uint8_t duration_code = 2;  // 5 ms
    FramePlan plan;
    Samples samples;

    void add(int frames, bool silent = false) {
        Modulator modulator(num);
        for (int i = 0; i < frames; ++i) {
            const size_t begin = samples.size();
            samples.resize(begin + static_cast<size_t>(num.frame_samples(duration_code)));
            if (!silent) {
                const auto frame = plan.modulate(modulator);
                std::copy(frame.begin(), frame.end(), samples.begin() + static_cast<ptrdiff_t>(begin));
            }
            ++plan.frame_lsb;
            plan.frame_lsb &= 15;
        }
    }
};

TEST(DownlinkReceiver, FollowsClockAndCarrier) {
    for (const double ppm : {-20.0, 20.0}) {
        Stream stream;
        stream.plan = {{{1, 10, false, 1}, {6, 30, false, 7}}, 12, 3};
        stream.add(10);
        Channel channel;
        channel.snr_db = 28;
        channel.clock_ppm = ppm;
        channel.frequency_hz = 5e3;
        channel.delay_samples = 100.3;
        const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size() + 400, 9);
        DownlinkReceiver receiver({});
        Recorder recorder;
        receiver.process(received, 0, recorder);
        ASSERT_EQ(recorder.frames.size(), 10U);
        ASSERT_EQ(recorder.bursts.size(), 20U);
        for (const auto& [sync, burst] : recorder.bursts) EXPECT_TRUE(burst.fec_ok);
        // The clock is known from the frames before: 43 symbols later their windows lie where they should.
        for (size_t i = 12; i < 20; ++i) {
            const auto& burst = recorder.bursts[i].burst;
            const double symbols = burst.start_symbol + burst.format.data_symbols;
            EXPECT_NEAR(burst.measured.timing_offset_samples, ppm * 1e-6 * 288 * symbols, 0.06) << i;
        }
        for (size_t i = 0; i < 10; ++i) {
            const auto& sync = recorder.frames[i];
            const double expected = (static_cast<double>(i) * 28800 + 100.3) * (1 + ppm * 1e-6);
            EXPECT_NEAR(static_cast<double>(sync.start_sample) + sync.start_fraction, expected, 0.15) << i;
            EXPECT_EQ(sync.frame_samples, i == 0 ? 0 : 28800);
        }
        EXPECT_NEAR(recorder.frames.back().clock_offset_ppm, ppm, 1);
        EXPECT_TRUE(receiver.synchronised());
        EXPECT_TRUE(recorder.losses.empty());
    }
}

TEST(DownlinkReceiver, AJumpOfTheCarrierIsTakenFromThePreamble) {
    // The frames before promise another frequency: the phase turns by 0.13 rad from symbol to symbol of the preamble,
    // and is known in its middle.
    Stream stream;
    stream.plan = {{{6, 4, false, 1}}, 12, 3};
    stream.add(6);
    Channel channel;
    channel.snr_db = 30;
    channel.delay_samples = 100;
    auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size() + 400, 9);
    constexpr size_t kJump = 4 * 28800;
    for (size_t n = kJump; n < received.size(); ++n)
        received[n] *= Complex(std::polar(1.0, 2 * std::numbers::pi * 400 / 5.76e6 * static_cast<double>(n - kJump)));
    DownlinkReceiver receiver({});
    Recorder recorder;
    receiver.process(received, 0, recorder);
    ASSERT_EQ(recorder.bursts.size(), 6U);
    for (const auto& [sync, burst] : recorder.bursts) {
        EXPECT_TRUE(burst.fec_ok);
        // Carriers of the frame at the jump disturb each other at -30 dB.
        EXPECT_NEAR(
            burst.measured.cinr_db,
            sync.start_sample < static_cast<int64_t>(kJump) || sync.start_sample > static_cast<int64_t>(kJump) + 28800
                ? 30
                : 27,
            0.8);
    }
    EXPECT_NEAR(recorder.frames[4].frequency_offset_hz - recorder.frames[3].frequency_offset_hz, 400, 10);
}

TEST(DownlinkReceiver, LongestFrameWithoutKnowingTheClock) {
    Stream stream;
    stream.duration_code = 6;
    stream.plan = {{{5, 380, false, 1}}, 0, 3};
    stream.add(1);
    Channel channel;
    channel.snr_db = 27;
    channel.clock_ppm = 20;
    channel.frequency_hz = -8e3;
    const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size(), 4);
    DownlinkReceiver receiver({});
    Recorder recorder;
    receiver.process(received, 0, recorder);
    ASSERT_EQ(recorder.bursts.size(), 1U);
    EXPECT_TRUE(recorder.bursts[0].burst.fec_ok);
    EXPECT_NEAR(recorder.bursts[0].burst.measured.cinr_db, 27, 1);
}

TEST(DownlinkReceiver, ChunksDoNotMatter) {
    Stream stream;
    stream.plan = {{{1, 3, false, 1}, {4, 20, false, 5}}, 0, 8};
    stream.add(3);
    Channel channel;
    channel.snr_db = 14;
    channel.frequency_hz = 40e3;
    channel.delay_samples = 333;
    const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size(), 4);
    const auto run = [&](size_t most, bool pausing) {
        DownlinkReceiver receiver({});
        Recorder recorder;
        bool pause = false;
        if (pausing) {
            recorder.frame_hook = [&pause](const FrameSync&) { return (pause = !pause) ? Flow::pause : Flow::go_on; };
            recorder.burst_hook = [](const FrameSync&, const ReceivedBurst&) { return Flow::pause; };
        }
        std::mt19937_64 random(3);
        size_t at = 0;
        while (at < received.size()) {
            const size_t count = std::min(received.size() - at, 1 + random() % most);
            at += receiver.process({received.data() + at, count}, static_cast<int64_t>(at), recorder);
        }
        return recorder;
    };
    const auto whole = run(1'000'000, false);
    ASSERT_EQ(whole.frames.size(), 3U);
    ASSERT_EQ(whole.bursts.size(), 6U);
    for (const size_t most : {1UL, 7UL, 1000UL, 40'000UL})
        for (const bool pausing : {false, true}) {
            const auto other = run(most, pausing);
            ASSERT_EQ(other.frames.size(), whole.frames.size());
            ASSERT_EQ(other.bursts.size(), whole.bursts.size());
            for (size_t i = 0; i < whole.bursts.size(); ++i) {
                EXPECT_EQ(other.bursts[i].burst.payload, whole.bursts[i].burst.payload);
                EXPECT_EQ(other.bursts[i].burst.measured.cinr_db, whole.bursts[i].burst.measured.cinr_db);
                EXPECT_EQ(other.bursts[i].sync.start_fraction, whole.bursts[i].sync.start_fraction);
            }
        }
}

TEST(DownlinkReceiver, PausesAtTheEventAndTakesExpectedBurstsLate) {
    Stream stream;
    stream.plan = {
        {{1, 4, false, 1}, {2, 3, false, 3}, {3, 3, true, 4}, {0, 2, false, 1}, {4, 5, false, 5}, {6, 4, true, 7}},
        2,
        8};
    stream.add(2);
    Channel channel;
    channel.snr_db = 30;
    channel.delay_samples = 50;
    const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size(), 4);
    DownlinkReceiver receiver({});
    Recorder recorder;
    recorder.burst_hook = [](const FrameSync&, const ReceivedBurst& b) {
        return b.index == 1 ? Flow::pause : Flow::go_on;
    };
    const size_t first_stop = receiver.process(received, 0, recorder);
    ASSERT_EQ(recorder.bursts.size(), 1U);
    // Burst #1 ends after symbols 0..6.
    EXPECT_GE(first_stop, 50U + 7 * 288);
    EXPECT_LE(first_stop, 50U + 7 * 288 + 16);

    const auto expect_rest = [&](const FrameSync& sync) {
        std::array<DownlinkReceiver::Expected, 2> more;
        more[0].format = {4, 5, 5, sync.prefix.frame_lsb, Preamble::none, 5};
        more[0].start_symbol = 3 + 4 + 3 + 4 + 2;
        more[0].index = 5;
        more[1].format = {6, 7, 5, sync.prefix.frame_lsb, Preamble::short_, 4};
        more[1].start_symbol = more[0].start_symbol + 5;
        more[1].index = 6;
        receiver.expect(more);
    };
    expect_rest(recorder.bursts[0].sync);
    const size_t second_stop = receiver.process({received.data() + first_stop, received.size() - first_stop},
                                                static_cast<int64_t>(first_stop), recorder) +
                               first_stop;
    ASSERT_EQ(recorder.bursts.size(), 7U);  // six of the first frame, burst #1 of the second
    const auto payloads = stream.plan.payloads();
    for (size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(recorder.bursts[i].burst.index, static_cast<int>(i) + 1);
        EXPECT_EQ(recorder.bursts[i].burst.payload, payloads[i]) << i;
    }
    // Second frame: asked for when its symbols are long past.
    receiver.process({received.data() + second_stop, received.size() - second_stop}, static_cast<int64_t>(second_stop),
                     recorder);
    EXPECT_EQ(recorder.bursts.size(), 10U);
    expect_rest(recorder.bursts[6].sync);
    receiver.process({}, static_cast<int64_t>(received.size()), recorder);
    ASSERT_EQ(recorder.bursts.size(), 12U);
    EXPECT_EQ(recorder.bursts[10].burst.payload, payloads[4]);
    EXPECT_EQ(recorder.bursts[11].burst.payload, payloads[5]);
}

TEST(DownlinkReceiver, UnknownProfilesAreSkipped) {
    const FramePlan plan{{{1, 2, false, 1}, {2, 2, false, 9}, {2, 2, false, 3}}, 1, 4};
    const auto out = receive_one(plan, numerology(), {}, 1);
    ASSERT_EQ(out.recorder.bursts.size(), 2U);
    EXPECT_EQ(out.recorder.bursts[1].burst.index, 3);
    EXPECT_EQ(out.good_bursts, 2);
}

TEST(DownlinkReceiver, NothingInNoiseSilenceAndUplink) {
    const auto num = numerology();
    Modulator modulator(num);
    Samples samples(400'000);
    std::mt19937_64 random(8);
    std::normal_distribution<float> gauss(0, 0.7F);
    for (size_t i = 100'000; i < samples.size(); ++i) samples[i] = {gauss(random), gauss(random)};
    // Uplink bursts with short preambles, close together.
    for (size_t at = 300'000; at < 380'000; at += 6'000) {
        UplinkBurst burst;
        burst.format = {3, 5, 1, 2, Preamble::short_, 18, 1};
        Samples out(static_cast<size_t>(burst.format.total_symbols() * num.symbol_samples()));
        ASSERT_EQ(modulator.uplink(burst, out), out.size());
        for (size_t i = 0; i < out.size(); ++i) samples[at + i] = out[i] + 0.05F * samples[at + i];
    }
    DownlinkReceiver receiver({});
    Recorder recorder;
    EXPECT_EQ(receiver.process(samples, 0, recorder), samples.size());
    EXPECT_TRUE(recorder.frames.empty());
    EXPECT_FALSE(receiver.synchronised());
}

TEST(DownlinkReceiver, LosesAndFindsTheBaseStation) {
    Stream stream;
    stream.plan = {{{1, 4, false, 1}}, 0, 8};
    stream.add(4);
    stream.add(2, true);  // a fade: bridged
    stream.add(2);
    stream.add(8, true);  // gone
    const size_t shift = 1234;
    stream.samples.resize(stream.samples.size() + shift);  // back with other timing and duration
    stream.duration_code = 4;
    stream.add(4);
    Channel channel;
    channel.snr_db = 25;
    const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size(), 4);
    DownlinkReceiver receiver({});
    Recorder recorder;
    receiver.process(received, 0, recorder);
    EXPECT_EQ(recorder.frames.size(), 10U);
    EXPECT_EQ(recorder.bursts.size(), 10U);
    ASSERT_EQ(recorder.losses.size(), 1U);
    EXPECT_NEAR(static_cast<double>(recorder.losses[0]), 12 * 28800 + 3 * 288, 300);  // the fifth that is missing
    EXPECT_EQ(recorder.frames.back().frame_samples, 57600);
    EXPECT_TRUE(receiver.synchronised());
}

TEST(DownlinkReceiver, SurvivesSamplesThatAreNoNumbers) {
    Stream stream;
    stream.plan = {{{1, 4, false, 1}, {6, 30, false, 7}}, 0, 8};
    stream.add(20);
    std::mt19937_64 random(6);
    const auto spoil = [&](size_t from, size_t to, uint64_t one_in) {
        for (size_t i = from; i < to; ++i) {
            if (random() % one_in != 0) continue;
            const auto bits = static_cast<uint32_t>(random());
            float value;
            std::memcpy(&value, &bits, sizeof value);
            stream.samples[i] = {
                value, random() % 2 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity()};
        }
    };
    spoil(28800, 3 * 28800, 500);
    spoil(4 * 28800 + 1500, 9 * 28800, 1);
    DownlinkReceiver receiver({});
    Recorder recorder;
    EXPECT_EQ(receiver.process(stream.samples, 0, recorder), stream.samples.size());
    ASSERT_GE(recorder.bursts.size(), 20U);
    for (size_t i = recorder.bursts.size() - 16; i < recorder.bursts.size(); ++i)
        EXPECT_TRUE(recorder.bursts[i].burst.fec_ok) << i;
    EXPECT_TRUE(receiver.synchronised());
    UplinkReceiver uplink(numerology());
    ReceivedBurst result;
    for (size_t at = 28800; at < 9 * 28800; at += 3000)
        uplink.receive({stream.samples.data() + at, 3000}, static_cast<int64_t>(at),
                       {{4, 7, 1, 1, at % 2 ? Preamble::long_ : Preamble::short_, 5}, static_cast<int64_t>(at), 300, 0},
                       result);
}

TEST(DownlinkReceiver, GapInTheStreamBeginsAnew) {
    Stream stream;
    stream.plan = {{{1, 4, false, 1}}, 0, 8};
    stream.add(4);
    DownlinkReceiver receiver({});
    Recorder recorder;
    receiver.process({stream.samples.data(), 60'000}, 0, recorder);
    EXPECT_EQ(recorder.frames.size(), 3U);
    EXPECT_TRUE(receiver.synchronised());
    receiver.process({stream.samples.data() + 80'000, 30'000}, 80'000, recorder);
    EXPECT_EQ(recorder.losses.size(), 1U);
    ASSERT_EQ(recorder.frames.size(), 4U);
    EXPECT_EQ(recorder.frames.back().start_sample, 3 * 28800);
}

TEST(DownlinkReceiver, OneFrameTellsStartFrequencyAndClock) {
    constexpr int kTrials = 30;
    Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_8));
    DownlinkReceiver receiver(DownlinkReceiverConfig{});
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> even(-1, 1);
    double start = 0, frequency = 0, clock = 0;
    for (int i = 0; i < kTrials; ++i) {
        FramePlan plan;
        plan.seed = static_cast<uint64_t>(i);
        plan.bursts = {{3, 30}};
        const auto sent = plan.modulate(modulator);
        Channel channel;
        channel.snr_db = 20;
        channel.delay_samples = 600 + 100 * even(random);
        channel.frequency_hz = 50e3 * even(random);
        channel.clock_ppm = 20 * even(random);
        Recorder recorder;
        receiver.reset();
        receiver.process(pass(sent, channel, 5.76e6, sent.size() + 1500, random()), 0, recorder);
        ASSERT_EQ(recorder.frames.size(), 1U);
        ASSERT_EQ(recorder.bursts.size(), 1U);
        const auto& frame = recorder.frames[0];
        EXPECT_EQ(frame.clock_offset_ppm, 0);
        const auto& after = recorder.bursts[0];
        const double start_error =
            static_cast<double>(frame.start_sample) + frame.start_fraction - channel.delay_samples;
        start += start_error * start_error;
        frequency += std::pow(static_cast<double>(after.burst.measured.frequency_offset_hz) - channel.frequency_hz, 2);
        clock += std::pow(static_cast<double>(after.sync.clock_offset_ppm) - channel.clock_ppm, 2);
    }
    EXPECT_LT(std::sqrt(start / kTrials), 0.05);   // samples
    EXPECT_LT(std::sqrt(frequency / kTrials), 8);  // Hz; 0.0004 carriers
    EXPECT_LT(std::sqrt(clock / kTrials), 1.2);    // ppm
}

}  // namespace
}  // namespace gr::wimax::phy::test
