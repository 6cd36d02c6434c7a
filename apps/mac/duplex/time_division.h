// SPDX-License-Identifier: GPL-3.0-or-later
// TDD (clause 8.3.5.1): downlink, TTG, uplink and RTG one after the other. Whole symbols in each subframe; the uplink
// starts at any physical slot.
#pragma once

#include "mac/duplex/duplex.h"

namespace wimax::mac {

class TimeDivision final : public Duplex {
public:
    static tl::expected<TimeDivision, Faults> make(const DuplexRequest& request);

    SubframeLayout subframe(phy::Direction direction) const override;
    std::optional<TurnSlots> turns() const override;
    /// The uplink without the symbols that a station's own gaps need in addition to TTG and RTG.
    SymbolSpan window(phy::Direction direction, const StationTurn& station) const override;

private:
    TimeDivision() = default;

    int64_t sample_rate_hz_ = 0;
    SubframeLayout downlink_, uplink_;
};

}  // namespace wimax::mac
