// SPDX-License-Identifier: GPL-3.0-or-later
// How downlink and uplink share time and carriers: which part of each frame a direction has, and which symbols of it a
// station can use.
#pragma once

#include "common/faults.h"
#include "mac/duplex/subframe_layout.h"

#include <tl/expected.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace wimax::mac {

/// Silence that a station needs between its directions (SBC-REQ): SSRTG before it sends, SSTTG after. 0 and 0: none.
struct HalfDuplexGaps {
    uint8_t ssttg_us = 0, ssrtg_us = 0;
    bool operator==(const HalfDuplexGaps&) const = default;
};

/// What limits the times of a station. Its transmit time is ahead of its receive time by the round trip.
struct StationTurn {
    HalfDuplexGaps gaps;
    int64_t round_trip_samples = 0;
};

/// Symbols of a subframe, [from, to).
struct SymbolSpan {
    uint32_t from = 0, to = UINT32_MAX;
    bool operator==(const SymbolSpan&) const = default;

    /// Symbols in both.
    SymbolSpan and_also(const SymbolSpan& other) const { return {std::max(from, other.from), std::min(to, other.to)}; }
};

class Duplex {
public:
    /// TTG and RTG as the DCD announces them.
    struct TurnSlots {
        uint32_t ttg = 0, rtg = 0;
    };

    virtual ~Duplex() = default;
    virtual SubframeLayout subframe(phy::Direction direction) const = 0;
    /// nullopt: both directions are used at the same time, and the DCD announces no gaps.
    virtual std::optional<TurnSlots> turns() const = 0;
    /// Symbols of the subframe that bursts of this station may occupy.
    virtual SymbolSpan window(phy::Direction direction, const StationTurn& station) const = 0;
};

/// Lengths that a duplex divides. Member names of faults are those of BaseStationConfig.
struct DuplexRequest {
    bool one_carrier = true;
    int64_t sample_rate_hz = 0;
    uint32_t symbol_slots = 0, frame_slots = 0, frame_symbols = 0;
    double dl_share = 0.5;            ///< downlink and its gap as a part of the frame's symbols
    uint32_t dl_symbols = 0;          ///< the same in symbols; 0: by dl_share
    uint32_t ttg_us = 0, rtg_us = 0;  ///< 0: one symbol, at least 15 us
    uint32_t uplink_start_us = 0;     ///< of FDD, after the downlink frame's start; 0: usual_uplink_start_slots
    uint32_t usual_uplink_start_slots = 0;
};
/// The duplex of a cell: TDD with one carrier, FDD with two.
tl::expected<std::shared_ptr<const Duplex>, Faults> make_duplex(const DuplexRequest& request);

}  // namespace wimax::mac
