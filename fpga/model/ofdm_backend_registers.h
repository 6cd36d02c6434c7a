// SPDX-License-Identifier: GPL-3.0-or-later
// Registers of the core `ofdm_backend`, for its model, its harness and the host's block controller. Addresses are
// ctrlport's; others read as 0.
#pragma once

#include <cstdint>

namespace wimax::fpga::ofdm_backend {

inline constexpr uint32_t kId = 0x4f465458, kVersion = 0x00010000;  ///< "OFTX"

enum Register : uint32_t {
    kRegisterId = 0x00,
    kRegisterVersion = 0x04,
    kRegisterPrefix = 0x08,      ///< 8 << this samples, 0..3; of symbols that begin from now on
    kRegisterGain = 0x0c,        ///< 0..0x10000: carriers times this / 2^16; limited to 0x10000
    kRegisterSymbols = 0x10,     ///< sent since reset
    kRegisterSaturated = 0x14,   ///< samples with a saturated coordinate
    kRegisterBadLengths = 0x18,  ///< packets with a length other than 200 words
};
inline constexpr uint32_t kDefaultPrefix = 2;
/// 8 / sqrt(200): carriers of amplitude 2^13 (encoder_mapper's 1) give samples of mean power 2^26, 12 dB below full
/// scale.
inline constexpr uint32_t kDefaultGain = 37073, kLargestGain = 0x10000;
inline constexpr int kSumShift = 3;  ///< samples are the sum of carriers divided by 2^this

}  // namespace wimax::fpga::ofdm_backend
