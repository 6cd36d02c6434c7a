// SPDX-License-Identifier: GPL-3.0-or-later
// Passes the PDUs of sent and received OFDM-256 bursts to a tap.
#pragma once

#include "mac/report/pdu_tap.h"

namespace wimax::mac {

/// Start of a frame near the clock's current frame.
Samples start_of(phy::FrameNumber frame, const FrameClock& clock, Samples frame_samples);

/// `cid`: the sender's basic CID, in the uplink.
void tap_sent(PduTap& tap, const TappedFrame& frame, uint16_t cid, std::span<const sap::TxBurst> bursts);
/// Does nothing if no burst was detected.
void tap_received(PduTap& tap, const TappedFrame& frame, const sap::RxBurst& burst);

}  // namespace wimax::mac
