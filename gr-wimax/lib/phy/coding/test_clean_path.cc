// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/clean_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace gr::wimax::phy {
namespace test_clean_path {

constexpr std::array kCodes{CodeRate::r1_2, CodeRate::r2_3, CodeRate::r3_4, CodeRate::r5_6};

/// A code word of random octets that ends with a zero octet, cut into symbols whose bits are in random places.
class Word {
public:
    Word(CodeRate rate, size_t symbol_bits, size_t symbols, uint32_t seed)
        : random_(seed),
          bits_(symbol_bits),
          position_(symbol_bits),
          data_(symbols * trellis_steps(rate, symbol_bits) / 8) {
        std::iota(position_.begin(), position_.end(), uint16_t{0});
        std::shuffle(position_.begin(), position_.end(), random_);
        for (auto& byte : data_) byte = static_cast<uint8_t>(random_());
        data_.back() = 0;
        std::vector<uint8_t> inputs;
        for (const uint8_t byte : data_)
            for (int bit = 7; bit >= 0; --bit) inputs.push_back(byte >> bit & 1);
        coded_.resize(symbols * symbol_bits);
        ConvolutionalEncoder encoder;
        encoder.start(rate);
        EXPECT_EQ(encoder.encode(inputs, coded_), coded_.size());
    }
    std::span<const uint16_t> position() const { return position_; }
    std::span<const uint8_t> data(size_t symbol) const {
        const size_t bytes = data_.size() * bits_ / coded_.size();
        return std::span(data_).subspan(symbol * bytes, bytes);
    }
    /// Signs of the word, with any magnitudes.
    std::vector<SoftBit> soft(size_t symbol) {
        std::vector<SoftBit> all(bits_);
        for (size_t i = 0; i < bits_; ++i) {
            const auto size = static_cast<int>(1 + random_() % 127);
            all[position_[i]] = static_cast<SoftBit>(coded_[symbol * bits_ + i] != 0 ? -size : size);
        }
        return all;
    }
    std::mt19937& random() { return random_; }

private:
    std::mt19937 random_;
    size_t bits_;
    std::vector<uint16_t> position_;
    std::vector<uint8_t> data_, coded_;
};

class Codes : public testing::TestWithParam<CodeRate> {
protected:
    static constexpr size_t kBits = 384, kSymbols = 6;

    void SetUp() override { path.start(GetParam(), word.position()); }
    bool follows(size_t symbol) { return path.follow(word.soft(symbol), out.data()); }
    bool right(size_t symbol) const {
        return std::ranges::equal(word.data(symbol), std::span(out).first(word.data(symbol).size()));
    }

    Word word{GetParam(), kBits, kSymbols, 5};
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
            path.start(GetParam(), word.position());
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
    path.start(GetParam(), word.position());
    EXPECT_TRUE(follows(0));
    EXPECT_TRUE(right(0));
}

/// A code word begins in state zero, the state after six zeros.
TEST_P(Codes, AnotherSymbolIsAStartOnlyAfterZeros) {
    for (size_t i = 1; i < kSymbols; ++i) {
        path.start(GetParam(), word.position());
        EXPECT_EQ(follows(i), (word.data(i - 1).back() & 0x3F) == 0) << i;
    }
}

TEST(CleanPath, SymbolsAreWholeOctets) {
    CleanPath path;
    std::vector<uint16_t> position(1152);
    for (const auto& [rate, bits, usable] :
         {std::tuple{CodeRate::r5_6, 1152, true}, std::tuple{CodeRate::r1_2, 192, true},
          std::tuple{CodeRate::r3_4, 1152, true}, std::tuple{CodeRate::r3_4, 12, false},
          std::tuple{CodeRate::r1_2, 12, false}, std::tuple{CodeRate::r2_3, 24, true}}) {
        path.start(rate, std::span(position).first(static_cast<size_t>(bits)));
        EXPECT_EQ(path.usable(), usable) << bits;
    }
}

}  // namespace test_clean_path
}  // namespace gr::wimax::phy
