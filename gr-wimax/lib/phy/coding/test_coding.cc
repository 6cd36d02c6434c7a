// SPDX-License-Identifier: GPL-3.0-or-later
// Every stage of the coding chain against the golden vectors, and properties that the vectors do not show: correction
// of errors, all rates and lengths, subchannels.
#include <gnuradio/wimax/phy/base/instruction_set.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include "phy/base/test_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <set>

namespace gr::wimax::phy {
namespace test_coding {

using test::from_hex;
using test::hex_at;
using test::to_bits;
using test::to_bytes;
using test::vectors;
using Bytes = std::vector<uint8_t>;

Bytes random_bytes(size_t count, std::mt19937& rng) {
    Bytes bytes(count);
    for (auto& b : bytes) b = static_cast<uint8_t>(rng());
    return bytes;
}

Bytes sequence(Randomizer r, size_t count) {
    Bytes zeros(count, 0);
    r.apply(zeros);
    return zeros;
}

std::string stages(const Randomizer& r) {
    std::string text;
    for (int i = 0; i < 15; ++i) text += r.state() >> i & 1 ? '1' : '0';
    return text;
}

// ---- randomizer ----

TEST(Randomizer, FrameStart) {
    const auto& v = vectors().at("randomizer");
    EXPECT_EQ(stages(Randomizer::frame_start()), v.at("frame_start_stages_1_to_15").get<std::string>());
    EXPECT_EQ(sequence(Randomizer::frame_start(), 32), hex_at(v, "frame_start_first_32_bytes"));
}

TEST(Randomizer, Burst) {
    const auto& v = vectors().at("randomizer");
    EXPECT_EQ(stages(Randomizer::burst(1, 7, 1)), v.at("example_bsid1_iuc7_frame1_stages").get<std::string>());
    EXPECT_EQ(sequence(Randomizer::burst(1, 7, 1), 32), hex_at(v, "example_first_32_bytes"));
    EXPECT_EQ(Randomizer::burst(0xF1, 0xA7, 0x31).state(), Randomizer::burst(1, 7, 1).state());
}

/// Every state is a sum of those with a single one.
TEST(Randomizer, ManyBytesAtOnceAreTheSameSequence) {
    for (const size_t count : {1, 7, 8, 9, 14, 15, 16, 17, 36, 108, 255, 256, 257, 272, 1000})
        for (int stage = 0; stage < 15; ++stage) {
            auto one_by_one = Randomizer::at(static_cast<uint16_t>(1U << stage)), at_once = one_by_one;
            Bytes data(count, 0), expected(count);
            at_once.apply(data);
            for (auto& byte : expected) byte = one_by_one.next_byte();
            EXPECT_EQ(data, expected) << count;
            EXPECT_EQ(at_once.state(), one_by_one.state()) << count;
        }
}

TEST(Randomizer, FirstBurstContinuesTheFchSequence) {
    const auto whole = sequence(Randomizer::frame_start(), 64);
    EXPECT_EQ(sequence(Randomizer::first_burst(), 32), Bytes(whole.begin() + 11, whole.begin() + 43));
}

TEST(Randomizer, SkippedBitsEqualShiftedSequence) {
    const auto whole = to_bits(sequence(Randomizer::burst(5, 3, 9), 64));
    for (int skip : {0, 1, 7, 8, 13, 100}) {
        auto r = Randomizer::burst(5, 3, 9);
        r.skip_bits(skip);
        const auto bits = to_bits(sequence(r, 32));
        EXPECT_TRUE(std::equal(bits.begin(), bits.end(), whole.begin() + skip)) << skip;
    }
}

// ---- interleaver ----

TEST(Interleaver, Vectors) {
    for (const auto& [name, v] : vectors().at("interleaver").items()) {
        const int bits = v.at("ncpc"), block = v.at("ncbps");
        const auto& table = Interleaver::get(bits, block / bits / 12);
        EXPECT_EQ(Bytes::size_type(block), table.position().size()) << name;
        const auto expected = v.at("j_of_k").get<std::vector<uint16_t>>();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), table.position().begin())) << name;
    }
}

TEST(Interleaver, InverseRestoresTheOrder) {
    std::mt19937 rng(1);
    for (int bits : {1, 2, 4, 6})
        for (int subchannels : {1, 2, 4, 8, 16}) {
            const auto& table = Interleaver::get(bits, subchannels);
            const auto n = static_cast<size_t>(table.block_bits());
            Bytes coded(n), labels(n / static_cast<size_t>(bits));
            for (auto& b : coded) b = rng() & 1;
            table.interleave(coded, labels);
            std::vector<int8_t> received, restored(n);
            for (uint8_t label : labels)
                for (int b = bits - 1; b >= 0; --b) received.push_back(static_cast<int8_t>(label >> b & 1));
            table.deinterleave(received, restored);
            EXPECT_TRUE(std::equal(coded.begin(), coded.end(), restored.begin())) << bits << ' ' << subchannels;
        }
}

// ---- Reed-Solomon ----

TEST(ReedSolomon, StandardExample) {
    const auto& v = vectors().at("standard_example_8_3_3_5_1");
    auto data = hex_at(v, "randomized");
    data.push_back(0);
    Bytes block(40);
    ReedSolomon(36, 2).encode(data, block);
    EXPECT_EQ(block, hex_at(v, "rs"));
}

/// Remainder of the division by x + 2^i, octet by octet.
uint8_t value_at(const Bytes& word, int i) {
    unsigned sum = 0;
    for (const uint8_t octet : word) {
        for (int doubled = 0; doubled < i; ++doubled)
            sum = sum << 1 ^ (sum & 0x80U ? ReedSolomon::kFieldPolynomial : 0U);
        sum ^= octet;
    }
    return static_cast<uint8_t>(sum);
}

TEST(ReedSolomon, CodeWordsOfEveryLengthHaveTheRootsOfTheGenerator) {
    constexpr int kParity = ReedSolomon::kMotherParity;
    std::mt19937 rng(8);
    for (int k = 1; k <= 255 - kParity; ++k) {
        const auto data = random_bytes(static_cast<size_t>(k), rng);
        Bytes block(static_cast<size_t>(k + kParity));
        ReedSolomon(k, kParity / 2).encode(data, block);
        std::rotate(block.begin(), block.begin() + kParity, block.end());  // data first, the highest powers
        for (int i = 0; i < kParity; ++i) EXPECT_EQ(value_at(block, i), 0) << k << ' ' << i;
    }
}

TEST(ReedSolomon, CorrectsUpToT) {
    std::mt19937 rng(2);
    for (const auto& rate : kRateTable) {
        const ReedSolomon code(rate.rs_k, rate.rs_t);
        for (int errors = 0; errors <= code.t(); ++errors)
            for (int trial = 0; trial < 40; ++trial) {
                const auto data = random_bytes(static_cast<size_t>(code.k()), rng);
                Bytes sent(static_cast<size_t>(code.n()));
                code.encode(data, sent);
                auto received = sent;
                std::vector<size_t> places(received.size());
                std::iota(places.begin(), places.end(), size_t{0});
                std::shuffle(places.begin(), places.end(), rng);
                for (int e = 0; e < errors; ++e)
                    received[places[static_cast<size_t>(e)]] ^= static_cast<uint8_t>(1 + rng() % 255);
                const auto result = code.decode(received);
                ASSERT_TRUE(result.ok) << rate.name << ' ' << errors;
                ASSERT_EQ(result.corrected, errors) << rate.name;
                ASSERT_EQ(received, sent) << rate.name << ' ' << errors;
            }
    }
}

TEST(ReedSolomon, RefusesTooManyErrors) {
    std::mt19937 rng(3);
    const ReedSolomon code(108, 6);
    int refused = 0;
    for (int trial = 0; trial < 200; ++trial) {
        Bytes block(static_cast<size_t>(code.n()));
        code.encode(random_bytes(108, rng), block);
        for (size_t e = 0; e < 20; ++e) block[6 * e] ^= static_cast<uint8_t>(1 + rng() % 255);
        const auto before = block;
        const auto result = code.decode(block);
        if (result.ok) continue;
        ++refused;
        EXPECT_EQ(block, before);
        EXPECT_EQ(result.corrected, 0);
    }
    EXPECT_GE(refused, 195);  // a random word falls into a decoding sphere with probability below 1/t!
}

// ---- convolutional code ----

TEST(Convolutional, StandardExample) {
    const auto& v = vectors().at("standard_example_8_3_3_5_1");
    ConvolutionalEncoder encoder;
    encoder.start(CodeRate::r5_6);
    Bytes coded(384);
    EXPECT_EQ(encoder.encode(to_bits(hex_at(v, "rs")), coded), 384U);
    EXPECT_EQ(to_bytes(coded), hex_at(v, "coded"));
}

TEST(Convolutional, StreamEqualsOneCall) {
    std::mt19937 rng(4);
    for (auto rate : {CodeRate::r1_2, CodeRate::r2_3, CodeRate::r3_4, CodeRate::r5_6}) {
        const auto& p = puncture_pattern(rate);
        const auto bits = to_bits(random_bytes(600, rng));
        const size_t usable = bits.size() / 30 * 30;
        Bytes whole(2 * usable), pieces(2 * usable);
        ConvolutionalEncoder encoder;
        encoder.start(rate);
        const size_t n = encoder.encode(std::span(bits).first(usable), whole);
        EXPECT_EQ(n, usable / static_cast<size_t>(p.input_bits) * static_cast<size_t>(p.output_bits));
        encoder.start(rate);
        size_t m = 0;
        for (size_t at = 0; at < usable; at += 30)
            m += encoder.encode(std::span(bits).subspan(at, 30), std::span(pieces).subspan(m));
        EXPECT_EQ(n, m);
        EXPECT_EQ(whole, pieces);
    }
}

/// Generators 171 and 133 octal, bit by bit.
Bytes encoded_by_definition(CodeRate rate, const Bytes& bits) {
    const auto& p = puncture_pattern(rate);
    Bytes sent;
    unsigned window = 0;
    for (size_t i = 0; i < bits.size(); ++i) {
        window = window >> 1 | static_cast<unsigned>(bits[i]) << 6;
        const size_t step = i % static_cast<size_t>(p.input_bits);
        if (p.sent[2 * step]) sent.push_back(std::popcount(window & 0171U) & 1);
        if (p.sent[2 * step + 1]) sent.push_back(std::popcount(window & 0133U) & 1);
    }
    return sent;
}

// Each form of the encoder, also with numbers of periods that are not a multiple of its block.
TEST(Convolutional, EveryFormFollowsTheDefinition) {
    std::mt19937 rng(5);
    for (auto set : {InstructionSet::portable, InstructionSet::avx512})
        for (auto rate : {CodeRate::r1_2, CodeRate::r2_3, CodeRate::r3_4, CodeRate::r5_6})
            for (size_t periods : {1, 2, 3, 7, 23, 200}) {
                limit_instruction_set(set);
                const size_t steps = periods * static_cast<size_t>(puncture_pattern(rate).input_bits);
                auto bits = to_bits(random_bytes(steps / 8 + 1, rng));
                bits.resize(steps);
                const Bytes expected = encoded_by_definition(rate, bits);
                Bytes coded(expected.size() + 1, 7);  // one extra bit, which must not be written
                ConvolutionalEncoder encoder;
                encoder.start(rate);
                EXPECT_EQ(encoder.encode(bits, coded), expected.size());
                EXPECT_EQ(coded.back(), 7);
                coded.pop_back();
                EXPECT_EQ(coded, expected) << periods << " periods of rate " << static_cast<int>(rate);
            }
}

// ---- whole chain ----

struct Burst {
    std::vector<Bytes> labels;
    Bytes blocks, coded, interleaved;
};

Burst encode(const BurstFormat& format, const Bytes& payload, Randomizer randomizer) {
    BurstEncoder encoder;
    Burst burst;
    EXPECT_TRUE(encoder.start(format, payload, randomizer));
    Bytes labels(static_cast<size_t>(burst_carriers(format)));
    Bytes coded_bits;
    while (encoder.next_symbol(labels)) {
        burst.labels.push_back(labels);
        burst.blocks.insert(burst.blocks.end(), encoder.last_block().begin(), encoder.last_block().end());
        coded_bits.insert(coded_bits.end(), encoder.last_coded_bits().begin(), encoder.last_coded_bits().end());
        const auto bytes = test::label_bytes(labels, kRateTable[format.rate_id].bits_per_carrier);
        burst.interleaved.insert(burst.interleaved.end(), bytes.begin(), bytes.end());
    }
    burst.coded = to_bytes(coded_bits);
    return burst;
}

/// Noise-free soft bits of a symbol.
std::vector<SoftBit> soft_bits(const Bytes& labels, int bits_per_carrier, int amplitude = 32) {
    std::vector<SoftBit> soft;
    for (uint8_t label : labels)
        for (int b = bits_per_carrier - 1; b >= 0; --b)
            soft.push_back(static_cast<SoftBit>(label >> b & 1 ? -amplitude : amplitude));
    return soft;
}

TEST(BurstEncoder, StandardExample) {
    const auto& v = vectors().at("standard_example_8_3_3_5_1");
    BurstFormat format;
    format.rate_id = v.at("rate_id");
    format.iuc = v.at("uiuc");
    format.bsid_lsb = v.at("bsid");
    format.frame_lsb = v.at("frame_number");
    format.data_symbols = 1;
    const auto burst = encode(format, hex_at(v, "payload"), burst_randomizer(format));
    EXPECT_EQ(burst.blocks, hex_at(v, "rs"));
    EXPECT_EQ(burst.coded, hex_at(v, "coded"));
    EXPECT_EQ(burst.interleaved, hex_at(v, "interleaved"));
}

TEST(BurstEncoder, GoldenBurstsOfAllRates) {
    ASSERT_EQ(vectors().at("bursts").size(), size_t{kRates});
    for (const auto& v : vectors().at("bursts")) {
        BurstFormat format;
        format.rate_id = v.at("rate_id");
        format.iuc = v.at("diuc");
        format.bsid_lsb = v.at("bsid").get<int>() & 15;
        format.frame_lsb = v.at("frame_number").get<int>() & 15;
        format.data_symbols = v.at("symbols");
        const auto randomizer = burst_randomizer(format);
        EXPECT_EQ(stages(randomizer), v.at("randomizer_stages_1_to_15").get<std::string>());

        auto padded = hex_at(v, "payload");
        padded.resize(static_cast<size_t>(burst_payload_bytes(format)), 0xFF);
        EXPECT_EQ(padded, hex_at(v, "padded"));
        auto randomized = padded;
        auto again = randomizer;
        again.apply(randomized);
        EXPECT_EQ(randomized, hex_at(v, "randomized"));

        const auto burst = encode(format, hex_at(v, "payload"), randomizer);
        EXPECT_EQ(burst.blocks, hex_at(v, "rs")) << v.at("rate");
        EXPECT_EQ(burst.coded, hex_at(v, "coded")) << v.at("rate");
        EXPECT_EQ(burst.interleaved, hex_at(v, "interleaved")) << v.at("rate");
        EXPECT_EQ(burst.labels, v.at("labels").get<std::vector<Bytes>>()) << v.at("rate");

        BurstDecoder decoder;
        ASSERT_TRUE(decoder.start(format, randomizer));
        for (const auto& labels : burst.labels)
            decoder.feed(soft_bits(labels, kRateTable[format.rate_id].bits_per_carrier));
        EXPECT_TRUE(decoder.complete());
        EXPECT_EQ(Bytes(decoder.payload().begin(), decoder.payload().end()), padded) << v.at("rate");
    }
}

TEST(BurstEncoder, Fch) {
    const auto& v = vectors().at("dlfp_fch");
    const auto burst = encode(fch_format(), hex_at(v, "dlfp"), Randomizer::frame_start());
    auto randomized = hex_at(v, "randomized");
    randomized.push_back(0);
    EXPECT_EQ(burst.blocks, randomized);
    EXPECT_EQ(burst.coded, hex_at(v, "coded"));
    EXPECT_EQ(burst.interleaved, hex_at(v, "interleaved"));
    EXPECT_EQ(burst.labels, v.at("labels").get<std::vector<Bytes>>());
}

TEST(BurstDecoder, HasRoomForOneSymbolAtLeastAndForAFrameAtMost) {
    const auto accepts = [](int max_symbols, int data_symbols) {
        BurstFormat format;
        format.data_symbols = data_symbols;
        return BurstDecoder(max_symbols).start(format, burst_randomizer(format));
    };
    EXPECT_TRUE(accepts(-5, 1));
    EXPECT_FALSE(accepts(-5, 2));
    EXPECT_TRUE(accepts(10, 10));
    EXPECT_FALSE(accepts(10, 11));
    EXPECT_TRUE(accepts(INT_MAX, kMaxFrameSymbols));
    EXPECT_FALSE(accepts(INT_MAX, kMaxFrameSymbols + 1));
}

TEST(BurstEncoder, Refusals) {
    BurstEncoder encoder;
    BurstDecoder decoder(10);
    BurstFormat format;
    format.data_symbols = 2;
    EXPECT_TRUE(encoder.start(format, Bytes(23), burst_randomizer(format)));
    EXPECT_FALSE(encoder.start(format, Bytes(24), burst_randomizer(format)));
    Bytes labels(192);
    EXPECT_FALSE(encoder.next_symbol(labels));
    format.data_symbols = 11;
    EXPECT_FALSE(decoder.start(format, burst_randomizer(format)));
    EXPECT_FALSE(decoder.feed(std::vector<SoftBit>(1152)));
    for (auto change : std::vector<void (*)(BurstFormat&)>{
             [](BurstFormat& f) { f.rate_id = 7; }, [](BurstFormat& f) { f.data_symbols = 0; },
             [](BurstFormat& f) { f.data_symbols = -3; }, [](BurstFormat& f) { f.subchannel_index = 0; },
             [](BurstFormat& f) { f.subchannel_index = 32; }}) {
        BurstFormat bad;
        bad.data_symbols = 2;
        change(bad);
        EXPECT_FALSE(encoder.start(bad, {}, burst_randomizer(bad)));
        EXPECT_FALSE(decoder.start(bad, burst_randomizer(bad)));
    }
}

TEST(BurstCoder, RoundTripOfAllRatesLengthsAndSubchannels) {
    std::mt19937 rng(5);
    BurstDecoder decoder;
    for (int rate = 0; rate < kRates; ++rate)
        for (int symbols : {1, 2, 3, 7, 25})
            for (int index : {16, 8, 4, 18, 30, 1, 31}) {
                BurstFormat format;
                format.rate_id = static_cast<uint8_t>(rate);
                format.iuc = static_cast<uint8_t>(rng() & 15);
                format.bsid_lsb = static_cast<uint8_t>(rng() & 15);
                format.data_symbols = symbols;
                format.subchannel_index = static_cast<uint8_t>(index);
                if (burst_payload_bytes(format) <= 0) continue;
                const auto capacity = static_cast<size_t>(burst_payload_bytes(format));
                auto payload = random_bytes(rng() % (capacity + 1), rng);
                const auto burst = encode(format, payload, burst_randomizer(format));
                ASSERT_EQ(burst.labels.size(), static_cast<size_t>(symbols));
                ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
                int fed = 0;
                for (const auto& labels : burst.labels)
                    ASSERT_EQ(decoder.feed(soft_bits(labels, kRateTable[format.rate_id].bits_per_carrier)),
                              ++fed == symbols);
                payload.resize(capacity, 0xFF);
                ASSERT_EQ(Bytes(decoder.payload().begin(), decoder.payload().end()), payload)
                    << "rate " << rate << " symbols " << symbols << " index " << index;
                ASSERT_TRUE(decoder.fec_ok());
                ASSERT_EQ(decoder.corrected_bytes(), 0);
            }
}

/// Lengths around the groups in which long bursts are decoded.
TEST(BurstCoder, RoundTripOfLongBursts) {
    std::mt19937 rng(8);
    BurstDecoder decoder;
    for (int rate = 0; rate < kRates; ++rate)
        for (int symbols : {27, 28, 63, 64, 65, 66, 92, 93, 130, 139, 140, 197, 320, 323}) {
            BurstFormat format;
            format.rate_id = static_cast<uint8_t>(rate);
            format.data_symbols = symbols;
            const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), rng);
            const auto burst = encode(format, payload, burst_randomizer(format));
            ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
            for (const auto& labels : burst.labels)
                decoder.feed(soft_bits(labels, kRateTable[format.rate_id].bits_per_carrier));
            ASSERT_TRUE(decoder.complete());
            ASSERT_EQ(Bytes(decoder.payload().begin(), decoder.payload().end()), payload)
                << "rate " << rate << " symbols " << symbols;
            ASSERT_EQ(decoder.corrected_bytes(), 0) << "rate " << rate << " symbols " << symbols;
        }
}

TEST(BurstCoder, LongBurstComesOutWhileItGoesIn) {
    std::mt19937 rng(6);
    BurstFormat format;
    format.rate_id = 6;
    format.data_symbols = 400;
    const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), rng);
    const auto burst = encode(format, payload, burst_randomizer(format));
    BurstDecoder decoder;
    ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
    for (size_t i = 0; i < burst.labels.size(); ++i) {
        decoder.feed(soft_bits(burst.labels[i], 6));
        const size_t sent = 108 * (i + 1);
        // The delay is at most a group of symbols, its margin, and the symbols that its shares are decoded with.
        EXPECT_GE(decoder.payload().size() + 67 * 108, sent);
    }
    EXPECT_EQ(Bytes(decoder.payload().begin(), decoder.payload().end()), payload);
}

TEST(BurstCoder, LostSymbolFailsItsBlocksOnly) {
    std::mt19937 rng(7);
    BurstFormat format;
    format.rate_id = 4;
    format.data_symbols = 12;
    const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), rng);
    const auto burst = encode(format, payload, burst_randomizer(format));
    BurstDecoder decoder;
    ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
    for (size_t i = 0; i < burst.labels.size(); ++i)
        decoder.feed(i == 5 ? std::vector<SoftBit>(768) : soft_bits(burst.labels[i], 4));
    EXPECT_TRUE(decoder.complete());
    EXPECT_FALSE(decoder.fec_ok());
    EXPECT_EQ(decoder.failed_blocks(), 1);
    EXPECT_TRUE(std::equal(payload.begin(), payload.begin() + 5 * 72, decoder.payload().begin()));
    EXPECT_TRUE(std::equal(payload.begin() + 6 * 72, payload.end(), decoder.payload().begin() + 6 * 72));
}

/// The standard's example of clause 8.3.3.5.3 has this shape: one subchannel, QPSK 3/4, five symbols.
TEST(BurstCoder, SubchannelSizes) {
    BurstFormat format;
    format.rate_id = 2;
    format.data_symbols = 5;
    format.subchannel_index = 1;
    EXPECT_EQ(burst_payload_bytes(format), 10);
    EXPECT_EQ(burst_symbol_bits(format), 24);
    format.rate_id = 4;  // clause 8.3.3.5.2: two subchannels, 16-QAM 3/4, three symbols
    format.data_symbols = 3;
    format.subchannel_index = 2;
    EXPECT_EQ(burst_payload_bytes(format), 26);
    EXPECT_EQ(burst_symbol_bits(format) * 3, 288);
    format.rate_id = 0;  // six bits hold no byte
    format.data_symbols = 1;
    format.subchannel_index = 1;
    EXPECT_FALSE(valid_burst_format(format));
}

}  // namespace test_coding
}  // namespace gr::wimax::phy
