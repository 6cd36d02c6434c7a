// SPDX-License-Identifier: GPL-3.0-or-later
// Ranging codes of the uplink, IEEE 802.16-2009 clause 8.4.7: 256 codes of 144 bits from one PRBS, sent by BPSK on the
// 144 carriers of six subchannels.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ul_pusc.h>

namespace gr::wimax::phy::ofdma {

inline constexpr int kRangingCodes = 256;
inline constexpr int kRangingSubchannels = 6;
inline constexpr int kRangingCarriers = kRangingSubchannels * kSlotTiles * kTileCarriers;
static_assert(kRangingCarriers == 144);

/// Order of UL_PermBase in the seed of the PRBS: s0 is its lowest bit. Memory; without effect for UL_PermBase 0.
inline constexpr bool kRangingS0IsLsb = true;
/// The 144 bits go to the carriers in rising frequency (false: subchannel by subchannel). Memory.
inline constexpr bool kRangingCarriersByFrequency = true;
/// Value of bit 0 on its carrier; bit 1 sends the negative. Carriers are not scrambled. Sign and power: memory.
inline constexpr float kRangingAmplitude = 1.0F;

/// Bits of a code (0..255) for a UL_PermBase (0..69).
WIMAX_API std::array<uint8_t, kRangingCarriers> ranging_code(int code, int ul_perm_base);

/// Carriers of the six subchannels from `first_subchannel` on, in the order of the code's bits. Ranging regions are not
/// rotated.
WIMAX_API std::array<int16_t, kRangingCarriers> ranging_carriers(const UlPusc& pusc, int first_subchannel);

/// Initial and handover ranging take two symbols, phase continuous; periodic ranging and bandwidth requests one.
enum class RangingKind : uint8_t { initial, periodic, bandwidth };
constexpr int ranging_symbols(RangingKind kind) { return kind == RangingKind::initial ? 2 : 1; }

}  // namespace gr::wimax::phy::ofdma
