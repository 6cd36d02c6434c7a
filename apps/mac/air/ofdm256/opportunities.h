// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts whose format both ends know without a map element: those in contention regions (clauses 8.3.7.2 and
// 8.3.7.3.1). In symbols of BPSK 1/2.
#pragma once

#include "mac/air/ofdm256/air_codes.h"
#include "mac/air/ofdm256/frame_layout.h"

#include <gnuradio/wimax/phy/base/burst_types.h>

#include <cstddef>
#include <cstdint>

namespace wimax::mac {

inline constexpr ProfileId kContentionProfile = profile_in_row(0);
/// A RNG-REQ: long preamble, two symbols.
inline constexpr uint8_t kRangingDataSymbols = 2;
inline constexpr auto kRangingPreamble = phy::Preamble::long_;
/// Symbols by which a served station with lost timing may arrive before its ranging region.
inline constexpr uint32_t kEarlySymbols = 2;
/// A bandwidth request header: short preamble, one symbol.
inline constexpr uint8_t kRequestDataSymbols = 1;
inline constexpr auto kRequestPreamble = phy::Preamble::short_;
inline constexpr uint32_t kRequestOpportunitySymbols = phy::preamble_symbols(kRequestPreamble) + kRequestDataSymbols;
/// Length of a focused contention opportunity, and the number of opportunities that the map's response can distinguish.
inline constexpr uint32_t kFocusedOpportunitySymbols = 2, kMaxFocusedOpportunities = 8;
inline constexpr uint32_t kFocusedChannels = 48, kFocusedCodes = 8;

}  // namespace wimax::mac
