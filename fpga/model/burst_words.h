// SPDX-License-Identifier: GPL-3.0-or-later
// A burst as input words of encoder_mapper and demap_viterbi_rs.
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/burst_header.h"

#include <optional>
#include <span>
#include <vector>

namespace wimax::fpga {

/// Header and payload; header.payload_bytes is the length, payload.size() may be less. `time`: of its first word.
std::vector<AxisWord> burst_words(const BurstHeader& header, std::span<const uint8_t> payload,
                                  std::optional<uint64_t> time = std::nullopt);

/// Header of a whole burst; nullopt if the cores refuse it: unpack() refuses it, or words are missing.
std::optional<BurstHeader> header_of(std::span<const AxisWord> burst);

/// Four bytes per word, the first in the highest place.
std::vector<uint8_t> bytes_of(std::span<const AxisWord> words);

}  // namespace wimax::fpga
