// SPDX-License-Identifier: GPL-3.0-or-later
// Whole subframes, uplink bursts and ranging codes against the golden vectors.
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/ofdma/transmit/dl_subframe_modulator.h>
#include <gnuradio/wimax/phy/ofdma/transmit/ul_zone_modulator.h>

#include "phy/ofdma/carriers/test_ofdma_support.h"

#include <gtest/gtest.h>

namespace gr::wimax::phy::ofdma::test_ofdma_transmit {
namespace {

using namespace gr::wimax::phy::ofdma::test;
using Octets = std::vector<uint8_t>;
using Numbers = std::vector<int>;

const OfdmaNumerology kTen = *OfdmaNumerology::make(10'000'000, CyclicPrefix::g1_8);
constexpr float kScale = 10000;  // of carriers in the vectors

std::vector<Complex> room(int symbols) {
    return std::vector<Complex>(static_cast<size_t>(symbols * kTen.symbol_samples()));
}

void expect_sums(const nlohmann::json& expected, std::span<const Complex> samples) {
    const auto found = sums(samples);
    const auto pair = [](const nlohmann::json& value) {
        return std::complex<double>(value[0].get<double>(), value[1].get<double>());
    };
    ASSERT_EQ(samples.size(), expected.at("samples").get<size_t>());
    EXPECT_NEAR(std::abs(found.sum - pair(expected.at("sum"))), 0, 1e-2);
    EXPECT_NEAR(found.power, expected.at("sum_abs2").get<double>(), 0.1);
    EXPECT_NEAR(std::abs(found.sum_n - pair(expected.at("sum_n_times_x"))), 0, 50);
    for (size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(std::abs(std::complex<double>(samples[i]) - pair(expected.at("first8")[i])), 0, 1e-5) << i;
}

/// Carriers from `first` on, as 16-bit I and Q.
void expect_carriers(std::span<const Complex, kFft> carriers, const Octets& expected, size_t first, int symbol) {
    const auto value = [&](size_t i) { return static_cast<int16_t>(expected[2 * i] << 8 | expected[2 * i + 1]); };
    for (size_t i = 0; i < expected.size() / 4; ++i) {
        const Complex c = carriers[first + i] * kScale;
        ASSERT_NEAR(c.real(), value(2 * i), 0.6) << "symbol " << symbol << " carrier " << first + i;
        ASSERT_NEAR(c.imag(), value(2 * i + 1), 0.6) << "symbol " << symbol << " carrier " << first + i;
    }
}

struct Frame {
    Octets map;
    std::vector<Octets> payloads;
    std::vector<DlBurst> bursts;
    DlSubframe subframe;
};
Frame frame_of_the_vector() {
    const auto& in = inputs("dl_frame");
    Frame frame;
    frame.map = hex_at(in, "dl_map_pdu");
    for (const auto& burst : in.at("bursts")) frame.payloads.push_back(hex_at(burst, "payload"));
    for (size_t i = 0; i < frame.payloads.size(); ++i) {
        const auto& b = in.at("bursts")[i];
        frame.bursts.push_back({{b.at("symbol").get<int>(), b.at("subchannel").get<int>(), b.at("n_symbols").get<int>(),
                                 b.at("n_subchannels").get<int>()},
                                find_fec_code(b.at("fec_code").get<int>()),
                                1,
                                0,
                                frame.payloads[i]});
    }
    frame.subframe = {
        in.at("data_symbols").get<int>() + 1, {kAllDlGroups, 2, MapCoding::ctc, 32}, frame.map, frame.bursts};
    return frame;
}

TEST(DlSubframeModulator, FrameOfTheVector) {
    const auto& out = outputs("dl_frame");
    const Frame frame = frame_of_the_vector();
    DlSubframeModulator modulator(kTen, inputs("dl_frame").at("preamble_index").get<int>(), 47);
    auto samples = room(frame.subframe.symbols);
    const auto made = modulator.modulate(frame.subframe, samples);
    ASSERT_TRUE(made) << to_string(made.error());
    expect_carriers(modulator.carriers(0), hex_at(out, "preamble"), out.at("preamble_carriers")[0].get<size_t>(), 0);
    for (int i = 0; i + 1 < frame.subframe.symbols; ++i)
        expect_carriers(modulator.carriers(i + 1),
                        from_hex(out.at("symbols")[static_cast<size_t>(i)].get<std::string>()),
                        out.at("data_carriers")[0].get<size_t>(), i + 1);
    expect_sums(out.at("time"), samples);
}

TEST(DlSubframeModulator, BoostingChangesDataOnly) {
    Frame frame = frame_of_the_vector();
    DlSubframeModulator plain(kTen, 5, 47), boosted(kTen, 5, 47);
    auto samples = room(frame.subframe.symbols);
    ASSERT_TRUE(plain.modulate(frame.subframe, samples));
    frame.bursts[1].boosting_db = 6;
    ASSERT_TRUE(boosted.modulate(frame.subframe, samples));
    const DlPusc pusc(DlZone::first, 5);
    const DlRegion region = frame.bursts[1].region;
    for (int s = 0; s < kDlSubchannels; ++s)
        for (int symbol = 1; symbol < frame.subframe.symbols; ++symbol) {
            const bool inside = s >= region.subchannel && s < region.subchannel + region.subchannels &&
                                symbol >= region.symbol && symbol < region.symbol + region.symbols;
            for (const int16_t carrier : pusc.carriers(s, symbol - 1)) {
                const auto c = static_cast<size_t>(carrier);
                EXPECT_NEAR(
                    std::abs(boosted.carriers(symbol)[c] - plain.carriers(symbol)[c] * (inside ? 1.9952623F : 1.0F)), 0,
                    1e-5);
            }
        }
    for (const int16_t carrier : pusc.pilots(0, 4))
        EXPECT_NEAR(std::abs(boosted.carriers(5)[static_cast<size_t>(carrier)]), 4.0 / 3.0, 1e-6);
}

TEST(DlSubframeModulator, OnlyTheGroupsOfTheSegmentAreUsed) {
    const OfdmaNumerology wibro = *OfdmaNumerology::make(8'750'000, CyclicPrefix::g1_8);
    DlSubframeModulator modulator(wibro, 37, 27);  // segment 1, IDcell 5
    std::vector<Complex> samples(static_cast<size_t>(27 * wibro.symbol_samples()));
    const DlSubframe subframe{27, {0b001100, 1, MapCoding::cc, 20}, {}, {}};
    ASSERT_TRUE(modulator.modulate(subframe, samples));
    const DlPusc pusc(DlZone::first, 5);
    int loaded = 0;
    for (int symbol = 1; symbol < 27; ++symbol)
        for (int s = 0; s < kDlSubchannels; ++s)
            for (const int16_t carrier : pusc.carriers(s, symbol - 1)) {
                const bool sent = modulator.carriers(symbol)[static_cast<size_t>(carrier)] != Complex{};
                loaded += sent ? 1 : 0;
                EXPECT_TRUE(!sent || (s >= 10 && s < 20));
            }
    EXPECT_EQ(loaded, (kFchSlots + 20) * kSlotPoints);
}

TEST(DlSubframeModulator, RefusesWhatDoesNotFit) {
    const auto fault = [](auto change, size_t samples = size_t{47} * 1152) {
        Frame frame = frame_of_the_vector();
        frame.subframe.bursts = frame.bursts;
        change(frame);
        DlSubframeModulator modulator(kTen, 5, 47);
        std::vector<Complex> out(samples);
        const auto made = modulator.modulate(frame.subframe, out);
        EXPECT_FALSE(made);
        return made ? OfdmaFault{} : made.error();
    };
    const Octets large(10'000);
    EXPECT_EQ(fault([](Frame& f) { f.subframe.symbols = 12; }), OfdmaFault::format);
    EXPECT_EQ(fault([](Frame& f) { f.subframe.symbols = 49; }), OfdmaFault::format);
    EXPECT_EQ(fault([](Frame& f) { f.subframe.prefix.coding = MapCoding::btc; }), OfdmaFault::format);
    EXPECT_EQ(fault([](Frame& f) { f.subframe.prefix.map_slots = 31; }), OfdmaFault::format);
    EXPECT_EQ(fault([&](Frame& f) { f.subframe.map = large; }), OfdmaFault::payload);
    EXPECT_EQ(fault([&](Frame& f) { f.bursts[0].payload = large; }), OfdmaFault::payload);
    EXPECT_EQ(fault([](Frame& f) { f.bursts[1].repetition = 2; }), OfdmaFault::format);  // 16-QAM
    EXPECT_EQ(fault([](Frame& f) { f.bursts[1].region.symbol = 4; }), OfdmaFault::place);
    EXPECT_EQ(fault([](Frame& f) { f.bursts[1].region.subchannel = 22; }), OfdmaFault::place);
    EXPECT_EQ(fault([](Frame& f) { f.bursts[0].region.symbol = 1; }), OfdmaFault::overlap);  // the map's
    EXPECT_EQ(fault([](Frame& f) { f.bursts[2].region.subchannel = 8; }), OfdmaFault::overlap);
    EXPECT_EQ(fault([](Frame&) {}, 11 * 1152 - 1), OfdmaFault::room);
}

std::vector<UlRegion> regions_of(const nlohmann::json& blocked) {
    std::vector<UlRegion> regions;
    for (const auto& slot : blocked) regions.push_back({slot[1].get<int>() * 3, slot[0].get<int>(), 3, 1});
    return regions;
}

TEST(UlZoneModulator, BurstsOfTheVectors) {
    for (const auto& name : cases_of("ul_burst_")) {
        const auto& in = inputs(name);
        const auto regions = regions_of(in.at("blocked_subchannel_slot_time"));
        const int symbols = 3 * in.at("slot_times").get<int>();
        UlZoneModulator modulator(
            kTen, {in.at("idcell").get<int>(), in.at("ul_perm_base").get<int>(), symbols, true, regions});
        const auto payload = hex_at(in, "payload");
        const UlBurst burst{in.at("first_slot").get<int>(), in.at("slots").get<int>(),
                            find_fec_code(in.at("fec_code").get<int>()), 1, payload};
        auto samples = room(symbols);
        ASSERT_TRUE(modulator.burst(burst, in.at("frame_number").get<uint32_t>(), samples)) << name;
        std::vector<std::vector<Complex>> expected(static_cast<size_t>(symbols), std::vector<Complex>(kFft));
        const auto flat = outputs(name).at("symbol_carrier_i_q").get<Numbers>();
        for (size_t i = 0; i < flat.size(); i += 4)
            expected[static_cast<size_t>(flat[i])][static_cast<size_t>(flat[i + 1])] =
                Complex(static_cast<float>(flat[i + 2]), static_cast<float>(flat[i + 3]));
        for (int symbol = 0; symbol < symbols; ++symbol)
            for (size_t c = 0; c < kFft; ++c)
                ASSERT_NEAR(std::abs(modulator.carriers(symbol)[c] * kScale - expected[static_cast<size_t>(symbol)][c]),
                            0, 1)
                    << name << " " << symbol << " " << c;
        expect_sums(outputs(name).at("time"), samples);
    }
}

TEST(UlZoneModulator, RangingOfTheVectors) {
    for (const auto& [name, kind] : {std::pair{"ranging_initial_samples", RangingKind::initial},
                                     std::pair{"ranging_periodic_samples", RangingKind::periodic}}) {
        UlZoneModulator modulator(kTen, {0, inputs(name).at("ul_perm_base").get<int>(), 3, true, {}});
        auto samples = room(3);
        const int code = inputs(name).at("code").get<int>();
        ASSERT_TRUE(modulator.ranging({kind, code, 0, inputs(name).at("first_subchannel").get<int>()}, samples));
        const auto used = static_cast<size_t>(ranging_symbols(kind) * kTen.symbol_samples());
        expect_sums(outputs(name).at("time"), std::span(samples).first(used));
        for (const Complex x : std::span(samples).subspan(used)) EXPECT_EQ(x, Complex{});
        if (kind != RangingKind::initial) continue;
        for (size_t n = 0; n + kFft < used; ++n)  // phase continuous: one period follows the other
            ASSERT_NEAR(std::abs(samples[n + kFft] - samples[n]), 0, 1e-6) << n;
    }
}

TEST(UlZoneModulator, RefusesWhatDoesNotFit) {
    UlZoneModulator modulator(kTen, {0, 0, 6, true, {}});
    auto samples = room(6);
    const FecCode* code = find_fec_code("ctc-16qam-1/2");
    const Octets large(13);
    const auto fault = [&](const UlBurst& burst) { return modulator.burst(burst, 0, samples).error(); };
    EXPECT_EQ(fault({0, 1, nullptr, 1, {}}), OfdmaFault::format);
    EXPECT_EQ(fault({0, 2, code, 2, {}}), OfdmaFault::format);
    EXPECT_EQ(fault({0, 3, &kFecCodes[0], 3, {}}), OfdmaFault::format);
    EXPECT_EQ(fault({69, 2, code, 1, {}}), OfdmaFault::place);
    EXPECT_EQ(fault({0, 1, code, 1, large}), OfdmaFault::payload);
    EXPECT_EQ(modulator.ranging({RangingKind::initial, 0, 5, 0}, samples).error(), OfdmaFault::place);
    EXPECT_EQ(modulator.ranging({RangingKind::bandwidth, 0, 0, 30}, samples).error(), OfdmaFault::place);
    EXPECT_EQ(modulator.ranging({RangingKind::bandwidth, 256, 0, 0}, samples).error(), OfdmaFault::format);
    EXPECT_EQ(modulator.ranging({RangingKind::bandwidth, 0, 0, 0}, std::span(samples).first(100)).error(),
              OfdmaFault::room);
}

}  // namespace
}  // namespace gr::wimax::phy::ofdma::test_ofdma_transmit
