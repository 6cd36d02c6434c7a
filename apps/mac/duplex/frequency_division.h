// SPDX-License-Identifier: GPL-3.0-or-later
// FDD (clause 8.3.5.1): a carrier for each direction, both used all the time. The uplink frame begins at the allocation
// start time, counted from the start of the downlink frame that carries its map.
//
// With half-duplex stations it begins after the maps of its frame. Then each of these stations has a part of it, the
// earlier or the later one, and hears the maps of all frames:
//
//   downlink   | maps  data of the later group  .  data of the earlier group  | maps ...
//   uplink     |      | earlier group             later group               |        |     last: full-duplex stations
#pragma once

#include "mac/duplex/duplex.h"

namespace wimax::mac {

class FrequencyDivision final : public Duplex {
public:
    static tl::expected<FrequencyDivision, Faults> make(const DuplexRequest& request);

    SubframeLayout subframe(phy::Direction direction) const override;
    std::optional<TurnSlots> turns() const override { return std::nullopt; }
    /// Half-duplex stations: their group's part of the uplink, clear of the maps. At most a third of it is clear for
    /// bursts to both groups.
    SymbolSpan window(phy::Direction direction, const StationTurn& station) const override;

private:
    FrequencyDivision() = default;

    int64_t sample_rate_hz_ = 0;
    std::optional<uint32_t> gap_after_maps_slots_;
    SubframeLayout downlink_, uplink_;
};

}  // namespace wimax::mac
