// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/clean_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <vector>

namespace gr::wimax::phy {
namespace test_clean_path {

constexpr std::array kCodes{CodeRate::r1_2, CodeRate::r2_3, CodeRate::r3_4, CodeRate::r5_6};

/// A code word of random octets that ends with a zero octet, in interleaved symbols.
class Word {
public:
    Word(CodeRate rate, const Interleaver& interleaver, size_t symbols, uint32_t seed)
        : interleaver_(interleaver),
          bits_(static_cast<size_t>(interleaver.block_bits())),
          random_(seed),
          data_(symbols * trellis_steps(rate, bits_) / 8),
          coded_(symbols * bits_) {
        for (auto& byte : data_) byte = static_cast<uint8_t>(random_());
        data_.back() = 0;
        std::vector<uint8_t> inputs;
        for (const uint8_t byte : data_)
            for (int bit = 7; bit >= 0; --bit) inputs.push_back(byte >> bit & 1);
        ConvolutionalEncoder encoder;
        encoder.start(rate);
        EXPECT_EQ(encoder.encode(inputs, coded_), coded_.size());
    }
    std::span<const uint8_t> data(size_t symbol) const {
        const size_t bytes = data_.size() * bits_ / coded_.size();
        return std::span(data_).subspan(symbol * bytes, bytes);
    }
    /// Signs of the word, with any magnitudes.
    std::vector<SoftBit> soft(size_t symbol) {
        std::vector<SoftBit> all(bits_);
        for (size_t i = 0; i < bits_; ++i) {
            const auto size = static_cast<int>(1 + random_() % 127);
            all[interleaver_.position()[i]] = static_cast<SoftBit>(coded_[symbol * bits_ + i] != 0 ? -size : size);
        }
        return all;
    }
    std::mt19937& random() { return random_; }

private:
    const Interleaver& interleaver_;
    size_t bits_;
    std::mt19937 random_;
    std::vector<uint8_t> data_, coded_;
};

class Codes : public testing::TestWithParam<CodeRate> {
protected:
    static constexpr size_t kBits = 384, kSymbols = 6;

    void SetUp() override { start(); }
    void start() { path.start(GetParam(), interleaver); }
    bool follows(size_t symbol) { return path.follow(word.soft(symbol), out.data()); }
    bool right(size_t symbol) const {
        return std::ranges::equal(word.data(symbol), std::span(out).first(word.data(symbol).size()));
    }

    const Interleaver& interleaver = Interleaver::get(2, kFullSubchannel);
    Word word{GetParam(), interleaver, kSymbols, 5};
    CleanPath path;
    std::vector<uint8_t> out = std::vector<uint8_t>(kBits);
};
INSTANTIATE_TEST_SUITE_P(CleanPath, Codes, testing::ValuesIn(kCodes));

TEST_P(Codes, FollowsACodeWordFromItsStartToItsEnd) {
    ASSERT_TRUE(path.usable());
    for (size_t i = 0; i < kSymbols; ++i) {
        ASSERT_TRUE(follows(i)) << i;
        EXPECT_TRUE(right(i)) << i;
    }
    EXPECT_TRUE(path.at_zero());
}

/// Any sign can be wrong; an erased bit may be either.
TEST_P(Codes, LeavesASymbolWithAWrongOrErasedBit) {
    for (size_t bit = 0; bit < kBits; bit += 7)
        for (const bool erased : {false, true}) {
            start();
            ASSERT_TRUE(follows(0));
            auto soft = word.soft(1);
            soft[bit] = erased ? SoftBit{0} : static_cast<SoftBit>(-soft[bit]);
            // A wrong bit at the very end shows with the next symbol.
            const bool missed = path.follow(soft, out.data());
            EXPECT_FALSE(missed && follows(2)) << bit;
        }
}

TEST_P(Codes, FindsTheStateWhereItBeginsInside) {
    ASSERT_FALSE(path.follow(std::vector<SoftBit>(kBits), out.data()));  // erased
    for (size_t i = 2; i < kSymbols; ++i) {
        ASSERT_TRUE(follows(i)) << i;
        EXPECT_TRUE(right(i)) << i;
    }
    EXPECT_TRUE(path.at_zero());
}

TEST_P(Codes, NoiseIsNoCodeWord) {
    std::vector<SoftBit> noise(kBits);
    for (int i = 0; i < 300; ++i) {
        for (auto& bit : noise) bit = static_cast<SoftBit>(word.random()() % 2 != 0 ? 50 : -50);
        EXPECT_FALSE(path.follow(noise, out.data())) << i;
    }
}

TEST_P(Codes, AStartForgetsWhatWasBefore) {
    ASSERT_TRUE(follows(0));
    start();
    EXPECT_TRUE(follows(0));
    EXPECT_TRUE(right(0));
}

/// A code word begins in state zero, the state after six zeros.
TEST_P(Codes, AnotherSymbolIsAStartOnlyAfterZeros) {
    for (size_t i = 1; i < kSymbols; ++i) {
        start();
        EXPECT_EQ(follows(i), (word.data(i - 1).back() & 0x3F) == 0) << i;
    }
}

/// Every format whose symbols are whole octets, against the interleaver's table.
TEST(CleanPath, FollowsEveryFormatOfWholeOctets) {
    std::vector<uint8_t> out(1152);
    int usable = 0;
    for (const auto rate : kCodes)
        for (const int bits_per_carrier : {1, 2, 4, 6})
            for (const int subchannels : {1, 2, 4, 8, 16}) {
                const auto& interleaver = Interleaver::get(bits_per_carrier, subchannels);
                CleanPath path;
                path.start(rate, interleaver);
                const auto bits = static_cast<size_t>(interleaver.block_bits());
                const bool whole = bits % static_cast<size_t>(puncture_pattern(rate).output_bits) == 0 &&
                                   trellis_steps(rate, bits) % 8 == 0;
                ASSERT_EQ(path.usable(), whole) << bits;
                if (!whole) continue;
                ++usable;
                Word word(rate, interleaver, 4, 9);
                for (size_t symbol = 0; symbol < 4; ++symbol) {
                    ASSERT_TRUE(path.follow(word.soft(symbol), out.data())) << bits_per_carrier << ' ' << subchannels;
                    EXPECT_TRUE(std::ranges::equal(word.data(symbol), std::span(out).first(word.data(symbol).size())));
                }
                EXPECT_TRUE(path.at_zero());
            }
    EXPECT_GT(usable, 40);
}

/// The same rule step by step: the one state, or the only one of all, from which every puncturing period has inputs.
class PlainPath {
public:
    PlainPath(CodeRate rate, const Interleaver& interleaver) : rate_(rate), interleaver_(interleaver) {}
    /// The symbol's octets, if it is on the path.
    std::optional<std::vector<uint8_t>> follow(std::span<const SoftBit> soft) {
        std::optional<Walk> found;
        int count = 0;
        for (unsigned state = 0; state < 64; ++state)
            if (state_.value_or(state) == state)
                if (const auto one = walk(state, soft)) {
                    found = one;
                    ++count;
                }
        state_.reset();
        if (count != 1) return std::nullopt;
        state_ = found->state;
        return found->octets;
    }
    bool at_zero() const { return state_ == 0U; }

private:
    struct Walk {
        unsigned state;
        std::vector<uint8_t> octets;
    };

    /// The inputs of a period whose sent bits these are.
    std::optional<unsigned> inputs_for(unsigned state, std::span<const uint8_t> bits) const {
        const auto& pattern = puncture_pattern(rate_);
        for (unsigned inputs = 0; inputs < 1U << pattern.input_bits; ++inputs) {
            std::vector<uint8_t> sent;
            for (int step = 0; step < pattern.input_bits; ++step) {
                const unsigned last = (state << pattern.input_bits | inputs) >> (pattern.input_bits - 1 - step);
                const auto at = static_cast<size_t>(2 * step);
                if (pattern.sent[at] != 0) sent.push_back(static_cast<uint8_t>(std::popcount(last & 0b1001111) & 1));
                if (pattern.sent[at + 1] != 0)
                    sent.push_back(static_cast<uint8_t>(std::popcount(last & 0b1101101) & 1));
            }
            if (std::ranges::equal(sent, bits)) return inputs;
        }
        return std::nullopt;
    }
    std::optional<Walk> walk(unsigned state, std::span<const SoftBit> soft) const {
        const auto& pattern = puncture_pattern(rate_);
        const auto period = static_cast<size_t>(pattern.output_bits);
        Walk walk{state, std::vector<uint8_t>(trellis_steps(rate_, soft.size()) / 8)};
        std::vector<uint8_t> bits(period);
        size_t written = 0;
        for (size_t first = 0; first < soft.size(); first += period) {
            for (size_t i = 0; i < period; ++i) {
                const SoftBit received = soft[interleaver_.position()[first + i]];
                if (received == 0) return std::nullopt;
                bits[i] = received < 0 ? 1 : 0;
            }
            const auto inputs = inputs_for(walk.state, bits);
            if (!inputs) return std::nullopt;
            walk.state = (walk.state << pattern.input_bits | *inputs) & 63U;
            for (int i = pattern.input_bits; i-- > 0; ++written)
                walk.octets[written / 8] |= static_cast<uint8_t>((*inputs >> i & 1U) << (7 - written % 8));
        }
        return walk;
    }

    CodeRate rate_;
    const Interleaver& interleaver_;
    std::optional<unsigned> state_ = 0;
};

/// Bits are spoilt or erased one by one, and symbols come from elsewhere.
std::vector<SoftBit> heard(Word& word, size_t symbol) {
    auto& random = word.random();
    auto soft = word.soft(random() % 4 == 0 ? random() % 3 : symbol);
    const size_t bit = random() % soft.size();
    switch (random() % 6) {
        case 0: soft[bit] = static_cast<SoftBit>(~soft[bit]); break;
        case 1: soft[bit] = 0; break;
        case 2:
            for (auto& one : soft) one = random() % 2 != 0 ? SoftBit{127} : SoftBit{-128};
            break;
        default: break;
    }
    return soft;
}

TEST(CleanPath, FindsThePathOfAPlainSearchInEveryFormat) {
    for (const auto set : {InstructionSet::portable, InstructionSet::avx512}) {
        limit_instruction_set(set);
        size_t clean = 0;
        for (const auto rate : kCodes)
            for (const int bits_per_carrier : {1, 2, 4, 6})
                for (const int subchannels : {1, 2, 4, 8, 16}) {
                    const auto& interleaver = Interleaver::get(bits_per_carrier, subchannels);
                    CleanPath path;
                    path.start(rate, interleaver);
                    if (!path.usable()) continue;
                    PlainPath plain(rate, interleaver);
                    constexpr size_t kSymbols = 20;
                    Word word(rate, interleaver, kSymbols, static_cast<uint32_t>(subchannels));
                    std::vector<uint8_t> out(1152);
                    for (size_t symbol = 0; symbol < kSymbols; ++symbol) {
                        const auto soft = heard(word, symbol);
                        const auto octets = plain.follow(soft);
                        ASSERT_EQ(path.follow(soft, out.data()), octets.has_value())
                            << trellis_steps(rate, soft.size()) << " steps, symbol " << symbol;
                        ASSERT_EQ(path.at_zero(), plain.at_zero());
                        if (!octets) continue;
                        ++clean;
                        EXPECT_TRUE(std::ranges::equal(*octets, std::span(out).first(octets->size()))) << symbol;
                    }
                }
        EXPECT_GT(clean, 300);
    }
    limit_instruction_set(InstructionSet::avx512);
}

}  // namespace test_clean_path
}  // namespace gr::wimax::phy
