// SPDX-License-Identifier: GPL-3.0-or-later
// Numerology, carriers, pilots, preambles, constellations, FFT and frame prefix against the golden vectors.
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/frame_prefix.h>

#include "phy/base/test_vectors.h"
#include "phy/carriers/symbol_reader.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <set>

namespace gr::wimax::phy {
namespace test_ofdm {

using test::complex_of;
using test::hex_at;
using test::vectors;

TEST(Numerology, Vectors) {
    for (const auto& v : vectors().at("numerology")) {
        for (const auto& [cp, ts] : v.at("ts_us").items()) {
            const auto n = Numerology::make(v.at("bw_hz"), *parse_cyclic_prefix(cp));
            ASSERT_TRUE(n);
            EXPECT_EQ(n->sample_rate_hz, v.at("fs_hz"));
            EXPECT_DOUBLE_EQ(n->carrier_spacing_hz(), v.at("spacing_hz"));
            EXPECT_NEAR(n->symbol_samples() * 1e6 / static_cast<double>(n->sample_rate_hz), ts.get<double>(), 1e-6);
        }
    }
}

/// Families of bandwidths in the order of clause 8.3.2.2; a bandwidth outside of all has the factor 8/7.
TEST(Numerology, SamplingFactorOfEachFamily) {
    const std::vector<std::pair<int64_t, double>> factors{
        {7'000'000, 8.0 / 7},     {3'000'000, 86.0 / 75}, {5'000'000, 144.0 / 125},
        {5'500'000, 316.0 / 275}, {6'000'000, 86.0 / 75}, {8'000'000, 57.0 / 50},
        {3'100'000, 8.0 / 7},     {9'600'000, 8.0 / 7},   {21'000'000, 8.0 / 7},
    };
    for (const auto& [bandwidth_hz, factor] : factors) {
        const auto n = Numerology::make(bandwidth_hz, CyclicPrefix::g1_8);
        ASSERT_TRUE(n) << bandwidth_hz;
        EXPECT_EQ(n->sample_rate_hz,
                  static_cast<int64_t>(factor * static_cast<double>(bandwidth_hz) / 8000 + 1e-6) * 8000)
            << bandwidth_hz;
    }
}

// ---- carriers ----

TEST(Subchannels, SinglesPartitionTheDataCarriers) {
    std::set<int> seen;
    for (int index = 1; index < 32; index += 2) {
        const auto& set = carrier_set(index);
        EXPECT_EQ(set.data_count, 12);
        EXPECT_EQ(set.pilot_count, 0);
        for (int offset : set.data()) EXPECT_TRUE(seen.insert(offset).second) << index << ' ' << offset;
    }
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), kDataOffsets.begin(), kDataOffsets.end()));
    const auto first = carrier_set(1).data();
    EXPECT_EQ(std::vector<int>(first.begin(), first.end()),
              (std::vector<int>{-100, -99, -98, -37, -36, -35, 1, 2, 3, 64, 65, 66}));
}

TEST(Subchannels, GroupsAreUnionsAndPairsPartitionThePilots) {
    for (int index = 2; index < 32; index += 2) {
        const int half = subchannel_count(index) / 2;
        std::set<int> data, pilots;
        for (int part : {index - half, index + half}) {
            data.insert(carrier_set(part).data().begin(), carrier_set(part).data().end());
            pilots.insert(carrier_set(part).pilot_indices().begin(), carrier_set(part).pilot_indices().end());
        }
        const auto& set = carrier_set(index);
        EXPECT_TRUE(std::equal(data.begin(), data.end(), set.data().begin(), set.data().end())) << index;
        EXPECT_EQ(set.pilot_count, subchannel_count(index) / 2) << index;
        if (half > 1) {
            EXPECT_TRUE(std::equal(pilots.begin(), pilots.end(), set.pilots.begin())) << index;
        }
    }
    EXPECT_EQ(kPilotOffsets[carrier_set(2).pilots[0]], -38);
    EXPECT_EQ(kPilotOffsets[carrier_set(30).pilots[0]], 88);
    EXPECT_EQ(carrier_set(kFullSubchannel).data_count, kDataCarriers);
}

TEST(Pilots, Sequences) {
    for (int k = 0; k < 32; ++k) {
        EXPECT_EQ(pilot_bit(Direction::downlink, k),
                  vectors().at("pilot_prbs").at("downlink").at(static_cast<size_t>(k)));
        EXPECT_EQ(pilot_bit(Direction::uplink, k), vectors().at("pilot_prbs").at("uplink").at(static_cast<size_t>(k)));
    }
    EXPECT_EQ(pilot_bit(Direction::downlink, 2047 + 12), pilot_bit(Direction::downlink, 12));
}

TEST(Pilots, ValuesOfGoldenSymbols) {
    const auto check = [](Direction direction, int k, const nlohmann::json& expected) {
        for (size_t i = 0; i < 8; ++i)
            EXPECT_EQ(pilot_values(direction, k)[i], expected.at(i).get<float>()) << k << ' ' << i;
    };
    check(Direction::downlink, 2, vectors().at("dlfp_fch").at("pilots"));
    for (const auto& burst : vectors().at("bursts")) {
        int k = burst.at("k_of_first_symbol");
        for (const auto& pilots : burst.at("pilots")) check(Direction::downlink, k++, pilots);
    }
    const auto& example = vectors().at("standard_example_8_3_3_5_1");
    for (size_t i = 0; i < 8; ++i)
        EXPECT_EQ(pilot_values(Direction::uplink, example.at("pilot_k"))[i],
                  example.at("subcarriers_iq_sign").at(std::to_string(kPilotOffsets[i])).at(0).get<float>());
}

// ---- preambles ----

TEST(Preamble, PAll) {
    int carriers = 0;
    for (const auto& [offset, value] : vectors().at("p_all").items()) {
        EXPECT_EQ(p_all(std::stoi(offset)), complex_of(value)) << offset;
        ++carriers;
    }
    EXPECT_EQ(carriers, kUsedCarriers);
    EXPECT_EQ(p_all(0), Complex{});
    EXPECT_EQ(p_all(101), Complex{});
}

TEST(Preamble, CarriersAndBodies) {
    const std::pair<const char*, PreambleSymbol> symbols[] = {{"p_4x64", PreambleSymbol::p_4x64},
                                                              {"p_even_2x128", PreambleSymbol::p_even},
                                                              {"p_odd_2x128", PreambleSymbol::p_odd}};
    for (const auto& [name, symbol] : symbols) {
        const auto& v = vectors().at("preambles").at(name);
        const auto carriers = preamble_carriers(symbol);
        int nonzero = 0;
        for (auto c : carriers) nonzero += c != Complex{} ? 1 : 0;
        EXPECT_EQ(nonzero, v.at("nonzero_carriers"));
        for (const auto& [offset, value] : v.at("carriers").items())
            EXPECT_LT(std::abs(carriers[static_cast<size_t>(bin_of(std::stoi(offset)))] - complex_of(value)), 1e-6F);

        const auto body = preamble_body(symbol);
        const auto& b = v.at("body");
        for (size_t i = 0; i < 8; ++i)
            EXPECT_LT(std::abs(body[i] - complex_of(b.at("first8").at(i))), 1e-5F) << name << i;
        std::complex<double> moment;
        double power = 0, peak = 0;
        for (size_t n = 0; n < body.size(); ++n) {
            moment += static_cast<double>(n) * std::complex<double>(body[n]);
            power += std::norm(body[n]);
            peak = std::max(peak, static_cast<double>(std::norm(body[n])));
        }
        EXPECT_NEAR(power, b.at("sum_abs2").get<double>(), 1e-3);
        EXPECT_NEAR(moment.real(), b.at("sum_n_times_x").at(0).get<double>(), 0.02);
        EXPECT_NEAR(moment.imag(), b.at("sum_n_times_x").at(1).get<double>(), 0.02);
        EXPECT_NEAR(10 * std::log10(peak / (power / 256)), b.at("papr_db").get<double>(), 1e-3);
    }
}

TEST(Preamble, RepeatedParts) {
    const auto four = preamble_body(PreambleSymbol::p_4x64), two = preamble_body(PreambleSymbol::p_even);
    for (size_t n = 0; n + 64 < 256; ++n) EXPECT_LT(std::abs(four[n] - four[n + 64]), 1e-5F);
    for (size_t n = 0; n < 128; ++n) EXPECT_LT(std::abs(two[n] - two[n + 128]), 1e-5F);
}

TEST(Preamble, SubchannelStandIn) {
    const auto carriers = subchannel_preamble_carriers(2);
    EXPECT_FLOAT_EQ(std::abs(carriers[static_cast<size_t>(bin_of(-38))]), 2.0F);  // sqrt(2) times |1+j|
    EXPECT_EQ(carriers[static_cast<size_t>(bin_of(50))], Complex{});
    EXPECT_EQ(subchannel_preamble_carriers(kFullSubchannel).data(), preamble_carriers(PreambleSymbol::p_even).data());
}

// ---- constellations ----

TEST(Constellation, AxisLevels) {
    const std::pair<int, float> modulations[] = {{1, 1.0F}, {2, 2.0F}, {4, 10.0F}, {6, 42.0F}};
    for (const auto& [bits, norm] : modulations) {
        const int axis_bits = std::max(1, bits / 2);
        const float unit = 1 / std::sqrt(norm);
        const auto& levels = vectors().at("axis_levels").at(std::to_string(axis_bits));
        const auto level = [&](unsigned label) {
            std::string text;
            for (int b = axis_bits - 1; b >= 0; --b) text += label >> b & 1 ? '1' : '0';
            return levels.at(text).get<float>() * unit;
        };
        const auto points = constellation(bits);
        ASSERT_EQ(points.size(), size_t{1} << bits);
        float power = 0;
        for (unsigned label = 0; label < points.size(); ++label) {
            const Complex expected = bits == 1
                                         ? Complex(level(label), 0)
                                         : Complex(level(label >> axis_bits), level(label & ((1U << axis_bits) - 1)));
            EXPECT_LT(std::abs(points[label] - expected), 1e-6F) << bits << ' ' << label;
            EXPECT_EQ(hard_label(bits, points[label]), label);
            power += std::norm(points[label]);
        }
        EXPECT_NEAR(power / static_cast<float>(points.size()), 1.0F, 1e-5F);
    }
}

TEST(Constellation, StandardExampleCarriers) {
    const auto& v = vectors().at("standard_example_8_3_3_5_1");
    const auto bytes = hex_at(v, "interleaved");
    std::vector<uint8_t> labels;
    for (uint8_t byte : bytes)
        for (int shift : {6, 4, 2, 0}) labels.push_back(byte >> shift & 3);
    std::vector<Complex> points(labels.size());
    map_labels(2, labels, points);
    for (size_t i = 0; i < points.size(); ++i) {
        const auto sign = complex_of(v.at("subcarriers_iq_sign").at(std::to_string(kDataOffsets[i])));
        EXPECT_LT(std::abs(points[i] * std::sqrt(2.0F) - sign), 1e-5F) << kDataOffsets[i];
    }
}

/// The fast demapper against the definition: difference of squared distances to the nearest point of either bit value.
TEST(Constellation, SoftBitsAreMaxLog) {
    std::mt19937 rng(1);
    std::normal_distribution<float> gauss(0.0F, 0.9F);
    std::uniform_real_distribution<float> snr_db(-5.0F, 25.0F);
    for (int bits : {1, 2, 4, 6}) {
        const auto points = constellation(bits);
        std::vector<Complex> y(200);  // more than one block of the demapper, and a remainder
        std::vector<float> snr(y.size());
        for (auto& p : y) p = {gauss(rng), gauss(rng)};
        for (auto& s : snr) s = std::pow(10.0F, snr_db(rng) / 10);
        snr[7] = 0;
        std::vector<int8_t> soft(y.size() * static_cast<size_t>(bits));
        soft_demap(bits, y, snr, soft);
        for (size_t i = 0; i < y.size(); ++i)
            for (int b = 0; b < bits; ++b) {
                float nearest[2] = {1e9F, 1e9F};
                for (size_t label = 0; label < points.size(); ++label) {
                    auto& d = nearest[label >> (bits - 1 - b) & 1];
                    d = std::min(d, std::norm(y[i] - points[label]));
                }
                const float expected = std::clamp(kSoftBitScale * snr[i] * (nearest[1] - nearest[0]), -127.0F, 127.0F);
                EXPECT_NEAR(soft[i * static_cast<size_t>(bits) + static_cast<size_t>(b)], expected, 0.51F)
                    << bits << ' ' << b << ' ' << y[i];
            }
    }
}

/// Each carrier's soft bits do not depend on the number of carriers per call. Nothing after the last is written.
TEST(Constellation, SoftBitsOfACarrierDoNotDependOnTheOthers) {
    constexpr size_t kBehind = 16;
    constexpr int8_t kUntouched = 77;
    std::mt19937 rng(8);
    std::normal_distribution<float> gauss(0.0F, 0.9F);
    for (const int bits : {1, 2, 4, 6})
        for (const size_t count : {0, 1, 15, 16, 17, 207, 208, 209, 416, 417, 1000}) {
            std::vector<Complex> y(count);
            std::vector<float> snr(count);
            for (auto& p : y) p = {gauss(rng), gauss(rng)};
            for (auto& s : snr) s = 10 * std::abs(gauss(rng));
            std::vector<int8_t> together(count * static_cast<size_t>(bits) + kBehind, kUntouched), alone;
            soft_demap(bits, y, snr, together);
            std::vector<int8_t> one(static_cast<size_t>(bits));
            for (size_t i = 0; i < count; ++i) {
                soft_demap(bits, std::span(y).subspan(i, 1), std::span(snr).subspan(i, 1), one);
                alone.insert(alone.end(), one.begin(), one.end());
            }
            alone.resize(together.size(), kUntouched);
            EXPECT_EQ(together, alone) << bits << ' ' << count;
        }
}

TEST(Constellation, AsManyPointsAreWrittenAsThereAreLabels) {
    std::mt19937 rng(9);
    std::vector<uint8_t> labels(300);
    for (const int bits : {1, 2, 4, 6}) {
        for (auto& label : labels) label = static_cast<uint8_t>(rng() % (1U << bits));
        for (const size_t count : {0, 1, 12, 192, 299}) {
            std::vector<Complex> points(labels.size(), Complex(9, 9));
            map_labels(bits, std::span(labels).first(count), points);
            for (size_t i = 0; i < points.size(); ++i)
                EXPECT_EQ(points[i], i < count ? constellation(bits)[labels[i]] : Complex(9, 9)) << bits << ' ' << i;
        }
    }
}

// ---- FFT ----

/// Carriers of samples y = x + image * conj(x) + dc: those of y - dc - image * conj(y - dc), by the definition of the
/// transform. All cases use the same reader: no state of another front end or frequency remains.
TEST(SymbolReader, TakesTheMixerOffEachSample) {
    using Wide = std::complex<double>;
    constexpr int64_t kFirst = 1000, kBody = 1070, kReference = 970;
    constexpr double kTurn = 2 * std::numbers::pi;
    std::mt19937 rng(10);
    std::normal_distribution<float> gauss(0.0F, 1.0F);
    std::vector<Complex> y(400);
    for (auto& sample : y) sample = {gauss(rng), gauss(rng)};
    SymbolReader reader;
    Carriers out;
    for (const double cycles : {0.0, 0.0123, -0.31})
        for (const FrontEnd& end : {FrontEnd{}, FrontEnd{{2, 0}, {}}, FrontEnd{{0, -3}, {}}, FrontEnd{{}, {0.2F, 0}},
                                    FrontEnd{{-1, 5}, {0.1F, -0.3F}}, FrontEnd{}}) {
            reader.set_front_end(end);
            reader.read({y.data(), kFirst, static_cast<int64_t>(y.size())}, kBody, cycles, kReference, out);
            std::array<Wide, kFftSize> x;
            for (size_t n = 0; n < x.size(); ++n) {
                const Wide sample = Wide(y[kBody - kFirst + n]) - Wide(end.dc);
                x[n] = (sample - Wide(end.image) * std::conj(sample)) *
                       std::polar(1.0, -kTurn * cycles * static_cast<double>(kBody - kReference + int64_t(n)));
            }
            for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
                Wide sum{};
                for (size_t n = 0; n < x.size(); ++n)
                    sum += x[n] * std::polar(1.0, -kTurn * ((k * static_cast<int>(n)) % kFftSize) / kFftSize);
                ASSERT_LT(std::abs(Wide(out[k]) - sum * double{kDemodulateScale}), 1e-3)
                    << k << ", dc " << end.dc << ", image " << end.image << ", cycles " << cycles;
            }
        }
}

TEST(Ofdm, InverseWithPrefixAndUnitPower) {
    std::mt19937 rng(2);
    OfdmTransform transform;
    auto bins = transform.carriers();
    std::vector<Complex> sent(kFftSize);
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
        if (k != 0) sent[static_cast<size_t>(bin_of(k))] = constellation(2)[rng() & 3];
    std::copy(sent.begin(), sent.end(), bins.begin());
    std::vector<Complex> symbol(256 + 32), received(256);
    transform.modulate(32, symbol);
    float power = 0;
    for (size_t n = 32; n < symbol.size(); ++n) power += std::norm(symbol[n]) / 256;
    EXPECT_NEAR(power, 1.0F, 1e-4F);
    for (size_t n = 0; n < 32; ++n) EXPECT_EQ(symbol[n], symbol[n + 256]);
    transform.demodulate(std::span<const Complex, 256>(symbol.data() + 32, 256), std::span<Complex, 256>(received));
    for (size_t k = 0; k < 256; ++k) EXPECT_LT(std::abs(received[k] - sent[k]), 1e-5F);
}

// ---- frame prefix ----

TEST(FramePrefix, HeaderCheckSequence) {
    for (const auto& v : vectors().at("hcs8"))
        EXPECT_EQ(header_check_sequence(hex_at(v, "header")), hex_at(v, "hcs")[0]);
}

FramePrefix golden_prefix() {
    const auto& v = vectors().at("dlfp_fch");
    FramePrefix p;
    p.bsid_lsb = v.at("bsid_lsb4");
    p.frame_lsb = v.at("frame_number_lsb4");
    p.change_count_lsb = v.at("change_count_lsb4");
    for (const auto& e : v.at("entries"))
        p.entries[static_cast<size_t>(p.entry_count++)] = {e.at("code"), e.at("preamble_present") == 1, e.at("length")};
    return p;
}

TEST(FramePrefix, Vector) {
    const auto bytes = hex_at(vectors().at("dlfp_fch"), "dlfp");
    const auto packed = pack_frame_prefix(golden_prefix());
    EXPECT_EQ(std::vector<uint8_t>(packed.begin(), packed.end()), bytes);
    const auto parsed = parse_frame_prefix(bytes);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->bsid_lsb, 5);
    EXPECT_EQ(parsed->frame_lsb, 10);
    EXPECT_EQ(parsed->change_count_lsb, 3);
    ASSERT_EQ(parsed->entry_count, 4);
    EXPECT_EQ(parsed->entries[2].rate_id_or_diuc, 5);
    EXPECT_TRUE(parsed->entries[2].preamble_present);
    EXPECT_EQ(parsed->entries[2].length, 12);
    EXPECT_EQ(pack_frame_prefix(*parsed), packed);
}

TEST(FramePrefix, EveryBitErrorIsSeen) {
    auto bytes = pack_frame_prefix(golden_prefix());
    for (size_t bit = 0; bit < 88; ++bit) {
        bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
        EXPECT_EQ(parse_frame_prefix(bytes).error(), FramePrefixError::checksum) << bit;
        bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
    }
}

TEST(FramePrefix, ListEndZonesAndRefusals) {
    FramePrefix p;
    p.frame_lsb = 1;
    p.entry_count = 3;
    p.entries[0] = {0, false, 2047};  // Rate_ID 0 is BPSK, not a zone
    p.entries[1] = {9, true, 300};
    p.entries[2] = {0, false, 4000};  // zone start needs 12 bits
    const auto parsed = parse_frame_prefix(pack_frame_prefix(p));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->entry_count, 3);
    EXPECT_EQ(parsed->entries[0].length, 2047);
    EXPECT_TRUE(parsed->entries[1].preamble_present);
    EXPECT_EQ(parsed->entries[2].length, 4000);
    EXPECT_EQ(parse_frame_prefix(std::array<uint8_t, 11>{}).error(), FramePrefixError::all_zero);
    EXPECT_EQ(parse_frame_prefix(std::array<uint8_t, 10>{}).error(), FramePrefixError::length);
}

}  // namespace test_ofdm
}  // namespace gr::wimax::phy
