// SPDX-License-Identifier: GPL-3.0-or-later
// The subscriber's receiver with a radio that finds preambles and transforms symbols: the same frames and payloads as
// without them, also where the radio gives nothing.
#include "phy/carriers/symbol_reader.h"
#include "phy/frame/ordered_symbols.h"
#include "phy/frame/preamble_source.h"
#include "phy/frame/test_receiver_support.h"

#include <gtest/gtest.h>

#include <deque>

namespace gr::wimax::phy::test {
namespace test_given_parts {

constexpr double kRate = 5.76e6;

/// A detector that reports the given preambles.
struct Detector final : PreambleDetector {
    std::deque<DetectedPreamble> found;
    int asked = 0;

    std::optional<DetectedPreamble> next() override {
        ++asked;
        if (found.empty()) return std::nullopt;
        const auto first = found.front();
        found.pop_front();
        return first;
    }
};

/// Transforms every order at once, from samples of all times.
struct Transformer final : SymbolTransformer {
    explicit Transformer(const Samples& all) : samples(all) {}

    const Samples& samples;
    std::vector<SymbolOrder> orders;
    std::deque<TransformedSymbol> ready;
    int lose_every = 0;   ///< this symbol and its multiples are never delivered; 0: all are
    bool refuse = false;  ///< orders
    double coarse = 0x1p-32;

    std::optional<double> order(const SymbolOrder& o) override {
        orders.push_back(o);
        if (refuse) return std::nullopt;
        const double exact = std::round(o.cycles_per_sample / coarse) * coarse;
        SymbolReader reader;
        Carriers carriers;
        for (int number = 0; number < o.symbols; ++number) {
            if (lose_every > 0 && number % lose_every == 0) continue;
            const int64_t window = o.first_window + int64_t{number} * (kFftSize + o.cp_samples);
            reader.read({samples.data(), 0, static_cast<int64_t>(samples.size())}, window, exact, o.first_window,
                        carriers);
            ready.push_back({o.tag, number, window, {}});
            std::copy_n(carriers.data(), kCarrierSpan, ready.back().carriers.begin());
        }
        return exact;
    }
    bool take(TransformedSymbol& symbol) override {
        if (ready.empty()) return false;
        symbol = ready.front();
        ready.pop_front();
        return true;
    }
};

/// Frames of 5 ms with two bursts after a channel.
struct OnAir {
    static constexpr int64_t kFrame = 28'800;
    Numerology num = *Numerology::make(5'000'000, CyclicPrefix::g1_8);
    std::vector<std::vector<uint8_t>> payloads;
    Samples samples;

    explicit OnAir(int frames, const Channel& channel, uint64_t seed = 3) {
        Modulator modulator(num);
        FramePlan plan{{{1, 10, false, 1}, {6, 30, false, 7}}, 12, 1};
        Samples sent;
        for (int i = 0; i < frames; ++i) {
            const auto frame = plan.modulate(modulator);
            sent.resize(static_cast<size_t>(i + 1) * kFrame);
            std::copy(frame.begin(), frame.end(), sent.begin() + i * kFrame);
            for (auto& payload : plan.payloads()) payloads.push_back(std::move(payload));
            plan.frame_lsb = (plan.frame_lsb + 1) & 15;
            ++plan.seed;
        }
        samples = pass(sent, channel, kRate, sent.size() + 400, seed);
    }
    /// Found by the receiver's search, with small errors like those of a detector.
    std::deque<DetectedPreamble> preambles(const Recorder& host, double wrong_hz) const {
        std::deque<DetectedPreamble> all;
        for (const auto& f : host.frames)
            all.push_back({f.start_sample, f.cp, (static_cast<double>(f.frequency_offset_hz) + wrong_hz) / kRate});
        return all;
    }
};

/// In pieces as from a radio.
Recorder receive(const OnAir& air, const DownlinkReceiverConfig& config, DownlinkReceiver::Given* given = nullptr,
                 size_t piece = 2880) {
    DownlinkReceiver receiver(config);
    Recorder recorder;
    for (size_t at = 0; at < air.samples.size(); at += piece)
        receiver.process(std::span(air.samples).subspan(at, std::min(piece, air.samples.size() - at)),
                         static_cast<int64_t>(at), recorder);
    if (given) *given = receiver.given();
    return recorder;
}

void expect_same(const Recorder& got, const Recorder& expected) {
    ASSERT_EQ(got.frames.size(), expected.frames.size());
    for (size_t i = 0; i < got.frames.size(); ++i) {
        EXPECT_EQ(got.frames[i].start_sample, expected.frames[i].start_sample) << i;
        EXPECT_EQ(got.frames[i].fch_ok, expected.frames[i].fch_ok) << i;
        EXPECT_NEAR(got.frames[i].frequency_offset_hz, expected.frames[i].frequency_offset_hz, 60) << i;
    }
    ASSERT_EQ(got.bursts.size(), expected.bursts.size());
    for (size_t i = 0; i < got.bursts.size(); ++i) {
        EXPECT_TRUE(got.bursts[i].burst.fec_ok) << i;
        EXPECT_EQ(got.bursts[i].burst.payload, expected.bursts[i].burst.payload) << i;
        EXPECT_EQ(got.bursts[i].burst.start_sample, expected.bursts[i].burst.start_sample) << i;
        EXPECT_NEAR(got.bursts[i].burst.measured.cinr_db, expected.bursts[i].burst.measured.cinr_db, 1) << i;
    }
}

Channel offset_channel(double ppm = 8) {
    Channel channel;
    channel.snr_db = 28;
    channel.clock_ppm = ppm;
    channel.frequency_hz = 5e3;
    channel.delay_samples = 100.3;
    return channel;
}

TEST(GivenParts, AnIdleDetectorFindsNothing) {
    const OnAir air(3, offset_channel());
    const auto detector = std::make_shared<Detector>();
    DownlinkReceiver::Given given;
    const auto got = receive(air, {.detector = detector}, &given);
    EXPECT_TRUE(got.frames.empty());
    EXPECT_GT(detector->asked, 0);
    EXPECT_EQ(given.preambles, 0U);
}

/// As with a carrier as strong as the signal.
TEST(GivenParts, TheSearchTakesTheDeafDetectorsPlace) {
    OnAir air(52, offset_channel());
    std::fill(air.samples.begin() + 45 * OnAir::kFrame, air.samples.end(), Complex{});
    const auto detector = std::make_shared<Detector>();
    DownlinkReceiver receiver({.detector = detector});
    Recorder recorder;
    receiver.process(air.samples, 0, recorder);
    const auto patience = static_cast<int64_t>(PreambleSource::kPatienceS * kRate);
    ASSERT_FALSE(recorder.frames.empty());
    EXPECT_GT(recorder.frames.front().start_sample, patience - 100);
    EXPECT_LT(recorder.frames.front().start_sample, patience + OnAir::kFrame + 200);
    EXPECT_EQ(recorder.frames.size(), 4U) << "to the last, as if there were no detector";
    EXPECT_EQ(receiver.given().preambles, 0U);
    ASSERT_EQ(recorder.losses.size(), 1U);
    detector->found = {{recorder.losses[0] + 10, CyclicPrefix::g1_8, 0}};
    receiver.process({}, static_cast<int64_t>(air.samples.size()), recorder);
    EXPECT_EQ(receiver.given().preambles, 1U) << "it has another chance";
}

/// A plateau from before a restart is not examined.
TEST(GivenParts, ARestartedSearchIsAFreshOne) {
    const OnAir air(1, offset_channel());
    const SampleView all{air.samples.data(), 0, static_cast<int64_t>(air.samples.size())};
    for (const bool again : {false, true}) {
        PreambleSource source(std::nullopt, air.num, nullptr), fresh(std::nullopt, air.num, nullptr);
        source.restart(0);
        ASSERT_FALSE(source.look(all));  // it has found the plateau, but has not examined it yet
        ASSERT_LT(source.due(), 2000);
        constexpr int64_t kLater = 20'000;
        if (again) source.restart(kLater);
        else source.go_on(kLater);
        fresh.restart(kLater);
        EXPECT_EQ(source.due(), fresh.due()) << again;
        EXPECT_EQ(source.keep_from(kLater), fresh.keep_from(kLater)) << again;
        EXPECT_FALSE(source.look(all)) << again;
        EXPECT_FALSE(fresh.look(all)) << again;
        EXPECT_EQ(source.due(), fresh.due()) << again;
    }
}

TEST(GivenParts, AfterSilenceTheDetectorIsHeard) {
    OnAir air(52, offset_channel());
    std::fill(air.samples.begin(), air.samples.begin() + 45 * OnAir::kFrame, Complex{});
    const auto host = receive(air, {});
    ASSERT_EQ(host.frames.size(), 7U);
    const auto detector = std::make_shared<Detector>();
    DownlinkReceiver receiver({.detector = detector});
    Recorder recorder;
    const std::span all(air.samples);
    const auto silence = static_cast<size_t>(44 * OnAir::kFrame);
    receiver.process(all.first(silence), 0, recorder);
    detector->found = air.preambles(host, 400);
    receiver.process(all.subspan(silence), static_cast<int64_t>(silence), recorder);
    expect_same(recorder, host);
    EXPECT_EQ(receiver.given().preambles, 2U);
}

TEST(GivenParts, ADetectorsPreamblesAreTheReceiversOwn) {
    const OnAir air(8, offset_channel());
    const auto host = receive(air, {});
    ASSERT_EQ(host.frames.size(), 8U);
    for (const size_t piece : {700U, 2880U, 30'000U}) {
        const auto detector = std::make_shared<Detector>();
        detector->found = air.preambles(host, 400);
        DownlinkReceiver::Given given;
        expect_same(receive(air, {.detector = detector}, &given, piece), host);
        EXPECT_EQ(given.preambles, 2U) << "the clock is known behind the second";
        EXPECT_LT(detector->found.size(), 2U) << "those of frames that are followed are taken, too";
    }
}

TEST(GivenParts, WhatIsNoPreambleIsPassedOver) {
    const OnAir air(8, offset_channel());
    const auto host = receive(air, {});
    const auto detector = std::make_shared<Detector>();
    detector->found = air.preambles(host, 0);
    detector->found.insert(detector->found.begin() + 1, {10'000, CyclicPrefix::g1_4, 0.001});
    detector->found.push_front({3, CyclicPrefix::g1_8, 0});
    DownlinkReceiver::Given given;
    expect_same(receive(air, {.detector = detector}, &given), host);
    EXPECT_EQ(given.preambles, 4U);
}

/// Like records of hardware, which take another way to the host than samples.
TEST(GivenParts, APreambleThatIsToldLateDoes) {
    const OnAir air(8, offset_channel());
    const auto host = receive(air, {});
    const auto detector = std::make_shared<Detector>();
    DownlinkReceiver receiver({.detector = detector});
    Recorder recorder;
    const std::span all(air.samples);
    receiver.process(all.first(5'000), 0, recorder);
    detector->found = air.preambles(host, 0);
    receiver.process(all.subspan(5'000), 5'000, recorder);
    expect_same(recorder, host);
}

TEST(GivenParts, AfterALossTheDetectorIsAskedAgain) {
    OnAir air(24, offset_channel(0));
    std::fill(air.samples.begin() + 5 * OnAir::kFrame, air.samples.begin() + 14 * OnAir::kFrame + 60, Complex{});
    const auto host = receive(air, {});
    ASSERT_EQ(host.losses.size(), 1U);
    const auto detector = std::make_shared<Detector>();
    detector->found = air.preambles(host, 0);
    DownlinkReceiver::Given given;
    const auto got = receive(air, {.detector = detector}, &given);
    EXPECT_EQ(got.losses, host.losses);
    expect_same(got, host);
    EXPECT_EQ(given.preambles, 4U);
}

TEST(GivenParts, SymbolsOfTheRadioGiveTheSameFrames) {
    for (const double ppm : {-20.0, 8.0, 20.0}) {
        const OnAir air(10, offset_channel(ppm));
        const auto host = receive(air, {});
        ASSERT_EQ(host.bursts.size(), 20U);
        const auto transformer = std::make_shared<Transformer>(air.samples);
        DownlinkReceiver::Given given;
        expect_same(receive(air, {.transformer = transformer}, &given), host);
        // Preamble, prefix and both bursts of each frame after the second, except where a window had to move.
        EXPECT_GE(given.symbols, 43U * 6) << ppm;
        ASSERT_GE(transformer->orders.size(), 8U);
        const auto& order = transformer->orders[3];
        EXPECT_EQ(order.cp_samples, 32);
        EXPECT_EQ(order.symbols, 99);  // of 100 symbols in a frame
        EXPECT_NEAR(order.cycles_per_sample * kRate, 5e3, 60);
        EXPECT_NE(order.tag, transformer->orders[4].tag);
    }
}

TEST(GivenParts, WithoutMovingWindowsAllSymbolsAreTheRadios) {
    const OnAir air(10, offset_channel(0));
    const auto transformer = std::make_shared<Transformer>(air.samples);
    DownlinkReceiver::Given given;
    receive(air, {.transformer = transformer}, &given);
    EXPECT_EQ(given.symbols, 43U * 8);
}

TEST(GivenParts, WhatTheRadioLosesComesFromSamples) {
    const OnAir air(10, offset_channel());
    const auto host = receive(air, {});
    for (const int every : {1, 2, 7}) {
        const auto transformer = std::make_shared<Transformer>(air.samples);
        transformer->lose_every = every;
        DownlinkReceiver::Given given;
        expect_same(receive(air, {.transformer = transformer}, &given), host);
        EXPECT_EQ(given.symbols > 0, every > 1);
    }
    const auto transformer = std::make_shared<Transformer>(air.samples);
    transformer->refuse = true;
    expect_same(receive(air, {.transformer = transformer}), host);
}

/// Symbols of no order, before its first, after its last, or of another place are ignored.
TEST(GivenParts, WhatTheRadioGivesBesideAnOrderIsNobodys) {
    struct Careless final : SymbolTransformer {
        std::deque<TransformedSymbol> ready;
        std::optional<double> order(const SymbolOrder& o) override {
            for (int number = -3; number <= o.symbols + 3; ++number) {
                const int64_t window = o.first_window + int64_t{number} * (kFftSize + o.cp_samples);
                ready.push_back({o.tag, number, window, {}});
                ready.back().carriers.fill(static_cast<float>(number));
                ready.push_back({o.tag, number, window + 1, {}});
                ready.push_back({static_cast<uint16_t>(o.tag + 1), number, window, {}});
            }
            return o.cycles_per_sample;
        }
        bool take(TransformedSymbol& symbol) override {
            if (ready.empty()) return false;
            symbol = ready.front();
            ready.pop_front();
            return true;
        }
    };
    OrderedSymbols ordered(std::make_shared<Careless>());
    int64_t first = 1000;
    uint64_t found = 0;
    for (const int symbols : {1, 7, kMaxFrameSymbols, 3}) {
        first += 28'800;
        ordered.order({first, 32, symbols, 0.001, 0});
        ASSERT_TRUE(ordered.begin(first));
        for (int number = -3; number <= symbols + 3; ++number) {
            const auto* carriers = ordered.find({number, first + number * 288, 0}, {0.001, first});
            ASSERT_EQ(carriers != nullptr, number >= 0 && number < symbols) << symbols << ' ' << number;
            if (carriers != nullptr) {
                EXPECT_EQ((*carriers)[5], static_cast<float>(number));
            }
            found += carriers != nullptr;
        }
        EXPECT_EQ(ordered.found(), found);
    }
}

TEST(GivenParts, ACoarseOscillatorDoes) {
    const OnAir air(10, offset_channel());
    const auto host = receive(air, {});
    const auto transformer = std::make_shared<Transformer>(air.samples);
    transformer->coarse = 100 / kRate;
    DownlinkReceiver::Given given;
    const auto got = receive(air, {.transformer = transformer}, &given);
    EXPECT_GE(given.symbols, 43U * 6);
    ASSERT_EQ(got.bursts.size(), host.bursts.size());
    for (size_t i = 0; i < got.bursts.size(); ++i)
        EXPECT_EQ(got.bursts[i].burst.payload, host.bursts[i].burst.payload) << i;
}

/// Errors that an FPGA does not correct are corrected by the host, from samples.
TEST(GivenParts, AFrontEndToBeCorrectedNeedsSamples) {
    OnAir air(10, offset_channel());
    for (auto& x : air.samples) x += Complex(0.2F, 0.1F);
    const auto host = receive(air, {});
    ASSERT_EQ(host.bursts.size(), 20U);
    const auto transformer = std::make_shared<Transformer>(air.samples);
    const auto detector = std::make_shared<Detector>();
    detector->found = air.preambles(host, 0);
    DownlinkReceiver::Given given;
    const auto got = receive(air, {.detector = detector, .transformer = transformer}, &given);
    EXPECT_LT(given.symbols, 43U * 3);
    ASSERT_EQ(got.bursts.size(), 20U);
    for (size_t i = 0; i < got.bursts.size(); ++i)
        EXPECT_EQ(got.bursts[i].burst.payload, host.bursts[i].burst.payload) << i;
}

/// An image of -55 dBc has no effect and is no reason to ignore the radio's carriers.
TEST(GivenParts, AnImageThatNobodyFeelsNeedsNoSamples) {
    auto channel = offset_channel(0);
    channel.snr_db = 50;
    OnAir air(10, channel);
    for (auto& x : air.samples) x += 1.8e-3F * std::conj(x);
    DownlinkReceiver reading({});
    Recorder host;
    reading.process(air.samples, 0, host);
    ASSERT_EQ(host.bursts.size(), 20U);
    ASSERT_NEAR(reading.front_end().image_dbc, -55, 1) << "it is taken off where samples are read";
    const auto transformer = std::make_shared<Transformer>(air.samples);
    DownlinkReceiver::Given given;
    const auto got = receive(air, {.transformer = transformer}, &given);
    EXPECT_EQ(given.symbols, 43U * 8);
    ASSERT_EQ(got.bursts.size(), 20U);
    for (size_t i = 0; i < got.bursts.size(); ++i) {
        EXPECT_EQ(got.bursts[i].burst.payload, host.bursts[i].burst.payload) << i;
        EXPECT_NEAR(got.bursts[i].burst.measured.cinr_db, host.bursts[i].burst.measured.cinr_db, 2) << i;
    }
}

/// Without a carrier offset both ends' images look alike: their sum is known at once, each separately never.
TEST(GivenParts, ImagesThatLookAlikeAreNotInvented) {
    for (const double offset_hz : {0.0, 200.0})
        for (const uint64_t seed : {1, 2, 3})
            for (const auto& [image, image_dbc] : {std::pair(0.0F, -200.0F), {0.0178F, -35.0F}, {0.0316F, -30.0F}}) {
                auto channel = offset_channel(2);
                channel.snr_db = 30;
                channel.frequency_hz = offset_hz;
                OnAir air(20, channel, seed);
                for (auto& x : air.samples) x += image * std::conj(x);
                DownlinkReceiver receiver({});
                Recorder recorder;
                receiver.process(air.samples, 0, recorder);
                ASSERT_EQ(recorder.bursts.size(), 40U);
                EXPECT_NEAR(receiver.front_end().image_dbc, image_dbc, 0.5) << offset_hz << " " << seed;
                // If one is certain there may be some of the other, but without a noticeable effect.
                EXPECT_LE(receiver.front_end().sender_dbc, image == 0 ? -200 : -45) << offset_hz << " " << seed;
                for (const auto& b : recorder.bursts) EXPECT_GT(b.burst.measured.cinr_db, 27.5);
            }
}

/// Of that frame, at that frequency, with a window at most a few samples from the wanted one.
TEST(GivenParts, ASymbolIsForWhoeverTakesItsFrequencyOff) {
    const OnAir air(1, offset_channel());
    OrderedSymbols ordered(std::make_shared<Transformer>(air.samples));
    constexpr int64_t kFirst = 400;
    ordered.order({.first_window = kFirst, .symbols = 5, .cycles_per_sample = 1e-4});
    const auto* frame = ordered.begin(kFirst);
    ASSERT_TRUE(frame);
    const FrequencyCorrection exact{frame->cycles_per_sample, kFirst};
    EXPECT_FALSE(ordered.find({.symbol = 2}, {exact.cycles_per_sample + 1e-6, kFirst}));
    EXPECT_FALSE(ordered.find({.symbol = 2}, {exact.cycles_per_sample, kFirst + 1}));
    EXPECT_FALSE(ordered.find({.symbol = 5}, exact));
    EXPECT_FALSE(ordered.find({.symbol = 2, .shift = 5}, exact));
    EXPECT_TRUE(ordered.find({.symbol = 2, .shift = -4}, exact));
    EXPECT_EQ(ordered.found(), 1U);
}

TEST(GivenParts, BurstsAskedForLateAndPausesDoNotMatter) {
    const OnAir air(10, offset_channel());
    const auto run = [&](const std::shared_ptr<SymbolTransformer>& transformer) {
        DownlinkReceiver receiver({.decode_prefix_bursts = false, .transformer = transformer});
        Recorder recorder;
        recorder.burst_hook = [&](const FrameSync&, const ReceivedBurst& burst) {
            if (burst.index != 1) return SampleFlow::go_on;
            BurstFormat format{6, 7, 5, 0, Preamble::none, 30};
            format.frame_lsb = recorder.frames.back().prefix.frame_lsb;
            const DownlinkReceiver::Expected later{format, 13, 2};
            receiver.expect({&later, 1});
            return SampleFlow::pause;
        };
        const std::span all(air.samples);
        for (size_t at = 0; at < all.size();) {
            const size_t n = receiver.process(all.subspan(at, std::min<size_t>(4000, all.size() - at)),
                                              static_cast<int64_t>(at), recorder);
            at += n;
        }
        return recorder;
    };
    const auto host = run(nullptr);
    ASSERT_EQ(host.bursts.size(), 20U);
    expect_same(run(std::make_shared<Transformer>(air.samples)), host);
}

}  // namespace test_given_parts
}  // namespace gr::wimax::phy::test
