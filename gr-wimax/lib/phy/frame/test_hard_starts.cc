// SPDX-License-Identifier: GPL-3.0-or-later
// Difficult starts of bursts and frames in real receivers: a DC offset over a weak signal, the transient of a T/R
// switch, two stations that range at the same time. Checks what is found, and that nothing else is reported.
#include "phy/base/decibels.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_hard_starts {

constexpr double kRateHz = 5.76e6, kSpacingHz = kRateHz / 256;
constexpr double kSnrDb = 15;

Numerology numerology() { return *Numerology::make(5'000'000, CyclicPrefix::g1_8); }

void add_dc(Samples& samples, double dbc, double phase) {
    for (auto& s : samples) s += Complex(std::polar(amplitude_of_db(dbc), phase));
}

/// A decaying step as after a switch: it falls to 1/e `samples` after `at`.
void add_transient(Samples& samples, double dbc, int64_t at, double decay_samples) {
    const Complex step(std::polar(amplitude_of_db(dbc), 0.7));
    for (auto n = static_cast<size_t>(std::max<int64_t>(at, 0)); n < samples.size(); ++n)
        samples[n] +=
            step * static_cast<float>(std::exp(-(static_cast<double>(n) - static_cast<double>(at)) / decay_samples));
}

struct Found {
    int first_frames = 0;
    double worst_hz = 0;  // of those
};

/// First frames at random positions after noise and a DC offset, the carrier anywhere within 20 ppm at 3.5 GHz.
Found find_frames(double dc_dbc, int count, double snr_db = kSnrDb) {
    Found found;
    for (int i = 0; i < count; ++i) {
        Modulator modulator(numerology());
        Channel channel;
        channel.snr_db = snr_db;
        channel.frequency_hz = -70e3 + 140e3 * i / count;
        channel.delay_samples = 2500 + 37 * i % 288;
        auto samples = pass(FramePlan{}.modulate(modulator), channel, kRateHz, 4800, static_cast<uint64_t>(i + 1));
        if (dc_dbc > -100) add_dc(samples, dc_dbc, i);
        DownlinkReceiver receiver({});
        Recorder recorder;
        receiver.process(samples, 0, recorder);
        if (recorder.frames.size() != 1 || !recorder.frames[0].fch_ok) continue;
        ++found.first_frames;
        found.worst_hz = std::max(found.worst_hz, std::abs(static_cast<double>(recorder.frames[0].frequency_offset_hz) -
                                                           channel.frequency_hz));
    }
    return found;
}

struct Opportunity {
    double dc_dbc = -200;
    double transient_dbc = -200;
    int64_t before = 0;  ///< the opportunity's beginning
    double decay_samples = 1;
    int count = 50;
};
struct Ranging {
    int sent = 0, found = 0, decoded = 0, wrong = 0;
};

/// Bursts of three QPSK symbols at random positions in their opportunity.
Ranging range(const Opportunity& in, UplinkReceiver& receiver) {
    constexpr int kBegin = 300;
    Ranging out;
    for (int i = 0; i < in.count; ++i) {
        const BurstFormat format{1, 7, 1, 9, Preamble::long_, 3};
        const auto seed = static_cast<uint64_t>(i + 1);
        const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
        Samples sent(static_cast<size_t>(format.total_symbols() * 288));
        EXPECT_EQ(Modulator(numerology()).uplink({format, payload}, sent), sent.size());
        Channel channel;
        channel.snr_db = kSnrDb;
        channel.frequency_hz = -6e3 + 12e3 * i / in.count;
        const double late = 5.0 * i;
        channel.delay_samples = kBegin + late;
        auto samples = pass(sent, channel, kRateHz, sent.size() + 1400, seed);
        if (in.dc_dbc > -100) add_dc(samples, in.dc_dbc, i);
        if (in.transient_dbc > -100) add_transient(samples, in.transient_dbc, kBegin - in.before, in.decay_samples);
        ReceivedBurst result;
        receiver.forget_front_end();
        receiver.receive(samples, 0, {format, kBegin, 576, 1}, result);
        const bool placed = std::abs(static_cast<double>(result.measured.timing_offset_samples) - late) < 2;
        ++out.sent;
        out.found += result.detected && placed;
        out.decoded += result.fec_ok && result.payload == payload;
        out.wrong += result.detected && result.fec_ok && result.payload != payload;
    }
    return out;
}
Ranging range(const Opportunity& in) {
    UplinkReceiver receiver(numerology());
    return range(in, receiver);
}

TEST(HardStarts, AStrongDcOffsetHidesNoFrameAndMovesNoFrequency) {
    const double clean_hz = find_frames(-200, 50).worst_hz;
    // If handled like any carrier: none of 100 from 8 dB on, and 215 Hz off at 5 dB.
    for (const double dbc : {-5.0, 5.0, 10.0}) {
        const auto found = find_frames(dbc, 50);
        EXPECT_EQ(found.first_frames, 50) << dbc;
        EXPECT_LT(found.worst_hz, clean_hz + 5) << dbc;
    }
}

TEST(HardStarts, AStrongDcOffsetHidesNoRangingBurst) {
    for (const double dbc : {-5.0, 5.0, 10.0}) {
        const auto out = range({.dc_dbc = dbc});
        EXPECT_EQ(out.found, out.sent) << dbc;  // 93 and 3 of 100 at 5 and 10 dB
        EXPECT_EQ(out.decoded, out.sent) << dbc;
    }
}

/// A constant 10 dB over noise, and one that steps as gains do: no preamble is seen in them.
TEST(HardStarts, ADcOffsetIsNoPreamble) {
    std::mt19937_64 random(3);
    std::normal_distribution<float> noise(0, 0.1F);
    Samples samples(400'000);
    for (auto& s : samples) s = {noise(random), noise(random)};
    add_dc(samples, -7, 1);
    for (size_t n = 200'000; n < samples.size(); ++n)
        samples[n] += Complex(std::polar(amplitude_of_db(10.0 * static_cast<double>((n / 7000) % 4) - 20), 0.3));
    DownlinkReceiver receiver({});
    Recorder recorder;
    receiver.process(samples, 0, recorder);
    EXPECT_TRUE(recorder.frames.empty());
}

/// 20 dB over the signal where the opportunity begins, a few microseconds long.
TEST(HardStarts, ATransientOfTheSwitchHidesNoRangingBurst) {
    for (const double decay_samples : {6.0, 30.0, 60.0})  // 1 to 10 us
        for (const int64_t before : {100, 10}) {
            const auto out = range({.transient_dbc = 20, .before = before, .decay_samples = decay_samples});
            EXPECT_GE(out.decoded, out.sent - 3) << decay_samples << ' ' << before;
            EXPECT_EQ(out.wrong, 0);
        }
}

TEST(HardStarts, ATransientOfTheSwitchIsNothingByItself) {
    for (int i = 0; i < 40; ++i) {
        std::mt19937_64 random(static_cast<uint64_t>(i));
        std::normal_distribution<float> noise(0, 0.1F);
        Samples samples(4000);
        for (auto& s : samples) s = {noise(random), noise(random)};
        add_transient(samples, 20, 300 + 20 * i, 5.0 + 2 * i);
        UplinkReceiver receiver(numerology());
        ReceivedBurst result;
        receiver.receive(samples, 0, {{1, 7, 1, 9, Preamble::long_, 3}, 300, 576, 1}, result);
        EXPECT_FALSE(result.detected) << i;
        receiver.receive(samples, 0, {{1, 7, 1, 9, Preamble::short_, 3}, 300, 0, 1}, result);
        EXPECT_FALSE(result.detected && result.fec_ok) << i;
        // And the receiver is ready for the next.
        EXPECT_EQ(range({.count = 1}, receiver).decoded, 1) << i;
    }
}

/// A frame directly after the receive gap, the transient over its preamble's beginning or before it.
TEST(HardStarts, ATransientOfTheSwitchHidesNoFrame) {
    for (const int64_t before : {200, 60, 0}) {
        int found = 0;
        for (int i = 0; i < 20; ++i) {
            Modulator modulator(numerology());
            Channel channel;
            channel.snr_db = kSnrDb;
            channel.frequency_hz = 3e3;
            channel.delay_samples = 1500 + 13 * i;
            auto samples = pass(FramePlan{}.modulate(modulator), channel, kRateHz, 4000, static_cast<uint64_t>(i + 1));
            add_transient(samples, 20, 1500 + 13 * i - before, 12);
            DownlinkReceiver receiver({});
            Recorder recorder;
            receiver.process(samples, 0, recorder);
            found += recorder.frames.size() == 1 && recorder.frames[0].fch_ok;
        }
        EXPECT_EQ(found, 20) << before;
    }
}

// --- stations that range together ------------------------------------------------------------------------------------

struct Collision {
    int stronger = 0, weaker = 0, wrong = 0, afterwards = 0;
};

/// Two stations in one opportunity, one `weaker_db` below the other, 5 to 500 samples apart, either first. `wrong`:
/// reported as correct, but sent by no station.
Collision collide(double weaker_db, int count) {
    Collision out;
    const BurstFormat format{1, 7, 1, 9, Preamble::long_, 3};
    UplinkReceiver receiver(numerology());
    for (int i = 0; i < count; ++i) {
        Samples sum;
        std::array<std::vector<uint8_t>, 2> payloads;
        for (size_t station = 0; station < 2; ++station) {
            const auto seed = static_cast<uint64_t>(2 * i) + station + 1;
            payloads[station] = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
            Samples sent(static_cast<size_t>(format.total_symbols() * 288));
            EXPECT_EQ(Modulator(numerology()).uplink({format, payloads[station]}, sent), sent.size());
            Channel channel;
            channel.snr_db = station == 0 ? 20 : 100;  // noise is counted once
            channel.frequency_hz = station == 0 ? 800 : -1100;
            const bool first = (station == 0) == (i % 2 == 0);
            channel.delay_samples = 300 + (first ? 20 : 25 + 475.0 * i / count);
            channel.paths = {{0, static_cast<float>(amplitude_of_db(station == 0 ? 0 : -weaker_db))}};
            const auto samples = pass(sent, channel, kRateHz, sent.size() + 1400, seed);
            sum.resize(samples.size());
            for (size_t n = 0; n < samples.size(); ++n) sum[n] += samples[n];
        }
        std::array<ReceivedBurst, 2> reports;
        receiver.receive(sum, 0, {format, 300, 576, 1}, reports[0]);
        receiver.receive_second(sum, 0, {format, 300, 576, 1}, reports[1]);
        for (const auto& report : reports) {
            if (!report.fec_ok) continue;
            out.stronger += report.payload == payloads[0];
            out.weaker += report.payload == payloads[1];
            out.wrong += report.payload != payloads[0] && report.payload != payloads[1];
        }
        out.afterwards += range({.count = 1}, receiver).decoded;
    }
    return out;
}

TEST(HardStarts, OfTwoStationsThatRangeAtOnceTheStrongerIsHeardOrNone) {
    constexpr int kCount = 60;
    for (const auto& [weaker_db, least] : {std::pair{0.0, 0}, {3.0, 10}, {6.0, 54}, {9.0, 59}, {20.0, 59}}) {
        const auto heard = collide(weaker_db, kCount);
        RecordProperty("stronger_at_" + std::to_string(static_cast<int>(weaker_db)), heard.stronger);
        EXPECT_GE(heard.stronger, least) << weaker_db;
        EXPECT_EQ(heard.weaker, 0) << weaker_db;
        EXPECT_EQ(heard.wrong, 0) << weaker_db;
        EXPECT_EQ(heard.afterwards, kCount) << weaker_db;
    }
}

}  // namespace test_hard_starts
}  // namespace gr::wimax::phy::test
