// SPDX-License-Identifier: GPL-3.0-or-later
// PHY service access point: messages between MAC and PHY, as plain data. The schema on the wire is phy_sap.proto;
// codec.h converts and validates. Nothing here depends on sockets or threads. `phy` of the ConfigRequest selects the
// air interface. session_messages.h and frame_messages.h have the messages of all, and each has a header for its own.
//
// The PHY is the clock. One exchange per frame:
//
//   base station                                   subscriber station
//   PHY -> FrameTick(n)   before frame n           PHY -> RxBurst(n, burst #1)   broadcast burst decoded
//   MAC -> RxExpect(n)    uplink of frame n        MAC -> RxExpect(n)            further bursts; when its uplink starts
//   MAC -> TxFrame(n)     downlink of frame n      PHY -> FrameTick(n)           as late as the turnaround allows
//   PHY -> RxBurst(n)...  as bursts end            MAC -> TxFrame(n)             uplink bursts (may be empty)
//   PHY -> RxContention(n)... focused contention   PHY -> RxBurst(n)...          other downlink bursts, as they end
//
// Exactly one TxFrame per FrameTick, exactly one RxExpect per TxFrame (BS) or per RxBurst of the broadcast burst (SS).
// A response with a field out of range, or beyond its frame (frame_bounds.h), counts as an empty one. The MAC receives
// an ErrorIndication.
// An unsynchronised SS PHY ticks every 10 ms of samples (synchronised = false): no RxExpect before it, the TxFrame is
// empty.
//
// All times are samples of the PHY's receive clock or physical slots (4 samples) from the frame start. Frame numbers
// are 24 bits; an SS PHY receives only their low four bits and counts from them, the MAC gets the rest from the DCD.
#pragma once

#include "sap/frame_messages.h"
#include "sap/ofdm256_messages.h"
#include "sap/session_messages.h"
