// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/gpio_bank.h"

#include <limits>

namespace wimax::vrf {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kLines = 32;
constexpr const char* kAutomatic = "GPIO";  // UHD 4.3's name for ATR, bit 1 of CTRL, which its drivers read back as 1

uint32_t bits(uhd::property_tree& tree, const std::string& path, const std::string& word) {
    uint32_t mask = 0;
    const auto words = tree.access<Words>(path).get();
    for (size_t i = 0; i < words.size(); ++i)
        if (words[i] == word) mask |= uint32_t{1} << i;
    return mask;
}

}  // namespace

void build_gpio_bank(uhd::property_tree& tree, const std::string& path) {
    tree.create<Words>(path + "/CTRL").set(Words(kLines, kAutomatic));
    tree.create<Words>(path + "/DDR").set(Words(kLines, "INPUT"));
    for (const char* name : {"/OUT", "/ATR_0X", "/ATR_RX", "/ATR_TX", "/ATR_XX"})
        tree.create<uint32_t>(path + name).set(0);
}

LineLevels line_levels(uhd::property_tree& tree, const std::string& path, const std::vector<TxRun>& runs) {
    const uint32_t automatic = bits(tree, path + "/CTRL", kAutomatic), outputs = bits(tree, path + "/DDR", "OUTPUT");
    const auto level = [&](const char* atr) {
        const auto of = [&](const std::string& name) { return tree.access<uint32_t>(path + name).get(); };
        return outputs & ((automatic & of(atr)) | (~automatic & of("/OUT")));
    };
    const uint32_t receiving = level("/ATR_RX"), both = level("/ATR_XX");
    LineLevels levels{{std::numeric_limits<int64_t>::min(), receiving}};
    for (const auto& run : runs) {
        levels.emplace_back(run.from, both);
        levels.emplace_back(run.until, receiving);
    }
    return levels;
}

}  // namespace wimax::vrf
