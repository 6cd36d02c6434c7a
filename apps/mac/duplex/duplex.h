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
    HalfDuplexGaps gaps{};
    int64_t round_trip_samples = 0;
    bool half_duplex = false;  ///< in FDD: it does not receive while it transmits
    bool late = false;         ///< of the group whose uplink is in the later part of the frame
    uint32_t listens = 0;      ///< symbols at the end of the later part in which it receives a burst for both groups

    /// Time before an uplink burst, as the base station counts, from which the station hears nothing; time after it.
    int64_t deaf_before(int64_t rate_hz) const { return samples(gaps.ssrtg_us, rate_hz) + round_trip_samples; }
    int64_t deaf_after(int64_t rate_hz) const { return samples(gaps.ssttg_us, rate_hz) - round_trip_samples; }

private:
    static int64_t samples(int64_t us, int64_t rate_hz) { return (us * rate_hz + 999'999) / 1'000'000; }
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
    /// FDD with half-duplex stations: the uplink begins after the maps by at least this gap.
    std::optional<uint32_t> gap_after_maps_slots{};
};
/// The duplex of a cell: TDD with one carrier, FDD with two.
tl::expected<std::shared_ptr<const Duplex>, Faults> make_duplex(const DuplexRequest& request);

}  // namespace wimax::mac
