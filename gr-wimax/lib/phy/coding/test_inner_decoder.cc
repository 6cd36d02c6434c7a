// SPDX-License-Identifier: GPL-3.0-or-later
// Long bursts are decoded in windows side by side, short ones by the single decoder: the loss on identical soft bits.
#include "phy/coding/inner_decoder.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace gr::wimax::phy {
namespace test_inner_decoder {

/// Blocks (symbols) with more wrong bytes than the outer code corrects, of both decoders and of only one of them.
struct Losses {
    int blocks = 0, single = 0, windows = 0, either = 0;
};

/// Bursts of one format in white noise, with all receiver quantities known.
class Bursts {
public:
    Bursts(int rate_id, int symbols, uint32_t seed) : random_(seed) {
        format_.rate_id = static_cast<uint8_t>(rate_id);
        format_.iuc = 5;
        format_.data_symbols = symbols;
        payload_.resize(static_cast<size_t>(burst_payload_bytes(format_)));
        soft_.resize(static_cast<size_t>(burst_symbol_bits(format_)));
        const auto bytes = static_cast<size_t>(symbols * rate().rs_n) + 2 * InnerDecoder::kMaxOutputBytes;
        for (auto* out : {&sent_, &single_out_, &windows_out_}) out->resize(bytes);
    }

    Losses lose(double snr_db, int bursts) {
        Losses losses;
        for (int i = 0; i < bursts; ++i) {
            decode_one(snr_db);
            for (int symbol = 0; symbol < format_.data_symbols; ++symbol) {
                const bool by_single = is_lost(single_out_, symbol), by_windows = is_lost(windows_out_, symbol);
                ++losses.blocks;
                losses.single += by_single;
                losses.windows += by_windows;
                losses.either += by_single != by_windows;
            }
        }
        return losses;
    }

private:
    const RateInfo& rate() const { return kRateTable[format_.rate_id]; }

    void decode_one(double snr_db) {
        const auto snr = static_cast<float>(std::pow(10.0, 0.1 * snr_db));
        std::normal_distribution<float> noise(0, std::sqrt(0.5F / snr));
        snr_.fill(snr);
        for (auto& byte : payload_) byte = static_cast<uint8_t>(random_());
        const auto& interleaver = Interleaver::get(rate().bits_per_carrier, kFullSubchannel);
        EXPECT_TRUE(encoder_.start(format_, payload_, burst_randomizer(format_)));
        clean_.start(rate().inner_rate);
        single_.start(rate().inner_rate);
        windows_->start(rate().inner_rate, interleaver, format_.data_symbols);
        size_t sent = 0, by_single = 0, by_windows = 0;
        while (encoder_.next_symbol(labels_)) {
            map_labels(rate().bits_per_carrier, labels_, points_);
            soft_demap(rate().bits_per_carrier, points_, snr_, soft_);
            sent += clean_.feed(soft_, interleaver.position(), std::span(sent_).subspan(sent));
            for (auto& point : points_) point += Complex(noise(random_), noise(random_));
            soft_demap(rate().bits_per_carrier, points_, snr_, soft_);
            by_single += single_.feed(soft_, interleaver.position(), std::span(single_out_).subspan(by_single));
            by_windows += windows_->feed(soft_, windows_out_.data() + by_windows);
        }
        sent += clean_.finish(std::span(sent_).subspan(sent));
        by_single += single_.finish(std::span(single_out_).subspan(by_single));
        EXPECT_EQ(sent, by_single);
        EXPECT_EQ(sent, by_windows);
    }
    bool is_lost(const std::vector<uint8_t>& out, int symbol) const {
        const auto size = static_cast<size_t>(rate().rs_n), from = static_cast<size_t>(symbol) * size;
        int wrong = 0;
        for (size_t i = from; i < from + size; ++i) wrong += out[i] != sent_[i];
        return wrong > rate().rs_t;
    }

    std::mt19937 random_;
    BurstFormat format_;
    BurstEncoder encoder_;
    ViterbiDecoder clean_, single_;
    std::unique_ptr<InnerDecoder> windows_ = std::make_unique<InnerDecoder>();
    std::vector<uint8_t> payload_, sent_, single_out_, windows_out_;
    std::vector<SoftBit> soft_;
    std::array<uint8_t, kDataCarriers> labels_{};
    std::array<Complex, kDataCarriers> points_{};
    std::array<float, kDataCarriers> snr_{};
};

TEST(InnerDecoder, WindowsCostLessThanATwentiethOfADecibel) {
    struct Case {
        int rate_id, symbols;
        double snr_db, nepers_per_db;  // slope of the rate of lost blocks
        int bursts;
        double lost;  // blocks: a hundredth or, where clipped soft bits cost most, 5e-4
    };
    for (const auto& c :
         {Case{6, 197, 18.4, 3.4, 200, 0.01}, Case{6, 100, 18.4, 3.4, 400, 0.01}, Case{5, 197, 16.8, 3.6, 250, 0.01},
          Case{3, 197, 9.7, 4.5, 150, 0.01}, Case{0, 150, -0.2, 2.6, 300, 0.01}, Case{5, 197, 17.6, 3.6, 1200, 5e-4}}) {
        const auto losses = Bursts(c.rate_id, c.symbols, 7).lose(c.snr_db, c.bursts);
        const double single = losses.single, windows = losses.windows;
        const double loss_db = std::log(windows / single) / c.nepers_per_db;
        const double deviation_db = std::sqrt(losses.either) / single / c.nepers_per_db;
        RecordProperty("rate_" + std::to_string(c.rate_id) + "_" + std::to_string(c.symbols) + "_" +
                           std::to_string(std::lround(1e4 * c.lost)),
                       std::to_string(losses.single) + " " + std::to_string(losses.windows) + " of " +
                           std::to_string(losses.blocks) + ", dB " + std::to_string(loss_db) + " +- " +
                           std::to_string(deviation_db));
        EXPECT_NEAR(single / losses.blocks, c.lost, 0.4 * c.lost) << c.rate_id;
        EXPECT_LT(loss_db, c.lost < 0.01 ? 0.05 : 0.04) << c.rate_id << ' ' << c.symbols << ' ' << c.lost;
        EXPECT_GT(losses.either, 0) << "both went through the same decoder";
        EXPECT_LT(deviation_db, 0.016) << c.rate_id;
    }
}

/// What a decoder that follows clean symbols writes in bursts of `rate_id`, against one that decodes all of them.
void expect_same_octets(int rate_id, int symbols, double snr_db, uint32_t seed) {
    const auto& info = kRateTable[static_cast<size_t>(rate_id)];
    const auto& interleaver = Interleaver::get(info.bits_per_carrier, kFullSubchannel);
    auto follows = std::make_unique<InnerDecoder>(), decodes = std::make_unique<InnerDecoder>(false);
    std::mt19937 random(seed);
    const BurstFormat format{static_cast<uint8_t>(rate_id), 5, 1, 9, Preamble::short_, symbols, 0, kFullSubchannel};
    std::vector<uint8_t> payload(static_cast<size_t>(burst_payload_bytes(format)));
    for (auto& byte : payload) byte = static_cast<uint8_t>(random());
    BurstEncoder encoder;
    ASSERT_TRUE(encoder.start(format, payload, burst_randomizer(format)));
    const auto snr = static_cast<float>(std::pow(10.0, 0.1 * snr_db));
    std::normal_distribution<float> noise(0, std::sqrt(0.5F / snr));
    std::array<uint8_t, kDataCarriers> labels{};
    std::array<Complex, kDataCarriers> points{};
    std::array<float, kDataCarriers> snrs{};
    snrs.fill(snr);
    std::vector<SoftBit> soft(static_cast<size_t>(burst_symbol_bits(format)));
    std::vector<uint8_t> a, b, out(InnerDecoder::kMaxOutputBytes);
    follows->start(info.inner_rate, interleaver, symbols);
    decodes->start(info.inner_rate, interleaver, symbols);
    while (encoder.next_symbol(labels)) {
        map_labels(info.bits_per_carrier, labels, points);
        for (auto& point : points) point += Complex(noise(random), noise(random));
        soft_demap(info.bits_per_carrier, points, snrs, soft);
        a.insert(a.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(follows->feed(soft, out.data())));
        b.insert(b.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(decodes->feed(soft, out.data())));
    }
    EXPECT_EQ(a.size(), static_cast<size_t>(symbols * info.rs_n));
    EXPECT_TRUE(a == b) << "rate " << rate_id << ", " << symbols << " symbols, " << snr_db << " dB, seed " << seed;
}

/// From no clean symbol to all of them; short bursts, tails and groups.
TEST(InnerDecoder, CleanSymbolsGiveTheOctetsOfTheDecoders) {
    constexpr std::array<double, kRates> kFirstErrorsDb{8, 10, 10, 17, 17, 23, 23};
    for (int rate = 0; rate < kRates; ++rate)
        for (const int symbols : {1, 2, 20, 134, 225})
            for (const double above_db : {-8.0, -3.0, -1.0, 0.0, 1.0, 3.0, 10.0})
                for (uint32_t seed = 1; seed <= 2; ++seed)
                    expect_same_octets(rate, symbols, kFirstErrorsDb[static_cast<size_t>(rate)] + above_db, seed);
}

/// Soft bits of random octets without noise, symbol by symbol. One of each symbol is erased, so that it is decoded.
class CleanBurst {
public:
    explicit CleanBurst(const BurstFormat& format)
        : format_(format), soft_(static_cast<size_t>(burst_symbol_bits(format))) {
        std::mt19937 random(3);
        payload_.resize(static_cast<size_t>(burst_payload_bytes(format)));
        for (auto& byte : payload_) byte = static_cast<uint8_t>(random());
        EXPECT_TRUE(encoder_.start(format_, payload_, burst_randomizer(format_)));
        snr_.fill(1000);
    }
    const std::vector<uint8_t>& payload() const { return payload_; }
    std::span<const SoftBit> next() {
        const auto carriers = static_cast<size_t>(burst_carriers(format_));
        encoder_.next_symbol(labels_);
        const int bits = kRateTable[format_.rate_id].bits_per_carrier;
        map_labels(bits, std::span(labels_).first(carriers), std::span(points_).first(carriers));
        soft_demap(bits, std::span(points_).first(carriers), std::span(snr_).first(carriers), soft_);
        soft_[7] = 0;
        return soft_;
    }

private:
    BurstFormat format_;
    BurstEncoder encoder_;
    std::vector<uint8_t> payload_;
    std::vector<SoftBit> soft_;
    std::array<uint8_t, kDataCarriers> labels_{};
    std::array<Complex, kDataCarriers> points_{};
    std::array<float, kDataCarriers> snr_{};
};

BurstFormat format_of(int rate, int symbols, uint8_t subchannel = kFullSubchannel) {
    return {static_cast<uint8_t>(rate), 7, 1, 9, Preamble::short_, symbols, 0, subchannel};
}

TEST(InnerDecoder, TheLastSymbolLeavesOneWindowOfTheSingleDecoder) {
    std::vector<uint8_t> out(2 * InnerDecoder::kMaxOutputBytes);
    InnerDecoder decoder;
    for (int rate = 0; rate < kRates; ++rate) {
        const auto& info = kRateTable[static_cast<size_t>(rate)];
        const auto& interleaver = Interleaver::get(info.bits_per_carrier, 16);
        for (int symbols = 1; symbols <= 430; symbols += symbols < 220 ? 1 : 17) {
            CleanBurst burst(format_of(rate, symbols));
            decoder.start(info.inner_rate, interleaver, symbols);
            size_t written = 0, last = 0;
            for (int i = 0; i < symbols; ++i) {
                last = decoder.feed(burst.next(), out.data());
                written += last;
            }
            ASSERT_EQ(written, static_cast<size_t>(symbols * info.rs_n)) << rate << ' ' << symbols;
            ASSERT_LE(last, static_cast<size_t>(ViterbiDecoder::kWindowSteps / 8 + info.rs_n))
                << rate << ' ' << symbols;
        }
    }
}

TEST(InnerDecoder, AGroupIsDecodedInSharesWithTheSymbolsThatFollow) {
    std::vector<uint8_t> out(InnerDecoder::kMaxOutputBytes);
    InnerDecoder decoder;
    const auto& info = kRateTable[6];
    for (const int symbols : {134, 197, 198, 200, 225}) {
        CleanBurst burst(format_of(6, symbols));
        decoder.start(info.inner_rate, Interleaver::get(info.bits_per_carrier, 16), symbols);
        size_t before = 0, most = 0;
        for (int i = 0; i < symbols; ++i) {
            decoder.feed(burst.next(), out.data());
            const size_t left = decoder.group_steps_left();
            // A window of 960 steps and its surroundings.
            const size_t done = left > before ? 1200 - left : before - left;
            most = std::max(most, done);
            before = left;
        }
        EXPECT_EQ(before, 0U);
        EXPECT_GE(most, 400U) << symbols;
        EXPECT_LE(most, 402U) << symbols;
    }
}

TEST(BurstDecoder, BlocksAreMendedAFewWithEachSymbol) {
    for (const int symbols : {70, 134, 197, 225}) {
        const auto format = format_of(6, symbols);
        CleanBurst burst(format);
        BurstDecoder decoder;
        ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
        size_t before = 0;
        for (int i = 0; i < symbols; ++i) {
            decoder.feed(burst.next());
            const size_t blocks = (decoder.payload().size() - before + 1) / 108;  // the last one lacks the tail
            EXPECT_LE(blocks, i + 1 < symbols ? 36U : 2U) << symbols << ' ' << i;
            before = decoder.payload().size();
        }
        EXPECT_TRUE(std::ranges::equal(decoder.payload(), burst.payload()));
        EXPECT_TRUE(decoder.complete());
    }
}

/// Symbols of one subchannel have so few steps that a window needs twenty of them.
TEST(BurstDecoder, LongBurstsOfOneSubchannel) {
    BurstDecoder decoder(kMaxUplinkAllocationSymbols);
    for (int rate = 0; rate < kRates; ++rate)
        for (const uint8_t subchannel : {1, 2, 4, 8})
            for (const int symbols : {566, 567, 1023}) {
                const auto format = format_of(rate, symbols, subchannel);
                CleanBurst burst(format);
                ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
                for (int i = 0; i < symbols; ++i) decoder.feed(burst.next());
                EXPECT_TRUE(std::ranges::equal(decoder.payload(), burst.payload()))
                    << rate << ' ' << int{subchannel} << ' ' << symbols;
            }
}

}  // namespace test_inner_decoder
}  // namespace gr::wimax::phy
