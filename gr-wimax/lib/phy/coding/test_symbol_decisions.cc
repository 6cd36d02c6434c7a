// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of a symbol as sent, from decoding it at once.
#include "phy/base/test_noise.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gr::wimax::phy {
namespace {

BurstFormat format_of(int rate_id, int symbols) {
    BurstFormat format;
    format.rate_id = static_cast<uint8_t>(rate_id);
    format.iuc = 5;
    format.data_symbols = symbols;
    return format;
}

struct Counts {
    int wrong_received = 0, wrong_decided = 0;  // labels
    int wrong_symbols = 0;                      // with a wrong decision
};

/// Compares decisions of each symbol of one burst in white noise with the sent labels.
Counts decide_burst(const BurstFormat& format, double snr_db, uint32_t seed, BurstDecoder& decoder) {
    std::mt19937 random(seed);
    const auto snr = static_cast<float>(std::pow(10.0, 0.1 * snr_db));
    std::normal_distribution<float> noise(0, std::sqrt(0.5F / snr));
    std::vector<uint8_t> payload(static_cast<size_t>(burst_payload_bytes(format)));
    for (auto& octet : payload) octet = static_cast<uint8_t>(random());
    const int bits = kRateTable[format.rate_id].bits_per_carrier;
    std::array<uint8_t, kDataCarriers> sent, decided;
    std::array<Complex, kDataCarriers> points;
    std::array<float, kDataCarriers> snrs;
    snrs.fill(snr);
    std::vector<SoftBit> soft(static_cast<size_t>(burst_symbol_bits(format)));
    BurstEncoder encoder;
    EXPECT_TRUE(encoder.start(format, payload, burst_randomizer(format)));
    EXPECT_TRUE(decoder.start(format, burst_randomizer(format)));
    EXPECT_EQ(decoder.decision_steps(), 0) << "nothing was fed";
    Counts counts;
    while (encoder.next_symbol(sent)) {
        map_labels(bits, sent, points);
        for (auto& point : points) point += test::complex_of(noise, random);
        soft_demap(bits, points, snrs, soft);
        decoder.feed(soft);
        EXPECT_EQ(decoder.decide(decided).size(), decided.size());
        int wrong = 0;
        for (size_t i = 0; i < sent.size(); ++i) {
            counts.wrong_received += hard_label(bits, points[i]) != sent[i];
            wrong += decided[i] != sent[i];
        }
        counts.wrong_decided += wrong;
        counts.wrong_symbols += wrong > 0;
    }
    EXPECT_TRUE(decoder.complete());
    EXPECT_TRUE(std::ranges::equal(decoder.payload(), payload)) << "decisions change the payload";
    return counts;
}

class Decisions : public testing::TestWithParam<int> {};

/// At an SNR where the burst is decoded, and one of some ten carriers is received wrong, the decisions of each symbol
/// are right from the first to the last. A symbol does not end the code word: its last bits are uncertain, and
/// Reed-Solomon corrects them.
TEST_P(Decisions, AreWhatWasSent) {
    constexpr std::array kSnrDb{0.0, 6.0, 8.5, 11.5, 14.5, 18.5, 20.0};
    const int rate = GetParam();
    BurstDecoder decoder;
    for (const int symbols : {1, 2, 40}) {
        const auto counts = decide_burst(format_of(rate, symbols), kSnrDb[static_cast<size_t>(rate)], 7, decoder);
        EXPECT_GT(counts.wrong_received, symbols);
        EXPECT_EQ(counts.wrong_symbols, 0) << symbols;
        EXPECT_EQ(counts.wrong_decided, 0) << symbols;
    }
}
INSTANTIATE_TEST_SUITE_P(Rates, Decisions, testing::Range(1, kRates));

/// Soft bits of noise: with 64-QAM the decisions of such a block are not used.
TEST(SymbolDecisions, OfAFailedBlockAreUsedUpTo16Qam) {
    std::mt19937 random(5);
    for (int rate = 1; rate < kRates; ++rate) {
        const auto format = format_of(rate, 2);
        BurstDecoder decoder;
        ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
        std::vector<SoftBit> soft(static_cast<size_t>(burst_symbol_bits(format)));
        for (auto& bit : soft) bit = static_cast<SoftBit>(random() % 100) - 50;
        decoder.feed(soft);
        std::array<uint8_t, kDataCarriers> labels;
        EXPECT_EQ(decoder.decide(labels).empty(), kRateTable[static_cast<size_t>(rate)].bits_per_carrier == 6) << rate;
    }
}

/// The work is known before it is done: a symbol's steps and those before it.
TEST(SymbolDecisions, ReportTheirWork) {
    constexpr std::array kSteps{0, 64 + 256, 80 + 320, 64 + 512, 80 + 640, 72 + 864, 80 + 960};
    BurstDecoder decoder;
    const std::vector<SoftBit> soft(6 * kDataCarriers, SoftBit{100});
    for (int rate = 0; rate < kRates; ++rate) {
        ASSERT_TRUE(decoder.start(format_of(rate, 2), burst_randomizer(format_of(rate, 2))));
        decoder.feed(soft);
        EXPECT_EQ(decoder.decision_steps(), kSteps[static_cast<size_t>(rate)]) << rate;
    }
}

/// BPSK 1/2 and groups of subchannels have no block per symbol.
TEST(SymbolDecisions, NeedABlockInEachSymbol) {
    BurstDecoder decoder;
    std::array<uint8_t, kDataCarriers> labels;
    auto group = format_of(3, 2);
    group.subchannel_index = 8;
    const std::vector<SoftBit> soft(6 * kDataCarriers, SoftBit{100});
    for (const auto& format : {format_of(0, 2), group}) {
        ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
        decoder.feed(soft);
        EXPECT_EQ(decoder.decision_steps(), 0);
        EXPECT_TRUE(decoder.decide(labels).empty());
    }
}

}  // namespace
}  // namespace gr::wimax::phy
