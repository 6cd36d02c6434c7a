// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/pdu_records.h"

#include "mac/pdu/pdu.h"

namespace wimax::sim {
namespace {

std::optional<uint16_t> cid_of(Octets octets) {
    mac::PduReader reader(octets);
    mac::Pdu pdu;
    return reader.next_header(pdu) ? std::optional(pdu.cid()) : std::nullopt;
}

}  // namespace

void PduRecords::on_pdu(const mac::TappedBurst& burst, size_t offset, Octets octets, mac::TappedOctets what) {
    if ((records_.size() + 1) * sizeof(PduRecord) + octets_.size() + octets.size() > most_octets_) {
        ++dropped_;
        return;
    }
    PduRecord& r = records_.emplace_back();
    r.time_s = cell_.seconds(burst.start);
    r.at = octets_.size();
    r.frame = burst.frame.value();
    r.octets = static_cast<uint32_t>(octets.size());
    r.offset = static_cast<uint32_t>(offset);
    r.cinr_db = burst.measured ? burst.cinr_db : 0;
    r.cid = cid_of(octets).value_or(burst.cid);
    const uint16_t own = burst.downlink ? 0 : owners_.station_of(burst.cid);
    r.station = own != 0 ? own : owners_.station_of(r.cid);
    r.uplink = burst.downlink ? 0 : 1;
    r.burst = burst.index;
    r.kind = static_cast<uint8_t>(burst.kind);
    r.rate_id = static_cast<uint8_t>(mac::row_of(burst.profile));
    r.iuc = burst.iuc;
    r.state = static_cast<uint8_t>(what);
    octets_.insert(octets_.end(), octets.begin(), octets.end());
}

void PduRecords::clear() {
    records_ = {};
    octets_ = {};
    dropped_ = 0;
}

}  // namespace wimax::sim
