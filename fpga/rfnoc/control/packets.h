// SPDX-License-Identifier: GPL-3.0-or-later
// Packets of UHD's streamers (sc16 at both ends, one packet per call) to the models' words, and back.
#pragma once

#include "fpga/model/axis_word.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wimax::rfnoc {

/// Appends the words of one packet: its time in ticks with the first, its ends with the last.
inline void append_words(std::span<const fpga::FixedSample> packet, std::optional<uint64_t> ticks, bool end_of_burst,
                         std::vector<fpga::AxisWord>& words) {
    for (size_t i = 0; i < packet.size(); ++i) {
        const bool timed = i == 0 && ticks.has_value(), last = i + 1 == packet.size();
        words.push_back({fpga::pack(packet[i]), timed ? *ticks : 0, timed, last, last && end_of_burst});
    }
}

/// Appends the samples of words; the streamer gets time and ends separately.
inline void append_samples(std::span<const fpga::AxisWord> words, std::vector<fpga::FixedSample>& packet) {
    for (const fpga::AxisWord& word : words) packet.push_back(fpga::unpack(word.data));
}

}  // namespace wimax::rfnoc
