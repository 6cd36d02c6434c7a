/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a downlink frame holds, as its frame prefixes and its DL-MAP tell (clauses 8.3.5.1, 8.3.6.2 and 8.3.8).
 * frame_composer.h is the other side. Bursts are numbered from 1, those of the n-th STC zone from kStcZoneIndex * n
 * + 1.
 */
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>

#include <span>
#include <vector>

namespace gr::wimax::phy {

/// Rate_ID of each DIUC, -1: not known.
using DiucRates = std::array<int8_t, 16>;

/// DIUCs that are no burst profile.
inline constexpr int kStcZoneDiuc = 0, kGapDiuc = 13, kExtendedDiuc = 15;

struct AnnouncedBurst {
    BurstFormat format;
    int start_symbol = 0;  ///< from the frame's first preamble symbol
    int index = 0;
};

/// The bursts and STC zones of a frame prefix in its order, bursts of unknown rate left out.
struct PrefixContent {
    struct Item {
        AnnouncedBurst burst;  ///< of a zone the start symbol alone
        bool zone = false;
        bool first = false;  ///< the burst of entry 1: it follows the prefix's randomizer
    };
    std::array<Item, kPrefixEntries> items{};
    int count = 0;
    int end_symbol = kFirstBurstSymbol;  ///< behind the bursts
};
/// `zone`, `zone_start`: number (1, 2 ...) and start of the STC zone whose prefix it is; 0: the frame's own.
WIMAX_API PrefixContent read_prefix(const FramePrefix& prefix, const DiucRates& rates, int zone = 0,
                                    int zone_start = 0);

/// An element of a DL-MAP, end of map and gaps included.
struct MapElement {
    int diuc = 0;
    bool preamble = false;
    int start_symbol = 0;
};
/// What no frame prefix announces.
struct Announced {
    std::vector<int> zones;  ///< start symbols of STC zones
    std::vector<AnnouncedBurst> bursts;
    bool empty() const { return zones.empty() && bursts.empty(); }
};
/// From a DL-MAP: STC zones and bursts behind those of the frame's prefix, and of each zone bursts beyond the four that
/// its own prefix can announce. Bursts of unknown rate or impossible format are left out. A burst ends where the next
/// one begins; elements that begin together share a burst.
/// `announced` is overwritten; its lists keep their memory.
WIMAX_API void read_map(std::span<const MapElement> map, const FramePrefix& prefix, const DiucRates& rates,
                        Announced& announced);

}  // namespace gr::wimax::phy
