/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fpga-write-roms FOLDER NAMES...: writes the named tables there, for Verilog to include.
 */
#include "fpga/model/rom.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "fpga-write-roms: usage: fpga-write-roms FOLDER NAMES...\n";
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    const auto roms = wimax::fpga::all_roms();
    for (int i = 2; i < argc; ++i) {
        const std::string name = argv[i];
        const auto rom = std::find_if(roms.begin(), roms.end(), [&](const auto& r) { return r.name == name; });
        if (rom == roms.end()) {
            std::cerr << "fpga-write-roms: no core has a table " << name << "\n";
            return 1;
        }
        std::ofstream(folder / (name + ".vh")) << wimax::fpga::verilog_text(*rom);
    }
    return 0;
}
