// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/burst_words.h"

namespace wimax::fpga {

std::vector<AxisWord> burst_words(const BurstHeader& header, std::span<const uint8_t> payload,
                                  std::optional<uint64_t> time) {
    std::vector<AxisWord> words;
    for (const uint32_t word : pack(header)) words.emplace_back().data = word;
    for (size_t i = 0; i < payload.size(); ++i) {
        if (i % 4 == 0) words.emplace_back();
        words.back().data |= uint32_t{payload[i]} << (24 - 8 * (i % 4));
    }
    words.back().last = words.back().end_of_burst = true;
    words.front().has_time = time.has_value();
    words.front().time = time.value_or(0);
    return words;
}

std::optional<BurstHeader> header_of(std::span<const AxisWord> burst) {
    std::array<uint32_t, BurstHeader::kWords> words;
    if (burst.size() < words.size()) return std::nullopt;
    for (size_t i = 0; i < words.size(); ++i) words[i] = burst[i].data;
    return unpack(words);
}

std::vector<uint8_t> bytes_of(std::span<const AxisWord> words) {
    std::vector<uint8_t> bytes;
    for (const auto& word : words)
        for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<uint8_t>(word.data >> shift));
    return bytes;
}

}  // namespace wimax::fpga
