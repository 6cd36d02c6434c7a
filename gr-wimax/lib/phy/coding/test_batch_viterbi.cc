// SPDX-License-Identifier: GPL-3.0-or-later
// Side-by-side decoding: equal results in every instruction set, and windows as good as one decoder over the whole code
// word.
#include <gnuradio/wimax/phy/base/instruction_set.h>
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/batch_viterbi.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

namespace gr::wimax::phy {
namespace test_batch_viterbi {

using Bytes = std::vector<uint8_t>;
using Lane = BatchViterbiDecoder::Lane;
constexpr size_t kLanes = BatchViterbiDecoder::kLanes;

/// Shape of a coded symbol and windows of it.
struct Shape {
    CodeRate rate;
    size_t bits, symbols;
    size_t steps() const { return trellis_steps(rate, bits); }
};

std::vector<uint16_t> shuffled_positions(size_t bits, std::mt19937& rng) {
    std::vector<uint16_t> position(bits);
    std::iota(position.begin(), position.end(), uint16_t{0});
    std::shuffle(position.begin(), position.end(), rng);
    return position;
}

/// A code word of whole symbols, the last byte its tail, through noise as soft bits of kSoftBitScale.
struct CodeWord {
    Bytes data;
    std::vector<std::vector<SoftBit>> soft;

    /// `snr_db`: amplitude^2 / (2 sigma^2) of a coded bit.
    CodeWord(const Shape& shape, std::span<const uint16_t> position, size_t symbols, double snr_db, std::mt19937& rng) {
        data.resize(symbols * shape.steps() / 8);
        std::generate(data.begin(), data.end() - 1, [&] { return static_cast<uint8_t>(rng()); });
        Bytes bits, coded(symbols * shape.bits);
        for (uint8_t byte : data)
            for (int i = 7; i >= 0; --i) bits.push_back(byte >> i & 1);
        ConvolutionalEncoder encoder;
        encoder.start(shape.rate);
        encoder.encode(bits, coded);
        const auto snr = static_cast<float>(std::pow(10.0, 0.1 * snr_db));
        std::normal_distribution<float> noise(0.0F, std::sqrt(0.5F / snr));
        soft.assign(symbols, std::vector<SoftBit>(shape.bits));
        for (size_t i = 0; i < coded.size(); ++i) {
            const float llr = 4 * snr * ((coded[i] ? -1.0F : 1.0F) + noise(rng));
            soft[i / shape.bits][position[i % shape.bits]] =
                static_cast<SoftBit>(std::lround(std::clamp(kSoftBitScale * llr, -127.0F, 127.0F)));
        }
    }
};

Bytes decode_one_by_one(const Shape& shape, std::span<const uint16_t> position,
                        const std::vector<std::vector<SoftBit>>& soft) {
    ViterbiDecoder decoder;
    decoder.start(shape.rate);
    Bytes out(soft.size() * shape.steps() / 8 + ViterbiDecoder::kWindowSteps);
    size_t n = 0;
    for (const auto& symbol : soft) n += decoder.feed(symbol, position, std::span(out).subspan(n));
    n += decoder.finish(std::span(out).subspan(n));
    out.resize(n);
    return out;
}

std::vector<std::vector<SoftBit>> quantized(const BatchViterbiDecoder& decoder,
                                            std::vector<std::vector<SoftBit>> soft) {
    for (auto& symbol : soft) decoder.quantize(symbol, symbol);
    return soft;
}

/// Decodes a code word in windows of shape.symbols, in one call or in the given number of steps per call.
Bytes decode_windows(BatchViterbiDecoder& decoder, const Shape& shape, std::span<const uint16_t> position,
                     const std::vector<std::vector<SoftBit>>& soft, size_t piece = 0) {
    decoder.start(shape.rate, position, shape.symbols);
    const auto values = quantized(decoder, soft);
    std::vector<const SoftBit*> symbols(decoder.symbols_before(), nullptr);
    for (const auto& symbol : values) symbols.push_back(symbol.data());
    symbols.resize(symbols.size() + decoder.symbols_after(), nullptr);
    Bytes out(soft.size() * shape.steps() / 8);
    std::vector<Lane> lanes;
    for (size_t at = 0; at < soft.size(); at += shape.symbols)
        lanes.push_back({symbols.data() + at, out.data() + at * shape.steps() / 8});
    if (piece == 0) {
        decoder.decode(lanes);
        return out;
    }
    decoder.begin(lanes);
    size_t left = decoder.steps_left();
    while (!decoder.advance(piece)) {
        EXPECT_EQ(decoder.steps_left(), left - std::min(piece, left));
        left = decoder.steps_left();
    }
    EXPECT_EQ(left, 0U);
    return out;
}

size_t bit_errors(std::span<const uint8_t> a, std::span<const uint8_t> b) {
    size_t errors = 0;
    for (size_t i = 0; i < a.size(); ++i)
        errors += static_cast<size_t>(std::popcount(static_cast<unsigned>(a[i] ^ b[i])));
    return errors;
}

constexpr Shape kShapes[] = {{CodeRate::r1_2, 192, 5},
                             {CodeRate::r2_3, 768, 1},
                             {CodeRate::r3_4, 1152, 1},
                             {CodeRate::r5_6, 384, 3},
                             {CodeRate::r5_6, 1152, 1}};

class BatchViterbi : public testing::Test {
protected:
    void TearDown() override { limit_instruction_set(InstructionSet::avx512); }
};

/// In whole vectors, and in the rest after them.
TEST_F(BatchViterbi, QuantizesToNearestAlikeOnBothSides) {
    std::vector<SoftBit> soft, out;
    for (int v = -128; v <= 127; ++v) soft.insert(soft.end(), {static_cast<SoftBit>(v), static_cast<SoftBit>(~v)});
    for (int v = -128; v <= 127; v += 7) soft.push_back(static_cast<SoftBit>(v));
    out.resize(soft.size());
    BatchViterbiDecoder decoder;
    std::mt19937 rng(4);
    for (const auto set :
         {InstructionSet::portable, InstructionSet::sse41, InstructionSet::avx2, InstructionSet::avx512})
        for (const auto& shape : kShapes) {
            limit_instruction_set(set);
            decoder.start(shape.rate, shuffled_positions(shape.bits, rng), shape.symbols);
            decoder.quantize(soft, out);
            for (size_t i = 0; i < soft.size(); ++i) {
                const auto nearest = std::lround(soft[i] * BatchViterbiDecoder::level_scale(shape.rate) / 256.0);
                const long levels = BatchViterbiDecoder::levels(shape.rate);
                EXPECT_EQ(out[i], std::clamp(nearest, -levels, levels));
            }
        }
}

TEST_F(BatchViterbi, EveryInstructionSetGivesTheSame) {
    std::mt19937 rng(1);
    for (const auto& shape : kShapes)
        for (size_t lanes : {size_t{1}, size_t{17}, size_t{33}, kLanes})
            for (int kind = 0; kind < 3; ++kind) {  // any levels, many ties, extremes only
                const auto position = shuffled_positions(shape.bits, rng);
                std::vector<std::vector<SoftBit>> soft(lanes * shape.symbols, std::vector<SoftBit>(shape.bits));
                for (auto& symbol : soft)
                    for (auto& s : symbol) {
                        if (kind == 0) s = static_cast<SoftBit>(static_cast<int>(rng() % 101) - 50);
                        if (kind == 1) s = static_cast<SoftBit>(4 * (static_cast<int>(rng() % 3) - 1));
                        if (kind == 2) s = rng() & 1 ? 127 : -128;
                    }
                limit_instruction_set(InstructionSet::portable);
                BatchViterbiDecoder decoder;
                const auto oracle = decode_windows(decoder, shape, position, soft);
                for (auto set : {InstructionSet::sse41, InstructionSet::avx2, InstructionSet::avx512}) {
                    limit_instruction_set(set);
                    ASSERT_EQ(decode_windows(decoder, shape, position, soft), oracle)
                        << static_cast<int>(set) << ' ' << shape.bits << ' ' << lanes << ' ' << kind;
                }
            }
}

TEST_F(BatchViterbi, TheSameInPieces) {
    std::mt19937 rng(7);
    for (auto set : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
        limit_instruction_set(set);
        BatchViterbiDecoder decoder;
        for (const auto& shape : kShapes) {
            const auto position = shuffled_positions(shape.bits, rng);
            std::vector<std::vector<SoftBit>> soft(kLanes * shape.symbols, std::vector<SoftBit>(shape.bits));
            for (auto& symbol : soft)
                for (auto& s : symbol) s = static_cast<SoftBit>(static_cast<int>(rng() % 101) - 50);
            const auto whole = decode_windows(decoder, shape, position, soft);
            for (const size_t piece : {1, 7, 100, 959, 961, 5000})
                ASSERT_EQ(decode_windows(decoder, shape, position, soft, piece), whole) << shape.bits << ' ' << piece;
        }
    }
}

/// 1.5 dB below the threshold, where paths merge late: decisions of windows that differ from one decoder's, as a share
/// of the errors. With 24 steps less before and after a window it is three to four times as much.
TEST_F(BatchViterbi, MarginsAreLongEnough) {
    struct Case {
        Shape shape;
        double snr_db, most;
    };
    std::mt19937 rng(6);
    BatchViterbiDecoder decoder;
    for (const auto& c :
         {Case{kShapes[0], -2, 0.008}, {kShapes[1], 0.1, 0.012}, {kShapes[2], 1.2, 0.006}, {kShapes[4], 2.1, 0.04}}) {
        const auto position = shuffled_positions(c.shape.bits, rng);
        size_t errors = 0, changed = 0;
        for (int run = 0; run < 40; ++run) {
            const CodeWord word(c.shape, position, kLanes * c.shape.symbols, c.snr_db, rng);
            const auto windows = decode_windows(decoder, c.shape, position, word.soft);
            const auto whole = decode_one_by_one(c.shape, position, quantized(decoder, word.soft));
            errors += bit_errors(whole, word.data);
            changed += bit_errors(windows, whole);
        }
        const double share = static_cast<double>(changed) / static_cast<double>(errors);
        RecordProperty("share_at_" + std::to_string(c.snr_db), std::to_string(share));
        EXPECT_LT(share, c.most) << c.snr_db;
    }
}

/// Near the threshold: windows change next to nothing, and eight-bit metrics cost less than 0.05 dB, which would be 12
/// % more errors at rate 5/6.
TEST_F(BatchViterbi, WindowsAsGoodAsOneDecoder) {
    std::mt19937 rng(2);
    const std::array<double, 5> snr_db{-0.5, 1.6, 2.7, 3.6, 3.6};  // bit error rates around 1e-3
    BatchViterbiDecoder decoder;
    for (size_t i = 0; i < std::size(kShapes); ++i) {
        const auto& shape = kShapes[i];
        const auto position = shuffled_positions(shape.bits, rng);
        size_t bits = 0, single = 0, batch = 0, coarse = 0, changed = 0;
        for (int run = 0; run < 24; ++run) {
            const CodeWord word(shape, position, kLanes * shape.symbols, snr_db[i], rng);
            const auto windows = decode_windows(decoder, shape, position, word.soft);
            const auto same_levels = decode_one_by_one(shape, position, quantized(decoder, word.soft));
            single += bit_errors(decode_one_by_one(shape, position, word.soft), word.data);
            coarse += bit_errors(same_levels, word.data);
            batch += bit_errors(windows, word.data);
            changed += bit_errors(windows, same_levels);
            bits += 8 * word.data.size();
        }
        RecordProperty("errors_" + std::to_string(i), std::to_string(single) + " " + std::to_string(coarse) + " " +
                                                          std::to_string(batch) + " " + std::to_string(changed));
        EXPECT_GT(single, 100U) << i;
        EXPECT_LT(static_cast<double>(single), 5e-3 * static_cast<double>(bits)) << i;
        EXPECT_LE(changed, coarse / 500) << i;
        // Both decoders see the same noise, so that only errors of one of them vary: 3 sigma of these, as events of
        // about 10 bits.
        const double scatter = 3 * std::sqrt(10.0 * 0.5 * static_cast<double>(single));
        EXPECT_LE(static_cast<double>(batch), 1.12 * static_cast<double>(single) + scatter) << i;
    }
}

/// Independent bursts side by side, with nothing before or after them.
TEST_F(BatchViterbi, ManyBursts) {
    std::mt19937 rng(3);
    const Shape shape{CodeRate::r5_6, 1152, 1};
    const auto position = shuffled_positions(shape.bits, rng);
    BatchViterbiDecoder decoder;
    decoder.start(shape.rate, position, shape.symbols);
    ASSERT_EQ(decoder.symbols_before() + 1 + decoder.symbols_after(), 3U);
    std::vector<Bytes> sent, out(kLanes, Bytes(shape.steps() / 8));
    std::vector<std::vector<SoftBit>> soft;
    std::vector<std::array<const SoftBit*, 3>> symbols;
    for (size_t i = 0; i < kLanes; ++i) {
        const CodeWord word(shape, position, 1, 6.5, rng);
        sent.push_back(word.data);
        soft.push_back(quantized(decoder, word.soft)[0]);
    }
    std::vector<Lane> lanes;
    for (const auto& values : soft) symbols.push_back({nullptr, values.data(), nullptr});
    for (size_t i = 0; i < kLanes; ++i) lanes.push_back({symbols[i].data(), out[i].data()});
    decoder.decode(lanes);
    EXPECT_EQ(out, sent);
}

}  // namespace test_batch_viterbi
}  // namespace gr::wimax::phy
