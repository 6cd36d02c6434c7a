/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gaps that a half-duplex station needs between receiving and sending (SBC-REQ: SSRTG before it sends, SSTTG after), as
 * symbols of the uplink subframe in which it gets no grant, where the frame's own gaps are shorter.
 */
#pragma once

#include "mac/air/ofdm256/uplink_places.h"
#include "mac/frame_layout.h"

#include <algorithm>
#include <array>
#include <limits>

namespace wimax::mac {

struct HalfDuplexGaps {
    uint8_t ssttg_us = 0, ssrtg_us = 0;

    /// Symbols in which its bursts may lie. `round_trip_samples`: its transmit time ahead of its receive time. The gap
    /// before its uplink is shorter by that, the gap after it longer.
    UplinkPlaces::Window window(const FrameLayout& layout, int64_t round_trip_samples) const {
        const int64_t rate = layout.sample_rate_hz(), symbol = phy::samples_in_slots(layout.symbol_slots);
        const auto samples = [rate](int64_t us) { return (us * rate + 999'999) / 1'000'000; };
        const auto symbols = [symbol](int64_t missing) {
            return static_cast<uint32_t>(std::max<int64_t>(0, missing + symbol - 1) / symbol);
        };
        const uint32_t before =
            symbols(samples(ssrtg_us) + round_trip_samples - phy::samples_in_slots(layout.ttg_slots));
        const uint32_t behind =
            symbols(samples(ssttg_us) - round_trip_samples - phy::samples_in_slots(layout.rtg_slots));
        if (ssttg_us == 0 && ssrtg_us == 0) return {};
        return {before, layout.ul_symbols - std::min(layout.ul_symbols, behind)};
    }
};

}  // namespace wimax::mac
