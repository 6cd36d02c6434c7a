// SPDX-License-Identifier: GPL-3.0-or-later
// The subscriber's receiver on consecutive frames: knowledge from earlier frames, pauses, bursts requested late, gaps
// and losses.
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace gr::wimax::phy::test {
namespace {

Numerology numerology() { return *Numerology::make(5'000'000, CyclicPrefix::g1_8); }

/// Consecutive frames, `gap_frames` of which are silent.
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

TEST(DownlinkStream, FollowsClockAndCarrier) {
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
        // The clock is known from earlier frames: 43 symbols later the windows are still correct.
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

TEST(DownlinkStream, AJumpOfTheCarrierIsTakenFromThePreamble) {
    // Earlier frames predict another frequency: the phase turns by 0.13 rad between the symbols of the preamble and is
    // known in its middle.
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

TEST(DownlinkStream, AJumpOfTheDelayMovesTheWindows) {
    // A new path to the base station: unmoved windows would end in the next symbol, or begin in the previous one.
    for (const int jump : {-20, 40}) {
        Stream stream;
        stream.plan = {{{6, 4, false, 1}}, 12, 3};
        stream.add(7);
        constexpr size_t kJump = 4 * 28800 - 1000;
        if (jump > 0) stream.samples.insert(stream.samples.begin() + kJump, static_cast<size_t>(jump), Complex{});
        else stream.samples.erase(stream.samples.begin() + kJump, stream.samples.begin() + kJump - jump);
        Channel channel;
        channel.snr_db = 30;
        channel.delay_samples = 100;
        const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size() + 400, 9);
        DownlinkReceiver receiver({});
        Recorder recorder;
        receiver.process(received, 0, recorder);
        ASSERT_EQ(recorder.bursts.size(), 7U) << jump;
        for (size_t i = 0; i < 7; ++i) {
            const auto& [sync, burst] = recorder.bursts[i];
            const double expected = static_cast<double>(i) * 28800 + 100 + (i < 4 ? 0 : jump);
            EXPECT_NEAR(static_cast<double>(sync.start_sample) + sync.start_fraction, expected, 0.15) << i;
            EXPECT_TRUE(burst.fec_ok) << jump << ' ' << i;
            EXPECT_NEAR(burst.measured.cinr_db, 30, 0.8) << jump << ' ' << i;
        }
        EXPECT_TRUE(recorder.losses.empty());
    }
}

TEST(DownlinkStream, ABurstAskedForLateIsReceivedAsOneInTime) {
    // After the prefix the phase turns by 0.13 rad per symbol, because the carrier jumped. After the last burst its
    // known value is 4 rad beyond that of the first symbol.
    Stream stream;
    stream.plan = {{{1, 2, false, 1}, {6, 6, false, 7}, {6, 24, false, 7}}, 12, 3};
    stream.add(3);
    Channel channel;
    channel.snr_db = 30;
    channel.delay_samples = 100;
    channel.clock_ppm = 20;
    auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size() + 400, 9);
    constexpr size_t kJump = 2 * 28800;
    for (size_t n = kJump; n < received.size(); ++n)
        received[n] *= Complex(std::polar(1.0, 2 * std::numbers::pi * 400 / 5.76e6 * static_cast<double>(n - kJump)));
    DownlinkReceiverConfig config;
    config.decode_prefix_bursts = false;
    DownlinkReceiver receiver(config);
    Recorder recorder;
    const auto ask = [&](const FrameSync& sync, int index, int start, int symbols) {
        DownlinkReceiver::Expected wanted;
        wanted.format = {6, 7, 5, sync.prefix.frame_lsb, Preamble::none, symbols};
        wanted.start_symbol = start;
        wanted.index = index;
        receiver.expect({&wanted, 1});
    };
    recorder.burst_hook = [&](const FrameSync& sync, const ReceivedBurst& b) {
        if (b.index == 1) ask(sync, 3, 11, 24);
        if (b.index == 3) ask(sync, 2, 5, 6);
        return SampleFlow::go_on;
    };
    receiver.process(received, 0, recorder);
    ASSERT_EQ(recorder.bursts.size(), 9U);
    const auto payloads = stream.plan.payloads();
    size_t at = 6;
    for (const int index : {1, 3, 2}) {
        const auto& burst = recorder.bursts[at++].burst;
        EXPECT_EQ(burst.index, index);
        EXPECT_EQ(burst.payload, payloads[static_cast<size_t>(index - 1)]) << index;
        EXPECT_NEAR(burst.measured.cinr_db, 27, 1) << index;
    }
    // The next frame does not begin with the phase of that time.
    EXPECT_NEAR(recorder.bursts[8].burst.measured.frequency_offset_hz, 400, 15);
}

TEST(DownlinkStream, LongestFrameWithoutKnowingTheClock) {
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

TEST(DownlinkStream, ChunksDoNotMatter) {
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
            recorder.frame_hook = [&pause](const FrameSync&) {
                return (pause = !pause) ? SampleFlow::pause : SampleFlow::go_on;
            };
            recorder.burst_hook = [](const FrameSync&, const ReceivedBurst&) { return SampleFlow::pause; };
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

/// A receiver that is to expect no more of a frame receives the next ones as before.
TEST(DownlinkStream, ExpectingNoMoreChangesNoFrame) {
    Stream stream;
    stream.plan = {{{1, 10, false, 1}, {6, 20, false, 7}}, 12, 3};
    stream.add(8);
    Channel channel;
    channel.snr_db = 28;
    channel.frequency_hz = 5e3;
    channel.clock_ppm = 10;
    const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size(), 9);
    const auto run = [&](bool no_more, size_t chunk) {
        Recorder recorder;
        DownlinkReceiver receiver({});
        recorder.frame_hook = [&](const FrameSync&) {
            if (no_more) receiver.expect_no_more();
            return SampleFlow::go_on;
        };
        for (size_t at = 0; at < received.size(); at += chunk)
            receiver.process(std::span(received).subspan(at, std::min(chunk, received.size() - at)),
                             static_cast<int64_t>(at), recorder);
        return recorder;
    };
    const auto all = run(false, 700);
    ASSERT_EQ(all.frames.size(), 8U);
    ASSERT_EQ(all.bursts.size(), 16U);
    for (const size_t chunk : {100, 700, 30'000}) {
        const auto some = run(true, chunk);
        ASSERT_EQ(some.frames.size(), all.frames.size()) << chunk;
        ASSERT_EQ(some.bursts.size(), all.bursts.size()) << chunk;
        for (size_t i = 0; i < all.frames.size(); ++i) {
            EXPECT_EQ(some.frames[i].start_sample, all.frames[i].start_sample);
            EXPECT_EQ(some.frames[i].start_fraction, all.frames[i].start_fraction);
            EXPECT_EQ(some.frames[i].frequency_offset_hz, all.frames[i].frequency_offset_hz);
        }
        for (size_t i = 0; i < all.bursts.size(); ++i) {
            EXPECT_EQ(some.bursts[i].burst.payload, all.bursts[i].burst.payload);
            EXPECT_EQ(some.bursts[i].burst.measured.cinr_db, all.bursts[i].burst.measured.cinr_db);
        }
    }
}

/// Unused samples may have any value. They begin right after the last burst and end right before the next frame.
TEST(DownlinkStream, UnusedSamplesAreNotLookedAt) {
    constexpr int64_t kFrame = 28800, kBurstsEnd = 33 * 288;
    Stream stream;
    stream.plan = {{{1, 10, false, 1}, {6, 20, false, 7}}, 12, 3};
    stream.add(8);
    Channel channel;
    channel.snr_db = 28;
    channel.clock_ppm = 10;
    const auto received = pass(stream.samples, channel, 5.76e6, stream.samples.size(), 9);
    const auto run = [&](bool spoil) {
        auto samples = received;
        Recorder recorder;
        DownlinkReceiver receiver({});
        std::optional<DownlinkReceiver::UnusedSamples> unused;
        int found = 0;
        recorder.frame_hook = [&](const FrameSync& sync) {
            EXPECT_FALSE(receiver.unused());
            receiver.expect_no_more();
            unused = receiver.unused();
            if (!unused) return SampleFlow::go_on;  // the first frame, whose length is not known yet
            ++found;
            EXPECT_NEAR(static_cast<double>(unused->from - sync.start_sample), kBurstsEnd, 20);
            EXPECT_NEAR(static_cast<double>(unused->until - sync.start_sample), kFrame - 256, 3);
            return SampleFlow::go_on;
        };
        constexpr size_t kCall = 700;
        for (size_t at = 0; at < samples.size(); at += kCall) {
            const size_t count = std::min(kCall, samples.size() - at);
            receiver.process(std::span(samples).subspan(at, count), static_cast<int64_t>(at), recorder);
            if (!spoil || !unused) continue;
            const auto from = static_cast<size_t>(std::max(unused->from, static_cast<int64_t>(at + count)));
            for (size_t i = from; i < std::min(samples.size(), static_cast<size_t>(unused->until)); ++i)
                samples[i] = {1e3F, i % 3 == 0 ? -1e3F : 1e3F};
            unused.reset();
        }
        EXPECT_EQ(found, 7);
        return recorder;
    };
    const auto clean = run(false), spoilt = run(true);
    ASSERT_EQ(clean.bursts.size(), 16U);
    ASSERT_EQ(spoilt.bursts.size(), clean.bursts.size());
    for (size_t i = 0; i < clean.bursts.size(); ++i) {
        EXPECT_TRUE(spoilt.bursts[i].burst.fec_ok);
        EXPECT_EQ(spoilt.bursts[i].burst.payload, clean.bursts[i].burst.payload);
        EXPECT_EQ(spoilt.bursts[i].burst.measured.cinr_db, clean.bursts[i].burst.measured.cinr_db);
        EXPECT_EQ(spoilt.bursts[i].sync.start_fraction, clean.bursts[i].sync.start_fraction);
    }
}

/// Its prefix may announce bursts.
TEST(DownlinkStream, AnAwaitedZoneMayNeedAllSamples) {
    Stream stream;
    stream.plan = {{{1, 10, false, 1}}, 12, 3};
    stream.add(3);
    const auto received = pass(stream.samples, {}, 5.76e6, stream.samples.size(), 9);
    DownlinkReceiver receiver({});
    Recorder recorder;
    int asked = 0;
    recorder.frame_hook = [&](const FrameSync&) {
        receiver.expect_no_more();
        if (!receiver.unused()) return SampleFlow::go_on;
        ++asked;
        receiver.expect_stc_zone(40);
        EXPECT_FALSE(receiver.unused());
        return SampleFlow::go_on;
    };
    receiver.process(received, 0, recorder);
    EXPECT_EQ(asked, 2);
}

/// Symbols of a frame are kept for bursts that are requested late, but only until no more are expected.
TEST(DownlinkStream, SymbolsAreKeptUntilNoMoreAreExpected) {
    Stream stream;
    stream.plan = {{{1, 2, false, 1}, {6, 6, false, 7}}, 12, 3};
    stream.add(4);
    const auto received = pass(stream.samples, {}, 5.76e6, stream.samples.size(), 9);
    for (const bool no_more : {false, true}) {
        DownlinkReceiverConfig config;
        config.decode_prefix_bursts = false;
        DownlinkReceiver receiver(config);
        Recorder recorder;
        recorder.burst_hook = [&](const FrameSync&, const ReceivedBurst& burst) {
            if (burst.index == 1 && no_more) receiver.expect_no_more();
            return SampleFlow::go_on;
        };
        receiver.process(std::span(received).first(3 * 28800 - 1000), 0, recorder);
        ASSERT_EQ(recorder.bursts.size(), 3U);
        DownlinkReceiver::Expected wanted;
        wanted.format = {6, 7, 5, recorder.frames.back().prefix.frame_lsb, Preamble::none, 6};
        wanted.start_symbol = 5;
        wanted.index = 2;
        receiver.expect({&wanted, 1});
        receiver.process(std::span(received).subspan(3 * 28800 - 1000), 3 * 28800 - 1000, recorder);
        ASSERT_EQ(recorder.bursts.size(), 5U);
        EXPECT_EQ(recorder.bursts[3].burst.index, 2);
        EXPECT_EQ(recorder.bursts[3].burst.fec_ok, !no_more);
        EXPECT_TRUE(recorder.bursts[4].burst.fec_ok);
    }
}

TEST(DownlinkStream, PausesAtTheEventAndTakesExpectedBurstsLate) {
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
        return b.index == 1 ? SampleFlow::pause : SampleFlow::go_on;
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
    // Second frame: requested long after its symbols were received.
    receiver.process({received.data() + second_stop, received.size() - second_stop}, static_cast<int64_t>(second_stop),
                     recorder);
    EXPECT_EQ(recorder.bursts.size(), 10U);
    expect_rest(recorder.bursts[6].sync);
    receiver.process({}, static_cast<int64_t>(received.size()), recorder);
    ASSERT_EQ(recorder.bursts.size(), 12U);
    EXPECT_EQ(recorder.bursts[10].burst.payload, payloads[4]);
    EXPECT_EQ(recorder.bursts[11].burst.payload, payloads[5]);
}

TEST(DownlinkStream, LosesAndFindsTheBaseStation) {
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
    EXPECT_NEAR(static_cast<double>(recorder.losses[0]), 12 * 28800 + 3 * 288, 300);  // the fifth missing one
    EXPECT_EQ(recorder.frames.back().frame_samples, 57600);
    EXPECT_TRUE(receiver.synchronised());
}

TEST(DownlinkStream, SurvivesSamplesThatAreNoNumbers) {
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

TEST(DownlinkStream, GapInTheStreamBeginsAnew) {
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

}  // namespace
}  // namespace gr::wimax::phy::test
