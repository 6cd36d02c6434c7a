// SPDX-License-Identifier: GPL-3.0-or-later
// Secondary management connection of a managed station, at either end (6.3.9.10): IP packets in
// both directions under one CID, with fragmentation, packing, and ARQ if both ends want it (REG TLV 1). An ARQ-Reset
// restarts both directions, since its message names only the CID.
#pragma once

#include "mac/flow/arq_exchange.h"

#include <span>

namespace wimax::mac {

class SecondaryConnection {
public:
    struct Terms {
        uint16_t cid = 0;
        ArqConfig arq = {};  ///< with the retry timeout set
        FeedbackTypes feedback = FeedbackTypes::all;
        std::optional<uint16_t> said = {};  ///< primary SA; nullopt: no privacy
        PayloadSealer* sealer = nullptr;    ///< of that SA; outlives the object
    };
    SecondaryConnection(const Terms& terms, int64_t sample_rate_hz);

    /// A full queue drops its oldest packet (counted). False: that is no packet of 1..kMaxSduOctets octets.
    bool push(Octets packet, Samples now) { return transmitter->push(packet, 0, now); }
    bool idle() const { return transmitter->idle() && !transmitter->arq(); }
    /// Processes ARQ-Discard and ARQ-Reset for this connection. False: it is not for it, or it has no ARQ.
    bool take_arq_command(Octets message, const ArqContext& context, const Reassembler::Sink& sink);
    /// Once per frame. False: the peer has not answered an ARQ-Reset, and the station has to enter again.
    bool tick(const ArqContext& context, const Reassembler::Sink& sink);

private:
    SduPool pool_;  ///< before its user

public:
    const uint16_t cid;
    const std::optional<uint16_t> said;
    const std::unique_ptr<FlowTransmitter> transmitter;
    const std::unique_ptr<Reassembler> reassembler;
};

/// The connection as the functions of arq_exchange.h take flows. Null: no flow.
inline std::span<const std::unique_ptr<SecondaryConnection>> as_flows(const std::unique_ptr<SecondaryConnection>& one) {
    return {&one, one ? size_t{1} : 0};
}

}  // namespace wimax::mac
