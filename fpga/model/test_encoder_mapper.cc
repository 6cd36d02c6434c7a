// SPDX-License-Identifier: GPL-3.0-or-later
// The model of encoder_mapper against the golden vectors and, carrier by carrier, against the host's modulator; and its
// header.
#include "fpga/model/burst_words.h"
#include "fpga/model/encoder_mapper.h"

#include "phy/base/test_vectors.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <gtest/gtest.h>

#include <random>

namespace wimax::fpga {
namespace test_encoder_mapper {

using phy::Complex;
using phy::test::hex_at;
using phy::test::vectors;

std::vector<AxisWord> encoded(const BurstHeader& header, std::span<const uint8_t> payload) {
    EncoderMapper model;
    std::vector<AxisWord> out;
    for (const auto& word : burst_words(header, payload)) model.push(word, out);
    return out;
}

/// Largest distance on either axis, in steps of the words.
double distance(const AxisWord& word, Complex wanted) {
    const FixedSample got = unpack(word.data);
    return std::max(std::abs(got.real() - double{wanted.real()} * kCarrierUnit),
                    std::abs(got.imag() - double{wanted.imag()} * kCarrierUnit));
}

TEST(EncoderMapperModel, GoldenVectors) {
    for (const auto& v : vectors().at("bursts")) {
        BurstHeader h;
        h.rate_id = v.at("rate_id").get<uint8_t>();
        h.data_symbols = v.at("symbols");
        h.randomizer = phy::Randomizer::burst(v.at("bsid"), v.at("diuc"), v.at("frame_number"));
        h.pilot_k = v.at("k_of_first_symbol");
        const auto payload = hex_at(v, "payload");
        h.payload_bytes = static_cast<int>(payload.size());
        const auto out = encoded(h, payload);
        ASSERT_EQ(out.size(), static_cast<size_t>(h.data_symbols) * phy::kUsedCarriers);
        const auto points = phy::constellation(phy::kRateTable[h.rate_id].bits_per_carrier);
        for (size_t symbol = 0, at = 0; symbol < static_cast<size_t>(h.data_symbols); ++symbol) {
            size_t data = 0, pilot = 0;
            for (int k = -phy::kEdgeCarrier; k <= phy::kEdgeCarrier; ++k) {
                if (k == 0) continue;
                const bool is_pilot = pilot < phy::kPilotOffsets.size() && phy::kPilotOffsets[pilot] == k;
                const Complex wanted = is_pilot ? Complex(v.at("pilots")[symbol][pilot++].get<float>())
                                                : points[v.at("labels")[symbol][data++].get<size_t>()];
                ASSERT_LE(distance(out[at], wanted), 0.501) << v.at("rate") << " symbol " << symbol << " carrier " << k;
                EXPECT_EQ(out[at++].last, k == phy::kEdgeCarrier);
            }
        }
        EXPECT_TRUE(out.back().end_of_burst);
    }
}

/// Carriers of the host's samples, by the inverse transform.
TEST(EncoderMapperModel, CarriersOfTheHostsModulator) {
    const auto numerology = phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_32);
    phy::Modulator modulator(*numerology);
    phy::OfdmTransform transform;
    std::mt19937 rng(1);
    for (int trial = 0; trial < 42; ++trial) {
        phy::UplinkBurst burst;
        burst.format.rate_id = static_cast<uint8_t>(trial % 7);
        burst.format.data_symbols = 1 + static_cast<int>(rng() % 40);
        burst.format.midamble_interval = static_cast<uint8_t>(trial % 5);
        burst.format.preamble = phy::Preamble::short_;
        burst.format.iuc = 5;
        burst.format.bsid_lsb = static_cast<uint8_t>(rng() % 16);
        std::vector<uint8_t> payload(rng() % static_cast<uint32_t>(1 + phy::burst_payload_bytes(burst.format)));
        for (auto& byte : payload) byte = static_cast<uint8_t>(rng());
        burst.payload = payload;
        const auto size = static_cast<size_t>(numerology->symbol_samples());
        std::vector<Complex> samples(static_cast<size_t>(burst.format.total_symbols()) * size +
                                     modulator.tail_samples());
        ASSERT_TRUE(modulator.uplink(burst, samples));

        BurstHeader h;
        h.rate_id = burst.format.rate_id;
        h.direction = phy::Direction::uplink;
        h.midamble_interval = burst.format.midamble_interval;
        h.data_symbols = burst.format.data_symbols;
        h.randomizer = phy::burst_randomizer(burst.format);
        h.pilot_k = 1;
        h.payload_bytes = static_cast<int>(payload.size());
        const auto out = encoded(h, payload);
        ASSERT_EQ(out.size(), static_cast<size_t>(h.data_symbols) * phy::kUsedCarriers);
        const int interval = phy::midamble_interval(h.midamble_interval);
        double worst = 0;
        for (int i = 0, at = 1; i < h.data_symbols; ++i, ++at) {
            if (interval > 0 && i > 0 && i % interval == 0) ++at;
            std::array<Complex, phy::kFftSize> bins;
            const auto body = std::span(samples).subspan(static_cast<size_t>(at) * size + size - phy::kFftSize);
            transform.demodulate(body.first<phy::kFftSize>(), bins);
            for (int n = 0; n < phy::kUsedCarriers; ++n) {
                const int k = n - phy::kEdgeCarrier + (n >= phy::kEdgeCarrier ? 1 : 0);
                worst = std::max(worst, distance(out[static_cast<size_t>(i * phy::kUsedCarriers + n)],
                                                 bins[static_cast<size_t>(phy::bin_of(k))]));
            }
        }
        EXPECT_LE(worst, 0.51) << "burst " << trial;  // half a step of rounding, and the error of the float transform
    }
}

TEST(EncoderMapperModel, HeaderIsReadAsWritten) {
    std::mt19937 rng(1);
    for (int i = 0; i < 1000; ++i) {
        BurstHeader h;
        h.rate_id = static_cast<uint8_t>(rng() % 7);
        h.direction = rng() % 2 ? phy::Direction::uplink : phy::Direction::downlink;
        h.midamble_interval = static_cast<uint8_t>(rng() % 8);
        h.data_symbols = 1 + static_cast<int>(rng() % 2047);
        h.randomizer = phy::Randomizer::burst(rng(), rng(), rng());
        h.pilot_k = static_cast<int>(rng() % 2047);
        h.payload_bytes = static_cast<int>(rng() % 221076);
        const auto read = unpack(pack(h));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->rate_id, h.rate_id);
        EXPECT_EQ(read->direction, h.direction);
        EXPECT_EQ(read->midamble_interval, h.midamble_interval);
        EXPECT_EQ(read->data_symbols, h.data_symbols);
        EXPECT_EQ(read->randomizer.state(), h.randomizer.state());
        EXPECT_EQ(read->pilot_k, h.pilot_k);
        EXPECT_EQ(read->payload_bytes, h.payload_bytes);
    }
}

TEST(EncoderMapperModel, RefusesWhatCannotBeSent) {
    EncoderMapper model;
    std::vector<AxisWord> out;
    BurstHeader h;
    h.data_symbols = 1;
    for (const int fault : {0, 1, 2}) {
        auto words = burst_words(h, {});
        if (fault == 0) words[0].data |= 7U << 29;
        if (fault == 1) words[0].data &= ~0x7FFU;
        if (fault == 2) {
            words.resize(2);
            words.back().end_of_burst = true;
        }
        for (const auto& word : words) model.push(word, out);
    }
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(model.refused(), 3u);
}

}  // namespace test_encoder_mapper
}  // namespace wimax::fpga
