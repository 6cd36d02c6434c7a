// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/base/test_noise.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_uplink_receiver {

Numerology numerology(int64_t bandwidth_hz = 5'000'000, CyclicPrefix cp = CyclicPrefix::g1_8) {
    return *Numerology::make(bandwidth_hz, cp);
}

BurstFormat format_of(int rate, int symbols, Preamble preamble = Preamble::short_, uint8_t midambles = 0,
                      uint8_t subchannel = kFullSubchannel) {
    return {static_cast<uint8_t>(rate), 7, 1, 9, preamble, symbols, midambles, subchannel};
}

constexpr int64_t kStart = 200;  // nominal start in the samples of the tests

struct Trial {
    explicit Trial(const BurstFormat& f, const Numerology& n = numerology()) : format(f), num(n) {}

    BurstFormat format;
    Numerology num;
    Channel channel;
    int search_samples = 0;
    uint64_t seed = 1;
    std::vector<uint8_t> payload;

    Samples samples() {
        payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
        Modulator modulator(num);
        Samples sent(static_cast<size_t>(format.total_symbols() * num.symbol_samples()));
        EXPECT_EQ(modulator.uplink({format, payload}, sent), sent.size());
        Channel shifted = channel;
        shifted.delay_samples += kStart;
        return pass(sent, shifted, static_cast<double>(num.sample_rate_hz),
                    sent.size() + 400 + static_cast<size_t>(search_samples), seed);
    }
    ReceivedBurst receive() {
        const auto received = samples();
        UplinkReceiver receiver(num);
        ReceivedBurst result;
        receiver.receive(received, 0, {format, kStart, search_samples, 42}, result);
        EXPECT_EQ(result.index, 42);
        return result;
    }
    bool good(const ReceivedBurst& r) const { return r.detected && r.fec_ok && r.payload == payload; }
};

TEST(UplinkReceiver, EveryRateWithTimingAndFrequencyOffset) {
    for (int rate = 0; rate < kRates; ++rate)
        for (const auto cp : kCyclicPrefixes) {
            Trial trial(format_of(rate, 9), numerology(5'000'000, cp));
            trial.seed = static_cast<uint64_t>(rate) + 50;
            trial.channel.snr_db = 35;
            trial.channel.frequency_hz = rate % 2 ? 10e3 : -10e3;
            trial.channel.delay_samples = (rate - 3) / 6.5 * trial.num.cp_samples() + 0.3;
            const auto result = trial.receive();
            ASSERT_TRUE(trial.good(result)) << rate << ' ' << to_string(cp);
            EXPECT_NEAR(result.measured.timing_offset_samples, trial.channel.delay_samples, 0.2);
            EXPECT_NEAR(result.measured.frequency_offset_hz, trial.channel.frequency_hz, 40);
            EXPECT_NEAR(result.measured.rssi_dbfs, 0, 0.3);
            EXPECT_NEAR(result.measured.cinr_db, 35, 0.7);
            EXPECT_NEAR(result.measured.evm_db, -35, 0.7);
        }
}

TEST(UplinkReceiver, SeveralBandwidths) {
    for (const int64_t bandwidth : {1'750'000, 3'500'000, 7'000'000, 10'000'000, 20'000'000}) {
        Trial trial(format_of(4, 5), numerology(bandwidth, CyclicPrefix::g1_16));
        trial.channel.snr_db = 25;
        trial.channel.frequency_hz = 1500;
        EXPECT_TRUE(trial.good(trial.receive())) << bandwidth;
    }
}

TEST(UplinkReceiver, LevelIsReported) {
    Trial trial(format_of(2, 5));
    trial.channel.paths = {{0, std::polar(0.01F, 1.0F)}};
    trial.channel.snr_db = 60;  // against a unit signal: 20 dB here
    const auto result = trial.receive();
    ASSERT_TRUE(trial.good(result));
    EXPECT_NEAR(result.measured.rssi_dbfs, -40, 0.4);
    EXPECT_NEAR(result.measured.cinr_db, 20, 1);
}

TEST(UplinkReceiver, CinrIsUnbiased) {
    // Cases in which decisions are correct, and in which only pilots and preamble can be used.
    constexpr int kBursts = 200;
    for (const auto preamble : {Preamble::short_, Preamble::long_})
        for (const auto& [rate, snr_db] : {std::pair{1, 14.0}, std::pair{6, 14.0}}) {
            double sum_db = 0;
            for (int i = 0; i < kBursts; ++i) {
                Trial trial(format_of(rate, 4, preamble));
                trial.seed = static_cast<uint64_t>(i) + 900;
                trial.channel.snr_db = snr_db;
                trial.channel.delay_samples = 3.7;
                const auto result = trial.receive();
                ASSERT_TRUE(result.detected);
                sum_db += static_cast<double>(result.measured.cinr_db);
            }
            RecordProperty("bias_" + std::to_string(rate) + "_" + std::to_string(preamble_symbols(preamble)),
                           std::to_string(sum_db / kBursts - snr_db));
            EXPECT_NEAR(sum_db / kBursts, snr_db, 0.2) << rate << ' ' << preamble_symbols(preamble);
        }
}

TEST(UplinkReceiver, ErrorRateNearGenie) {
    constexpr std::array<double, kRates> kGenie{-0.23, 4.08, 6.58, 9.66, 12.87, 16.76, 18.37};
    for (int rate = 0; rate < kRates; ++rate) {
        int lost = 0, counted = 0;
        for (int i = 0; i < 300; ++i) {
            Trial trial(format_of(rate, 1));
            trial.seed = static_cast<uint64_t>(i);
            trial.channel.snr_db = kGenie[static_cast<size_t>(rate)] + 0.5;
            trial.channel.frequency_hz = 10e3 * std::cos(i);
            trial.channel.delay_samples = 14.0 * std::sin(i);
            lost += !trial.good(trial.receive());
            ++counted;
        }
        EXPECT_LE(lost, 10) << rate;  // three expected at worst
    }
}

TEST(UplinkReceiver, StaticMultipath) {
    std::mt19937_64 random(5);
    std::normal_distribution<float> gauss(0, 0.7071F);
    const auto draw = [&] { return complex_of(gauss, random); };
    int decoded = 0, trials = 0;
    for (int rate = 0; rate < 4; ++rate)
        for (int i = 0; i < 25; ++i, ++trials) {
            const float total = 1 + 0.063F + 0.032F;
            Trial trial(format_of(rate, 3));
            trial.seed = random();
            trial.channel.snr_db = 20;
            trial.channel.frequency_hz = -10e3;
            trial.channel.paths = {{0, (std::sqrt(11.0F / 12) + std::sqrt(1.0F / 12) * draw()) / std::sqrt(total)},
                                   {2.304, std::sqrt(0.063F / total) * draw()},
                                   {6.336, std::sqrt(0.032F / total) * draw()}};
            decoded += trial.good(trial.receive());
        }
    EXPECT_GE(decoded, trials * 95 / 100);
}

TEST(UplinkReceiver, MidamblesRefreshTheChannel) {
    for (uint8_t field = 1; field <= 3; ++field) {
        Trial trial(format_of(5, 40, Preamble::short_, field));
        trial.channel.snr_db = 26;
        trial.channel.clock_ppm = 20;
        trial.channel.paths = {{0, {0.8F, 0.1F}}, {9.3, {0.1F, -0.5F}}};
        EXPECT_TRUE(trial.good(trial.receive())) << int{field};
    }
}

TEST(UplinkReceiver, LongBurstWithClockOffset) {
    Trial trial(format_of(6, 190));
    trial.channel.snr_db = 28;
    trial.channel.clock_ppm = -20;
    trial.channel.frequency_hz = 400;
    EXPECT_TRUE(trial.good(trial.receive()));
}

TEST(UplinkReceiver, AStationsClockIsFoundInItsBurst) {
    // 15 ppm move a symbol by 0.26 samples within 60 of them: 0.6 rad at the edges of the band.
    constexpr int kBursts = 200;
    int lost = 0;
    for (uint64_t seed = 0; seed < kBursts; ++seed) {
        Trial trial(format_of(3, 60), numerology(1'250'000));
        trial.seed = seed;
        trial.channel.snr_db = 10.5;
        trial.channel.clock_ppm = seed % 2 == 0 ? 15 : -15;
        lost += !trial.good(trial.receive());
    }
    RecordProperty("lost", lost);
    EXPECT_LE(lost, 6);  // 3; without a prior that allows for it, 11
}

TEST(UplinkReceiver, RangingBurstArrivesLate) {
    for (const double late : {0.0, 7.4, 100.0, 333.3, 570.0}) {
        for (const double snr_db : {3.0, 25.0}) {
            Trial trial(format_of(0, 4, Preamble::long_));
            trial.search_samples = 576;
            trial.channel.snr_db = snr_db;
            trial.channel.delay_samples = late;
            trial.channel.frequency_hz = 3e3;
            const auto result = trial.receive();
            ASSERT_TRUE(trial.good(result)) << late << ' ' << snr_db;
            EXPECT_NEAR(result.measured.timing_offset_samples, late, 0.3);
            EXPECT_EQ(result.start_sample,
                      std::llround(kStart + static_cast<double>(result.measured.timing_offset_samples)));
        }
    }
    Trial direct(format_of(0, 4, Preamble::long_));
    direct.channel.delay_samples = -5;
    EXPECT_TRUE(direct.good(direct.receive()));
}

/// Two bursts of one format in one allocation: the first at `delays[0]` with amplitude `levels[0]`, and so on.
struct Collision {
    BurstFormat format;
    std::array<double, 2> delays, levels;
    int search_samples;

    std::array<ReceivedBurst, 2> reports{};  // received bursts, strongest first
    std::array<std::vector<uint8_t>, 2> payloads{};
    int decoded = 0;  // as the receiver sees it

    void run(uint64_t seed) {
        const auto num = numerology();
        Samples sum;
        for (size_t i = 0; i < 2; ++i) {
            Trial trial(format);
            trial.seed = 2 * seed + i;
            trial.search_samples = search_samples;
            trial.channel.snr_db = i == 0 ? 12 : 100;  // noise is counted once
            trial.channel.delay_samples = delays[i];
            trial.channel.frequency_hz = i == 0 ? 1500 : -2000;
            trial.channel.paths = {{0, static_cast<float>(levels[i])}};
            const auto samples = trial.samples();
            sum.resize(samples.size());
            for (size_t n = 0; n < samples.size(); ++n) sum[n] += samples[n];
            payloads[i] = trial.payload;
        }
        UplinkReceiver receiver(num);
        const UplinkAllocation allocation{format, kStart, search_samples, 3};
        receiver.receive(sum, 0, allocation, reports[0]);
        decoded = reports[0].fec_ok ? 1 : 0;
        if (receiver.receive_second(sum, 0, allocation, reports[1])) ++decoded;
    }
};

TEST(UplinkReceiver, OfCollidingBurstsTheStrongestIsTaken) {
    for (const auto preamble : {Preamble::long_, Preamble::short_}) {
        int strong = 0, timed = 0;
        for (uint64_t seed = 0; seed < 20; ++seed) {
            const double early = 7.3 * static_cast<double>(seed), between = 350 + 20.0 * static_cast<double>(seed);
            Collision collision{format_of(0, 4, preamble), {early, early + between}, {0.4, 1.6}, 900};
            collision.run(seed);
            strong += collision.reports[0].payload == collision.payloads[1];
            timed += std::abs(static_cast<double>(collision.reports[0].measured.timing_offset_samples) -
                              collision.delays[1]) < 1;
        }
        EXPECT_GE(strong, 19) << preamble_symbols(preamble);
        EXPECT_GE(timed, 19) << preamble_symbols(preamble);
    }
}

TEST(UplinkReceiver, TheSecondOfTwoBurstsIsReportedToo) {
    int both = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        const bool weak_first = seed % 2 == 0;
        Collision collision{format_of(1, 3, Preamble::long_), {40, 1700}, {1, 1}, 2000};
        collision.levels[weak_first ? 0 : 1] = 0.5;
        collision.run(seed);
        const size_t strong = weak_first ? 1 : 0;
        EXPECT_EQ(collision.reports[0].payload, collision.payloads[strong]) << seed;
        both += collision.decoded == 2 && collision.reports[1].payload == collision.payloads[1 - strong];
        EXPECT_NEAR(collision.reports[1].measured.timing_offset_samples, collision.delays[1 - strong], 0.5);
        EXPECT_NEAR(collision.reports[1].measured.rssi_dbfs, -6, 0.7);
        EXPECT_EQ(collision.reports[1].index, 3);
    }
    EXPECT_GE(both, 19);
    // One burst is reported once, whatever follows it.
    Trial alone(format_of(0, 6, Preamble::long_));
    alone.search_samples = 2000;
    const auto samples = alone.samples();
    UplinkReceiver receiver(alone.num);
    ReceivedBurst result;
    receiver.receive(samples, 0, {alone.format, kStart, 2000, 0}, result);
    EXPECT_TRUE(alone.good(result));
    EXPECT_FALSE(receiver.receive_second(samples, 0, {alone.format, kStart, 2000, 0}, result));
    // Without a search only one burst is possible.
    receiver.receive(samples, 0, {alone.format, kStart, 0, 0}, result);
    EXPECT_FALSE(receiver.receive_second(samples, 0, {alone.format, kStart, 0, 0}, result));
}

TEST(UplinkReceiver, OneBurstIsOneWhereverItBegins) {
    // Echoes that make more than one plateau of its preamble, at any position in the window.
    for (const auto preamble : {Preamble::long_, Preamble::short_})
        for (uint64_t seed = 1; seed <= 12; ++seed) {
            Trial trial(format_of(0, 3, preamble));
            trial.seed = seed;
            trial.search_samples = 1500;
            trial.channel.snr_db = 20;
            trial.channel.delay_samples = 100.3 * static_cast<double>(seed);
            trial.channel.paths = {{0, 1}, {4.0 + 2.0 * static_cast<double>(seed), {0.5F, 0.5F}}};
            const auto samples = trial.samples();
            UplinkReceiver receiver(trial.num);
            const UplinkAllocation allocation{trial.format, kStart, 1500, 0};
            ReceivedBurst result;
            receiver.receive(samples, 0, allocation, result);
            EXPECT_TRUE(trial.good(result)) << preamble_symbols(preamble) << ' ' << seed;
            EXPECT_FALSE(receiver.receive_second(samples, 0, allocation, result));
            EXPECT_FALSE(result.detected) << preamble_symbols(preamble) << ' ' << seed;
        }
}

/// A reused result contains nothing of the burst before.
TEST(UplinkReceiver, OfNothingNothingIsReported) {
    const Samples silence(5000);
    const auto stale = [] {
        ReceivedBurst r;
        r.detected = r.fec_ok = true;
        r.failed_blocks = 3;
        r.corrected_bytes = 7;
        r.start_sample = 99;
        r.start_symbol = 4;
        r.index = 12;
        r.payload = {1, 2, 3};
        r.measured = {-1, 20, -30, 5, 100};
        return r;
    };
    const auto expect_nothing = [](const ReceivedBurst& r, const UplinkAllocation& allocation) {
        EXPECT_FALSE(r.detected || r.fec_ok);
        EXPECT_EQ(r.failed_blocks, 0);
        EXPECT_EQ(r.corrected_bytes, 0);
        EXPECT_EQ(r.start_sample, allocation.start_sample);
        EXPECT_EQ(r.start_symbol, 0);
        EXPECT_EQ(r.index, allocation.index);
        EXPECT_EQ(r.format.data_symbols, allocation.format.data_symbols);
        EXPECT_TRUE(r.payload.empty());
        const BurstMeasurement none;
        EXPECT_EQ(r.measured.cinr_db, none.cinr_db);
        EXPECT_EQ(r.measured.evm_db, none.evm_db);
        EXPECT_EQ(r.measured.timing_offset_samples, none.timing_offset_samples);
        EXPECT_EQ(r.measured.frequency_offset_hz, none.frequency_offset_hz);
    };
    for (const int search : {0, 900}) {
        const UplinkAllocation allocation{format_of(0, 4, Preamble::long_), kStart, search, 42};
        UplinkReceiver receiver(numerology());
        auto result = stale();
        receiver.receive(silence, 0, allocation, result);
        expect_nothing(result, allocation);
        result = stale();
        receiver.receive_second(silence, 0, allocation, result);
        expect_nothing(result, allocation);
    }
}

TEST(UplinkReceiver, ShortPreambleSearchedInTheWindow) {
    Trial trial(format_of(2, 6));
    trial.search_samples = 1000;
    trial.channel.snr_db = 12;
    trial.channel.delay_samples = 801.5;
    const auto result = trial.receive();
    ASSERT_TRUE(trial.good(result));
    EXPECT_NEAR(result.measured.timing_offset_samples, 801.5, 0.3);
}

TEST(UplinkReceiver, RangingBurstFarOffInFrequency) {
    // Stations that have not received the base station's correction yet: +-20 ppm at 5.8 GHz, at 1.25 MHz 20.6
    // carriers.
    for (const int64_t bandwidth : {1'250'000, 1'750'000, 5'000'000, 10'000'000, 20'000'000}) {
        int arrived = 0, count = 0;
        for (const double hz : {-116e3, -71.3e3, -23e3, 8.2e3, 48.9e3, 116e3})
            for (const double snr_db : {4.0, 20.0}) {
                Trial trial(format_of(0, 3, Preamble::long_), numerology(bandwidth));
                trial.seed = static_cast<uint64_t>(++count);
                trial.search_samples = 400;
                trial.channel.snr_db = snr_db;
                trial.channel.delay_samples = 31.7 * count;
                trial.channel.frequency_hz = hz;
                trial.channel.clock_ppm = hz / 5.8e3;
                const auto result = trial.receive();
                arrived += trial.good(result);
                if (!trial.good(result)) continue;
                EXPECT_NEAR(result.measured.frequency_offset_hz, hz, 0.03 * trial.num.carrier_spacing_hz());
                EXPECT_NEAR(result.measured.timing_offset_samples, trial.channel.delay_samples, 0.3);
            }
        EXPECT_GE(arrived, count - 1) << bandwidth;
    }
    Trial invited(format_of(0, 4, Preamble::long_));  // only the frequency is searched
    invited.channel.delay_samples = 7;
    invited.channel.frequency_hz = -101e3;
    EXPECT_TRUE(invited.good(invited.receive()));
}

TEST(UplinkReceiver, ShortPreambleSeveralCarriersOff) {
    for (const int64_t bandwidth : {1'250'000, 1'750'000, 5'000'000})
        for (const int search : {0, 300})
            for (const double hz : {-10e3, -6.1e3, -2.9e3, 5.2e3, 10e3}) {
                Trial trial(format_of(1, 6), numerology(bandwidth));
                trial.search_samples = search;
                trial.channel.snr_db = 9;
                trial.channel.delay_samples = search > 0 ? 123.4 : -8.8;
                trial.channel.frequency_hz = hz;
                const auto result = trial.receive();
                ASSERT_TRUE(trial.good(result)) << bandwidth << ' ' << search << ' ' << hz;
                EXPECT_NEAR(result.measured.frequency_offset_hz, hz, 0.02 * trial.num.carrier_spacing_hz());
            }
}

TEST(UplinkReceiver, ShortPreambleCarriersOffWithEveryPrefix) {
    // A preamble two carriers off looks like one without offset if echoes of 64 samples are possible.
    for (const auto cp : kCyclicPrefixes) {
        int good = 0;
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            Trial trial(format_of(1, 1), numerology(1'250'000, cp));
            trial.seed = seed;
            trial.search_samples = 300;
            trial.channel.snr_db = 15;
            trial.channel.delay_samples = 123.4;
            trial.channel.frequency_hz = seed % 2 == 0 ? 9.6e3 : -8.3e3;
            good += trial.good(trial.receive());
        }
        EXPECT_EQ(good, 40) << to_string(cp);
    }
}

TEST(UplinkReceiver, OfflineSearch) {
    for (const auto preamble : {Preamble::short_, Preamble::long_}) {
        Trial trial(format_of(3, 20, preamble, preamble == Preamble::short_ ? uint8_t{1} : uint8_t{0}));
        trial.search_samples = 20'000;
        trial.channel.snr_db = 18;
        trial.channel.delay_samples = 12'345;
        trial.channel.frequency_hz = 9e3;
        const auto samples = trial.samples();
        UplinkReceiver receiver(trial.num);
        const auto found = receiver.search(samples, 1'000'000, trial.format);
        ASSERT_TRUE(found);
        EXPECT_NEAR(static_cast<double>(*found), 1'000'000 + kStart + 12'345, 1);
        ReceivedBurst result;
        receiver.receive(samples, 1'000'000, {trial.format, *found, 0, 0}, result);
        EXPECT_TRUE(trial.good(result));
    }
}

TEST(UplinkReceiver, SubchannelGroups) {
    for (const uint8_t index : {uint8_t{1}, uint8_t{6}, uint8_t{12}, uint8_t{24}, uint8_t{31}}) {
        Trial trial(format_of(2, 12, Preamble::short_, 1, index));
        trial.channel.snr_db = 25;
        trial.channel.delay_samples = 3.3;
        trial.channel.frequency_hz = 100;
        EXPECT_TRUE(trial.good(trial.receive())) << int{index};
    }
}

TEST(UplinkReceiver, NothingInNoise) {
    const auto num = numerology();
    UplinkReceiver receiver(num);
    std::mt19937_64 random(8);
    std::normal_distribution<float> gauss(0, 0.7071F);
    Samples noise(5000);
    int detected = 0;
    for (int i = 0; i < 2000; ++i) {
        for (auto& x : noise) x = 0.1F * complex_of(gauss, random);
        ReceivedBurst result;
        const bool ranging = i % 4 == 0;
        receiver.receive(noise, 0,
                         {format_of(0, 2, ranging ? Preamble::long_ : Preamble::short_), kStart, ranging ? 576 : 0, 0},
                         result);
        detected += result.detected;
        ASSERT_NEAR(result.measured.rssi_dbfs, -20, 2);
        EXPECT_TRUE(result.payload.empty());
    }
    EXPECT_EQ(detected, 0);
    ReceivedBurst result;
    receiver.receive({}, 0, {format_of(0, 2), kStart, 0, 0}, result);
    EXPECT_FALSE(result.detected);
}

/// The level of an allocation without a sender is that of its noise, for any DC offset of the samples.
TEST(UplinkReceiver, AnOffsetIsNoNoise) {
    std::mt19937_64 random(9);
    std::normal_distribution<float> gauss(0, 0.7071F);
    Samples noise(5000);
    for (auto& x : noise) x = 0.01F * complex_of(gauss, random);
    const auto level = [&](Complex offset) {
        auto samples = noise;
        for (auto& x : samples) x += offset;
        UplinkReceiver receiver(numerology());
        ReceivedBurst result;
        receiver.receive(samples, 0, {format_of(0, 2), kStart, 0, 0}, result);
        EXPECT_FALSE(result.detected) << offset;
        return result.measured.rssi_dbfs;
    };
    EXPECT_NEAR(level({}), -40, 1);
    for (const Complex offset : {Complex(0.05F, 0), Complex(0, -0.2F), Complex(-0.3F, 0.3F)})
        EXPECT_NEAR(level(offset), level({}), 0.2) << offset;
}

TEST(UplinkReceiver, OtherTimingAndDataAreNotTaken) {
    // A burst that began two symbols ago: its data are no preamble. One with a large frequency offset: not this one.
    Trial trial(format_of(1, 20));
    trial.channel.snr_db = 30;
    trial.channel.delay_samples = -2 * 288;
    EXPECT_FALSE(trial.receive().detected);
    trial.channel.delay_samples = 0;
    trial.channel.frequency_hz = 116e3;
    EXPECT_FALSE(trial.receive().detected);
}

TEST(UplinkReceiver, TimingWithinHalfAPrefixIsTakenAndNoOther) {
    for (const auto preamble : {Preamble::short_, Preamble::long_})
        for (const double delay : {-43.0, -38.0, -30.0, 30.0, 38.0, 43.0}) {
            Trial trial(format_of(1, 4, preamble), numerology(5'000'000, CyclicPrefix::g1_4));
            trial.channel.snr_db = 30;
            trial.channel.delay_samples = delay;
            const auto result = trial.receive();
            EXPECT_EQ(result.detected, std::abs(delay) < 32) << delay << ' ' << preamble_symbols(preamble);
            EXPECT_EQ(trial.good(result), result.detected) << delay;
        }
}

TEST(UplinkReceiver, InvalidFormatsAreRefused) {
    UplinkReceiver receiver(numerology());
    Samples samples(2000, Complex(1));
    ReceivedBurst result;
    auto format = format_of(9, 1);
    receiver.receive(samples, 0, {format, 0, 0, 0}, result);
    EXPECT_FALSE(result.detected);
    format = format_of(0, 0);
    receiver.receive(samples, 0, {format, 0, 0, 0}, result);
    EXPECT_FALSE(result.detected);
    // STC zones are in the downlink.
    Trial trial(format_of(1, 4));
    const auto received = trial.samples();
    receiver.receive(received, 0, {trial.format, kStart, 0, 0}, result);
    EXPECT_TRUE(trial.good(result));
    trial.format.stc = true;
    receiver.receive(received, 0, {trial.format, kStart, 0, 0}, result);
    EXPECT_FALSE(result.detected);
}

}  // namespace test_uplink_receiver
}  // namespace gr::wimax::phy::test
