/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What privacy keeps of one station for one network entry: its end of PKM, what its flows are sealed with, counters.
 */
#pragma once

#include "mac/privacy/pkm_server.h"
#include "mac/privacy/privacy_counters.h"

namespace wimax::mac {

struct StationPrivacy {
    StationPrivacy(const privacy::PkmServerConfig& config, const MacAddress& mac, uint16_t basic_cid)
        : pkm(config, mac, basic_cid), said(basic_cid), sealer([this] { return pkm.association(said); }) {}
    StationPrivacy(const StationPrivacy&) = delete;
    StationPrivacy& operator=(const StationPrivacy&) = delete;

    privacy::PkmServer pkm;
    uint16_t said;  ///< of the primary SA, which all of its flows have
    privacy::AssociationSealer sealer;
    privacy::PrivacyCounters counters;
};

}  // namespace wimax::mac
