// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the cores, made by the models from the PHY's values: Verilog has no second copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wimax::fpga {

struct Rom {
    std::string name;  ///< of the file, without .vh
    int width = 0;     ///< bits of a word, 1 .. 64
    std::vector<uint64_t> words;
};

/// Assignments to `memory`, for an initial block: include "NAME.vh" there. All of width's bits, in hexadecimal.
std::string verilog_text(const Rom& rom);

/// Two's complement of `width` bits.
inline uint64_t rom_word(int64_t value, int width) {
    return static_cast<uint64_t>(value) & (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1);
}

/// Tables of every core.
std::vector<Rom> all_roms();

/// Text of NAME.vh: a table of all_roms(), or coding_facts; nullopt if no core has it.
std::optional<std::string> file_text(const std::string& name);

}  // namespace wimax::fpga
