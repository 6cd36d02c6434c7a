/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A burst as the words that encoder_mapper takes.
 */
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/burst_header.h"

#include <span>
#include <vector>

namespace wimax::fpga {

/// Header and payload; header.payload_bytes counts, payload.size() may be less. `time`: of its first word.
std::vector<AxisWord> burst_words(const BurstHeader& header, std::span<const uint8_t> payload,
                                  std::optional<uint64_t> time = std::nullopt);

/// Four bytes a word, the first in the highest place.
std::vector<uint8_t> bytes_of(std::span<const AxisWord> words);

}  // namespace wimax::fpga
