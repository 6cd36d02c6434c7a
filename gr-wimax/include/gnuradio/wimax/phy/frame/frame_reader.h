// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the contents of a downlink frame from its frame prefixes and its DL-MAP (clauses 8.3.5.1, 8.3.6.2 and 8.3.8).
// frame_composer.h is the transmitting side. Bursts are numbered from 1, those of the n-th STC zone from
// kStcZoneIndex * n + 1.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>

#include <span>
#include <vector>

namespace gr::wimax::phy {

/// Rate_ID of each DIUC, -1: not known.
using DiucRates = std::array<int8_t, 16>;

/// DIUCs that do not name a burst profile.
inline constexpr int kStcZoneDiuc = 0, kGapDiuc = 13, kExtendedDiuc = 15;

struct AnnouncedBurst {
    BurstFormat format;
    int start_symbol = 0;  ///< from the frame's first preamble symbol
    int index = 0;
};

/// The bursts and STC zones of a frame prefix in its order, without bursts of unknown rate.
struct PrefixContent {
    struct Item {
        AnnouncedBurst burst;  ///< for a zone only the start symbol
        bool zone = false;
        bool first = false;  ///< the burst of entry 1: it continues the prefix's randomizer
    };
    std::array<Item, kPrefixEntries> items{};
    int count = 0;
    int end_symbol = kFirstBurstSymbol;  ///< after the bursts
};
/// `zone`, `zone_start`: number (1, 2 ...) and start of the prefix's STC zone; 0: the frame's prefix.
WIMAX_API PrefixContent read_prefix(const FramePrefix& prefix, const DiucRates& rates, int zone = 0,
                                    int zone_start = 0);

/// An element of a DL-MAP, end of map and gaps included.
struct MapElement {
    int diuc = 0;
    bool preamble = false;
    int start_symbol = 0;
};
/// Zones and bursts that no frame prefix announces.
struct Announced {
    std::vector<int> zones;  ///< start symbols of STC zones
    std::vector<AnnouncedBurst> bursts;
    bool empty() const { return zones.empty() && bursts.empty(); }
};
/// Reads from a DL-MAP the STC zones and bursts after those of the frame's prefix. Of each zone it reads the bursts
/// beyond the four of its prefix. Bursts of unknown rate or invalid format are skipped. A burst ends where the next one
/// begins; elements with the same start share a burst. `announced` is overwritten; its lists keep their memory.
WIMAX_API void read_map(std::span<const MapElement> map, const FramePrefix& prefix, const DiucRates& rates,
                        Announced& announced);

}  // namespace gr::wimax::phy
