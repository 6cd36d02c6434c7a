// SPDX-License-Identifier: GPL-3.0-or-later
// What the maps of each frame describe: bursts of the downlink with the connections of their PDUs, grants and
// contention regions of the uplink.
#pragma once

#include "sim/cid_owners.h"

#include <vector>

namespace wimax::sim {

struct Grant {
    uint32_t frame = 0;       ///< the base station's number of the frame in which it is used
    uint32_t start_slot = 0;  ///< physical slots from the frame's begin
    uint32_t octets = 0;      ///< octets that the burst carries
    uint32_t first_cid = 0;   ///< downlink: place of its first CID in GrantLog::cids()
    uint16_t cids = 0;        ///< downlink: number of its CIDs
    uint16_t cid = 0;         ///< uplink: basic CID of a grant's station; downlink: the only CID, 0: none or several
    uint16_t station = 0;     ///< from 1, to which all of it belongs; 0: none alone
    uint16_t symbols = 0;     ///< with preamble and midambles
    uint8_t uplink = 0;
    uint8_t kind = 0;  ///< sap::BurstKind
    uint8_t rate_id = 0, iuc = 0, subchannel = 0;
};

class GrantLog final : public Cell::FrameTap {
public:
    /// Both outlive the object.
    GrantLog(const AirModel& air, CidOwners& owners) : air_(air), owners_(owners) {}
    void on_frame(const sap::TxFrame& downlink, const sap::RxExpect& uplink) override;
    const std::vector<Grant>& grants() const { return grants_; }
    /// CIDs of the PDUs in each downlink burst, each once, in the order of their first PDU.
    const std::vector<uint16_t>& cids() const { return cids_; }
    void clear();

private:
    Grant& add(phy::FrameNumber frame, phy::Slot start, const phy::BurstFormat& format);
    void add_cids(Grant& grant, Octets burst);

    const AirModel& air_;
    CidOwners& owners_;
    std::vector<Grant> grants_;
    std::vector<uint16_t> cids_;
};

}  // namespace wimax::sim
