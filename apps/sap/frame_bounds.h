// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a response keeps within its frame. The range of a field (validate() in codec.h) does not cover that: a burst
// with legal fields may end frames later, and the radio would have to buffer all of it.
#pragma once

#include "sap/codec.h"

#include <optional>

namespace wimax::sap {

/// The frame in force, as the PHY announced it with its FrameTick or the broadcast burst.
struct FrameInForce {
    Role role = Role::base_station;
    uint8_t cp_denominator = 8;  ///< 4, 8, 16, 32
    uint32_t frame_samples = 0;  ///< 0: nothing may be sent or expected (no synchronisation)
    /// Of both directions. False (FDD): an uplink frame begins within its downlink frame and ends within the next.
    bool one_carrier = true;
};

/// Each burst begins (BS: after the preamble and the FCH) and ends within the frame, and no two overlap. The codes of a
/// subscriber station keep within the frame, too. The uplink of a frame is two frames long at most in FDD. Its timing
/// advance is at most half a frame either way, and none of its bursts is in an STC zone. Allocates only for faults.
Faults check_bounds(const TxFrame& m, const FrameInForce& frame);

/// Each allocation begins and ends within the frame, though it may arrive later by its search; uplinks begin within
/// theirs. A base station expects nothing in STC zones.
Faults check_bounds(const RxExpect& m, const FrameInForce& frame);

/// From the first slot of all bursts and opportunities to the one after the last. nullopt: there are none.
struct Extent {
    Slot begin, end;
};
std::optional<Extent> extent_of(const TxFrame& m, const FrameInForce& frame);
std::optional<Extent> extent_of(const RxExpect& m, const FrameInForce& frame);

}  // namespace wimax::sap
