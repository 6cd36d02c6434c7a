/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Places and formats of a subscriber station's bursts in the opportunities of an uplink.
 */
#pragma once

#include "mac/air/ofdm256/uplink_map.h"

#include "sap/messages.h"

namespace wimax::mac {

/// Octets of PDUs that the burst holds.
size_t capacity_octets(const sap::TxBurst& burst);
/// Opportunities for bandwidth requests, or for codes, in a region.
uint32_t opportunities_in(const UplinkOpportunity& region);

/// The burst of a grant. Pre: grant.usable().
void place_grant(const UplinkMap& uplink, const UplinkOpportunity& grant, sap::TxBurst& burst);
/// A bandwidth request in an opportunity of a region, or in the answer to a code (0).
void place_request(const UplinkMap& uplink, const UplinkOpportunity& region, uint32_t opportunity, sap::TxBurst& burst);
/// A RNG-REQ that begins with that symbol of the region.
void place_ranging(const UplinkMap& uplink, const UplinkOpportunity& region, uint32_t symbol, sap::TxBurst& burst);
/// A code of focused contention in an opportunity of a region.
sap::TxCode code_in(const UplinkMap& uplink, const UplinkOpportunity& region, const FocusedContention& code,
                    float boost_db);

}  // namespace wimax::mac
