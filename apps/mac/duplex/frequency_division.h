// SPDX-License-Identifier: GPL-3.0-or-later
// FDD (clause 8.3.5.1): a carrier for each direction, both used all the time. The uplink frame begins at the allocation
// start time, counted from the start of the downlink frame that carries its map.
#pragma once

#include "mac/duplex/duplex.h"

namespace wimax::mac {

class FrequencyDivision final : public Duplex {
public:
    static tl::expected<FrequencyDivision, Faults> make(const DuplexRequest& request);

    SubframeLayout subframe(phy::Direction direction) const override;
    std::optional<TurnSlots> turns() const override { return std::nullopt; }
    SymbolSpan window(phy::Direction, const StationTurn&) const override { return {}; }

private:
    FrequencyDivision() = default;

    SubframeLayout downlink_, uplink_;
};

}  // namespace wimax::mac
