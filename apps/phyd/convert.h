// SPDX-License-Identifier: GPL-3.0-or-later
// Between the two vocabularies of a frame: the PHY service access point's (dBm, MAC's references, session) and the
// blocks' (dBFS, formats with all seeds filled in). Pure functions.
#pragma once

#include <gnuradio/wimax/block_messages.h>
#include "sap/messages.h"

namespace wimax::phyd {

/// Context of messages that neither the blocks nor the MAC provide.
struct AirContext {
    sap::Role role = sap::Role::base_station;
    uint8_t bsid_lsb = 0;   ///< BS: configured; SS: of the frame prefix
    uint8_t frame_lsb = 0;  ///< SS: of the frame prefix, seeds the downlink bursts
    double tx_reference_dbm = 0, rx_reference_dbm = 0;
    float uplink_per_downlink = 1;  ///< ratio of the carriers
};

sap::FrameTick to_sap(const gr::wimax::Tick& tick, const AirContext& air);
/// The payload is moved.
sap::RxBurst to_sap(gr::wimax::BurstReport&& report, const AirContext& air);
sap::RxContention to_sap(const gr::wimax::ContentionReport& report, const AirContext& air);
sap::ErrorIndication to_sap(const gr::wimax::ErrorReport& report);

/// `tick`: the one that `tx` responds to. Bursts are handed over unchanged, payloads without a copy.
gr::wimax::TransmitFrame to_blocks(sap::TxFrame&& tx, const gr::wimax::Tick& tick, const AirContext& air);
gr::wimax::Expectation to_blocks(sap::RxExpect&& expect, const AirContext& air);

}  // namespace wimax::phyd
