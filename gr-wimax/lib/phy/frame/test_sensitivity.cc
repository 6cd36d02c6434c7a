// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding with perfect channel knowledge in white noise: bounds on burst errors that only a correct chain of demapper,
// soft-bit scale, Viterbi and Reed-Solomon decoder meets. Decoding allocates no memory.
#include "phy/base/test_counting_new.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gr::wimax::phy {
namespace {

/// Sends bursts through white noise at `snr_db` per data carrier and decodes them.
class Link {
public:
    explicit Link(int rate_id, int symbols, uint32_t seed) : rng_(seed) {
        format_.rate_id = static_cast<uint8_t>(rate_id);
        format_.iuc = 5;
        format_.data_symbols = symbols;
        payload_.resize(static_cast<size_t>(burst_payload_bytes(format_)));
        soft_.resize(static_cast<size_t>(burst_symbol_bits(format_)));
    }

    bool burst_arrives(float snr_db) {
        const int bits = kRateTable[format_.rate_id].bits_per_carrier;
        const float snr = std::pow(10.0F, snr_db / 10.0F);
        std::normal_distribution<float> noise(0.0F, std::sqrt(0.5F / snr));
        for (auto& byte : payload_) byte = static_cast<uint8_t>(rng_());
        EXPECT_TRUE(encoder_.start(format_, payload_, burst_randomizer(format_)));
        EXPECT_TRUE(decoder_.start(format_, burst_randomizer(format_)));
        snr_.fill(snr);
        while (encoder_.next_symbol(labels_)) {
            map_labels(bits, labels_, points_);
            for (auto& p : points_) p += Complex(noise(rng_), noise(rng_));
            soft_demap(bits, points_, snr_, soft_);
            decoder_.feed(soft_);
        }
        return std::equal(payload_.begin(), payload_.end(), decoder_.payload().begin(), decoder_.payload().end());
    }

    int lost(float snr_db, int bursts) {
        int count = 0;
        for (int i = 0; i < bursts; ++i) count += burst_arrives(snr_db) ? 0 : 1;
        return count;
    }

private:
    std::mt19937 rng_;
    BurstFormat format_;
    BurstEncoder encoder_;
    BurstDecoder decoder_{64};
    std::vector<uint8_t> payload_;
    std::vector<SoftBit> soft_;
    std::array<uint8_t, kDataCarriers> labels_{};
    std::array<Complex, kDataCarriers> points_{};
    std::array<float, kDataCarriers> snr_{};
};

/// SNR at which a floating-point decoder with perfect knowledge loses one symbol's block in a hundred.
constexpr std::array<float, kRates> kOnePercentDb{-0.16F, 4.12F, 6.59F, 9.70F, 12.86F, 16.78F, 18.39F};

class Sensitivity : public testing::TestWithParam<int> {};

TEST_P(Sensitivity, HoldsTheReferenceAndFailsBelow) {
    Link link(GetParam(), 4, 11);
    const float reference = kOnePercentDb[static_cast<size_t>(GetParam())];
    const int at = link.lost(reference, 500), above = link.lost(reference + 1.0F, 500),
              below = link.lost(reference - 2.0F, 60);
    EXPECT_LE(at, 32);  // 20 expected
    EXPECT_LE(above, 4);
    EXPECT_GE(below, 30);  // else this test's noise is wrong
    RecordProperty("lost_of_500", at);
    RecordProperty("lost_1_db_above", above);
    RecordProperty("lost_of_60_2_db_below", below);
}

INSTANTIATE_TEST_SUITE_P(Rates, Sensitivity, testing::Range(0, kRates));

TEST(HotPath, NothingIsAllocated) {
    Link link(6, 12, 12);
    Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_8));
    const std::vector<uint8_t> payload(100, 7);
    UplinkBurst uplink;
    uplink.format.preamble = Preamble::long_;
    uplink.format.data_symbols = 10;
    uplink.payload = payload;
    DownlinkBurst downlink{uplink.format, 3, true, payload};
    downlink.format.preamble = Preamble::short_;
    std::vector<Complex> samples(20 * 288);
    EXPECT_EQ(test::allocations_of([&] {
                  EXPECT_TRUE(link.burst_arrives(30.0F));
                  EXPECT_TRUE(modulator.uplink(uplink, samples));
                  EXPECT_TRUE(modulator.downlink({}, {&downlink, 1}, samples));
              }),
              0U);
}

}  // namespace
}  // namespace gr::wimax::phy
