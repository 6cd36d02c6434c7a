// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/flow/secondary_connection.h"

namespace wimax::mac {
namespace {

/// A peer can make this end send a packet for each one that it sends. The queue limits how many wait.
constexpr size_t kQueueBytes = 16'000, kQueuePackets = 32;

/// A station's management is small. What asks for more takes nothing from service flows, which have less priority.
constexpr uint32_t kRateBps = 256'000;

ServiceFlowConfig flow_with(const ArqConfig& arq) {
    ServiceFlowConfig flow;
    flow.arq = arq;
    flow.max_sustained_rate_bps = kRateBps;
    return flow;
}

SduQueueConfig queue_config() {
    SduQueueConfig queue;
    queue.limit_bytes = kQueueBytes;
    queue.limit_packets = kQueuePackets;
    return queue;
}

std::unique_ptr<Reassembler> make_reassembler(const SecondaryConnection::Terms& terms, int64_t sample_rate_hz) {
    if (!terms.arq.enable) return std::make_unique<Reassembler>(kMaxSduOctets);
    return std::make_unique<Reassembler>(kMaxSduOctets, arq_parameters(terms.arq, sample_rate_hz, terms.feedback));
}

}  // namespace

SecondaryConnection::SecondaryConnection(const Terms& terms, int64_t sample_rate_hz)
    : pool_(kQueuePackets),
      cid(terms.cid),
      said(terms.said),
      transmitter(
          std::make_unique<FlowTransmitter>(terms.cid, flow_with(terms.arq), pool_, queue_config(), sample_rate_hz)),
      reassembler(make_reassembler(terms, sample_rate_hz)) {
    transmitter->protect(terms.sealer);
}

bool SecondaryConnection::take_arq_command(Octets message, const ArqContext& context, const Reassembler::Sink& sink) {
    if (!transmitter->arq()) return false;
    if (ArqDiscard discard; decode(message, discard)) {
        if (discard.cid != cid) return false;
        reassembler->discard(discard.bsn, sink);
        return true;
    }
    ArqReset reset;
    if (!decode(message, reset) || reset.cid != cid || reset.type > static_cast<uint8_t>(ArqResetType::confirm))
        return false;
    const auto type = static_cast<ArqResetType>(reset.type);
    (void)reassembler->arq()->on_reset(type, context.now);  // the same step as the sending end's
    send_reset(transmitter->arq()->on_reset(type, context.now), cid, context);
    return true;
}

bool SecondaryConnection::tick(const ArqContext& context, const Reassembler::Sink& sink) {
    transmitter->tick(context.now);
    if (!transmitter->arq()) return true;
    auto& out = *transmitter->arq();
    auto& in = *reassembler->arq();
    const bool answered = arq_tick(out, cid, context);
    reassembler->tick(context.now, sink);
    (void)in.on_time(context.now);  // its steps are those of the sending end, which have been sent
    if (in.stopped() && !out.stopped() && answered) return send_reset(out.reset(context.now), cid, context);
    if (out.stopped() && !in.stopped()) (void)in.reset(context.now);
    return answered;
}

}  // namespace wimax::mac
