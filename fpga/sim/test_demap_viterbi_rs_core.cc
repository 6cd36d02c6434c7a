// SPDX-License-Identifier: GPL-3.0-or-later
// demap_viterbi_rs: the RTL outputs its model's words under any stalls; its registers; its clocks per symbol.
#include "fpga/model/burst_words.h"
#include "fpga/model/demap_viterbi_rs.h"
#include "fpga/model/demap_viterbi_rs_registers.h"
#include "fpga/model/soft_carrier.h"
#include "fpga/sim/demap_viterbi_rs_core.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace wimax::fpga {
namespace {

using phy::Complex;

/// Signal-to-noise ratio at which about half of the bursts have blocks that the outer code corrects.
constexpr std::array<double, phy::kRates> kEdgeDb{0, 3.5, 6.5, 9.2, 12.5, 16.5, 18.2};

/// Words of a burst through noise; `snr_db` over a channel with or without fading.
std::vector<AxisWord> received(std::mt19937& rng, const BurstHeader& h, double snr_db, bool fading,
                               std::optional<uint64_t> time) {
    phy::BurstFormat format;
    format.rate_id = h.rate_id;
    format.data_symbols = h.data_symbols;
    std::vector<uint8_t> payload(static_cast<size_t>(phy::burst_payload_bytes(format)));
    for (auto& byte : payload) byte = static_cast<uint8_t>(rng());
    phy::BurstEncoder encoder;
    EXPECT_TRUE(encoder.start(format, payload, h.randomizer));
    auto words = burst_words(h, {}, time);
    words.back().last = words.back().end_of_burst = false;
    std::normal_distribution<float> gauss;
    std::array<uint8_t, phy::kDataCarriers> labels;
    std::array<Complex, phy::kDataCarriers> points;
    const int bits = phy::kRateTable[h.rate_id].bits_per_carrier;
    for (int symbol = 0; symbol < h.data_symbols; ++symbol) {
        encoder.next_symbol(labels);
        phy::map_labels(bits, labels, points);
        for (const Complex point : points) {
            const auto mean = static_cast<float>(std::pow(10, snr_db / 10));
            const float snr = fading ? mean * (std::pow(gauss(rng), 2.0F) + std::pow(gauss(rng), 2.0F)) / 2 : mean;
            const float sigma = std::sqrt(0.5F / std::max(snr, 1e-6F));
            words.emplace_back().data = soft_carrier(point + Complex(gauss(rng), gauss(rng)) * sigma, snr);
        }
    }
    words.back().last = words.back().end_of_burst = true;
    return words;
}

BurstHeader random_header(std::mt19937& rng, uint8_t rate, int symbols) {
    BurstHeader h;
    h.rate_id = rate;
    h.data_symbols = symbols;
    h.randomizer = phy::Randomizer::burst(rng(), rng(), rng());
    return h;
}

/// Bursts of all rates at the limit of correction, of random words, ones that end early or late, and refused headers:
/// `carriers` words and a few.
std::vector<AxisWord> random_bursts(uint32_t seed, size_t carriers) {
    std::mt19937 rng(seed);
    std::vector<AxisWord> words;
    for (size_t i = 0; words.size() < carriers; ++i) {
        const auto rate = static_cast<uint8_t>(i % 7);
        const BurstHeader h = random_header(rng, rate, 1 + static_cast<int>(rng() % (i % 5 == 0 ? 40 : 4)));
        const double edge = kEdgeDb[rate] + static_cast<double>(rng() % 400) / 100 - 1.5;
        auto burst = received(rng, h, i % 4 == 1 ? edge + 6 : edge, i % 4 == 1,
                              i % 2 ? std::optional<uint64_t>(rng()) : std::nullopt);
        if (i % 13 == 3)
            for (size_t n = BurstHeader::kWords; n < burst.size(); ++n) burst[n].data = static_cast<uint32_t>(rng());
        if (i % 13 == 5) burst[0].data |= 7U << 29;
        if (i % 13 == 9) burst[0].data &= ~0x7FFU;
        if (i % 13 == 7 || i % 26 == 11) {  // ends early: within its carriers, or its header
            burst.resize(i % 13 == 7 ? 3 + rng() % (burst.size() - 2) : 1 + i % 3);
            burst.back().end_of_burst = true;
        }
        if (i % 13 == 8) {
            burst.back().end_of_burst = false;
            for (int n = 0; n < 50; ++n) burst.emplace_back().data = static_cast<uint32_t>(rng());
            burst.back().end_of_burst = true;
        }
        words.insert(words.end(), burst.begin(), burst.end());
    }
    return words;
}

void expect_equal(const std::vector<AxisWord>& got, const std::vector<AxisWord>& wanted) {
    size_t wrong = 0, first = 0;
    for (size_t i = std::min(got.size(), wanted.size()); i-- > 0;)
        if (!(got[i] == wanted[i])) {
            ++wrong;
            first = i;
        }
    EXPECT_EQ(wrong, 0u) << "the first at " << first << " of " << wanted.size();
    ASSERT_EQ(got.size(), wanted.size());
}

std::vector<AxisWord> modelled(DemapViterbiRs& model, const std::vector<AxisWord>& in) {
    std::vector<AxisWord> out;
    for (const auto& word : in) model.push(word, out);
    return out;
}

TEST(DemapViterbiRs, AMillionWordsWithoutStalls) {
    const auto in = random_bursts(1, 1'000'000);
    DemapViterbiRs model;
    DemapViterbiRsCore core;
    const auto wanted = modelled(model, in);
    expect_equal(core.run(in), wanted);
    EXPECT_EQ(core.read(demap_viterbi_rs::kId), demap_viterbi_rs::kIdValue);
    EXPECT_EQ(core.read(demap_viterbi_rs::kVersion), demap_viterbi_rs::kVersionValue);
    EXPECT_EQ(core.read(demap_viterbi_rs::kBursts), model.bursts());
    EXPECT_EQ(core.read(demap_viterbi_rs::kFailed), model.failed_blocks());
    EXPECT_EQ(core.read(demap_viterbi_rs::kCorrected), model.corrected_bytes());
    EXPECT_EQ(core.read(demap_viterbi_rs::kRefused), model.refused());
    // Without errors to correct the figures would also be equal.
    EXPECT_GT(model.corrected_bytes(), 500u);
    EXPECT_GT(model.failed_blocks(), 300u);
    EXPECT_GT(model.refused(), 10u);
}

TEST(DemapViterbiRs, AMillionWordsWithStalls) {
    const auto in = random_bursts(2, 1'000'000);
    DemapViterbiRs model;
    const auto wanted = modelled(model, in);
    DemapViterbiRsCore core({0.6, 3}, {0.9, 4});
    expect_equal(core.run(in), wanted);
}

TEST(DemapViterbiRs, ClocksASymbol) {
    constexpr int kSymbols = 40;
    for (uint8_t rate = 0; rate < phy::kRates; ++rate) {
        std::mt19937 rng(rate);
        const BurstHeader h = random_header(rng, rate, kSymbols);
        DemapViterbiRsCore core;
        core.source().send(received(rng, h, kEdgeDb[rate] + 0.3, false, std::nullopt));
        const auto words = static_cast<size_t>(phy::kRateTable[rate].uncoded_bytes) / 4;
        const auto run_to = [&](size_t count) {
            for (int i = 0; i < 200'000 && core.sink().words.size() < count; ++i) core.cycle();
            return core.cycles();
        };
        const uint64_t first = run_to(1), tenth = run_to(5 * words + 1), thirtieth = run_to(35 * words + 1);
        const double clocks = static_cast<double>(thirtieth - tenth) / 30;
        while (!core.source().idle()) core.cycle();
        const uint64_t in = core.cycles(), out = run_to(kSymbols * words + 1);
        std::printf("rate %d: %.1f clocks a symbol, first word after %lu, end %lu after the last carrier\n", rate,
                    clocks, static_cast<unsigned long>(first), static_cast<unsigned long>(out - in));
        ASSERT_EQ(core.sink().words.size(), kSymbols * words + 1);
        // At 100 MHz a symbol of a 20 MHz channel with the shortest prefix takes 1146.
        EXPECT_LT(clocks, std::max(8.0 * phy::kRateTable[rate].rs_n * 1.04 + 8, 640.0)) << int{rate};
    }
}

}  // namespace
}  // namespace wimax::fpga
