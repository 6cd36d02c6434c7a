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

TEST(Rom, WordsAreAsRecorded) {
    uint64_t digest = 0;
    for (const char c : coding_facts_verilog()) digest = digest * 1'000'003 + static_cast<uint8_t>(c);
    for (const Rom& rom : all_roms())
        for (const uint64_t word : rom.words) digest = digest * 1'000'003 + word;
    EXPECT_EQ(digest, 9982732658450808158U) << "another digest, if a table was changed on purpose";
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
