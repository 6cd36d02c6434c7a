// SPDX-License-Identifier: GPL-3.0-or-later
// Registers of demap_viterbi_rs, all read only.
#pragma once

#include <cstdint>

namespace wimax::fpga::demap_viterbi_rs {

inline constexpr uint32_t kId = 0x00;         ///< kIdValue
inline constexpr uint32_t kVersion = 0x04;    ///< kVersionValue
inline constexpr uint32_t kBursts = 0x08;     ///< good headers since reset
inline constexpr uint32_t kFailed = 0x0C;     ///< uncorrectable blocks
inline constexpr uint32_t kRefused = 0x10;    ///< bad headers: rate 7, no symbols, too few words
inline constexpr uint32_t kCorrected = 0x14;  ///< bytes, parity included

inline constexpr uint32_t kIdValue = 0x4456'5253;  // "DVRS"
inline constexpr uint32_t kVersionValue = 1;

}  // namespace wimax::fpga::demap_viterbi_rs
