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
    // Short bursts have the single decoder, long ones windows; the first and the last block have one neighbour. In the
    // longest burst soft bits wait the longest.
    for (const int symbols : {1, 2, 3, 9, 150, 500}) {
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

/// Strong soft bits without a signal, as from interference whose power is not known.
TEST_P(SecondChances, FindNoWordsInRandomBits) {
    constexpr int kSymbols = 20, kBursts = 300;
    BurstFormat format;
    format.rate_id = static_cast<uint8_t>(GetParam());
    format.iuc = 5;
    format.data_symbols = kSymbols;
    std::mt19937 random(5);
    std::vector<SoftBit> soft(static_cast<size_t>(burst_symbol_bits(format)));
    BurstDecoder decoder;
    int found = 0;
    for (int burst = 0; burst < kBursts; ++burst) {
        decoder.renew_second_chance();
        ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
        for (int symbol = 0; symbol < kSymbols; ++symbol) {
            for (auto& bit : soft) bit = static_cast<SoftBit>(static_cast<int>(random() % 255) - 127);
            decoder.feed(soft);
        }
        found += kSymbols - decoder.failed_blocks();
    }
    EXPECT_EQ(found, 0) << "of " << kBursts * kSymbols;
}

/// A block's bits on the air.
std::vector<uint8_t> coded_bits(CodeRate rate, std::span<const uint8_t> bytes) {
    std::vector<uint8_t> bits, out(16 * bytes.size());
    for (const uint8_t byte : bytes)
        for (int i = 7; i >= 0; --i) bits.push_back(byte >> i & 1);
    ConvolutionalEncoder encoder;
    encoder.start(rate);
    out.resize(encoder.encode(bits, out));
    return out;
}

/// A burst of one block that was sent as `sent`; the soft bits say `heard`, faintly where the two differ.
std::vector<SoftBit> heard_instead(std::span<const uint8_t> sent, std::span<const uint8_t> heard) {
    const auto a = coded_bits(CodeRate::r5_6, sent), b = coded_bits(CodeRate::r5_6, heard);
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

TEST(SecondChance, TriesBlocksOfSlightlyTooLittleInformation) {
    // At these SNRs most blocks fail, and their soft bits carry 0.9 to 1 bit per trellis step.
    for (const auto& [rate, snr_db] : {std::pair{1, 2.2}, {3, 8.0}, {4, 10.7}, {6, 16.3}, {2, 4.2}}) {
        Link link(rate, 1, 9);
        BurstDecoder decoder;
        Outcome sum;
        for (int i = 0; i < 300; ++i) {
            decoder.renew_second_chance();
            link.run(decoder, snr_db, sum);
        }
        if (rate == 2) EXPECT_GT(sum.refused, 100);
        else EXPECT_LT(sum.refused, 60) << rate;
        EXPECT_GT(sum.saved, 5) << rate;
        EXPECT_LE(sum.wrong, sum.failed) << rate;
    }
}

/// A block of which t + 1 octets are heard as others, faintly: the sent word loses a known discrepancy.
class FaintErrors {
public:
    explicit FaintErrors(int rate_id) : rate_(kRateTable[size_t(rate_id)]), code_(rate_.rs_k, rate_.rs_t) {
        std::vector<uint8_t> data(static_cast<size_t>(code_.k()), 0x3C);
        data.back() = 0;  // the tail
        sent_.resize(static_cast<size_t>(code_.n()));
        code_.encode(data, sent_);
        heard_ = sent_;
        for (int i = 0; i <= code_.t(); ++i) heard_[static_cast<size_t>(2 + i * 4)] ^= 0x18;
        const auto a = coded_bits(rate_.inner_rate, sent_), b = coded_bits(rate_.inner_rate, heard_);
        position_ = Interleaver::get(rate_.bits_per_carrier, kFullSubchannel).position();
        soft_.resize(a.size());
        for (size_t k = 0; k < a.size(); ++k) {
            soft_[position_[k]] = static_cast<SoftBit>(b[k] ? -kClear : kClear);
            if (a[k] != b[k]) differ_.push_back({position_[k], b[k] != 0});
        }
    }

    /// Largest sum of the faint soft bits whose double, the discrepancy, is at most `means` times the mean magnitude.
    int limit(double means) const {
        const auto clear = static_cast<double>(kClear * (soft_.size() - differ_.size()));
        int sum = 0;
        while (2 * (sum + 1) <= std::floor(means * (clear + sum + 1) / static_cast<double>(soft_.size()))) ++sum;
        return sum;
    }

    /// Whether the second attempt finds the sent word if the faint soft bits have this sum.
    bool saved(int sum) {
        SecondChance chance;
        hear(sum, chance);
        auto block = heard_;
        RetriedBlocks count_of;
        const bool found = chance.retry(0, block, heard_, {false, 0}, count_of);
        EXPECT_TRUE(block == (found ? sent_ : heard_));
        EXPECT_EQ(count_of.tried, 1);
        EXPECT_EQ(count_of.saved, found ? 1 : 0);
        return found;
    }

    /// Whether the sent word counts as right if it is in doubt, with an attempt only if it is not.
    bool right(int sum, bool work = true) {
        SecondChance chance;
        RetriedBlocks count;
        if (!work) spend(2 * sum + 100, chance);
        hear(sum, chance);
        auto block = sent_;
        const bool right = chance.retry(0, block, heard_, {true, rate_.rs_t}, count);
        EXPECT_TRUE(block == sent_);
        EXPECT_EQ(count.tried, right || !work ? 0 : 1);
        EXPECT_EQ(count.refused, right || work ? 0 : 1);
        EXPECT_EQ(count.saved, 0);
        return right;
    }

private:
    /// Attempts that fail, until there is no work left.
    void spend(int sum, SecondChance& chance) {
        hear(sum, chance);
        RetriedBlocks count;
        for (auto block = heard_; count.refused == 0; block = heard_) chance.retry(0, block, heard_, {false, 0}, count);
    }
    /// The soft bits, the faint ones of this sum, are those of the next burst.
    void hear(int sum, SecondChance& chance) {
        const auto count = static_cast<int>(differ_.size());
        for (int i = 0; i < count; ++i) {
            const int faint = sum / count + (i < sum % count ? 1 : 0);
            const auto& [at, negative] = differ_[size_t(i)];
            soft_[at] = static_cast<SoftBit>(negative ? -faint : faint);
        }
        chance.start(rate_.inner_rate, Interleaver::get(rate_.bits_per_carrier, kFullSubchannel), code_, 1);
        chance.keep(soft_);
    }

    static constexpr int kClear = 60;
    RateInfo rate_;
    ReedSolomon code_;
    std::vector<uint8_t> sent_, heard_;
    std::span<const uint16_t> position_;
    std::vector<SoftBit> soft_;
    std::vector<std::pair<size_t, bool>> differ_;  ///< bits that were heard as others, and which of them as a one
};

TEST(SecondChance, AcceptsWordsUpToTheLimitOfDiscrepancy) {
    for (int rate = 1; rate < kRates; ++rate) {
        FaintErrors block(rate);
        const int limit = block.limit(rate == 2 ? 4 : 16);
        EXPECT_GT(limit, 100) << rate;
        EXPECT_TRUE(block.saved(limit / 2)) << rate;
        EXPECT_TRUE(block.saved(limit)) << rate;
        EXPECT_FALSE(block.saved(limit + 1)) << rate;
        EXPECT_FALSE(block.saved(2 * limit)) << rate;
    }
}

TEST(SecondChance, ResultsInDoubtHaveTheSameLimitWithAndWithoutWork) {
    for (int rate = 1; rate < kRates; ++rate)
        for (const bool work : {true, false}) {
            FaintErrors block(rate);
            const int limit = block.limit(rate == 2 ? 4 : 16);
            EXPECT_TRUE(block.right(0, work)) << rate << ", work: " << work;
            EXPECT_TRUE(block.right(limit, work)) << rate << ", work: " << work;
            EXPECT_FALSE(block.right(limit + 1, work)) << rate << ", work: " << work;
        }
}

/// QPSK 3/4 finds a word in one of 80 random blocks.
TEST(SecondChance, DoubtsFullCorrectionsAndAtOneRateNearlyFullOnes) {
    for (int rate = 1; rate < kRates; ++rate) {
        const RateInfo& row = kRateTable[size_t(rate)];
        const ReedSolomon code(row.rs_k, row.rs_t);
        SecondChance chance;
        chance.start(row.inner_rate, Interleaver::get(row.bits_per_carrier, kFullSubchannel), code, 10);
        EXPECT_TRUE(chance.doubts({true, row.rs_t})) << rate;
        EXPECT_EQ(chance.doubts({true, row.rs_t - 1}), rate == 2) << rate;
        EXPECT_FALSE(chance.doubts({true, row.rs_t - 2})) << rate;
        chance.enable(false);
        EXPECT_FALSE(chance.doubts({true, row.rs_t})) << rate;
    }
}

/// Strong soft bits in which no word is: each block fails and would be tried.
class Fade {
public:
    Fade() { chance_.start(CodeRate::r5_6, Interleaver::get(6, kFullSubchannel), code_, kMaxFrameSymbols); }

    /// Attempts at as many blocks; `correct` more after each are received without one.
    RetriedBlocks run(int blocks, int correct = 0) {
        RetriedBlocks count;
        for (int i = 0; i < blocks; ++i) {
            for (auto& bit : soft_) bit = static_cast<SoftBit>(random_() % 2 == 0 ? 100 : -100);
            chance_.keep(soft_);
            std::array<uint8_t, 120> block{};
            EXPECT_FALSE(chance_.retry(symbol_++, block, block, {false, 0}, count));
            for (int j = 0; j < correct; ++j) receive_correct();
        }
        return count;
    }
    void receive_correct() {
        chance_.keep(soft_);
        chance_.found_correct();
        ++symbol_;
    }
    void renew() { chance_.renew(); }
    void enable(bool on) { chance_.enable(on); }
    /// Attempts at a block of which the first result, far from what was heard, is in doubt.
    bool run_doubtful(RetriedBlocks& count) {
        std::array<uint8_t, 120> block{}, heard{};
        heard.fill(0x55);
        return chance_.retry(symbol_ - 1, block, heard, {true, 6}, count);
    }

private:
    ReedSolomon code_{108, 6};
    SecondChance chance_;
    std::mt19937 random_{4};
    std::vector<SoftBit> soft_ = std::vector<SoftBit>(1152);
    size_t symbol_ = 0;
};

TEST(SecondChance, DoesAFixedShareOfItsWorkPerSymbol) {
    // In trials: an attempt needs 5 for the pass and 16, half of which it may use. It takes nine, since the first path
    // here is not that of a first decoder. Each symbol adds two fifths: 14 are back after 35 symbols.
    Fade fade;
    fade.run(200);  // what was saved up
    const RetriedBlocks later = fade.run(350);
    EXPECT_EQ(later.tried, 10);
    EXPECT_EQ(later.refused, 340);
    EXPECT_EQ(later.saved, 0);
    // Each correct block adds two fifths for its symbol and a fifth.
    const RetriedBlocks between = fade.run(224, 1);
    EXPECT_NEAR(between.tried, 224 * (2 * 0.4 + 0.2) / 14, 1);
}

TEST(SecondChance, ResultsInDoubtTakeNoWorkThatIsUsedUp) {
    Fade fade;
    fade.run(1);
    RetriedBlocks count;
    EXPECT_FALSE(fade.run_doubtful(count)) << "no word fits";
    EXPECT_EQ(count.tried, 1);
    fade.run(100);
    count = {};
    EXPECT_FALSE(fade.run_doubtful(count));
    EXPECT_EQ(count.tried + count.saved, 0);
    EXPECT_EQ(count.refused, 1);
    fade.enable(false);
    EXPECT_TRUE(fade.run_doubtful(count));
    count = fade.run(3);
    EXPECT_EQ(count.tried + count.refused + count.saved, 0) << "no attempts, none refused";
}

TEST(SecondChance, SavesUpTheWorkOfTwoLongLists) {
    // 560 trials: 5 + 256 of the longest list, half of the rest less 5, and so on until fewer than 21 are left.
    int left = 560, most = 0;
    for (left = 560; left >= 21; ++most) left -= 5 + std::min((left - 5) / 2 + 1, 256);
    Fade fade;
    const auto first = fade.run(100).tried;
    EXPECT_GE(first, most);
    EXPECT_LE(first, most + 100 / 35 + 1);
    fade.renew();
    EXPECT_EQ(fade.run(20).tried, most);
    for (int i = 0; i < 1000; ++i) fade.receive_correct();
    EXPECT_EQ(fade.run(20).tried, most) << "not more than the most";
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
