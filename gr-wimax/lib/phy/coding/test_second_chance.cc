// SPDX-License-Identifier: GPL-3.0-or-later
// Second attempts at failed blocks: what they save in white noise, that they find no wrong words, and their work.
#include "phy/base/test_noise.h"
#include "phy/coding/second_chance.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gr::wimax::phy {
namespace {

struct Outcome {
    int64_t blocks = 0, wrong = 0, failed = 0, tried = 0, saved = 0, refused = 0;
    bool unnoticed = false;  ///< a burst with a wrong octet and without a failed block
};

/// Bursts of one rate in white noise, channel and noise known.
class Link {
public:
    Link(int rate_id, int symbols, uint32_t seed) : random_(seed) {
        format_.rate_id = static_cast<uint8_t>(rate_id);
        format_.iuc = 5;
        format_.data_symbols = symbols;
        payload_.resize(static_cast<size_t>(burst_payload_bytes(format_)));
        soft_.resize(static_cast<size_t>(burst_symbol_bits(format_)));
    }

    /// Adds one burst to `sum`.
    void run(BurstDecoder& decoder, double snr_db, Outcome& sum) {
        const auto snr = static_cast<float>(std::pow(10.0, 0.1 * snr_db));
        std::normal_distribution<float> noise(0, std::sqrt(0.5F / snr));
        snr_.fill(snr);
        for (auto& byte : payload_) byte = static_cast<uint8_t>(random_());
        const int bits = kRateTable[format_.rate_id].bits_per_carrier;
        EXPECT_TRUE(encoder_.start(format_, payload_, burst_randomizer(format_)));
        EXPECT_TRUE(decoder.start(format_, burst_randomizer(format_)));
        while (encoder_.next_symbol(labels_)) {
            map_labels(bits, labels_, points_);
            for (auto& point : points_) point += test::complex_of(noise, random_);
            soft_demap(bits, points_, snr_, soft_);
            decoder.feed(soft_);
        }
        EXPECT_TRUE(decoder.complete());
        const auto unit = static_cast<size_t>(kRateTable[format_.rate_id].uncoded_bytes);
        int64_t wrong = 0;
        for (size_t at = 0; at < payload_.size(); at += unit) {
            const auto count = std::min(unit, payload_.size() - at);
            wrong += !std::ranges::equal(std::span(payload_).subspan(at, count), decoder.payload().subspan(at, count));
        }
        sum.blocks += format_.data_symbols;
        sum.wrong += wrong;
        sum.failed += decoder.failed_blocks();
        sum.unnoticed |= wrong > 0 && decoder.fec_ok();
        const RetriedBlocks retried = decoder.retried_blocks();
        sum.tried += retried.tried, sum.saved += retried.saved, sum.refused += retried.refused;
    }

private:
    std::mt19937 random_;
    BurstFormat format_;
    BurstEncoder encoder_;
    std::vector<uint8_t> payload_;
    std::array<uint8_t, kDataCarriers> labels_{};
    std::array<Complex, kDataCarriers> points_{};
    std::array<float, kDataCarriers> snr_{};
    std::vector<SoftBit> soft_;
};

/// At this SNR, 0.3 dB below the point of 1 %, some 3 % of the blocks fail at first (rates 1 to 6).
constexpr std::array kSnrDb{0.0, 3.78, 6.28, 9.36, 12.57, 16.46, 18.07};

class SecondChances : public testing::TestWithParam<int> {};

TEST_P(SecondChances, SaveNearlyAllBlocksThatFailedInWhiteNoise) {
    const int rate = GetParam();
    // Short bursts have the single decoder, long ones windows; the first and the last block have one neighbour.
    for (const int symbols : {1, 2, 3, 9, 150}) {
        const int bursts = 1500 / symbols;
        Link with(rate, symbols, 7), without(rate, symbols, 7);
        BurstDecoder on, off;
        off.set_second_chance(false);
        Outcome second, first;
        for (int i = 0; i < bursts; ++i) {
            on.renew_second_chance();
            with.run(on, kSnrDb[size_t(rate)], second);
            without.run(off, kSnrDb[size_t(rate)], first);
        }
        EXPECT_GT(first.failed, symbols == 1 ? 0 : 15) << symbols << " symbols";
        EXPECT_LE(second.failed, 0.15 * double(first.failed) + 2) << symbols << " symbols";
        EXPECT_EQ(second.wrong, second.failed) << symbols << " symbols";
        EXPECT_FALSE(second.unnoticed);
        EXPECT_EQ(second.refused, 0);
        EXPECT_GE(second.tried, second.saved);
        EXPECT_LE(std::abs(first.failed - second.failed - second.saved), rate == 2 ? 1 : 0) << symbols << " symbols";
        EXPECT_EQ(first.tried + first.saved + first.refused, 0);
    }
}
INSTANTIATE_TEST_SUITE_P(Rates, SecondChances, testing::Range(1, kRates));

/// A burst of one block that was sent as `sent`; the soft bits say `heard`, faintly where the two differ.
std::vector<SoftBit> heard_instead(std::span<const uint8_t> sent, std::span<const uint8_t> heard) {
    const auto coded = [](std::span<const uint8_t> bytes) {
        std::vector<uint8_t> bits, out(480);
        for (const uint8_t byte : bytes)
            for (int i = 7; i >= 0; --i) bits.push_back(byte >> i & 1);
        ConvolutionalEncoder encoder;
        encoder.start(CodeRate::r5_6);
        out.resize(encoder.encode(bits, out));
        return out;
    };
    const auto a = coded(sent), b = coded(heard);
    const auto position = Interleaver::get(2, kFullSubchannel).position();
    std::vector<SoftBit> soft(a.size());
    for (size_t k = 0; k < a.size(); ++k)
        soft[position[k]] = static_cast<SoftBit>((b[k] ? -1 : 1) * (a[k] == b[k] ? 40 : 2));
    return soft;
}

TEST(SecondChance, CorrectsAWordThatReedSolomonTookForAnother) {
    // QPSK 3/4 corrects two octets. Of two words at distance five, the sent one is heard with three octets changed
    // towards the other: Reed-Solomon alone finds the other one.
    const ReedSolomon code(36, 2);
    std::vector<uint8_t> data(36, 0x5A), other = data, sent(40), found(40);
    data.back() = other.back() = 0;  // the tail
    other[7] ^= 0x31;
    code.encode(data, sent);
    code.encode(other, found);
    std::vector<size_t> places;
    for (size_t i = 0; i < sent.size(); ++i)
        if (sent[i] != found[i]) places.push_back(i);
    ASSERT_EQ(places.size(), 5U);
    auto heard = sent;
    for (const size_t i : {0U, 1U, 4U}) heard[places[i]] = found[places[i]];
    auto alone = heard;
    ASSERT_TRUE(code.decode(alone).ok);
    ASSERT_EQ(alone, found);

    BurstFormat format;
    format.rate_id = 2;
    format.data_symbols = 1;
    for (const bool on : {false, true}) {
        BurstDecoder decoder;
        decoder.set_second_chance(on);
        auto randomizer = burst_randomizer(format);
        ASSERT_TRUE(decoder.start(format, randomizer));
        decoder.feed(heard_instead(sent, heard));
        auto expected = on ? data : other;
        randomizer.apply(expected);
        EXPECT_TRUE(decoder.fec_ok());
        EXPECT_TRUE(std::ranges::equal(decoder.payload(), std::span(expected).first(35))) << on;
        EXPECT_EQ(decoder.retried_blocks().tried, on ? 1 : 0);
        EXPECT_EQ(decoder.retried_blocks().saved, 0);
    }
}

TEST(SecondChance, DoesNotTryWhatIsHopeless) {
    Link link(4, 40, 3);
    BurstDecoder decoder;
    Outcome sum;
    for (int i = 0; i < 20; ++i) link.run(decoder, kSnrDb[4] - 4, sum);
    EXPECT_EQ(sum.failed, sum.blocks);
    EXPECT_LE(sum.tried, sum.blocks / 50);
    EXPECT_EQ(sum.tried + sum.refused, sum.blocks);
}

TEST(SecondChance, HasALimitOfWorkThatIsSavedUp) {
    // 1.4 dB below the threshold nearly all blocks fail, most are tried, and few are saved.
    Link link(6, 100, 5);
    BurstDecoder decoder, renewed;
    Outcome first, later, again;
    link.run(decoder, kSnrDb[6] - 1.1, first);
    for (int i = 0; i < 20; ++i) link.run(decoder, kSnrDb[6] - 1.1, later);
    EXPECT_GT(first.tried, 10);
    EXPECT_GT(later.refused, later.tried) << "the work is used up";
    EXPECT_GT(later.tried, 0) << "each symbol adds to it";
    // Without failures it is saved up again.
    for (int i = 0; i < 8; ++i) link.run(decoder, kSnrDb[6] + 3, again);
    EXPECT_EQ(again.failed, 0);
    Outcome rested;
    link.run(decoder, kSnrDb[6] - 1.1, rested);
    EXPECT_GT(rested.tried, 10);
}

}  // namespace
}  // namespace gr::wimax::phy
