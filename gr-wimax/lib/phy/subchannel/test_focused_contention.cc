// SPDX-License-Identifier: GPL-3.0-or-later
// Focused contention: carriers and codes sent, and the detector's miss and false-alarm rates.
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <vector>

namespace gr::wimax::phy {
namespace test_focused_contention {

using Samples = std::vector<Complex>;

Numerology numerology(CyclicPrefix cp = CyclicPrefix::g1_8) { return *Numerology::make(5'000'000, cp); }
constexpr int kGuard = 64;  // samples before and after the opportunity

class Air {
public:
    explicit Air(uint64_t seed, const Numerology& n = numerology())
        : num_(n), transmitter_(n), random_(seed), samples_(static_cast<size_t>(2 * n.symbol_samples() + 2 * kGuard)) {}

    void clear() { std::fill(samples_.begin(), samples_.end(), Complex{}); }
    void noise(float variance_per_carrier) {
        std::normal_distribution<float> gauss(0, std::sqrt(0.64F * variance_per_carrier));
        for (auto& x : samples_) x += Complex(gauss(random_), gauss(random_));
    }
    void station(const ContentionCode& what, float boost_db, int delay, double offset_carriers, Complex gain = 1) {
        Samples sent(static_cast<size_t>(2 * num_.symbol_samples()));
        ASSERT_EQ(transmitter_.transmit(what, boost_db, sent), sent.size());
        const double phase = std::uniform_real_distribution<double>(0, 6.28)(random_);
        for (size_t n = 0; n < sent.size(); ++n) {
            const double turn = phase + 2 * std::numbers::pi * offset_carriers * static_cast<double>(n) / kFftSize;
            samples_[n + static_cast<size_t>(kGuard + delay)] += gain * sent[n] * Complex(std::polar(1.0, turn));
        }
    }
    const Samples& samples() const { return samples_; }

private:
    Numerology num_;
    ContentionTransmitter transmitter_;
    std::mt19937_64 random_;
    Samples samples_;
};

TEST(FocusedContention, ChannelsShareTheDataCarriersWithoutOverlap) {
    EXPECT_EQ(contention_carriers(0), (std::array{-100, -37, 1, 64}));
    EXPECT_EQ(contention_carriers(1), (std::array{-99, -36, 2, 65}));
    EXPECT_EQ(contention_carriers(47), (std::array{-51, -14, 50, 87}));
    std::set<int> used;
    for (int c = 0; c < kContentionChannels; ++c)
        for (int k : contention_carriers(c)) used.insert(k);
    EXPECT_EQ(used, std::set<int>(kDataOffsets.begin(), kDataOffsets.end()));
}

TEST(FocusedContention, FourBoostedCarriersTurnedByTheCode) {
    ContentionTransmitter transmitter(numerology());
    Samples out(2 * 288);
    OfdmTransform transform;
    for (uint8_t code = 0; code < 8; ++code) {
        ASSERT_EQ(transmitter.transmit({17, code}, 6, out), out.size());
        std::array<std::array<Complex, kFftSize>, 2> symbols;
        for (size_t s = 0; s < 2; ++s)
            transform.demodulate(std::span<const Complex, kFftSize>(out.data() + s * 288 + 32, kFftSize), symbols[s]);
        const auto carriers = contention_carriers(17);
        float inside = 0, all = 0;
        for (size_t i = 0; i < carriers.size(); ++i) {
            const auto bin = static_cast<size_t>(bin_of(carriers[i]));
            EXPECT_NEAR(20 * std::log10(std::abs(symbols[0][bin])), 6, 1e-3);
            // Codes 0..3 are the Walsh functions of two bits, the others their negatives.
            const int walsh[4] = {0, static_cast<int>(i) & 1, static_cast<int>(i) >> 1,
                                  (static_cast<int>(i) >> 1) ^ (static_cast<int>(i) & 1)};
            const float chip = (walsh[code & 3] != 0) != (code > 3) ? -1.0F : 1.0F;
            EXPECT_LT(std::abs(symbols[1][bin] - chip * symbols[0][bin]), 1e-4F);
            inside += std::norm(symbols[0][bin]) + std::norm(symbols[1][bin]);
        }
        for (const auto& symbol : symbols)
            for (auto c : symbol) all += std::norm(c);
        EXPECT_NEAR(all, inside, 1e-3F);
    }
    EXPECT_EQ(transmitter.transmit({48, 0}, 0, out).error(), ContentionFault::code);
    EXPECT_EQ(transmitter.transmit({0, 8}, 0, out).error(), ContentionFault::code);
    EXPECT_EQ(transmitter.transmit({0, 0}, -1, out).error(), ContentionFault::boost);
    EXPECT_EQ(transmitter.transmit({0, 0}, NAN, out).error(), ContentionFault::boost);
    EXPECT_EQ(transmitter.transmit({0, 0}, 0, std::span(out).first(575)).error(), ContentionFault::room);
}

TEST(FocusedContention, FalseAlarmsDoNotDependOnTheLevel) {
    ContentionDetector detector(numerology());
    constexpr int kOpportunities = 40'000;  // of each level: 4 expected
    for (const float variance : {1e-8F, 10.0F}) {
        Air air(3);
        int alarms = 0;
        for (int i = 0; i < kOpportunities; ++i) {
            air.clear();
            air.noise(variance);
            alarms += static_cast<int>(detector.detect(air.samples(), 0, kGuard).size());
        }
        EXPECT_LE(alarms, 14) << variance;
        RecordProperty(variance < 1 ? "alarms_low_level" : "alarms_high_level", alarms);
    }
    EXPECT_TRUE(detector.detect(Samples(1000), 0, 0).empty());
    EXPECT_TRUE(detector.detect({}, 0, 0).empty());
}

TEST(FocusedContention, MissRate) {
    // Any timing within half a prefix, carrier offsets of up to 2 % of the spacing (clause 8.3.10).
    const auto missed = [](float snr_db, int trials) {
        ContentionDetector detector(numerology());
        Air air(4);
        int count = 0;
        for (int i = 0; i < trials; ++i) {
            air.clear();
            air.noise(std::pow(10.0F, -snr_db / 10));
            const ContentionCode code{static_cast<uint8_t>(i * 7 % 48), static_cast<uint8_t>(i % 8)};
            air.station(code, 0, i * 5 % 33 - 16, 0.02 * std::sin(i));
            const auto found = detector.detect(air.samples(), 0, kGuard);
            count += found.size() != 1 || found[0].what != code;
        }
        return count;
    };
    const int at_6_db = missed(6, 2000), at_9_db = missed(9, 2000);
    EXPECT_LE(at_6_db, 400);
    EXPECT_LE(at_9_db, 10);
    RecordProperty("missed_at_6_db", at_6_db);
    RecordProperty("missed_at_9_db", at_9_db);
}

TEST(FocusedContention, ManyStationsAtOnce) {
    for (const auto cp : kCyclicPrefixes) {
        const auto num = numerology(cp);
        ContentionDetector detector(num);
        Air air(5, num);
        air.noise(0.01F);
        std::vector<ContentionCode> sent;
        for (uint8_t i = 0; i < 16; ++i) {
            sent.push_back({static_cast<uint8_t>(3 * i), static_cast<uint8_t>(i % 8)});
            const int late = i % 2 ? num.cp_samples() / 2 : -num.cp_samples() / 2;
            air.station(sent.back(), 3, late, i % 3 ? 0.02 : -0.02, std::polar(i % 4 ? 1.0F : 0.5F, 1.0F * i));
        }
        const auto found = detector.detect(air.samples(), 0, kGuard);
        ASSERT_EQ(found.size(), sent.size()) << to_string(cp);
        for (size_t i = 0; i < sent.size(); ++i) {
            EXPECT_EQ(found[i].what, sent[i]);
            // Noise appears a little louder if a third of the channels is in use.
            EXPECT_NEAR(found[i].snr_db, i % 4 ? 22 : 16, 2.5);
            EXPECT_NEAR(found[i].rssi_dbfs, 10 * std::log10(4.0 / 200) + (i % 4 ? 3 : -3), 1);
            EXPECT_GT(found[i].certainty, 0.9F);
        }
    }
}

TEST(FocusedContention, LoudStationDoesNotAppearInNeighbouringChannels) {
    ContentionDetector detector(numerology());
    for (const double offset : {-0.02, 0.02}) {
        Air air(6);
        air.noise(1e-4F);
        air.station({10, 5}, 6, 3, offset);
        const auto found = detector.detect(air.samples(), 0, kGuard);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].what, (ContentionCode{10, 5}));
    }
}

TEST(FocusedContention, SelectiveChannelAndAbsoluteTime) {
    // Two paths of equal power three samples apart: some carriers nearly vanish, phases differ between them.
    ContentionDetector detector(numerology());
    Air air(7);
    int found_right = 0;
    for (uint8_t channel = 0; channel < 48; ++channel) {
        air.clear();
        air.noise(0.01F);
        const ContentionCode code{channel, static_cast<uint8_t>(channel % 8)};
        Air path(8);
        path.station(code, 0, 0, 0, 0.7F);
        Samples sum = air.samples();
        for (size_t n = 0; n < sum.size(); ++n)
            sum[n] += path.samples()[n] + (n >= 3 ? Complex(0, 1) * path.samples()[n - 3] : Complex{});
        const auto found = detector.detect(sum, 5'000'000'000, 5'000'000'000 + kGuard);
        found_right += found.size() == 1 && found[0].what == code;
    }
    EXPECT_EQ(found_right, 48);
}

TEST(FocusedContention, BurstsAndImpulsesAreNotCodes) {
    // Random QPSK on every carrier, and an impulse: all channels are equal then.
    ContentionDetector detector(numerology());
    std::mt19937 random(9);
    OfdmTransform transform;
    int found = 0;
    for (int i = 0; i < 500; ++i) {
        Samples samples(2 * 288);
        for (size_t s = 0; s < 2; ++s) {
            for (int k : kDataOffsets)
                transform.carriers()[static_cast<size_t>(bin_of(k))] = {random() & 1 ? 0.7F : -0.7F,
                                                                        random() & 1 ? 0.7F : -0.7F};
            transform.modulate(32, std::span(samples).subspan(s * 288, 288));
        }
        found += static_cast<int>(detector.detect(samples, 0, 0).size());
        Samples impulse(2 * 288);
        impulse[static_cast<size_t>(100 + i % 80)] = 50;
        found += static_cast<int>(detector.detect(impulse, 0, 0).size());
    }
    EXPECT_EQ(found, 0);
}

}  // namespace test_focused_contention
}  // namespace gr::wimax::phy
