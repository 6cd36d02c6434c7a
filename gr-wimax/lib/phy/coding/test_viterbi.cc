// SPDX-License-Identifier: GPL-3.0-or-later
// Viterbi decoder: every SIMD kernel against the portable oracle, the window against a full traceback, errors
// corrected.
#include <gnuradio/wimax/phy/coding/convolutional.h>

#include "phy/coding/viterbi_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

namespace gr::wimax::phy {
namespace test_viterbi {

using Bytes = std::vector<uint8_t>;
constexpr std::array kRates4{CodeRate::r1_2, CodeRate::r2_3, CodeRate::r3_4, CodeRate::r5_6};

struct CodeWord {
    Bytes data;  ///< tail byte included
    std::vector<SoftBit> soft;
};

/// A code word of `bytes` bytes (a multiple of 15, so that whole periods come out) through noise of `sigma` for +-1,
/// quantized with `gain` steps for 1.
CodeWord noisy_word(CodeRate rate, size_t bytes, float sigma, float gain, std::mt19937& rng) {
    CodeWord word;
    for (size_t i = 1; i < bytes; ++i) word.data.push_back(static_cast<uint8_t>(rng()));
    word.data.push_back(0);
    Bytes bits, coded(16 * bytes);
    for (uint8_t byte : word.data)
        for (int i = 7; i >= 0; --i) bits.push_back(byte >> i & 1);
    ConvolutionalEncoder encoder;
    encoder.start(rate);
    coded.resize(encoder.encode(bits, coded));
    std::normal_distribution<float> noise(0.0F, sigma);
    for (uint8_t bit : coded) {
        const float value = ((bit ? -1.0F : 1.0F) + noise(rng)) * gain;
        word.soft.push_back(static_cast<SoftBit>(std::lround(std::clamp(value, -127.0F, 127.0F))));
    }
    return word;
}

/// Decodes in pieces of `piece` soft bits (a multiple of 12: whole periods of every rate).
Bytes decode(ViterbiDecoder& decoder, CodeRate rate, std::span<const SoftBit> soft, size_t piece) {
    decoder.start(rate);
    Bytes out(trellis_steps(rate, soft.size()) / 8 + ViterbiDecoder::kWindowSteps);
    size_t n = 0;
    while (!soft.empty()) {
        const size_t count = std::min(piece, soft.size());
        const size_t written = decoder.feed(soft.first(count), std::span(out).subspan(n));
        EXPECT_LE(written, ViterbiDecoder::max_output_bytes(trellis_steps(rate, count)));
        n += written;
        soft = soft.subspan(count);
    }
    n += decoder.finish(std::span(out).subspan(n));
    out.resize(n);
    return out;
}

/// No window: one add-compare-select over everything, one traceback.
Bytes decode_at_once(CodeRate rate, const std::vector<SoftBit>& soft) {
    const auto& oracle = viterbi::kernel(InstructionSet::portable);
    const size_t steps = trellis_steps(rate, soft.size());
    const size_t rounds = (steps + viterbi::kPhases - 1) / viterbi::kPhases;
    std::vector<viterbi::BranchMetrics> branches(rounds * viterbi::kPhases, viterbi::kStayInStateZero);
    viterbi::fill_branches(rate, soft.data(), soft.size(), branches.data());
    std::vector<viterbi::Survivors> survivors(rounds);
    viterbi::PathMetrics metrics;
    metrics.value.fill(viterbi::kImpossible);
    metrics.value[0] = 0;
    oracle.add_compare_select(metrics, branches.data(), survivors.data(), rounds);
    Bytes out((steps + 7) / 8);
    oracle.traceback(survivors.data(), rounds, 0, out.size(), out.data());
    return out;
}

size_t bit_errors(const Bytes& a, const Bytes& b) {
    size_t errors = a.size() == b.size() ? 0 : 100000;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        errors += static_cast<size_t>(std::popcount(static_cast<unsigned>(a[i] ^ b[i])));
    return errors;
}

/// Objects made in `make` use at most this instruction set.
template <class Make> auto limited_to(InstructionSet most, Make make) {
    limit_instruction_set(most);
    auto made = make();
    limit_instruction_set(InstructionSet::avx512);
    return made;
}

class ViterbiKernels : public testing::TestWithParam<InstructionSet> {
protected:
    void SetUp() override {
        if (!instruction_set_available(GetParam())) GTEST_SKIP() << "this processor does not have it";
    }
};

TEST_P(ViterbiKernels, EqualTheOracleOnAnyInput) {
    std::mt19937 rng(1);
    auto subject = limited_to(GetParam(), [] { return ViterbiDecoder(); });
    auto oracle = limited_to(InstructionSet::portable, [] { return ViterbiDecoder(); });
    for (auto rate : kRates4)
        for (size_t soft_bits : {12U, 24U, 180U, 1152U, 1200U, 6012U, 36000U}) {
            std::vector<SoftBit> soft(soft_bits);
            for (int kind = 0; kind < 3; ++kind) {  // full scale, few levels (many equal metrics), extremes only
                for (auto& s : soft) {
                    if (kind == 0) s = static_cast<SoftBit>(static_cast<int>(rng() % 255) - 127);
                    if (kind == 1) s = static_cast<SoftBit>(static_cast<int>(rng() % 3) - 1);
                    if (kind == 2) s = rng() & 1 ? 127 : -128;
                }
                ASSERT_EQ(decode(subject, rate, soft, 1152), decode(oracle, rate, soft, 1152))
                    << static_cast<int>(rate) << ' ' << soft_bits << ' ' << kind;
            }
        }
}

TEST_P(ViterbiKernels, CorrectNoisyWords) {
    std::mt19937 rng(2);
    auto decoder = limited_to(GetParam(), [] { return ViterbiDecoder(); });
    const std::array<float, 4> sigma{0.63F, 0.52F, 0.47F, 0.40F};  // about 4 to 8 dB: hard decisions are full of errors
    for (size_t r = 0; r < kRates4.size(); ++r) {
        const auto word = noisy_word(kRates4[r], 1500, sigma[r], 40.0F, rng);
        const auto clean = noisy_word(kRates4[r], 1500, 0.0F, 40.0F, rng);
        EXPECT_LE(bit_errors(decode(decoder, kRates4[r], word.soft, 1152), word.data), 3U) << r;
        EXPECT_EQ(decode(decoder, kRates4[r], clean.soft, 1152), clean.data) << r;
    }
}

INSTANTIATE_TEST_SUITE_P(All, ViterbiKernels,
                         testing::Values(InstructionSet::portable, InstructionSet::sse41, InstructionSet::avx2,
                                         InstructionSet::avx512));

TEST(Viterbi, WindowEqualsFullTraceback) {
    std::mt19937 rng(3);
    ViterbiDecoder decoder;
    const std::array<float, 4> sigma{0.80F, 0.62F, 0.56F, 0.46F};  // around one bit error in 1000
    for (size_t r = 0; r < kRates4.size(); ++r)
        for (size_t bytes : {15U, 30U, 105U, 120U, 240U, 1005U, 30000U}) {
            const auto word = noisy_word(kRates4[r], bytes, sigma[r], 32.0F, rng);
            ASSERT_EQ(decode(decoder, kRates4[r], word.soft, 1152), decode_at_once(kRates4[r], word.soft))
                << r << ' ' << bytes;
        }
}

TEST(Viterbi, PiecesDoNotMatter) {
    std::mt19937 rng(4);
    ViterbiDecoder decoder;
    for (auto rate : kRates4) {
        const auto word = noisy_word(rate, 3000, 0.5F, 32.0F, rng);
        const auto reference = decode(decoder, rate, word.soft, word.soft.size());
        for (size_t piece : {12U, 96U, 384U, 5004U}) EXPECT_EQ(decode(decoder, rate, word.soft, piece), reference);
    }
}

TEST(Viterbi, InterleavedInput) {
    std::mt19937 rng(7);
    ViterbiDecoder decoder;
    for (auto rate : kRates4) {
        const auto word = noisy_word(rate, 1500, 0.4F, 32.0F, rng);
        std::vector<uint16_t> position(word.soft.size());
        std::iota(position.begin(), position.end(), uint16_t{0});
        std::shuffle(position.begin(), position.end(), rng);
        std::vector<SoftBit> received(word.soft.size());
        for (size_t k = 0; k < position.size(); ++k) received[position[k]] = word.soft[k];
        const auto expected = decode(decoder, rate, word.soft, word.soft.size());
        decoder.start(rate);
        Bytes out(3000);
        size_t n = decoder.feed(received, position, out);
        n += decoder.finish(std::span(out).subspan(n));
        out.resize(n);
        EXPECT_EQ(out, expected);
    }
}

/// Coding gain: at a channel error rate of some per cent the decoder leaves almost no errors.
TEST(Viterbi, SoftDecisionGain) {
    std::mt19937 rng(5);
    ViterbiDecoder decoder;
    const auto word = noisy_word(CodeRate::r1_2, 30000, 0.71F, 32.0F, rng);  // Eb/N0 3 dB
    auto hard = word.soft;
    for (auto& s : hard) s = s < 0 ? -32 : 32;
    const size_t soft_errors = bit_errors(decode(decoder, CodeRate::r1_2, word.soft, 384), word.data);
    const size_t hard_errors = bit_errors(decode(decoder, CodeRate::r1_2, hard, 384), word.data);
    EXPECT_LT(soft_errors, 300U);  // 240 000 bits; theory about 4e-4
    EXPECT_GT(hard_errors, 5 * soft_errors);
}

TEST(Viterbi, ErasedSoftBitsAreNeutral) {
    std::mt19937 rng(6);
    ViterbiDecoder decoder;
    auto word = noisy_word(CodeRate::r1_2, 300, 0.0F, 32.0F, rng);
    for (size_t i = 0; i < word.soft.size(); i += 3) word.soft[i] = 0;  // a third erased: still rate 3/4
    EXPECT_EQ(decode(decoder, CodeRate::r1_2, word.soft, 384), word.data);
}

}  // namespace test_viterbi
}  // namespace gr::wimax::phy
