// SPDX-License-Identifier: GPL-3.0-or-later
// Controllers with UHD's mock of a block: register accesses, and blocks that they refuse.
#include "fpga/model/preamble_detect.h"
#include "fpga/rfnoc/control/coding_blocks.h"
#include "fpga/rfnoc/control/packets.h"
#include "fpga/rfnoc/control/receive_blocks.h"
#include "fpga/rfnoc/control/test_mock_block.h"
#include "fpga/rfnoc/control/transmit_blocks.h"

#include <gnuradio/wimax/radio_cores.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <uhd/exception.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wimax::rfnoc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using uhd::rfnoc::res_source_info;

std::string refusal(Mock& mock) {
    try {
        mock.container->get_block<BlockControl>();
    } catch (const uhd::runtime_error& error) {
        return error.what();
    }
    return "accepted";
}

constexpr std::array kAll{&kPreambleDetect, &kBurstGate,      &kOfdmFrontend,
                          &kOfdmBackend,    &kDemapViterbiRs, &kEncoderMapper};

TEST(AllBlocks, AreFoundByTheirNocIdAndHaveTheirStreams) {
    for (const BlockFacts* facts : kAll) {
        Mock mock(*facts);
        const auto block = mock.block<BlockControl>();
        ASSERT_TRUE(block) << facts->name;
        EXPECT_EQ(block->get_noc_id(), facts->noc_id);
        EXPECT_EQ(block->get_num_input_ports(), 1U);
        EXPECT_EQ(block->get_num_output_ports(), facts->outputs);
    }
}

TEST(AllBlocks, HaveTheNamesByWhichTheHostLooksForThem) {
    EXPECT_STREQ(kPreambleDetect.name, gr::wimax::core_block::preamble_detect);
    EXPECT_STREQ(kBurstGate.name, gr::wimax::core_block::burst_gate);
    EXPECT_STREQ(kOfdmFrontend.name, gr::wimax::core_block::ofdm_frontend);
}

TEST(AllBlocks, RefuseAnotherNameAnotherVersionOtherStreams) {
    for (const BlockFacts* facts : kAll) {
        Mock name(*facts), version(*facts), outputs(*facts, 1, facts->outputs + 1), inputs(*facts, 2);
        name.registers->read_memory[0x00] ^= 1;
        version.registers->read_memory[0x04] += 1;
        EXPECT_THAT(refusal(name), HasSubstr(std::string(facts->name) + ": the core's name is 0x"));
        EXPECT_THAT(refusal(version), HasSubstr("the core's version is 0x"));
        EXPECT_THAT(refusal(outputs), HasSubstr("the number of outputs is 0x"));
        EXPECT_THAT(refusal(inputs), HasSubstr("the number of inputs is 0x2, not 0x1"));
    }
}

TEST(AllBlocks, SendPacketsThatTheMtuAllows) {
    Mock mock(kEncoderMapper, 1, 0, 1472);
    const auto block = mock.container->get_block<EncoderMapperControl>();
    EXPECT_EQ(block->packet_words(), (1472U - 16) / 4);
    EXPECT_THAT(mock.registers->writes, ElementsAre(Pair(wrapper::kPacketWords, 364)));
}

TEST(AllBlocks, SendShorterPacketsWhenTheMtuShrinks) {
    class Probe : public PreambleDetectControl {
    public:
        using PreambleDetectControl::PreambleDetectControl;
        void shrink(size_t port, size_t octets) { set_mtu({res_source_info::OUTPUT_EDGE, port}, octets); }
    };
    Mock mock(kPreambleDetect);
    Probe block(std::move(mock.container->make_args));
    EXPECT_EQ(block.packet_words(), (8000U - 16) / 4);
    mock.registers->writes.clear();
    block.shrink(1, 416);
    EXPECT_EQ(block.packet_words(), 100U);
    EXPECT_EQ(mock.registers->write_memory[wrapper::kPacketWords], 100U);
}

TEST(PreambleDetectControl, SettingsGoThereAndComeBack) {
    Mock mock(kPreambleDetect);
    const auto block = mock.block<PreambleDetectControl>();
    block->set({.detect = true,
                .gate_threshold = 30,
                .first_threshold = 13,
                .second_threshold = 5,
                .max_steps = 3,
                .prefixes = 4,
                .hold_off_hops = 7});
    EXPECT_THAT(mock.registers->writes, ElementsAre(Pair(0x08, 1), Pair(0x0C, 30), Pair(0x10, 13), Pair(0x14, 5),
                                                    Pair(0x18, 3), Pair(0x1C, 4), Pair(0x20, 7)));
    const auto back = block->settings();
    EXPECT_TRUE(back.detect);
    EXPECT_EQ(back.gate_threshold, 30);
    EXPECT_EQ(back.first_threshold, 13);
    EXPECT_EQ(back.second_threshold, 5);
    EXPECT_EQ(back.max_steps, 3);
    EXPECT_EQ(back.prefixes, 4);
    EXPECT_EQ(back.hold_off_hops, 7);
    mock.registers->read_memory[0x24] = 11;
    mock.registers->read_memory[0x28] = 12;
    EXPECT_EQ(block->counts().detections, 11);
    EXPECT_EQ(block->counts().plateaus, 12);
}

TEST(PreambleDetectControl, TicksOfASampleArePowersOfTwo) {
    Mock mock(kPreambleDetect);
    const auto block = mock.block<PreambleDetectControl>();
    block->set_ticks_per_sample(32);
    block->set_ticks_per_sample(1);
    block->set_ticks_per_sample(128);
    EXPECT_THAT(mock.registers->writes,
                ElementsAre(Pair(wrapper::kTicksLog2, 5), Pair(wrapper::kTicksLog2, 0), Pair(wrapper::kTicksLog2, 7)));
    for (const int ticks : {-1, 0, 3, 25, 256}) EXPECT_THROW(block->set_ticks_per_sample(ticks), uhd::value_error);
}

TEST(OfdmFrontendControl, AnOrderIsFourRegistersWhoseLastSendsIt) {
    Mock mock(kOfdmFrontend);
    const auto block = mock.block<OfdmFrontendControl>();
    block->order({.time = 0x0123456789ABCDEF, .increment = -2, .symbols = 3, .prefix_samples = 16, .tag = 0xBEEF});
    EXPECT_THAT(mock.registers->writes, ElementsAre(Pair(0x1010, 0x89ABCDEF), Pair(0x1014, 0x01234567),
                                                    Pair(0x1018, 0xFFFFFFFE), Pair(0x101C, 0xBEEFD002)));
}

TEST(OfdmFrontendControl, RegistersOfOrders) {
    Mock mock(kOfdmFrontend);
    const auto block = mock.block<OfdmFrontendControl>();
    auto& memory = mock.registers->read_memory;
    memory[0x08] = 1;
    block->forget_orders();
    block->set_increment(-5);
    EXPECT_THAT(mock.registers->writes, ElementsAre(Pair(0x08, 3), Pair(0x0C, 0xFFFFFFFB)));
    memory[0x20] = 1;
    EXPECT_TRUE(block->has_room());
    memory[0x20] = 3;
    EXPECT_FALSE(block->has_room());
    memory[0x10] = 100;
    memory[0x14] = 101;
    memory[0x18] = 102;
    memory[0x1C] = 7 << 16 | 9;
    memory[wrapper::kStatus] = 4;
    const auto counts = block->counts();
    EXPECT_EQ(counts.samples, 100U);
    EXPECT_EQ(counts.words, 101U);
    EXPECT_EQ(counts.symbols, 102U);
    EXPECT_EQ(counts.cut, 7);
    EXPECT_EQ(counts.late, 9);
    EXPECT_EQ(counts.lost, 4U);
}

TEST(BurstGateControl, AdvanceAndSilenceAtTheEnd) {
    class Probe : public BurstGateControl {
    public:
        using BurstGateControl::BurstGateControl;
        void end() { deinit(); }
    };
    Mock mock(kBurstGate);
    mock.registers->read_memory[wrapper::kPacketWords] = 256;  // as in its Verilog
    Probe block(std::move(mock.container->make_args));
    EXPECT_EQ(block.packet_words(), 256U);
    EXPECT_THAT(mock.registers->writes, ElementsAre(Pair(0x1010, BurstGateControl::kAdvance)));
    block.set_advance(1000);
    block.end();
    EXPECT_THAT(mock.registers->writes,
                ElementsAre(Pair(0x1010, BurstGateControl::kAdvance), Pair(0x1010, 1000), Pair(0x08, 0)));
    EXPECT_THROW(block.set_advance(2048), uhd::value_error);
    EXPECT_THROW(block.set_advance(-1), uhd::value_error);
}

TEST(OfdmBackendControl, PrefixGainCounts) {
    Mock mock(kOfdmBackend);
    const auto block = mock.block<OfdmBackendControl>();
    block->set_prefix(8);
    block->set_prefix(64);
    block->set_gain(0.5);
    block->set_gain(2);
    EXPECT_THAT(mock.registers->writes,
                ElementsAre(Pair(0x08, 0), Pair(0x08, 3), Pair(0x0C, 0x8000), Pair(0x0C, 0x10000)));
    for (const int samples : {0, 4, 24, 128}) EXPECT_THROW(block->set_prefix(samples), uhd::value_error);
    for (uint32_t address = 0x10; address <= 0x18; address += 4) mock.registers->read_memory[address] = address;
    EXPECT_EQ(block->counts().symbols, 0x10U);
    EXPECT_EQ(block->counts().saturated_samples, 0x14U);
    EXPECT_EQ(block->counts().bad_lengths, 0x18);
}

TEST(CodingControls, Counts) {
    Mock encoder(kEncoderMapper), decoder(kDemapViterbiRs);
    const auto coder = encoder.block<EncoderMapperControl>();
    const auto other = decoder.block<DemapViterbiRsControl>();
    for (uint32_t address = 0x08; address <= 0x14; address += 4)
        encoder.registers->read_memory[address] = decoder.registers->read_memory[address] = address;
    EXPECT_EQ(coder->counts().bursts, 0x08U);
    EXPECT_EQ(coder->counts().symbols, 0x0CU);
    EXPECT_EQ(coder->counts().refused, 0x10U);
    EXPECT_EQ(other->counts().bursts, 0x08U);
    EXPECT_EQ(other->counts().failed_blocks, 0x0CU);
    EXPECT_EQ(other->counts().refused, 0x10U);
    EXPECT_EQ(other->counts().corrected_bytes, 0x14U);
}

TEST(Packets, ARecordSurvivesTheStreamer) {
    const fpga::Detection detection{
        .time = 1ULL << 40, .cp_samples = 32, .offset = -77, .metric = 0x80001234, .power = 99, .faint = true};
    std::vector<fpga::AxisWord> words, back;
    detection.append_to(words);
    std::vector<fpga::FixedSample> packet;
    append_samples(words, packet);
    append_words(packet, detection.time, true, back);
    ASSERT_EQ(back.size(), words.size());
    EXPECT_EQ(fpga::Detection::of(std::span<const fpga::AxisWord, fpga::Detection::kWords>(back)), detection);
    EXPECT_EQ(back.back(), (fpga::AxisWord{99, 0, false, true, true}));
}

}  // namespace
}  // namespace wimax::rfnoc
