// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/rom.h"

#include "fpga/model/axis_word.h"
#include "fpga/model/coding_facts.h"
#include "fpga/model/fft256.h"
#include "fpga/model/preamble_detect.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace wimax::fpga {

FixedSample fixed_sample(std::complex<float> s) {
    const auto fixed = [](float x) {
        return static_cast<int16_t>(std::clamp(std::lround(x * 32768), -32768L, 32767L));
    };
    return {fixed(s.real()), fixed(s.imag())};
}

std::string verilog_text(const Rom& rom) {
    std::ostringstream text;
    text << "// Written by fpga-write-roms: " << rom.words.size() << " words of " << rom.width << " bits.\n";
    for (size_t i = 0; i < rom.words.size(); ++i)
        text << "memory[" << i << "] = " << rom.width << "'h" << std::hex << std::setfill('0')
             << std::setw((rom.width + 3) / 4) << rom.words[i] << std::dec << ";\n";
    return text.str();
}

std::vector<Rom> all_roms() {
    auto roms = ofdm_roms();
    roms.push_back(magnitude_factor_rom());
    roms.push_back(inverse_rom());
    for (const Rom& rom : preamble_detect_roms()) roms.push_back(rom);
    return roms;
}

std::optional<std::string> file_text(const std::string& name) {
    if (name == "coding_facts") return coding_facts_verilog();
    for (const Rom& rom : all_roms())
        if (rom.name == name) return verilog_text(rom);
    return std::nullopt;
}

}  // namespace wimax::fpga
