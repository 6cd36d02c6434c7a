// SPDX-License-Identifier: GPL-3.0-or-later
// DC offsets and images of real front ends: learned from preambles and compensated. A clean signal is not changed.
#include "phy/receive/front_end_estimate.h"
#include "phy/receive/test_front_end_support.h"

#include <array>

namespace gr::wimax::phy::test {
namespace test_front_end {

TEST(FrontEnd, IsLearnedFromPreambles) {
    // 30 dB of noise, and images 25 dB below the signal.
    const auto cinr_after = [](const FrontEnds& ends, int bursts, double frequency_hz) {
        Link link;
        link.ends = ends;
        link.snr_db = 30;
        UplinkReceiver receiver(link.num);
        float cinr_db = 0;
        for (int i = 0; i < bursts; ++i) {
            link.frequency_hz = frequency_hz * (i % 2 == 0 ? 1 : -0.7);
            const auto samples = link.on_air(static_cast<uint64_t>(i + 1));
            cinr_db = link.receive(receiver, samples).measured.cinr_db;
        }
        return cinr_db;
    };
    for (const double frequency_hz : {400.0, 3000.0, 9000.0}) {
        SCOPED_TRACE(frequency_hz);
        const float clean_db = cinr_after({}, 8, frequency_hz);
        EXPECT_GT(clean_db, 29);
        EXPECT_GT(cinr_after({-20, -25, -200, -200}, 8, frequency_hz), clean_db - 0.3);
        EXPECT_GT(cinr_after({-200, -200, -20, -25}, 8, frequency_hz), clean_db - 0.3);
        EXPECT_GT(cinr_after({-20, -25, -20, -25}, 12, frequency_hz), clean_db - 0.6);
    }
}

TEST(FrontEnd, IsNotInventedOnACleanSignal) {
    Link link;
    link.format.data_symbols = 1;
    UplinkReceiver receiver(link.num);
    for (int i = 0; i < 400; ++i) {
        link.snr_db = 10 + i % 40;
        link.frequency_hz = 20 * (i % 37) - 300;
        const auto samples = link.on_air(static_cast<uint64_t>(i + 1));
        link.receive(receiver, samples);
        const auto levels = receiver.front_end();
        EXPECT_EQ(levels.image_dbc, -200) << i;
        EXPECT_EQ(levels.sender_dbc, -200) << i;
        EXPECT_EQ(levels.dc_dbfs, -200) << i;
    }
}

TEST(FrontEnd, IsNotInventedFromErrorsOfCrestReduction) {
    // These errors are on the largest samples of a symbol.
    const auto num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    Modulator modulator(num, kMaxFrameSymbols, {0, 8.0});
    for (int i = 0; i < 1000; ++i) {
        const auto seed = static_cast<uint64_t>(i);
        const FramePlan plan{{{i % kRates, 1, false, 1}}, 3, seed};
        const auto sent = plan.modulate(modulator);
        Channel channel;
        channel.snr_db = 70 + i % 30;
        channel.delay_samples = 700;
        channel.frequency_hz = i % 3 * 20.0;
        const auto samples = pass(sent, channel, 5.76e6, sent.size() + 1300, seed);
        Recorder recorder;
        DownlinkReceiver receiver({.bandwidth_hz = num.bandwidth_hz});
        receiver.process(samples, 0, recorder);
        ASSERT_EQ(recorder.frames.size(), 1U);
        EXPECT_EQ(receiver.front_end().image_dbc, -200) << i;
        EXPECT_EQ(receiver.front_end().sender_dbc, -200) << i;
    }
}

TEST(FrontEnd, OfSamplesBeyondAllScaleIsForgotten) {
    Link link;
    link.ends = {-20, -25, -200, -200};
    link.snr_db = 30;
    UplinkReceiver receiver(link.num);
    float cinr_db = 0;
    for (int i = 0; i < 12; ++i) {
        link.frequency_hz = 3000 * (i % 2 == 0 ? 1 : -0.7);
        auto samples = link.on_air(static_cast<uint64_t>(i + 1));
        if (i < 4)
            for (auto& s : samples) s *= std::array{1e16F, 1e17F, 1e18F, 1e19F}[static_cast<size_t>(i)];
        cinr_db = link.receive(receiver, samples).measured.cinr_db;
    }
    EXPECT_GT(cinr_db, 29);
}

// --- cost ------------------------------------------------------------------------------------------------------------

/// Figures of an AD9361 at both ends: DC and leaking carrier -25 dBc, images -30 dBc, phase noise 0.6 degrees, 12 bits.
constexpr FrontEnds kBothEnds{-25, -30, -25, -30};

void spoil_receiver(Samples& samples, uint64_t seed) {
    add_phase_noise(samples, 0.6, 10e3, seed);
    add(samples, kBothEnds.image_dbc, kBothEnds.dc_dbc, 2.2);
    convert(samples, 12, 12);
}

int wrong_blocks(const std::vector<uint8_t>& sent, const std::vector<uint8_t>& received, size_t block) {
    int wrong = 0;
    for (size_t from = 0; from < sent.size(); from += block) {
        const size_t to = std::min(from + block, sent.size());
        const bool right = received.size() >= to && std::equal(sent.begin() + static_cast<std::ptrdiff_t>(from),
                                                               sent.begin() + static_cast<std::ptrdiff_t>(to),
                                                               received.begin() + static_cast<std::ptrdiff_t>(from));
        wrong += right ? 0 : 1;
    }
    return wrong;
}

/// 70 Hz.
constexpr double kTurnOfSender = 2 * std::numbers::pi * 70 / 5.76e6;

constexpr size_t kBlockBytes = 108;  // 64-QAM 3/4

/// Bursts by one receiver, of 10 000 blocks together.
struct Bursts {
    int count, symbols;
    double offset_hz;  ///< at most
    uint64_t seed;
    bool first;  ///< each by a receiver without earlier knowledge
};

int lost_uplink(const Bursts& bursts, bool spoiled, double snr_db) {
    Link link;
    link.snr_db = snr_db;
    link.format.data_symbols = bursts.symbols;
    link.paths = {{0, 1}};
    link.start_fraction = 0;
    if (spoiled) link.ends = {-200, -200, kBothEnds.leak_dbc, kBothEnds.sender_image_dbc};
    UplinkReceiver receiver(link.num);
    std::mt19937_64 random(bursts.seed);
    std::uniform_real_distribution<double> offset(-bursts.offset_hz, bursts.offset_hz);
    int wrong = 0;
    for (uint64_t i = 1; i <= static_cast<uint64_t>(bursts.count); ++i) {
        link.frequency_hz = offset(random);
        auto samples = link.on_air(i);
        if (spoiled) spoil_receiver(samples, i);
        if (bursts.first) receiver.forget_front_end();
        wrong += wrong_blocks(link.payload, link.receive(receiver, samples).payload, kBlockBytes);
    }
    return wrong;
}

int lost_in_long_bursts(bool spoiled, double snr_db) { return lost_uplink({200, 50, 9000, 7, false}, spoiled, snr_db); }

int lost_in_first_bursts(bool spoiled, double snr_db) {
    return lost_uplink({1000, 10, 10e3, 8, true}, spoiled, snr_db);
}

/// Number of lost blocks among 10 000, 80 in each frame.
int lost_downlink(bool spoiled, double snr_db) {
    constexpr int kFrames = 125;
    Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_8));
    Samples sent;
    std::vector<std::vector<uint8_t>> payloads;
    for (int i = 0; i < kFrames; ++i) {
        const FramePlan plan{{{6, 80}}, static_cast<uint8_t>(i % 16), static_cast<uint64_t>(i + 1)};
        const auto frame = plan.modulate(modulator);
        payloads.push_back(plan.payloads()[0]);
        sent.insert(sent.end(), frame.begin(), frame.end());
        sent.resize(static_cast<size_t>(i + 1) * 28800);
    }
    if (spoiled) add(sent, kBothEnds.sender_image_dbc, kBothEnds.leak_dbc, 0.4);
    Channel channel;
    channel.snr_db = snr_db;
    channel.delay_samples = 700;
    channel.frequency_hz = 6200;
    auto samples = pass(sent, channel, 5.76e6, sent.size() + 1000, 5);
    if (spoiled) spoil_receiver(samples, 5);
    DownlinkReceiver receiver({});
    Recorder recorder;
    receiver.process(samples, 0, recorder);
    EXPECT_EQ(recorder.bursts.size(), payloads.size());
    int wrong = 0;
    for (size_t i = 0; i < std::min(recorder.bursts.size(), payloads.size()); ++i)
        wrong += wrong_blocks(payloads[i], recorder.bursts[i].burst.payload, kBlockBytes);
    return wrong;
}

/// If the loss were half a decibel, both numbers of lost blocks would be equal. Measured are 4 of 732 in the uplink,
/// 1 of 377 in the downlink.
TEST(FrontEnd, OfARealRadioCostsLessThanHalfADecibel) {
    constexpr double kThresholdDb = 17.6;
    for (const auto lost : {lost_in_long_bursts, lost_downlink}) {
        const int clean = lost(false, kThresholdDb), spoiled = lost(true, kThresholdDb + 0.5);
        // Two deviations of both counts.
        EXPECT_LT(spoiled + 2 * std::sqrt(spoiled + clean), clean);
    }
}

/// Number of lost blocks among 10 000, ten in each frame, the only one that its receiver gets.
int lost_in_first_frames(bool spoiled, double snr_db) {
    Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_8));
    DownlinkReceiver receiver({});
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> offset(-10e3, 10e3);
    int wrong = 0;
    for (uint64_t i = 1; i <= 1000; ++i) {
        const FramePlan plan{{{6, 10}}, 0, i};
        auto sent = plan.modulate(modulator);
        if (spoiled) add(sent, kBothEnds.sender_image_dbc, kBothEnds.leak_dbc, 0.4);
        Channel channel;
        channel.snr_db = snr_db;
        channel.delay_samples = 700;
        channel.frequency_hz = offset(random);
        auto samples = pass(sent, channel, 5.76e6, sent.size() + 1000, i);
        if (spoiled) spoil_receiver(samples, i);
        receiver.reset();
        Recorder recorder;
        receiver.process(samples, 0, recorder);
        const auto received = recorder.bursts.empty() ? std::vector<uint8_t>() : recorder.bursts[0].burst.payload;
        wrong += wrong_blocks(plan.payloads()[0], received, kBlockBytes);
    }
    return wrong;
}

/// The same without earlier knowledge: measured are 130 of 216 in the uplink, 31 of 129 in the downlink.
TEST(FrontEnd, ThatIsHeardForTheFirstTimeCostsLessThanHalfADecibel) {
    constexpr double kThresholdDb = 17.3;
    for (const auto lost : {lost_in_first_bursts, lost_in_first_frames}) {
        const int clean = lost(false, kThresholdDb), spoiled = lost(true, kThresholdDb + 0.5);
        EXPECT_LT(spoiled + 2 * std::sqrt(spoiled + clean), clean);
    }
}

/// With little carrier offset a preamble shows only the sum of both ends' images, which turn against each other after
/// it. With preambles alone some of these bursts have a CINR of 25 to 27 dB.
TEST(FrontEnd, IsLearnedFromTheFirstSymbols) {
    Link link;
    link.snr_db = 30;
    link.format.data_symbols = 60;
    UplinkReceiver receiver(link.num);
    const auto cinr_of_first = [&](const FrontEnds& ends, uint64_t seed) {
        link.ends = ends;
        receiver.forget_front_end();
        return link.receive(receiver, link.on_air(seed)).measured.cinr_db;
    };
    for (const double frequency_hz : {200.0, 700.0, 1500.0}) {
        link.frequency_hz = frequency_hz;
        for (uint64_t i = 1; i <= 10; ++i) {
            SCOPED_TRACE(testing::Message() << frequency_hz << " " << i);
            EXPECT_GT(cinr_of_first({-20, -25, -20, -25}, i), cinr_of_first({}, i) - 1.5);
        }
    }
}

/// A station corrects its frequency, and the phase that its oscillator has wandered, by turning its samples: its signal
/// begins each frame at the same phase, and its image turns the other way. No preamble shows whose image it is, nor how
/// it will turn. With noise at 28.5 dB and learning from preambles alone CINR falls to 23 dB.
TEST(FrontEnd, ImagesAreFollowedWithinABurst) {
    Link link;
    link.snr_db = 100;
    link.paths = {{0, 1}};
    link.start_fraction = 0;
    link.format.data_symbols = 90;
    const double sigma = 0.8 * amplitude_of_db(-28.5);
    UplinkReceiver receiver(link.num);
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal(0, 1);
    for (uint64_t i = 1; i <= 120; ++i) {
        auto samples = link.on_air(1);
        const double wander = 0.05 * static_cast<double>(i);  // of the oscillators
        for (size_t n = 0; n < samples.size(); ++n)
            samples[n] *= Complex(std::polar(1.0, kTurnOfSender * static_cast<double>(n) - wander));
        add(samples, -30, -200, 0.4);
        for (auto& x : samples) x *= Complex(std::polar(1.0, wander));
        add(samples, -30, -200, 1.1);
        for (auto& x : samples) x += Complex(std::complex<double>(sigma * normal(random), sigma * normal(random)));
        const auto burst = link.receive(receiver, samples);
        EXPECT_TRUE(burst.fec_ok) << i;
        if (i > 4) {
            EXPECT_GT(burst.measured.cinr_db, 27.5) << i;
        }
    }
}

TEST(FrontEnd, OfAnotherGainIsLearnedAnew) {
    Link link;
    link.snr_db = 30;
    link.frequency_hz = 9000;
    UplinkReceiver receiver(link.num);
    const auto burst_with = [&](double dc_dbc, double image_dbc, uint64_t seed) {
        link.ends = {dc_dbc, image_dbc, -200, -200};
        return link.receive(receiver, link.on_air(seed)).measured.cinr_db;
    };
    for (uint64_t i = 1; i <= 20; ++i) burst_with(-20, -25, i);
    EXPECT_NEAR(receiver.front_end().dc_dbfs, -20, 0.3);
    EXPECT_NEAR(receiver.front_end().image_dbc, -25, 0.3);
    for (uint64_t i = 21; i <= 24; ++i) burst_with(-14, -22, i);
    EXPECT_NEAR(receiver.front_end().dc_dbfs, -14, 0.3);
    EXPECT_NEAR(receiver.front_end().image_dbc, -22, 0.3);
    receiver.forget_front_end();
    EXPECT_EQ(receiver.front_end().dc_dbfs, -200);
    EXPECT_EQ(receiver.front_end().image_dbc, -200);
}

}  // namespace test_front_end
}  // namespace gr::wimax::phy::test
