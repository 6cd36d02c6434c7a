// SPDX-License-Identifier: GPL-3.0-or-later
// Registers of encoder_mapper, all read only.
#pragma once

#include <cstdint>

namespace wimax::fpga::encoder_mapper {

inline constexpr uint32_t kId = 0x00;       ///< kIdValue
inline constexpr uint32_t kVersion = 0x04;  ///< kVersionValue
inline constexpr uint32_t kBursts = 0x08;   ///< good headers since reset
inline constexpr uint32_t kSymbols = 0x0C;  ///< symbols sent
inline constexpr uint32_t kRefused = 0x10;  ///< bad headers: rate 7, no symbols, too few words

inline constexpr uint32_t kIdValue = 0x454E'434D;  // "ENCM"
inline constexpr uint32_t kVersionValue = 1;

}  // namespace wimax::fpga::encoder_mapper
