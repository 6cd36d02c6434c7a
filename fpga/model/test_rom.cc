// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/axis_word.h"
#include "fpga/model/coding_facts.h"
#include "fpga/model/rom.h"

#include <gtest/gtest.h>

namespace wimax::fpga {
namespace {

TEST(Rom, TextIsVerilog) {
    EXPECT_EQ(verilog_text({"x", 10, {1, rom_word(-1, 10), 0x2A}}),
              "// Written by fpga-write-roms: 3 words of 10 bits.\n"
              "memory[0] = 10'h001;\nmemory[1] = 10'h3ff;\nmemory[2] = 10'h02a;\n");
}

TEST(Rom, FactsAreTheTablesOfTheStandard) {
    const auto text = coding_facts_verilog();
    for (const char* fact :
         {"CARRIER_BITS 28'h6644221", "RS_K 56'h6c60483024180c", "RS_N 56'h786c504028200c", "RS_T 28'h6648240",
          "INNER 14'h3b74", "SENT 64'h019b001b000b0003", "PERIOD 16'h5321", "PILOT_INDEX 64'hbba28970573e250c",
          "PILOT_NEGATIVE_DL 8'h3a", "PILOT_NEGATIVE_UL 8'h0a", "MIDAMBLE_INTERVAL 32'h20100800",
          "LEVEL_DISTANCE 64'h009e014400000000", "SOFT_GAIN 32'h0a142d40", "CARRIER_UNIT 16'h2000",
          "RS_GENERATOR 128'h3b243262e52941a3081ed144bd680d3b", "FIELD_POLYNOMIAL 8'h1d"})
        EXPECT_NE(text.find(std::string("`define FACT_") + fact + "\n"), text.npos) << fact;
    EXPECT_EQ(inverse_rom().words[2], 0x8EU);  // 2 * 0x8E is the field polynomial less 1
}

TEST(Rom, WordsAreAsRecorded) {
    uint64_t digest = 0;
    for (const Rom& rom : all_roms())
        for (const uint64_t word : rom.words) digest = digest * 1'000'003 + word;
    EXPECT_EQ(digest, 5574155892211842006U) << "another digest, if a table was changed on purpose";
}

TEST(AxisWord, SamplesAreThoseOfTheHost) {
    EXPECT_EQ(pack({1, -1}), 0x0001FFFFU);
    EXPECT_EQ(unpack(0x8000'7FFFU), FixedSample(-32768, 32767));
    EXPECT_EQ(fixed_sample({0.5F, -0.25F}), FixedSample(16384, -8192));
    EXPECT_EQ(fixed_sample({1.5F, -1.5F}), FixedSample(32767, -32768));
    EXPECT_EQ(float_sample({16384, -8192}), std::complex<float>(0.5F, -0.25F));
}

}  // namespace
}  // namespace wimax::fpga
