// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/grant_log.h"

#include "mac/pdu/pdu.h"

#include <algorithm>

namespace wimax::sim {

void GrantLog::on_frame(const sap::TxFrame& downlink, const sap::RxExpect& uplink) {
    for (const auto& burst : downlink.bursts)
        add_cids(add(downlink.frame_number, burst.start_slot, burst.format), burst.payload);
    for (const auto& allocation : uplink.allocations) {
        auto& grant = add(uplink.frame_number, allocation.start_slot, allocation.format);
        grant.uplink = 1;
        grant.kind = static_cast<uint8_t>(allocation.kind);
        grant.cid = allocation.cid;
        grant.station = owners_.station_of(allocation.cid);
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

void GrantLog::add_cids(Grant& grant, Octets burst) {
    grant.first_cid = static_cast<uint32_t>(cids_.size());
    mac::PduReader reader(burst);
    mac::Pdu pdu;
    std::optional<uint16_t> station;
    while (reader.next_header(pdu)) {
        const auto known = std::span(cids_).subspan(grant.first_cid);
        if (std::ranges::find(known, pdu.cid()) != known.end()) continue;
        cids_.push_back(pdu.cid());
        const uint16_t own = owners_.station_of(pdu.cid());
        station = station.value_or(own) == own ? own : uint16_t{0};
    }
    grant.cids = static_cast<uint16_t>(cids_.size() - grant.first_cid);
    if (grant.cids == 1) grant.cid = cids_.back();
    grant.station = station.value_or(0);
}

void GrantLog::clear() {
    grants_ = {};
    cids_ = {};
}

}  // namespace wimax::sim
