// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/carriers/ul_pusc.h>

#include <algorithm>

namespace gr::wimax::phy::ofdma {
namespace {

/// Pilots are at the corners of a tile.
constexpr bool is_corner(int symbol, int offset) { return symbol != 1 && (offset == 0 || offset == kTileCarriers - 1); }

bool touches(const UlRegion& region, int subchannel, int slot_time) {
    const int first = slot_time * kUlSlotSymbols;
    return subchannel >= region.subchannel && subchannel < region.subchannel + region.subchannels &&
           region.symbol < first + kUlSlotSymbols && region.symbol + region.symbols > first;
}

}  // namespace

UlPusc::UlPusc(int perm_base) {
    for (int s = 0; s < kUlSubchannels; ++s) {
        for (int n = 0; n < kSlotTiles; ++n)
            tiles_[static_cast<size_t>(s)][static_cast<size_t>(n)] =
                tile_carrier(ul_tile(kUlTilePermutation1024, perm_base, s, n), 0);
        fill(s);
    }
}

void UlPusc::fill(int subchannel) {
    const auto s = static_cast<size_t>(subchannel);
    std::array<UlPlace, kSlotPoints> in_order;
    size_t data = 0, pilots = 0;
    for (int symbol = 0; symbol < kUlSlotSymbols; ++symbol)
        for (const int16_t first : tiles_[s])
            for (int offset = 0; offset < kTileCarriers; ++offset) {
                // DC is between two tiles, so that a tile's carriers are neighbours.
                const UlPlace place{static_cast<uint8_t>(symbol), static_cast<int16_t>(first + offset)};
                if (is_corner(symbol, offset)) pilots_[s][pilots++] = place;
                else in_order[data++] = place;
            }
    for (int n = 0; n < kSlotPoints; ++n)
        data_[s][static_cast<size_t>(n)] = in_order[static_cast<size_t>(ul_data_place(n, subchannel))];
}

std::vector<uint8_t> ul_rotated(std::span<const uint8_t> free, int slot_time) {
    std::vector<uint8_t> physical(free.begin(), free.end());
    if (!physical.empty()) {
        const auto turn = static_cast<size_t>(kUlRotationStep * slot_time) % physical.size();
        std::rotate(physical.begin(), physical.begin() + static_cast<std::ptrdiff_t>(turn), physical.end());
    }
    return physical;
}

UlSlots::UlSlots(int symbols, bool rotation, std::span<const UlRegion> regions) {
    const int slot_times = symbols / kUlSlotSymbols;
    for (int t = 0; t < slot_times; ++t) {
        std::vector<uint8_t> free;
        for (int s = 0; s < kUlSubchannels; ++s)
            if (std::ranges::none_of(regions, [&](const UlRegion& region) { return touches(region, s, t); }))
                free.push_back(static_cast<uint8_t>(s));
        const auto physical = rotation ? ul_rotated(free, t) : free;
        for (size_t i = 0; i < free.size(); ++i) slots_.push_back({free[i], physical[i], static_cast<uint16_t>(t)});
    }
    std::ranges::stable_sort(slots_, {}, &UlSlot::logical);
}

}  // namespace gr::wimax::phy::ofdma
