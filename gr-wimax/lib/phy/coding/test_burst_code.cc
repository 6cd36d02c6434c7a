// SPDX-License-Identifier: GPL-3.0-or-later
// A forward error correction that exists in this test only, as a row after those of the standard: each bit is sent
// twice. What a further code needs is in this file; what it shares with the others is not.
#include "phy/coding/burst_code.h"

#include <gnuradio/wimax/phy/carriers/subchannels.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gr::wimax::phy {
namespace test_burst_code {

size_t symbol_octets(const RateInfo& rate, const BurstFormat& format) {
    return static_cast<size_t>(rate.uncoded_bytes * subchannel_count(format.subchannel_index) / kFullSubchannel);
}

class RepetitionEncoder final : public SymbolEncoder {
public:
    void start(const RateInfo& rate, const BurstFormat& format) override { octets_ = symbol_octets(rate, format); }
    size_t next(BurstSource& source, std::span<uint8_t> coded) override {
        std::array<uint8_t, 24> data;
        source.take(std::span(data).first(octets_));
        for (size_t i = 0; i < 8 * octets_; ++i) coded[2 * i] = coded[2 * i + 1] = data[i / 8] >> (7 - i % 8) & 1;
        return 16 * octets_;
    }

private:
    size_t octets_ = 0;
};

class RepetitionDecoder final : public SymbolDecoder {
public:
    void start(const RateInfo& rate, const BurstFormat& format, const Interleaver& interleaver) override {
        octets_ = symbol_octets(rate, format);
        position_ = interleaver.position();
    }
    DecodedBlocks feed(std::span<const SoftBit> soft, BurstSink& sink) override {
        std::array<uint8_t, 24> data{};
        for (size_t i = 0; i < 8 * octets_; ++i)
            if (soft[position_[2 * i]] + soft[position_[2 * i + 1]] < 0) data[i / 8] |= 0x80 >> i % 8;
        sink.accept(std::span(data).first(octets_));
        return {};
    }

private:
    size_t octets_ = 0;
    std::span<const uint16_t> position_;
};

const BurstCode kRepetition{
    []() -> std::unique_ptr<SymbolEncoder> { return std::make_unique<RepetitionEncoder>(); },
    []() -> std::unique_ptr<SymbolDecoder> { return std::make_unique<RepetitionDecoder>(); },
};

constexpr uint8_t kRow = kRates;

const BurstRates& rates() {
    static const auto rows = [] {
        std::vector<RateInfo> all(kRateTable.begin(), kRateTable.end());
        all.push_back({"QPSK 1/2 by repetition", 2, 24, 48, 24, 24, 0, CodeRate::r1_2, CodeRate::r1_2, 8.0, 0});
        return all;
    }();
    static const std::vector<const BurstCode*> codes = [] {
        std::vector<const BurstCode*> all(ofdm_rates().codes.begin(), ofdm_rates().codes.end());
        all.push_back(&kRepetition);
        return all;
    }();
    static const BurstRates all{rows, codes};
    return all;
}

struct Sent {
    std::vector<uint8_t> payload;
    std::vector<std::vector<SoftBit>> symbols;
};

/// Random payload, sent without noise. Every second coded bit of a symbol is erased if `half`.
Sent send(BurstEncoder& encoder, const BurstFormat& format, size_t octets, std::mt19937& random, bool half = false) {
    Sent sent;
    sent.payload.resize(octets);
    for (auto& octet : sent.payload) octet = static_cast<uint8_t>(random());
    EXPECT_TRUE(encoder.start(format, sent.payload, burst_randomizer(format)));
    const RateInfo& rate = rates().of(format);
    const auto& interleaver = Interleaver::get(rate.bits_per_carrier, subchannel_count(format.subchannel_index));
    std::vector<uint8_t> labels(static_cast<size_t>(burst_carriers(format)));
    while (encoder.next_symbol(labels)) {
        auto& soft = sent.symbols.emplace_back();
        for (const uint8_t label : labels)
            for (int b = rate.bits_per_carrier - 1; b >= 0; --b)
                soft.push_back(static_cast<SoftBit>(label >> b & 1 ? -20 : 20));
        for (size_t i = 0; half && i < soft.size(); i += 2) soft[interleaver.position()[i]] = 0;
    }
    return sent;
}

void expect_received(BurstDecoder& decoder, const BurstFormat& format, const Sent& sent) {
    ASSERT_TRUE(decoder.start(format, burst_randomizer(format)));
    for (const auto& symbol : sent.symbols) decoder.feed(symbol);
    ASSERT_TRUE(decoder.complete());
    ASSERT_GE(decoder.payload().size(), sent.payload.size());
    EXPECT_TRUE(std::ranges::equal(sent.payload, decoder.payload().first(sent.payload.size())));
    EXPECT_TRUE(decoder.fec_ok());
}

BurstFormat format_of(uint8_t row, int symbols, uint8_t subchannel = kFullSubchannel) {
    BurstFormat format;
    format.rate_id = row;
    format.data_symbols = symbols;
    format.iuc = 9;
    format.subchannel_index = subchannel;
    return format;
}

TEST(BurstCode, ACodeOfATestSendsAndReceives) {
    std::mt19937 random(1);
    BurstEncoder encoder(rates());
    BurstDecoder decoder(50, rates());
    for (const int symbols : {1, 2, 50})
        for (const uint8_t subchannel : {16, 8, 4, 18}) {
            const auto format = format_of(kRow, symbols, subchannel);
            const auto capacity = static_cast<size_t>(24 * symbols * subchannel_count(subchannel) / 16);  // no tail
            std::vector<uint8_t> too_much(capacity + 1);
            EXPECT_FALSE(encoder.start(format, too_much, burst_randomizer(format)));
            for (const bool half : {false, true})
                expect_received(decoder, format, send(encoder, format, capacity, random, half));
        }
}

/// The same coders serve all rows in turn; those of the standard send what they send without the further row.
TEST(BurstCode, RowsOfTheStandardAreUnchanged) {
    std::mt19937 random(2);
    BurstEncoder encoder(rates()), standard;
    BurstDecoder decoder(60, rates());
    for (int round = 0; round < 40; ++round) {
        const auto row = static_cast<uint8_t>(random() % (kRates + 1U));
        const auto format = format_of(row, 1 + static_cast<int>(random() % 60), random() % 2 ? 16 : 4);
        const int capacity = payload_bytes(rates().of(format), format, subchannel_count(format.subchannel_index));
        if (capacity <= 0) continue;
        const auto sent = send(encoder, format, random() % static_cast<size_t>(capacity) + 1, random);
        expect_received(decoder, format, sent);
        if (row == kRow) continue;
        EXPECT_EQ(capacity, burst_payload_bytes(format));
        ASSERT_TRUE(standard.start(format, sent.payload, burst_randomizer(format)));
        ASSERT_TRUE(encoder.start(format, sent.payload, burst_randomizer(format)));
        std::vector<uint8_t> one(192), other(192);
        while (standard.next_symbol(one)) {
            ASSERT_TRUE(encoder.next_symbol(other));
            EXPECT_EQ(one, other);
        }
    }
}

TEST(BurstCode, WithoutTheRowItsBurstsAreRefused) {
    BurstEncoder encoder;
    BurstDecoder decoder;
    const auto format = format_of(kRow, 2);
    EXPECT_FALSE(encoder.start(format, {}, burst_randomizer(format)));
    EXPECT_FALSE(decoder.start(format, burst_randomizer(format)));
    EXPECT_FALSE(valid_burst_format(format));
}

}  // namespace test_burst_code
}  // namespace gr::wimax::phy
