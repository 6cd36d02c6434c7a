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
/// The same on that number of subchannels. Pre: is_width(subchannels).
constexpr uint32_t request_symbols(uint8_t subchannels) {
    return phy::preamble_symbols(kRequestPreamble) +
           symbols_for(rate_id_of(kContentionProfile), kHeaderOctets, subchannels);
}
/// Length of a focused contention opportunity, and the number of opportunities that the map's response can distinguish.
inline constexpr uint32_t kFocusedOpportunitySymbols = 2, kMaxFocusedOpportunities = 8;
inline constexpr uint32_t kFocusedChannels = 48, kFocusedCodes = 8;

/// Codes that ask for a place on subchannels (UCD TLV 151). Our reading, from memory: the TLV is their number, and they
/// are the first codes. P802.16f/D6 has the same range and default, but names the value the first of these codes.
inline constexpr bool kSubchannelCodesAreFirst = true;
struct CodeSet {
    uint8_t first = 0, count = kFocusedCodes;

    constexpr bool has(uint8_t code) const { return code >= first && code < first + count; }
};
/// `subchannels`: the set for requests on subchannels, otherwise that for requests on the whole band.
constexpr CodeSet code_set(uint8_t announced, bool subchannels) {
    const auto rest = static_cast<uint8_t>(kFocusedCodes - announced);
    if (announced == 0) return subchannels ? CodeSet{0, 0} : CodeSet{};
    if (subchannels == kSubchannelCodesAreFirst) return {0, announced};
    return {announced, rest};
}

}  // namespace wimax::mac
