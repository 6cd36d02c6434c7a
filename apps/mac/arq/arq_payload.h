// SPDX-License-Identifier: GPL-3.0-or-later
// Feedback of several connections as transmitted: the elements of an ARQ-Feedback message or of the ARQ feedback
// payload of a PDU (clause 6.3.4.2). Memory is allocated only at construction.
#pragma once

#include "mac/arq/arq_receiver.h"
#include "mac/pdu/pdu.h"

namespace wimax::mac {

class ArqFeedbackPayload {
public:
    ArqFeedbackPayload();

    void clear();
    /// Adds the connection's due feedback if there is room for it; else it waits.
    void add(uint16_t cid, ArqReceiver& receiver);
    bool empty() const { return octets_.empty(); }
    size_t octets() const { return octets_.size(); }
    /// Octets as a separate message.
    size_t message_octets() const { return kHeaderOctets + kCrcOctets + 1 + octets(); }
    /// Octets as the first unit of a packed PDU.
    size_t unit_octets() const { return PackingSubheader::octets(true) + octets(); }

    /// Both functions empty the payload. Pre of ride(): a PDU is open, and has room.
    void ride(PduWriter& writer);
    /// False: no room.
    bool send_alone(PduWriter& writer, uint16_t basic_cid);

private:
    void sent();

    static constexpr size_t kMostOctets = 1000;  // leaves room for data in a PDU
    Buffer octets_;
    size_t last_ = 0;  ///< where the last element begins
    std::vector<ArqReceiver*> receivers_;
};

}  // namespace wimax::mac
