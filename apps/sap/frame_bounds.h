/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether an answer keeps within the frame that it is for. A field's own range (validate() in codec.h) says nothing of
 * that: a burst that is legal by itself may end frames later, and the radio would have to hold all of it.
 */
#pragma once

#include "sap/codec.h"

#include <optional>

namespace wimax::sap {

/// The frame in force, as the PHY announced it with its FrameTick or the broadcast burst.
struct FrameInForce {
    Role role = Role::base_station;
    uint8_t cp_denominator = 8;  ///< 4, 8, 16, 32
    uint32_t frame_samples = 0;  ///< 0: nothing may be sent or expected (no synchronisation)
};

/// Each burst begins (BS: behind the preamble and the FCH) and ends within the frame, no two overlap, and a subscriber
/// station's codes keep within it, too; its timing advance is at most half a frame either way, and none of its bursts
/// is one of an STC zone. Allocates only for faults.
Faults check_bounds(const TxFrame& m, const FrameInForce& frame);

/// Each allocation begins and ends within the frame, though it may arrive later by its search; uplinks begin within
/// theirs. A base station expects nothing in STC zones.
Faults check_bounds(const RxExpect& m, const FrameInForce& frame);

/// From the first slot of all bursts and opportunities to the one behind the last. Nothing: there are none.
struct Extent {
    Slot begin, end;
};
std::optional<Extent> extent_of(const TxFrame& m, const FrameInForce& frame);
std::optional<Extent> extent_of(const RxExpect& m, const FrameInForce& frame);

}  // namespace wimax::sap
