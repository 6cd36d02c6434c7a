// SPDX-License-Identifier: GPL-3.0-or-later
// The model of demap_viterbi_rs against the golden vectors and the host's chain: soft bits, bytes, error rates.
#include "fpga/model/burst_words.h"
#include "fpga/model/demap_viterbi_rs.h"
#include "fpga/model/encoder_mapper.h"
#include "fpga/model/soft_carrier.h"

#include "phy/base/test_vectors.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace wimax::fpga {
namespace test_demap_viterbi_rs {

using phy::Complex;
using phy::test::hex_at;
using phy::test::vectors;

std::vector<AxisWord> decoded(std::vector<AxisWord> words) {
    DemapViterbiRs model;
    std::vector<AxisWord> out;
    words.back().end_of_burst = true;
    for (const auto& word : words) model.push(word, out);
    return out;
}

std::vector<AxisWord> header_words(const BurstHeader& header) {
    auto words = burst_words(header, {});
    words.back().last = words.back().end_of_burst = false;
    return words;
}

/// Payload of decoded words, without the tail's byte.
std::vector<uint8_t> payload_of(const std::vector<AxisWord>& words) {
    auto bytes = bytes_of(std::span(words).first(words.size() - 1));
    bytes.pop_back();
    return bytes;
}

/// Soft bits equal the host's, in steps of one unit of likelihood, except for the weight's step (3 %) and rounding.
TEST(DemapViterbiRsModel, SoftBitsOfTheHost) {
    std::mt19937 rng(1);
    std::uniform_real_distribution<float> axis(-1.4F, 1.4F), decibels(-8, 28);
    for (const int bits : {1, 2, 4, 6})
        for (int i = 0; i < 20'000; ++i) {
            const Complex point(axis(rng), axis(rng));
            const float snr = std::pow(10.0F, decibels(rng) / 10);
            std::array<int8_t, 6> host{};
            phy::soft_demap(bits, {&point, 1}, {&snr, 1}, std::span(host).first(static_cast<size_t>(bits)));
            const auto soft = soft_bits(bits, soft_carrier(point, snr));
            for (size_t b = 0; b < static_cast<size_t>(bits); ++b) {
                const double wanted = host[b] / double{phy::kSoftBitScale};
                // The step of a point is weighted by the signal-to-noise ratio.
                const double room = 0.7 + 0.05 * std::abs(wanted) + 8.0 * snr / kPointUnit / bits;
                if (std::abs(wanted) < kMaxSoft - room)
                    ASSERT_NEAR(soft[b], wanted, room)
                        << bits << " bits, bit " << b << ", point " << point << ", " << snr;
                else ASSERT_GE(soft[b] * (wanted < 0 ? -1 : 1), kMaxSoft - 2 * room - 1);
            }
        }
}

TEST(DemapViterbiRsModel, GoldenVectors) {
    for (const auto& v : vectors().at("bursts")) {
        BurstHeader h;
        h.rate_id = v.at("rate_id").get<uint8_t>();
        h.data_symbols = v.at("symbols");
        h.randomizer = phy::Randomizer::burst(v.at("bsid"), v.at("diuc"), v.at("frame_number"));
        auto words = header_words(h);
        const auto points = phy::constellation(phy::kRateTable[h.rate_id].bits_per_carrier);
        for (const auto& labels : v.at("labels"))
            for (const auto& label : labels)
                words.emplace_back().data = soft_carrier(points[label.get<size_t>()], 300.0F);
        const auto out = decoded(words);
        EXPECT_EQ(payload_of(out), hex_at(v, "padded")) << v.at("rate");
        EXPECT_EQ(out.back().data, 0u);
        EXPECT_TRUE(out.back().end_of_burst && out.back().last);
    }
}

struct Errors {
    int host = 0, same = 0, more = 0;  // bursts: host's, the model's with the same noise and with it 0.2 dB less
    int gained = 0, lost = 0;          // wrong with the host only, and with the model at 0.2 dB less noise only
};

/// Bursts of ten symbols through the same noise; with fading the carriers have different powers.
Errors errors_at(uint8_t rate, double snr_db, bool fading, int bursts) {
    Errors errors;
    std::mt19937 rng(rate + 10U * fading);
    std::normal_distribution<float> gauss;
    phy::BurstFormat format;
    format.rate_id = rate;
    format.data_symbols = 10;
    BurstHeader h;
    h.rate_id = rate;
    h.data_symbols = format.data_symbols;
    const int bits = phy::kRateTable[rate].bits_per_carrier;
    std::vector<uint8_t> payload(static_cast<size_t>(phy::burst_payload_bytes(format)));
    std::array<uint8_t, phy::kDataCarriers> labels;
    std::array<Complex, phy::kDataCarriers> points;
    std::array<float, phy::kDataCarriers> snrs;
    std::vector<int8_t> soft(static_cast<size_t>(bits) * phy::kDataCarriers);
    phy::BurstEncoder encoder;
    phy::BurstDecoder decoder(format.data_symbols);
    decoder.set_second_chance(false);  // the core has none
    const auto less = static_cast<float>(std::pow(10, 0.2 / 10));
    for (int burst = 0; burst < bursts; ++burst) {
        for (auto& byte : payload) byte = static_cast<uint8_t>(rng());
        h.randomizer = phy::Randomizer::burst(rng(), rng(), rng());
        EXPECT_TRUE(encoder.start(format, payload, h.randomizer));
        EXPECT_TRUE(decoder.start(format, h.randomizer));
        auto same = header_words(h), more = same;
        for (int symbol = 0; symbol < format.data_symbols; ++symbol) {
            encoder.next_symbol(labels);
            phy::map_labels(bits, labels, points);
            for (size_t i = 0; i < points.size(); ++i) {
                const auto mean = static_cast<float>(std::pow(10, snr_db / 10));
                snrs[i] = fading ? mean * (std::pow(gauss(rng), 2.0F) + std::pow(gauss(rng), 2.0F)) / 2 : mean;
                const Complex noise = Complex(gauss(rng), gauss(rng)) * std::sqrt(0.5F / std::max(snrs[i], 1e-6F));
                more.emplace_back().data = soft_carrier(points[i] + noise / std::sqrt(less), snrs[i] * less);
                points[i] += noise;
                same.emplace_back().data = soft_carrier(points[i], snrs[i]);
            }
            phy::soft_demap(bits, points, snrs, soft);
            decoder.feed(soft);
        }
        const bool host = !std::equal(payload.begin(), payload.end(), decoder.payload().begin());
        const bool with_same = payload_of(decoded(same)) != payload, with_more = payload_of(decoded(more)) != payload;
        errors.host += host;
        errors.same += with_same;
        errors.more += with_more;
        errors.gained += host && !with_more;
        errors.lost += with_more && !host;
    }
    return errors;
}

void print(uint8_t rate, const char* channel, double snr_db, int bursts, const Errors& e) {
    const double loss = 0.2 * std::log(double(e.same) / e.host) / std::log(double(e.same) / e.more);
    std::printf("rate %d, %s, %.2f dB: of %d bursts the host loses %d, the model %d, with 0.2 dB more %d: %.2f dB\n",
                rate, channel, snr_db, bursts, e.host, e.same, e.more, loss);
}

/// With 0.2 dB less noise the model loses fewer bursts than the host: by two standard deviations of the number of
/// differences.
TEST(DemapViterbiRsModel, WithinAFifthOfADecibelOfTheHost) {
    constexpr std::array<double, phy::kRates> kSnrDb{-0.75, 3.6, 6.1, 9.2, 12.3, 16.2, 17.9};
    constexpr int kBursts = 300;
    for (uint8_t rate = 0; rate < phy::kRates; ++rate) {
        const Errors e = errors_at(rate, kSnrDb[rate], false, kBursts);
        print(rate, "noise", kSnrDb[rate], kBursts, e);
        EXPECT_GT(e.host, kBursts / 10) << int{rate};
        EXPECT_LT(e.host, kBursts * 2 / 3) << int{rate};
        EXPECT_GT(e.gained - e.lost, 2 * std::sqrt(e.gained + e.lost)) << int{rate};
    }
}

/// With fading, a fifth of a decibel changes less than this number of bursts shows: the test only checks that the model
/// is not worse by more.
TEST(DemapViterbiRsModel, FadingCostsNoMore) {
    constexpr std::array<double, phy::kRates> kSnrDb{1.5, 7.2, 12.5, 13.2, 19.0, 21.5, 25.0};
    constexpr int kBursts = 150;
    for (uint8_t rate = 0; rate < phy::kRates; ++rate) {
        const Errors e = errors_at(rate, kSnrDb[rate], true, kBursts);
        print(rate, "fading", kSnrDb[rate], kBursts, e);
        EXPECT_GT(e.host, kBursts / 20) << int{rate};
        EXPECT_GE(e.gained - e.lost, -2 * std::sqrt(e.gained + e.lost)) << int{rate};
    }
}

TEST(DemapViterbiRsModel, CarriersThatAreMissingAreErased) {
    BurstHeader h;
    h.rate_id = 1;
    h.data_symbols = 3;
    const auto out = decoded(header_words(h));
    EXPECT_EQ(out.size(), 3u * 6 + 1);  // all erased: code word zero, which is as good as any
    EXPECT_EQ(out.back().data, 0u);
    h.rate_id = 7;
    EXPECT_TRUE(decoded(header_words(h)).empty());
}

}  // namespace test_demap_viterbi_rs
}  // namespace wimax::fpga
