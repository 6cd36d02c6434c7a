// SPDX-License-Identifier: GPL-3.0-or-later
// encoder_mapper: the RTL outputs its model's words under any stalls; its registers; its clocks per symbol.
#include "fpga/model/burst_words.h"
#include "fpga/model/encoder_mapper.h"
#include "fpga/model/encoder_mapper_registers.h"
#include "fpga/sim/encoder_mapper_core.h"

#include <gtest/gtest.h>

namespace wimax::fpga {
namespace {

using phy::Direction;

BurstHeader random_header(std::mt19937& rng, uint8_t rate, int symbols) {
    BurstHeader h;
    h.rate_id = rate;
    h.direction = rng() % 2 ? Direction::uplink : Direction::downlink;
    h.midamble_interval = static_cast<uint8_t>(rng() % 8);
    h.data_symbols = symbols;
    h.randomizer = phy::Randomizer::burst(rng(), rng(), rng());
    h.pilot_k = static_cast<int>(rng() % 2047);
    return h;
}

std::vector<uint8_t> random_bytes(std::mt19937& rng, size_t count) {
    std::vector<uint8_t> bytes(count);
    for (auto& b : bytes) b = static_cast<uint8_t>(rng());
    return bytes;
}

/// Bursts of all rates and lengths up to a frame's, among them short payloads, ones that end before the announced
/// length, ones too long, and refused headers.
std::vector<AxisWord> random_bursts(uint32_t seed, size_t carriers) {
    std::mt19937 rng(seed);
    std::vector<AxisWord> words;
    for (size_t sent = 0, i = 0; sent < carriers; ++i) {
        const auto rate = static_cast<uint8_t>(i % 7);
        const int symbols = 1 + static_cast<int>(rng() % (i % 5 == 0 ? 70 : 4));
        BurstHeader h = random_header(rng, rate, symbols);
        const int capacity = phy::burst_capacity_bytes(rate, symbols);
        h.payload_bytes = i % 3 == 0 ? capacity : static_cast<int>(rng() % static_cast<uint32_t>(capacity + 9));
        const size_t given = i % 7 == 3 ? rng() % 20 : static_cast<size_t>(h.payload_bytes) + (i % 11 == 4 ? 17 : 0);
        auto burst = burst_words(h, random_bytes(rng, given), i % 2 ? std::optional<uint64_t>(rng()) : std::nullopt);
        if (i % 13 == 5) burst[0].data |= 7U << 29;
        if (i % 13 == 9) burst[0].data &= ~0x7FFU;
        if (i % 13 == 11) {
            burst.resize(1 + i % 3);
            burst.back().end_of_burst = true;
        } else if (i % 13 != 5 && i % 13 != 9) {
            sent += static_cast<size_t>(symbols) * phy::kUsedCarriers;
        }
        words.insert(words.end(), burst.begin(), burst.end());
    }
    return words;
}

void expect_equal(const std::vector<AxisWord>& got, const std::vector<AxisWord>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) wrong += got[i] == wanted[i] ? 0 : 1;
    EXPECT_EQ(wrong, 0u);
}

std::vector<AxisWord> modelled(EncoderMapper& model, const std::vector<AxisWord>& in) {
    std::vector<AxisWord> out;
    for (const auto& word : in) model.push(word, out);
    return out;
}

TEST(EncoderMapper, AMillionWordsWithoutStalls) {
    const auto in = random_bursts(1, 1'000'000);
    EncoderMapper model;
    EncoderMapperCore core;
    expect_equal(core.run(in), modelled(model, in));
    EXPECT_EQ(core.read(encoder_mapper::kId), encoder_mapper::kIdValue);
    EXPECT_EQ(core.read(encoder_mapper::kVersion), encoder_mapper::kVersionValue);
    EXPECT_EQ(core.read(encoder_mapper::kBursts), model.bursts());
    EXPECT_EQ(core.read(encoder_mapper::kSymbols), model.symbols());
    EXPECT_EQ(core.read(encoder_mapper::kRefused), model.refused());
    EXPECT_GT(model.refused(), 10u);
}

TEST(EncoderMapper, AMillionWordsWithStalls) {
    const auto in = random_bursts(2, 1'000'000);
    EncoderMapper model;
    const auto wanted = modelled(model, in);
    // Stalls that fill and empty the core in turn: coding a word of payload takes many clocks.
    EncoderMapperCore core({0.9, 3}, {0.6, 4});
    expect_equal(core.run(in), wanted);
}

TEST(EncoderMapper, ClocksASymbol) {
    for (uint8_t rate = 0; rate < phy::kRates; ++rate) {
        std::mt19937 rng(rate);
        BurstHeader h = random_header(rng, rate, 40);
        h.payload_bytes = phy::burst_capacity_bytes(rate, 40);
        EncoderMapperCore core;
        core.source().send(burst_words(h, random_bytes(rng, static_cast<size_t>(h.payload_bytes))));
        const auto run_to = [&](size_t words) {
            while (core.sink().words.size() < words) core.cycle();
            return core.cycles();
        };
        const uint64_t first = run_to(1), tenth = run_to(10 * 200 + 1), thirtieth = run_to(30 * 200 + 1);
        const double clocks = static_cast<double>(thirtieth - tenth) / 20;
        RecordProperty("clocks_a_symbol_rate_" + std::to_string(rate), std::to_string(clocks));
        std::printf("rate %d: %.1f clocks a symbol, first carrier after %lu\n", rate, clocks,
                    static_cast<unsigned long>(first));
        const double coding = 8.0 * phy::kRateTable[rate].rs_n + 3;
        EXPECT_DOUBLE_EQ(clocks, std::max(coding, 200.0)) << int{rate};
    }
}

}  // namespace
}  // namespace wimax::fpga
