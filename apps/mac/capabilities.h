// SPDX-License-Identifier: GPL-3.0-or-later
// Capabilities that this implementation announces in SBC and REG messages (clauses 11.7 and 11.8), either end.
#pragma once

#include <cstdint>
#include <optional>

namespace wimax::mac::capability {

/// Duplex of a station in FDD (11.8.1, bandwidth allocation support; TDD: 0). Sources differ: bit 1 half-duplex and bit
/// 2 full-duplex, or bit 1 alone, 0 half-duplex and 1 full-duplex. 6 is full-duplex in both.
inline constexpr uint8_t kHalfDuplex = 2, kFullDuplex = 4, kDuplexBits = kHalfDuplex | kFullDuplex;
/// Full-duplex stations announce no gaps, which decides where the readings differ.
constexpr bool is_half_duplex(std::optional<uint8_t> bits, bool has_gaps) {
    const uint8_t duplex = bits.value_or(0) & kDuplexBits;
    return duplex == 0 || (duplex == kHalfDuplex && has_gaps);
}

inline constexpr uint8_t kPiggybackAnd11BitFsn = 3, kFft256 = 1, k64Qam = 1;
/// Bits of the OFDM modulator other than 64-QAM; their numbers are from one source (11.8.3.6.3).
inline constexpr uint8_t kModulatorSubchannels = 8, kModulatorFocusedContention = 16;
inline constexpr uint8_t kDemodulatorStc = 8;
inline constexpr uint8_t kDemodulator = k64Qam | kDemodulatorStc;
inline constexpr uint8_t kModulator = k64Qam | kModulatorSubchannels | kModulatorFocusedContention;
inline constexpr uint8_t kManaged = 1, kIpManaged = 1;  ///< SS management support, IP management mode
inline constexpr uint8_t kIpv4 = 1;                     ///< IP version on the secondary management connection
inline constexpr uint32_t kCsIpv4Bit = 2, kCsIpv6Bit = 4, kCsEthernetBit = 8, kCsVlanBit = 16;
inline constexpr uint32_t kCsBits = kCsIpv4Bit | kCsIpv6Bit | kCsEthernetBit | kCsVlanBit;
inline constexpr uint8_t kArq = 1;
inline constexpr uint8_t kPacketPhs = 2;
inline constexpr uint8_t kPrivacy = 1;  ///< authorization policy: the privacy sublayer of 802.16

/// Bits of a response: those that both ends have. Nullopt: not requested.
constexpr std::optional<uint8_t> common(std::optional<uint8_t> theirs, uint8_t ours) {
    return theirs ? std::optional(static_cast<uint8_t>(*theirs & ours)) : std::nullopt;
}

}  // namespace wimax::mac::capability
