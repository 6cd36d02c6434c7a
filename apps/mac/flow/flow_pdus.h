// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mac/pdu/pdu.h"

namespace wimax::mac {

/// Octets that a PDU adds to a fragment of an SDU; where it is encrypted, those of PayloadSealer as well.
inline constexpr size_t kFragmentOverheadOctets = kPduOverheadOctets + 2;

struct TransmitterCounters {
    uint64_t sdus = 0, sdu_octets = 0;  ///< completely sent; with ARQ: acknowledged
    uint64_t payload_octets = 0;        ///< put into PDUs, including those of partly sent SDUs
    uint64_t pdus = 0, fragments = 0, packed = 0;
    uint64_t dropped_no_room = 0;     ///< unfragmented SDUs that no burst had room for
    uint64_t dropped_contention = 0;  ///< SDUs whose bandwidth requests failed
    uint64_t refused_length = 0;      ///< packets of another length than the flow's SDUs have
    uint64_t dropped_arq = 0;         ///< SDUs given up: lifetime over, or a reset
};

/// The PDUs of a connection: their overhead, encryption, and numbers of fragments.
class FlowPdus {
public:
    FlowPdus(uint16_t cid, bool crc, TransmitterCounters& counters) : cid_(cid), crc_(crc), counters_(counters) {}

    uint16_t cid() const { return cid_; }
    /// All PDUs from now on are encrypted; without a key none is sent. `sealer` outlives the object; null: none.
    void protect(PayloadSealer* sealer) { sealer_ = sealer; }
    bool permitted() const { return !sealer_ || sealer_->key_sequence().has_value(); }
    /// Octets of a PDU besides its payload; `piggyback`: as of open().
    size_t overhead_octets(uint16_t piggyback = 0) const {
        return kPduOverheadOctets + (sealer_ ? sealer_->overhead_octets() : 0) +
               (piggyback != 0 ? GrantManagementSubheader::kOctets : 0);
    }
    size_t fragment_overhead_octets(uint16_t piggyback = 0) const {
        return overhead_octets(piggyback) + kFragmentOverheadOctets - kPduOverheadOctets;
    }

    /// Begins a PDU, which requests `piggyback` octets if that is not 0, and sets it to 0.
    bool open(PduWriter& writer, uint16_t& piggyback) {
        if (!writer.begin(cid_, crc_, true, sealer_)) return false;
        if (piggyback != 0) writer.grant_management(GrantManagementSubheader::piggyback(piggyback));
        piggyback = 0;
        ++counters_.pdus;
        return true;
    }
    uint16_t next_fsn() {
        const uint16_t fsn = fsn_;
        fsn_ = (fsn_ + 1) & 0x7FF;
        return fsn;
    }

private:
    uint16_t cid_;
    bool crc_;
    TransmitterCounters& counters_;
    PayloadSealer* sealer_ = nullptr;
    uint16_t fsn_ = 0;
};

}  // namespace wimax::mac
