// SPDX-License-Identifier: GPL-3.0-or-later
// The back end's model against the float core: error over levels and prefixes, golden vectors, the front end as its
// receiver; times and ends of bursts, packets of a wrong length.
#include "fpga/model/ofdm_backend.h"
#include "fpga/model/test_ofdm_support.h"
#include "phy/base/test_vectors.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <gtest/gtest.h>

namespace wimax::fpga::test {
namespace test_ofdm_backend {

using namespace ofdm_backend;
using phy::CyclicPrefix;
using phy::Numerology;

constexpr float kUnit = 1 << 13;  // of encoder_mapper's carriers

/// A packet; `at(offset)` is a carrier of unit power.
template <class At> void append_symbol(std::vector<AxisWord>& words, At&& at) {
    for (int k = -phy::kEdgeCarrier; k <= phy::kEdgeCarrier; ++k)
        if (k != 0) words.push_back({pack(fixed_sample(at(k) * (kUnit / 32768))), 0, false, false, false});
    words.back().last = true;
}

/// Carriers of a frame's samples as packets.
std::vector<AxisWord> packets_of(const Samples& samples, const Numerology& num) {
    phy::OfdmTransform transform;
    std::vector<AxisWord> words;
    const auto length = static_cast<size_t>(num.symbol_samples()), cp = static_cast<size_t>(num.cp_samples());
    for (size_t begin = 0; begin < samples.size(); begin += length) {
        std::array<Complex, 256> bins;
        transform.demodulate(std::span<const Complex, 256>(samples.data() + begin + cp, 256), bins);
        append_symbol(words, [&](int k) { return bins[static_cast<size_t>(phy::bin_of(k))]; });
    }
    words.front().has_time = true;
    words.front().time = 77;
    words.back().end_of_burst = true;
    return words;
}

uint32_t prefix_code(const Numerology& num) {
    return static_cast<uint32_t>(std::lround(std::log2(num.cp_samples() / 8)));
}

TEST(OfdmBackend, ErrorOverLevelsAndPrefixes) {
    for (const auto cp : phy::kCyclicPrefixes) {
        const auto num = *Numerology::make(5'000'000, cp);
        phy::Modulator modulator(num);
        const auto expected = EveryRateFrame().samples(modulator);
        for (const double down_db : {0.0, 10.0, 20.0, 30.0}) {
            OfdmBackend model;
            const auto gain = static_cast<uint32_t>(std::lround(kDefaultGain * std::pow(10.0, -down_db / 20)));
            model.write(kRegisterPrefix, prefix_code(num));
            model.write(kRegisterGain, gain);
            std::vector<AxisWord> out;
            model.process(packets_of(expected, num), out);
            ASSERT_EQ(out.size(), expected.size());
            EXPECT_EQ(model.read(kRegisterSaturated), 0U);
            const float amplitude = kHeadroom * static_cast<float>(gain) / static_cast<float>(kDefaultGain);
            Evm evm;
            for (size_t n = 0; n < out.size(); ++n) evm.add(float_sample(unpack(out[n].data)), expected[n] * amplitude);
            EXPECT_LT(evm.db(), down_db < 30 ? -64 : -55) << to_string(cp) << ' ' << down_db;
            if (cp == CyclicPrefix::g1_8)
                RecordProperty("evm_cdb_" + std::to_string(std::lround(down_db)),
                               static_cast<int>(std::lround(100 * evm.db())));
        }
    }
}

TEST(OfdmBackend, GoldenPreamblesAndSymbols) {
    const auto& vectors = phy::test::vectors();
    for (const auto* name : {"p_4x64", "p_even_2x128", "p_odd_2x128"}) {
        const auto& v = vectors.at("preambles").at(name);
        std::vector<AxisWord> words, out;
        append_symbol(words, [&](int k) {
            const auto at = v.at("carriers").find(std::to_string(k));
            return at == v.at("carriers").end() ? Complex{} : phy::test::complex_of(*at);
        });
        OfdmBackend model;
        model.process(words, out);
        for (size_t i = 0; i < 8; ++i)
            EXPECT_LT(std::abs(float_sample(unpack(out.at(32 + i).data)) / kHeadroom -
                               phy::test::complex_of(v.at("body").at("first8").at(i))),
                      1e-3F)
                << name << i;
    }
    for (const auto& burst : vectors.at("bursts")) {
        const int bits = phy::kRateTable[burst.at("rate_id").get<size_t>()].bits_per_carrier;
        for (const auto& symbol : burst.at("labels")) {
            const auto labels = symbol.get<std::vector<uint8_t>>();
            std::vector<Complex> points(labels.size());
            phy::map_labels(bits, labels, points);
            std::vector<AxisWord> words, out;
            append_symbol(words, [&](int k) {
                const auto at = std::ranges::find(phy::kDataOffsets, k);
                return at == phy::kDataOffsets.end() ? Complex(1)
                                                     : points[static_cast<size_t>(at - phy::kDataOffsets.begin())];
            });
            OfdmBackend model;
            model.process(words, out);
            const auto carriers = float_carriers(out, 32, 0, 32);
            for (size_t i = 0; i < labels.size(); ++i)
                EXPECT_EQ(phy::hard_label(bits, carriers[static_cast<size_t>(phy::kDataOffsets[i] + 100)] / kHeadroom),
                          labels[i]);
        }
    }
}

/// Carriers are unchanged after back end and front end.
TEST(OfdmBackend, TheFrontEndIsItsOtherSide) {
    for (const auto cp : phy::kCyclicPrefixes) {
        const auto num = *Numerology::make(5'000'000, cp);
        phy::Modulator modulator(num);
        const auto words = packets_of(EveryRateFrame().samples(modulator), num);
        OfdmBackend back;
        back.write(kRegisterPrefix, prefix_code(num));
        std::vector<AxisWord> samples, packets;
        back.process(words, samples);
        OfdmFrontend front;
        const auto symbols = words.size() / 200;
        front.order({.time = 77,
                     .symbols = static_cast<uint16_t>(symbols),
                     .prefix_samples = static_cast<uint16_t>(num.cp_samples())});
        front.process(samples, packets);
        const auto read = read_packets(packets);
        ASSERT_EQ(read.size(), symbols);
        Evm evm;
        for (size_t i = 0; i < words.size(); ++i) {
            const size_t place = i % 200;
            evm.add(read[i / 200].carriers[place < 100 ? place : place + 1] / kHeadroom,
                    float_sample(unpack(words[i].data)) * (32768 / kUnit));
        }
        EXPECT_LT(evm.db(), -64);
    }
}

TEST(OfdmBackend, TimesEndsAndWrongLengths) {
    OfdmBackend model;
    EXPECT_EQ(model.read(kRegisterPrefix), kDefaultPrefix);
    const auto ones = [](size_t count, bool end) {
        std::vector<AxisWord> words(count, AxisWord{0x20000000, 0, false, false, false});
        words.back().last = true;
        words.back().end_of_burst = end;
        return words;
    };
    std::vector<AxisWord> out;
    auto words = ones(200, false);
    words[0].has_time = true;
    words[0].time = 1'000'000'000'000;
    model.process(words, out);
    model.process(ones(200, true), out);
    ASSERT_EQ(out.size(), 2U * 288);
    for (size_t n = 0; n < out.size(); ++n) {
        EXPECT_EQ(out[n].has_time, n == 0) << n;
        EXPECT_EQ(out[n].last, n % 288 == 287) << n;
        EXPECT_EQ(out[n].end_of_burst, n == 575) << n;
    }
    EXPECT_EQ(out[0].time, 1'000'000'000'000U);
    const auto data = [](std::span<const AxisWord> symbol) {
        std::vector<uint32_t> all;
        for (const auto& word : symbol) all.push_back(word.data);
        return all;
    };
    const auto symbol = data(std::span(out).first(288));
    EXPECT_TRUE(std::equal(symbol.begin(), symbol.begin() + 32, symbol.begin() + 256));
    // Too long: the rest is dropped; too short: zeros.
    out.clear();
    model.process(ones(300, true), out);
    EXPECT_EQ(data(out), symbol);
    out.clear();
    model.process(ones(100, true), out);
    auto half = ones(200, true);
    for (size_t n = 100; n < 200; ++n) half[n].data = 0;
    std::vector<AxisWord> expected;
    model.process(half, expected);
    EXPECT_EQ(out, expected);
    EXPECT_EQ(model.read(kRegisterBadLengths), 2U);
    EXPECT_EQ(model.read(kRegisterSymbols), 5U);
    // The sum of 200 equal carriers is too large for a sample.
    EXPECT_GT(model.read(kRegisterSaturated), 0U);
    model.write(kRegisterGain, 0x12345678);
    EXPECT_EQ(model.read(kRegisterGain), kLargestGain);
}

}  // namespace test_ofdm_backend
}  // namespace wimax::fpga::test
