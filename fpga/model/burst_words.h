/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A burst as the words that encoder_mapper and demap_viterbi_rs take.
 */
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/burst_header.h"

#include <optional>
#include <span>
#include <vector>

namespace wimax::fpga {

/// Header and payload; header.payload_bytes counts, payload.size() may be less. `time`: of its first word.
std::vector<AxisWord> burst_words(const BurstHeader& header, std::span<const uint8_t> payload,
                                  std::optional<uint64_t> time = std::nullopt);

/// Header of a whole burst; nullopt where the cores refuse it, too: unpack() does, or words are missing.
std::optional<BurstHeader> header_of(std::span<const AxisWord> burst);

/// Four bytes a word, the first in the highest place.
std::vector<uint8_t> bytes_of(std::span<const AxisWord> words);

}  // namespace wimax::fpga
