// SPDX-License-Identifier: GPL-3.0-or-later
// PDUs that the base station of a simulation sends and receives, in memory, up to a limit.
#pragma once

#include "mac/report/pdu_tap.h"
#include "sim/cid_owners.h"

#include <vector>

namespace wimax::sim {

struct PduRecord {
    double time_s = 0;     ///< begin of its burst since the first frame
    uint64_t at = 0;       ///< of its first octet among all octets
    uint32_t frame = 0;    ///< the base station's number
    uint32_t octets = 0;   ///< number
    uint32_t offset = 0;   ///< of its first octet in the burst
    float cinr_db = 0;     ///< uplink
    uint16_t cid = 0;      ///< of its header; unreadable: that of the burst
    uint16_t station = 0;  ///< from 1; 0: of none alone, or not known
    uint8_t uplink = 0;
    uint8_t burst = 0;  ///< downlink: from 1, the broadcast burst; uplink: from 0 among the frame's allocations
    uint8_t kind = 0;   ///< sap::BurstKind
    uint8_t rate_id = 0, iuc = 0;
    uint8_t state = 0;  ///< mac::TappedOctets
};

class PduRecords final : public mac::PduTap {
public:
    /// `cell` and `owners` outlive the object. `most_octets`: of PDUs and their records; further PDUs are counted.
    PduRecords(const Cell& cell, CidOwners& owners, size_t most_octets)
        : cell_(cell), owners_(owners), most_octets_(most_octets) {}

    void on_pdu(const mac::TappedBurst& burst, size_t offset, Octets octets, mac::TappedOctets what) override;
    const std::vector<PduRecord>& records() const { return records_; }
    Octets octets(const PduRecord& record) const { return Octets(octets_).subspan(record.at, record.octets); }
    uint64_t dropped() const { return dropped_; }
    void clear();

private:
    const Cell& cell_;
    CidOwners& owners_;
    const size_t most_octets_;
    std::vector<PduRecord> records_;
    std::vector<uint8_t> octets_;
    uint64_t dropped_ = 0;
};

}  // namespace wimax::sim
