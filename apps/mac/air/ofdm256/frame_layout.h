// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a cell and its subframes (clause 8.3.5.1). Values in symbols or physical slots (4 samples) from the
// frame start.
#pragma once

#include "mac/air/air_figures.h"
#include "mac/clock.h"
#include "mac/duplex/duplex.h"
#include "mac/station_config.h"

#include <gnuradio/wimax/phy/base/slot.h>

#include <algorithm>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

/// Long preamble and FCH: burst #1 begins with this symbol.
inline constexpr uint32_t kFirstBurstSymbol = phy::kFirstBurstSymbol;
/// Time a subscriber station has between the end of a UL-MAP and its first allocation (OFDM).
inline constexpr int64_t kTprocUs = 1000;
/// Round trip that an allocation start time of FDD allows for: 37 km.
inline constexpr int64_t kLongestRoundTripUs = 250;
/// Start times and durations of the maps: 11 and 10 bits.
inline constexpr uint32_t kMaxUlAllocation = phy::kMaxUplinkAllocationSymbols;

/// Grants that short maps hold (FrameLayout::short_broadcast_symbols), in addition to the elements of regions and the
/// end.
inline constexpr uint32_t kFewGrants = 8, kRegionElements = 3;

struct FrameLayout {
    phy::Numerology numerology;
    uint8_t frame_code = 4;
    uint32_t symbol_slots = 0, frame_slots = 0, frame_symbols = 0;
    std::shared_ptr<const Duplex> duplex;
    SubframeLayout downlink;  ///< as `duplex` has it; preamble and FCH included
    SubframeLayout uplink;
    bool maps_next_frame = false;        ///< the UL-MAP describes the following frame's uplink
    uint32_t max_broadcast_symbols = 0;  ///< longest burst #1 that still leaves T_proc (and the downlink subframe)
    /// Longest burst #1 that ends before half-duplex stations transmit. In frames with a longer one they begin later.
    uint32_t short_broadcast_symbols = 0;

    int64_t frame_samples() const { return phy::samples_in_slots(frame_slots); }
    int64_t sample_rate_hz() const { return numerology.sample_rate_hz; }
    int64_t samples_from_ms(int64_t ms) const { return ms * sample_rate_hz() / 1000; }
    double frame_seconds() const {
        return static_cast<double>(frame_samples()) / static_cast<double>(sample_rate_hz());
    }
    FrameTiming timing() const {
        return {sample_rate_hz(), frame_samples(), numerology.cp_samples(), numerology.carrier_spacing_hz()};
    }

    /// First symbol of contention regions. With half-duplex stations they are between the grants of both groups, so
    /// that each of these stations knows when it can use them.
    uint32_t regions_from() const {
        return duplex->window(phy::Direction::uplink, {.half_duplex = true, .late = true}).from;
    }

    FrameFigures figures() const {
        return {symbol_slots,
                frame_slots,
                frame_symbols,
                downlink.symbols,
                uplink.symbols,
                uplink.first.value(),
                timing().frame_seconds(),
                maps_next_frame};
    }

    /// Does not report a bandwidth out of range; validate() does.
    static tl::expected<FrameLayout, Faults> make(const BaseStationConfig& config);
};

/// Number of single subchannels, of 16, of a subchannel index of Table 213 (1..31; 16: all).
constexpr uint32_t subchannels_in(uint8_t index) { return index & (0U - index); }
/// Data symbols needed for `bytes` of MAC PDUs at a profile; at least 1. `subchannel`: index of Table 213.
constexpr uint32_t symbols_for(uint8_t rate_id, size_t bytes, uint8_t subchannel = phy::kFullSubchannel) {
    const auto& rate = phy::kRateTable[rate_id];
    const size_t sixteenths = static_cast<size_t>(rate.uncoded_bytes) * subchannels_in(subchannel);
    const size_t octets = bytes + static_cast<size_t>(rate.tail_bytes);
    return bytes == 0 ? 1 : static_cast<uint32_t>((octets * phy::kFullSubchannel + sixteenths - 1) / sixteenths);
}
constexpr size_t bytes_in(uint8_t rate_id, uint32_t data_symbols, uint8_t subchannel = phy::kFullSubchannel) {
    const auto& rate = phy::kRateTable[rate_id];
    const auto uncoded = static_cast<size_t>(rate.uncoded_bytes), tail = static_cast<size_t>(rate.tail_bytes);
    const size_t bytes = uncoded * data_symbols * subchannels_in(subchannel) / phy::kFullSubchannel;
    return bytes - std::min(bytes, tail);
}

/// Data symbols among the `symbols` of a grant without its preamble; the others are midambles.
constexpr uint32_t data_symbols_in(uint32_t symbols, uint8_t midamble) {
    uint32_t data = symbols;
    while (data > 0 && data + static_cast<uint32_t>(phy::midamble_count(midamble, static_cast<int>(data))) > symbols)
        --data;
    return data;
}

/// Octets of broadcast messages in a mean frame; `ul_bursts`: elements of the UL-MAP for uplink bursts.
double broadcast_octets(const BaseStationProfile& profile, const FrameLayout& layout, double ul_bursts);
/// Frames between ranging regions, at least 1.
double ranging_period_frames(const BaseStationProfile& profile, const FrameLayout& layout);
/// `stations` that are saturated with 1500-byte packets in this direction, the other one idle.
Capacity downlink_capacity(const BaseStationConfig& config, const FrameLayout& layout, ProfileId profile,
                           uint32_t stations);
Capacity uplink_capacity(const BaseStationConfig& config, const FrameLayout& layout, ProfileId profile,
                         uint32_t stations);
/// As derived_values() of station_config.h.
DerivedValues cell_values(const BaseStationConfig& config, bool cell);

}  // namespace wimax::mac
