// SPDX-License-Identifier: GPL-3.0-or-later
// Receiving side of a connection: PDUs back to SDUs. A gap in the fragment sequence numbers drops the SDU that lost a
// fragment; reassembly continues with the next first fragment. Works for transport and primary management connections;
// with ARQ the receiving machine puts SDUs together.
#pragma once

#include "mac/arq/arq_connection.h"
#include "mac/arq/arq_receiver.h"
#include "mac/pdu/pdu.h"

#include <functional>
#include <memory>
#include <vector>

namespace wimax::mac {

struct ReassemblerCounters {
    uint64_t sdus = 0, sdu_octets = 0;
    uint64_t dropped = 0;    ///< SDUs begun and lost
    uint64_t malformed = 0;  ///< PDUs whose subheaders or units do not fit
};

class Reassembler {
public:
    using Sink = std::function<void(Octets sdu)>;
    static constexpr size_t kManagementOctets = 4096;  ///< longest management message taken

    /// `fixed_octets`: length of all SDUs, packed end to end in PDUs without subheaders; 0: any.
    explicit Reassembler(size_t max_sdu_octets, size_t fixed_octets = 0)
        : limit_(max_sdu_octets), fixed_octets_(fixed_octets) {
        partial_.reserve(max_sdu_octets);
    }
    /// For an ARQ connection.
    Reassembler(size_t max_sdu_octets, const ArqParameters& arq)
        : limit_(max_sdu_octets), arq_(std::make_unique<ArqConnection<ArqReceiver>>(arq.t22, arq, max_sdu_octets)) {}

    /// `subheaders` as parsed from the PDU. Complete SDUs are passed to `sink`, valid during the call.
    void receive(const Pdu& pdu, const Subheaders& subheaders, const Sink& sink);
    /// With ARQ, once a frame: advances the time, and delivers SDUs that no longer wait for missing blocks.
    void tick(Samples now, const Sink& sink);
    /// With ARQ: the sender has given up the missing blocks up to this one.
    void discard(uint16_t bsn, const Sink& sink);
    /// Null without ARQ.
    ArqConnection<ArqReceiver>* arq() const { return arq_.get(); }
    const ReassemblerCounters& counters() const { return counters_; }

private:
    /// State of the current SDU: no fragment yet, all fragments so far received, or some missing and counted as
    /// dropped.
    enum class Progress : uint8_t { none, building, broken };
    void receive_blocks(const Pdu& pdu, const Subheaders& subheaders, const Sink& sink);
    void unit(FragmentControl fc, uint16_t fsn, uint16_t modulus_mask, Octets data, const Sink& sink);
    void deliver(Octets sdu, const Sink& sink);
    void abandon(Progress then);
    void split(Octets sdus, const Sink& sink);

    size_t limit_, fixed_octets_ = 0;
    std::vector<uint8_t> partial_;
    Progress progress_ = Progress::none;
    uint16_t next_fsn_ = 0;
    ReassemblerCounters counters_;
    std::unique_ptr<ArqConnection<ArqReceiver>> arq_;
    Samples now_ = 0;
};

}  // namespace wimax::mac
