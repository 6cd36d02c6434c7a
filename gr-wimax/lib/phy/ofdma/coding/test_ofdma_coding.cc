// SPDX-License-Identifier: GPL-3.0-or-later
// Codes, slot concatenation and FCH against the golden vectors; decoders without and with noise.
#include <gnuradio/wimax/phy/base/instruction_set.h>
#include <gnuradio/wimax/phy/ofdma/carriers/dl_pusc.h>
#include <gnuradio/wimax/phy/ofdma/coding/dlfp.h>

#include "phy/ofdma/carriers/test_ofdma_support.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace gr::wimax::phy::ofdma::test_ofdma_coding {
namespace {

using namespace gr::wimax::phy::ofdma::test;
using Octets = std::vector<uint8_t>;
using Numbers = std::vector<int>;

std::vector<std::string> block_cases() {
    auto names = cases_of("cc_");
    std::erase_if(names, [](const std::string& name) { return name.starts_with("cc_interleaver"); });
    for (const auto& name : cases_of("ctc_"))
        if (name.starts_with("ctc_qpsk") || name.find("qam") != name.npos) names.push_back(name);
    return names;
}

struct Block {
    const FecCode& code;
    int slots;
    Octets randomized;
};
Block block_of(const std::string& name) {
    return {*find_fec_code(inputs(name).at("fec_code").get<int>()), inputs(name).at("slots").get<int>(),
            hex_at(outputs(name), "randomized")};
}

Octets coded_bits(const Block& block) {
    Octets bits(kMaxBlockBits);
    bits.resize(encode_block(block.code, block.slots, block.randomized, bits));
    return bits;
}

std::vector<SoftBit> soft_bits(const Octets& bits, int level) {
    std::vector<SoftBit> soft;
    for (const uint8_t bit : bits) soft.push_back(static_cast<SoftBit>(bit != 0 ? -level : level));
    return soft;
}

TEST(FecCode, RowsOfTheVectors) {
    const auto& rows = outputs("fec_profiles").at("rows");
    ASSERT_EQ(rows.size(), kFecCodes.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        const FecCode& code = kFecCodes[i];
        std::string name = rows[i].at("kind").get<std::string>() + "-" + rows[i].at("modulation").get<std::string>() +
                           "-" + rows[i].at("rate").get<std::string>();
        for (char& c : name) c = static_cast<char>(std::tolower(c));
        EXPECT_EQ(code.name, name);
        EXPECT_EQ(code.code, rows[i].at("code").get<int>());
        EXPECT_EQ(code.slot_octets, rows[i].at("slot_octets").get<int>());
        EXPECT_EQ(code.max_block_slots, rows[i].at("j").get<int>());
        EXPECT_EQ(find_fec_code(code.name), &code);
        EXPECT_EQ(find_fec_code(code.code), &code);
        const int numerator[] = {1, 2, 3, 5}, denominator[] = {2, 3, 4, 6};
        const auto rate = static_cast<size_t>(code.rate);
        EXPECT_EQ(code.slot_octets * 8 * denominator[rate], code.slot_bits() * numerator[rate]);
    }
    EXPECT_EQ(find_fec_code("ctc-qpsk-5/6"), nullptr);
    EXPECT_EQ(find_fec_code(14), nullptr);
}

TEST(SlotConcatenation, BlocksOfTheVectors) {
    for (const auto& item : outputs("block_cutting").items()) {
        const FecCode& code = *find_fec_code(std::stoi(item.key()));
        for (size_t i = 0; i < item.value().size(); ++i) {
            SlotConcatenation blocks(code, static_cast<int>(i) + 1);
            Numbers found;
            for (int slots = blocks.next(); slots > 0; slots = blocks.next()) found.push_back(slots);
            EXPECT_EQ(found, item.value()[i].get<Numbers>()) << code.name << " " << i + 1;
        }
    }
}

TEST(SlotConcatenation, EveryBlockHasACode) {
    for (const FecCode& code : kFecCodes)
        for (int slots = 1; slots <= 500; ++slots) {
            SlotConcatenation blocks(code, slots);
            int sum = 0;
            for (int next = blocks.next(); next > 0; next = blocks.next()) {
                sum += next;
                EXPECT_LE(next, code.max_block_slots);
                if (code.kind == FecKind::ctc) {
                    EXPECT_NE(CtcCode::find(4 * code.slot_octets * next), nullptr) << code.name << " " << slots;
                }
            }
            EXPECT_EQ(sum, slots);
        }
}

TEST(BlockRandomizer, SequenceOfTheVector) {
    Octets zeros(32);
    Randomizer::at(kBlockRandomizerState).apply(zeros);
    EXPECT_EQ(zeros, hex_at(outputs("randomizer"), "sequence"));
}

TEST(BlockInterleaver, PositionsOfTheVectors) {
    for (const auto& name : cases_of("cc_interleaver_")) {
        const BlockInterleaver interleaver(inputs(name).at("bits_per_carrier").get<int>(),
                                           inputs(name).at("ncbps").get<int>());
        EXPECT_EQ(list<int>(interleaver.positions()), outputs(name).at("j_of_k").get<Numbers>()) << name;
    }
}

TEST(FecBlock, CodedBitsOfTheVectors) {
    const auto names = block_cases();
    ASSERT_EQ(names.size(), 19U + 32U);
    for (const auto& name : names) {
        const Block block = block_of(name);
        Octets data = hex_at(inputs(name), "data");
        Randomizer::at(kBlockRandomizerState).apply(data);
        EXPECT_EQ(data, block.randomized) << name;
        const bool cc = block.code.kind == FecKind::cc;
        EXPECT_EQ(to_bytes(coded_bits(block)), hex_at(outputs(name), cc ? "interleaved" : "coded")) << name;
        if (!cc) continue;
        Octets before(kMaxBlockBits);
        before.resize(tail_biting_encode(block.code.rate, block.randomized, before));
        EXPECT_EQ(to_bytes(before), hex_at(outputs(name), "coded")) << name;
    }
}

TEST(FecBlock, PublishedExample) {  // 8.4.9.4.4
    const auto& out = outputs("standard_example_8_4_9_4_4");
    Octets data = hex_at(inputs("standard_example_8_4_9_4_4"), "payload");
    Randomizer::at(kBlockRandomizerState).apply(data);
    EXPECT_EQ(data, hex_at(out, "randomized"));
    Octets bits(192);
    EXPECT_EQ(encode_block(kFecCodes[0], 2, data, bits), 192U);
    EXPECT_EQ(to_bytes(bits), hex_at(out, "interleaved"));
}

TEST(CtcCode, CodewordsOfTheVectors) {
    const auto names = cases_of("ctc_codeword_n_");
    ASSERT_EQ(names.size(), 17U);
    for (const auto& name : names) {
        const CtcCode* code = CtcCode::find(inputs(name).at("pairs").get<int>());
        ASSERT_NE(code, nullptr);
        Octets bits(static_cast<size_t>(6 * code->pairs()));
        const auto states = ctc_encode(*code, hex_at(inputs(name), "data_not_randomized"), bits);
        EXPECT_EQ(states.first, outputs(name).at("circulation_state_1").get<int>());
        EXPECT_EQ(states.second, outputs(name).at("circulation_state_2").get<int>());
        EXPECT_EQ(to_bytes(bits), hex_at(outputs(name), "all_6n_bits")) << name;
        if (outputs(name).contains("p_of_j")) {
            EXPECT_EQ(list<int>(code->interleaver()), outputs(name).at("p_of_j").get<Numbers>());
            EXPECT_EQ(list<int>(code->subblock()), outputs(name).at("subblock_t").get<Numbers>());
        }
        EXPECT_EQ(std::set<int>(code->interleaver().begin(), code->interleaver().end()).size(),
                  static_cast<size_t>(code->pairs()));
    }
    EXPECT_EQ(CtcCode::find(168), nullptr);
}

TEST(CtcCode, HarqStartOfTheVector) {
    const auto& in = inputs("ctc_harq_start");
    const CtcCode& code = *CtcCode::find(in.at("pairs").get<int>());
    Numbers starts;
    for (const int spid : in.at("spid").get<Numbers>())
        starts.push_back(static_cast<int>(code.harq_start(spid, in.at("bits_sent").get<size_t>())));
    EXPECT_EQ(starts, outputs("ctc_harq_start").at("first_index").get<Numbers>());
}

TEST(FecBlock, DecodedWithoutNoiseByEveryInstructionSet) {
    for (const auto set :
         {InstructionSet::portable, InstructionSet::sse41, InstructionSet::avx2, InstructionSet::avx512}) {
        if (!instruction_set_available(set)) continue;
        limit_instruction_set(set);
        for (const auto& name : block_cases()) {
            const Block block = block_of(name);
            SlotBurstDecoder decoder;
            Octets octets(block.randomized.size());
            decoder.start(block.code, block.slots, 1, octets);
            const auto soft = soft_bits(coded_bits(block), 20);
            const auto slot = static_cast<size_t>(block.code.slot_bits());
            for (size_t i = 0; i < soft.size(); i += slot) decoder.feed_slot(std::span(soft).subspan(i, slot));
            EXPECT_EQ(octets, hex_at(inputs(name), "data")) << name;
            EXPECT_EQ(decoder.result().failed, 0);
            EXPECT_EQ(decoder.result().corrected_bits, 0);
        }
    }
    limit_instruction_set(InstructionSet::avx512);
}

TEST(CtcDecoder, AllSizesOfTheVectors) {
    CtcDecoder decoder(kMaxCtcPairs);
    for (const auto& name : cases_of("ctc_codeword_n_")) {
        const CtcCode& code = *CtcCode::find(inputs(name).at("pairs").get<int>());
        Octets bits(static_cast<size_t>(6 * code.pairs())), octets(static_cast<size_t>(code.octets()));
        ctc_encode(code, hex_at(inputs(name), "data_not_randomized"), bits);
        const auto soft = soft_bits(bits, 127);  // the largest values: sums stay within 16 bits
        const auto decoded = decoder.decode(code, soft, octets);
        EXPECT_TRUE(decoded.converged);
        EXPECT_EQ(octets, hex_at(inputs(name), "data_not_randomized")) << name;
    }
}

/// Soft bits of BPSK in white noise, on the scale of the demapper; `es_n0_db` per QPSK symbol.
std::vector<SoftBit> noisy(const Octets& bits, double es_n0_db, std::mt19937& random) {
    const double snr = std::pow(10.0, es_n0_db / 10);  // per axis of a QPSK point: amplitude 1, variance 1 / snr
    std::normal_distribution<double> noise(0, 1 / std::sqrt(snr));
    std::vector<SoftBit> soft;
    for (const uint8_t bit : bits) {
        const double llr = 2 * snr * ((bit != 0 ? -1 : 1) + noise(random));
        soft.push_back(static_cast<SoftBit>(std::clamp(std::lround(4 * llr), -127L, 127L)));
    }
    return soft;
}

double block_error_rate(const FecCode& code, int slots, double es_n0_db, int blocks, double* iterations = nullptr) {
    std::mt19937 random(1);
    int wrong = 0, used = 0;
    SlotBurstDecoder decoder;
    for (int i = 0; i < blocks; ++i) {
        Octets data(static_cast<size_t>(code.slot_octets * slots)), octets(data.size()), bits(kMaxBlockBits);
        for (auto& octet : data) octet = static_cast<uint8_t>(random());
        Octets randomized = data;
        Randomizer::at(kBlockRandomizerState).apply(randomized);
        bits.resize(encode_block(code, slots, randomized, bits));
        const auto soft = noisy(bits, es_n0_db, random);
        decoder.start(code, slots, 1, octets);
        const auto slot = static_cast<size_t>(code.slot_bits());
        for (size_t k = 0; k < soft.size(); k += slot) decoder.feed_slot(std::span(soft).subspan(k, slot));
        wrong += octets != data ? 1 : 0;
        used += decoder.result().iterations;
    }
    if (iterations != nullptr) *iterations = static_cast<double>(used) / blocks;
    return static_cast<double>(wrong) / blocks;
}

// Published curves of QPSK 1/2, 480 bits, 8 iterations reach a block error rate of 1e-2 near an Eb/N0 of 1.6 dB (value
// from memory). Eb/N0 of QPSK 1/2 is Es/N0.
TEST(CtcDecoder, BlockErrorRateInWhiteNoise) {
    const FecCode& code = *find_fec_code("ctc-qpsk-1/2");
    for (const double db : {1.0, 1.25, 1.5, 1.75, 2.0}) {
        double iterations = 0;
        const double rate = block_error_rate(code, 10, db, 2000, &iterations);
        std::printf("ctc-qpsk-1/2, 60 octets, Eb/N0 %.2f dB: block error rate %.4f, %.1f iterations\n", db, rate,
                    iterations);
        if (db == 1.5) {
            EXPECT_GT(rate, 0.01);
        }
        if (db == 1.75) {
            EXPECT_LT(rate, 0.01);
        }
    }
}

TEST(CtcDecoder, DoesNotStopAtAgreementOnAWrongBlock) {
    EXPECT_EQ(block_error_rate(*find_fec_code("ctc-qpsk-1/2"), 10, 2.5, 4000), 0);
}

TEST(TailBitingDecoder, BlockErrorRateInWhiteNoise) {
    const FecCode& code = *find_fec_code("cc-qpsk-1/2");
    for (const int slots : {1, 6}) {
        for (const double db : {2.0, 3.0, 4.0})
            std::printf("cc-qpsk-1/2, %d octets, Eb/N0 %.1f dB: block error rate %.4f\n", 6 * slots, db,
                        block_error_rate(code, slots, db, 1000));
        EXPECT_LT(block_error_rate(code, slots, 4.0, 1000), 0.01);
    }
}

TEST(SlotBurst, RepetitionsAreAdjacentAndAddUp) {
    const FecCode& code = *find_fec_code("ctc-qpsk-1/2");
    constexpr int kSlots = 28, kRepetition = 4;
    Octets data{1, 2, 3, 4, 5}, octets(static_cast<size_t>(burst_octets(code, kSlots, kRepetition)));
    ASSERT_EQ(octets.size(), 42U);  // seven slots: blocks of four and three
    SlotBurstEncoder encoder;
    SlotBurstDecoder decoder;
    encoder.start(code, kSlots, kRepetition, data);
    decoder.start(code, kSlots, kRepetition, octets);
    std::mt19937 random(3);
    std::array<uint8_t, kSlotPoints> labels, last{};
    for (int slot = 0; slot < kSlots; ++slot) {
        encoder.next_slot(labels);
        if (slot % kRepetition != 0) {
            EXPECT_EQ(labels, last);
        }
        last = labels;
        Octets bits;
        for (const uint8_t label : labels) {
            bits.push_back(label >> 1);
            bits.push_back(label & 1);
        }
        decoder.feed_slot(noisy(bits, -3.0, random));
    }
    data.resize(octets.size(), kBurstPadding);
    EXPECT_EQ(octets, data);
    EXPECT_EQ(decoder.result().blocks, 2);
    EXPECT_EQ(decoder.result().octets, 42);
    EXPECT_GT(decoder.result().corrected_bits, 0);
}

uint8_t groups_of(const nlohmann::json& numbers) {
    unsigned groups = 0;
    for (const int group : numbers.get<Numbers>()) groups |= 1U << group;
    return static_cast<uint8_t>(groups);
}

TEST(Dlfp, OctetsOfTheVectors) {
    const auto& rows = inputs("dlfp_octets").at("rows");
    for (size_t i = 0; i < rows.size(); ++i) {
        const Dlfp prefix{groups_of(rows[i][0]), rows[i][1].get<uint8_t>(),
                          static_cast<MapCoding>(rows[i][2].get<int>()), rows[i][3].get<uint8_t>()};
        const auto octets = pack_dlfp(prefix);
        EXPECT_EQ(list<uint8_t>(octets), from_hex(outputs("dlfp_octets").at("octets")[i].get<std::string>()));
        EXPECT_EQ(parse_dlfp(octets), prefix);
    }
    EXPECT_FALSE(parse_dlfp(std::array<uint8_t, 3>{0xFC, 0x60, 0x10}));
}

TEST(Fch, LabelsOfTheVectorAndBack) {
    const Dlfp prefix{kAllDlGroups, 2, MapCoding::ctc, 32};
    const auto labels = fch_labels(prefix);
    EXPECT_EQ(list<int>(labels), outputs("fch").at("labels_of_48_points").get<Numbers>());
    EXPECT_EQ(kFchSlots, outputs("fch").at("repetition").get<int>());
    Octets bits;
    for (const uint8_t label : labels) {
        bits.push_back(label >> 1);
        bits.push_back(label & 1);
    }
    TailBitingDecoder decoder;
    EXPECT_EQ(decode_fch(decoder, soft_bits(bits, 8)), prefix);
    EXPECT_EQ(map_code(prefix.coding)->name, "ctc-qpsk-1/2");
    EXPECT_EQ(map_code(MapCoding::btc), nullptr);
}

}  // namespace
}  // namespace gr::wimax::phy::ofdma::test_ofdma_coding
