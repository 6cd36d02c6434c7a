// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of uplink subchannels (Table 213) as the MAC uses them: a 5-bit index names 1, 2, 4, 8 or 16 neighbours
// (subchannels_in()), and the groups make a tree, so that two of them share all carriers of the smaller one or none.
#pragma once

#include "mac/air/ofdm256/frame_layout.h"
#include "mac/resource_grid.h"

#include <algorithm>
#include <optional>

namespace wimax::mac {

/// Do bursts on these two indices disturb each other at the same time?
constexpr bool share_carriers(uint8_t a, uint8_t b) {
    const int apart = a > b ? a - b : b - a;
    return apart < static_cast<int>(std::max(subchannels_in(a), subchannels_in(b)));
}

/// The band of one run of symbols, handed out in groups.
class SubchannelBand {
public:
    /// Index of a free group of `count`, which is taken then; nullopt: there is none. Pre: is_width(count).
    std::optional<uint8_t> take(uint32_t count) {
        for (uint32_t first = 0; first < phy::kFullSubchannel; first += count) {
            const uint32_t these = ((1U << count) - 1) << first;
            if ((taken_ & these) != 0) continue;
            taken_ |= these;
            return static_cast<uint8_t>(2 * first + count);
        }
        return std::nullopt;
    }

private:
    uint32_t taken_ = 0;  ///< bit i: the i-th single subchannel, whose index is 2 i + 1
};

}  // namespace wimax::mac
