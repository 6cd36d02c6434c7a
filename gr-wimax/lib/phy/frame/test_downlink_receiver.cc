// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/base/test_noise.h"
#include "phy/frame/test_receiver_support.h"

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_downlink_receiver {

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
    // Shortly after the start of the search: noise of few samples correlates by chance. Together with the signal's
    // first samples in the window it looks like the end of a preamble.
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
    std::array<double, 3> sums{};  // of the preamble, and of bursts without and with their own preamble
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
    // SNR at which a receiver with perfect knowledge loses one block in a hundred, plus 0.5 dB.
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
                {0, (std::sqrt(11.0F / 12) + std::sqrt(1.0F / 12) * complex_of(gauss, random)) / std::sqrt(total)},
                {2.304, std::sqrt(0.063F / total) * complex_of(gauss, random)},
                {6.336, std::sqrt(0.032F / total) * complex_of(gauss, random)}};
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

/// Root mean squares of the errors of a receiver without earlier knowledge, for one frame with one burst.
struct OneFrame {
    double start = 0, frequency_hz = 0, clock_ppm = 0;
};
OneFrame errors_of_one_frame(const BurstPlan& plan, double snr_db) {
    constexpr int kTrials = 40;
    Modulator modulator(numerology());
    DownlinkReceiver receiver(DownlinkReceiverConfig{});
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> even(-1, 1);
    OneFrame sum;
    for (int i = 0; i < kTrials; ++i) {
        const auto sent = FramePlan{{plan}, 0, static_cast<uint64_t>(i)}.modulate(modulator);
        Channel channel;
        channel.snr_db = snr_db;
        channel.delay_samples = 600 + 100 * even(random);
        channel.frequency_hz = 30e3 * even(random);
        channel.clock_ppm = 20 * even(random);
        Recorder recorder;
        receiver.reset();
        receiver.process(pass(sent, channel, 5.76e6, sent.size() + 1500, random()), 0, recorder);
        if (recorder.frames.size() != 1 || recorder.bursts.size() != 1) return {1e9, 1e9, 1e9};
        const auto& frame = recorder.frames[0];
        EXPECT_EQ(frame.clock_offset_ppm, 0);
        const auto& after = recorder.bursts[0];
        sum.start +=
            std::pow(static_cast<double>(frame.start_sample) + frame.start_fraction - channel.delay_samples, 2);
        sum.frequency_hz +=
            std::pow(static_cast<double>(after.burst.measured.frequency_offset_hz) - channel.frequency_hz, 2);
        sum.clock_ppm += std::pow(static_cast<double>(after.sync.clock_offset_ppm) - channel.clock_ppm, 2);
    }
    return {std::sqrt(sum.start / kTrials), std::sqrt(sum.frequency_hz / kTrials), std::sqrt(sum.clock_ppm / kTrials)};
}

TEST(DownlinkReceiver, OneFrameTellsStartFrequencyAndClock) {
    struct Case {
        int rate_id, symbols;
        double snr_db, clock_ppm, frequency_hz;  // at most
    };
    for (const auto& c : {Case{4, 6, 30, 0.75, 6}, Case{3, 20, 20, 1.2, 4.2}, Case{6, 40, 30, 0.6, 2.6},
                          Case{1, 40, 8, 2.2, 5.2}, Case{6, 197, 30, 0.55, 1.2}}) {
        const auto error = errors_of_one_frame({c.rate_id, c.symbols}, c.snr_db);
        RecordProperty("rate_" + std::to_string(c.rate_id) + "_symbols_" + std::to_string(c.symbols),
                       "start " + std::to_string(error.start) + " samples, clock " + std::to_string(error.clock_ppm) +
                           " ppm, frequency " + std::to_string(error.frequency_hz) + " Hz");
        EXPECT_LT(error.start, 0.05) << c.symbols;
        EXPECT_LT(error.clock_ppm, c.clock_ppm) << c.symbols;
        EXPECT_LT(error.frequency_hz, c.frequency_hz) << c.symbols;
    }
}

}  // namespace test_downlink_receiver
}  // namespace gr::wimax::phy::test
