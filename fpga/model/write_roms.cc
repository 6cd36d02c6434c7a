// SPDX-License-Identifier: GPL-3.0-or-later
// fpga-write-roms FOLDER NAMES...: writes the named tables there, for Verilog to include.
#include "fpga/model/rom.h"

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
    for (int i = 2; i < argc; ++i) {
        const std::string name = argv[i];
        const auto text = wimax::fpga::file_text(name);
        if (!text) {
            std::cerr << "fpga-write-roms: no core has a table " << name << "\n";
            return 1;
        }
        std::ofstream(folder / (name + ".vh")) << *text;
    }
    return 0;
}
