// SPDX-License-Identifier: GPL-3.0-or-later
// The sending side of an ARQ connection: SDUs move from the queue to the sending machine as its window permits, and
// stay in their buffers until released. PDUs are packed from the blocks it wants sent.
#pragma once

#include "mac/arq/arq_connection.h"
#include "mac/arq/arq_payload.h"
#include "mac/arq/arq_sender.h"
#include "mac/flow/flow_pdus.h"
#include "mac/flow/staged_sdus.h"

namespace wimax::mac {

class ArqTransmission {
public:
    /// References outlive the object.
    ArqTransmission(const ArqParameters& parameters, bool packing, StagedSdus& sdus, FlowPdus& pdus,
                    TransmitterCounters& counters);

    ArqConnection<ArqSender>& connection() { return connection_; }
    const ArqConnection<ArqSender>& connection() const { return connection_; }
    /// As FlowTransmitter's.
    size_t demand() const;
    size_t fill(PduWriter& writer, size_t limit, Samples now, uint16_t piggyback, ArqFeedbackPayload* feedback);

private:
    void done(SduPool::Handle sdu, bool delivered);
    void take_next(Samples now);
    size_t unit(PduWriter& writer, size_t room, Samples now);
    bool joins(size_t room, Samples now);

    const bool packing_;
    StagedSdus& sdus_;
    FlowPdus& pdus_;
    TransmitterCounters& counters_;
    ArqConnection<ArqSender> connection_;  ///< destroyed first: it gives back buffers
};

}  // namespace wimax::mac
