// SPDX-License-Identifier: GPL-3.0-or-later
// What the maps of each frame describe: bursts of the downlink, grants and contention regions of the uplink.
#pragma once

#include "sim/cell.h"

#include <vector>

namespace wimax::sim {

struct Grant {
    uint32_t frame = 0;       ///< the base station's number of the frame in which it is used
    uint32_t start_slot = 0;  ///< physical slots from the frame's begin
    uint32_t octets = 0;      ///< octets that the burst carries
    uint16_t cid = 0;         ///< uplink: basic CID of a grant's station
    uint16_t symbols = 0;     ///< with preamble and midambles
    uint8_t uplink = 0;
    uint8_t kind = 0;  ///< sap::BurstKind
    uint8_t rate_id = 0, iuc = 0, subchannel = 0;
};

class GrantLog final : public Cell::FrameTap {
public:
    explicit GrantLog(const AirModel& air) : air_(air) {}
    void on_frame(const sap::TxFrame& downlink, const sap::RxExpect& uplink) override;
    const std::vector<Grant>& grants() const { return grants_; }
    void clear() { grants_.clear(); }

private:
    Grant& add(phy::FrameNumber frame, phy::Slot start, const phy::BurstFormat& format);

    const AirModel& air_;
    std::vector<Grant> grants_;
};

}  // namespace wimax::sim
