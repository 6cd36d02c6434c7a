// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/grant_log.h"

namespace wimax::sim {

void GrantLog::on_frame(const sap::TxFrame& downlink, const sap::RxExpect& uplink) {
    for (const auto& burst : downlink.bursts) add(downlink.frame_number, burst.start_slot, burst.format);
    for (const auto& allocation : uplink.allocations) {
        auto& grant = add(uplink.frame_number, allocation.start_slot, allocation.format);
        grant.uplink = 1;
        grant.kind = static_cast<uint8_t>(allocation.kind);
        grant.cid = allocation.cid;
    }
}

Grant& GrantLog::add(phy::FrameNumber frame, phy::Slot start, const phy::BurstFormat& format) {
    auto& grant = grants_.emplace_back();
    grant.frame = frame.value();
    grant.start_slot = start.value();
    grant.octets = static_cast<uint32_t>(air_.octets(format));
    grant.symbols = static_cast<uint16_t>(format.total_symbols());
    grant.rate_id = format.rate_id;
    grant.iuc = format.iuc;
    grant.subchannel = format.subchannel_index;
    return grant;
}

}  // namespace wimax::sim
