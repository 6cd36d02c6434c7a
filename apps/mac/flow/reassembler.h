/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Receiving side of a connection: PDUs back to SDUs. A gap in the fragment sequence numbers drops the SDU that lost a
 * fragment and goes on with the next first fragment. Works for transport and primary management connections.
 */
#pragma once

#include "mac/pdu/pdu.h"

#include <functional>
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

    explicit Reassembler(size_t max_sdu_octets) : limit_(max_sdu_octets) { partial_.reserve(max_sdu_octets); }

    /// `subheaders` as parsed from the PDU. Complete SDUs go to `sink`, valid during the call.
    void receive(const Pdu& pdu, const Subheaders& subheaders, const Sink& sink);
    const ReassemblerCounters& counters() const { return counters_; }

private:
    void unit(FragmentControl fc, uint16_t fsn, uint16_t modulus_mask, Octets data, const Sink& sink);
    void deliver(Octets sdu, const Sink& sink);
    void abandon();

    size_t limit_;
    std::vector<uint8_t> partial_;
    bool active_ = false;
    uint16_t next_fsn_ = 0;
    ReassemblerCounters counters_;
};

}  // namespace wimax::mac
