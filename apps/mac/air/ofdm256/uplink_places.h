// SPDX-License-Identifier: GPL-3.0-or-later
// Which symbols of the uplink subframe are fit for use. Interference at the same place of each frame would hit the same
// grants for ever. This class locates it from failed bursts and places regions and grants elsewhere. Short bursts
// locate it. When long bursts keep failing, they are cut for a while to locate it; if that fails, the next attempt is
// made later. An avoided place is tried again after a growing time. If all places fail, everything is used.
#pragma once

#include "mac/duplex/duplex.h"
#include "mac/sample_time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wimax::mac {

class UplinkPlaces {
public:
    /// Symbols a region or burst occupies, preamble included.
    struct Place {
        uint32_t first = 0, count = 0;
    };

    /// `symbols` of an uplink subframe; `second` in samples, `frame` likewise. `regions_from`: first symbol of regions.
    UplinkPlaces(uint32_t symbols, Samples second, Samples frame, uint32_t regions_from = 0);

    /// A granted burst was received without error.
    void whole(Place place);
    /// The burst failed. `in_a_row`: frames without any intact burst of that station, including this one.
    void failed(Place place, uint32_t in_a_row, Samples now);
    /// A station has failed at every place: the conclusions from its bursts are void.
    void mistaken(Samples now);
    void restart();

    /// Begins a frame: all usable symbols are free. `regions`: symbols that regions need in one piece.
    /// `trial`: symbols avoided long enough are also used, to test them.
    void begin(Samples now, uint32_t regions, bool trial);
    /// Place for a region, whole: the first one from `regions_from` on, or the last one of the frame.
    std::optional<uint32_t> region(uint32_t symbols, bool last);
    /// Maximum cost of grants (grant_cost()), and the map elements that cuts need in addition to one for each grant.
    uint32_t room() const { return room_; }
    uint32_t cuts() const { return cuts_; }
    /// Call it when all regions are placed; `elements`: map elements available for grants.
    void count_room(uint32_t elements);
    /// Place for a grant's burst, or for a piece of it; `symbols` with its preamble. Nullopt: no more room.
    std::optional<Place> burst(uint32_t symbols, bool last) { return burst(symbols, last, SymbolSpan()); }
    std::optional<Place> burst(uint32_t symbols, bool last, SymbolSpan within);

    uint32_t avoided_symbols() const { return avoided_; }

private:
    struct Symbol {
        uint8_t failures = 0;  ///< recent failures in excess of intact bursts
        uint8_t times = 0;     ///< number of times it was avoided, each time for longer
        Samples avoided_until = INT64_MIN;
    };
    struct Run {
        uint32_t first = 0, end = 0;
    };

    void cut(Samples now);
    void avoid(Symbol& symbol, Samples now);
    static bool fit(const Symbol& symbol, Samples now, bool trial);
    void find_runs(Samples now, bool trial);
    bool hopeless(uint32_t regions) const;
    void take(size_t run, uint32_t first, uint32_t end);

    const uint32_t regions_from_;
    std::vector<Symbol> symbols_;
    std::vector<Run> runs_;  ///< free, in order
    Samples second_, frame_, cut_until_ = INT64_MIN, cut_again_ = 0, ignore_until_ = INT64_MIN;
    uint8_t cut_times_ = 0;  ///< times that pieces were tried and located nothing
    uint32_t longest_ = 0, room_ = 0, cuts_ = 0, avoided_ = 0;
    bool cutting_now_ = false;
};

}  // namespace wimax::mac
