// SPDX-License-Identifier: GPL-3.0-or-later
// Control traffic of a station's ARQ connections, at either end (clause 6.3.4): feedback on its way into a burst and
// out of one, ARQ-Discard, ARQ-Reset. `Flows` are a station's flows, each with CID, transmitter and reassembler, one of
// which may be missing.
#pragma once

#include "mac/flow/management_queue.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"

namespace wimax::mac {

/// Octets of an ARQ-Feedback message in addition to its elements.
inline constexpr size_t kFeedbackMessageOctets = kPduOverheadOctets + 1;

template <class Flow> bool has_arq(const Flow& flow) {
    return (flow.transmitter && flow.transmitter->arq()) || (flow.reassembler && flow.reassembler->arq());
}

/// Maximum octets of an ARQ-Feedback message with the flows' due feedback; 0: none is due.
template <class Flows> size_t feedback_octets(const Flows& flows) {
    size_t octets = 0;
    for (const auto& flow : flows)
        if (flow->reassembler && flow->reassembler->arq())
            if (const auto& receiver = flow->reassembler->arq()->machine; receiver.feedback_due())
                octets += receiver.feedback_octets();
    return octets == 0 ? 0 : kFeedbackMessageOctets + octets;
}

/// Collects the flows' due feedback. It stays due until it has been sent.
template <class Flows> void collect_feedback(Flows& flows, ArqFeedbackPayload& payload) {
    payload.clear();
    for (auto& flow : flows)
        if (flow->reassembler && flow->reassembler->arq()) payload.add(flow->cid, flow->reassembler->arq()->machine);
}

template <class Flows> auto* flow_of(Flows& flows, uint16_t cid) {
    for (auto& flow : flows)
        if (flow->cid == cid) return flow.get();
    return static_cast<decltype(flows.front().get())>(nullptr);
}

/// Processes the elements of a message or a payload. False: truncated, or for an unknown connection.
template <class Flows> bool take_feedback(Flows& flows, Octets elements, Samples now) {
    // Acknowledgements of all elements are processed before the missing blocks of any.
    for (const bool missing : {false, true}) {
        BitReader in(elements);
        for (bool last = false; !last;) {
            const auto ie = read_feedback_ie(in);
            if (!ie) return false;
            last = ie->last || in.bits_left() == 0;
            auto* flow = flow_of(flows, ie->cid);
            if (!flow || !flow->transmitter || !flow->transmitter->arq()) return false;
            auto& end = *flow->transmitter->arq();
            if (end.stopped()) continue;
            if (missing) end.machine.repeat_missing(*ie, now);
            else end.machine.acknowledge(*ie, now);
        }
    }
    return true;
}

/// Processes the feedback in a PDU of a transport connection. False: it cannot be read.
template <class Flows> bool take_feedback(Flows& flows, const Pdu& pdu, const Subheaders& subheaders, Samples now) {
    if (!subheaders.packed) return take_feedback(flows, subheaders.rest, now);
    const auto unit = UnitReader(subheaders.rest, pdu.header.extended()).next();
    return unit && take_feedback(flows, unit->data, now);
}

/// Destination of responses, and the current time.
struct ArqContext {
    ManagementQueue& queue;
    uint16_t basic_cid = 0;
    Samples now = 0;
};

/// Sends the message of a step. False: the other end does not answer.
inline bool send_reset(const ArqResetDialog::Step& step, uint16_t cid, const ArqContext& context) {
    if (step.send) context.queue.push(context.basic_cid, ArqReset{cid, static_cast<uint8_t>(*step.send)});
    return !step.failed;
}

constexpr bool is_arq_message(std::optional<MessageType> type) {
    return type == MessageType::arq_feedback || type == MessageType::arq_discard || type == MessageType::arq_reset;
}

template <class Flow> bool take_reset(Flow& flow, uint8_t type, const ArqContext& context) {
    if (type > static_cast<uint8_t>(ArqResetType::confirm)) return false;
    const auto answer = [&](auto& connection) {
        send_reset(connection.on_reset(static_cast<ArqResetType>(type), context.now), flow.cid, context);
        return true;
    };
    if (flow.transmitter && flow.transmitter->arq()) return answer(*flow.transmitter->arq());
    return flow.reassembler && flow.reassembler->arq() && answer(*flow.reassembler->arq());
}

/// Processes ARQ-Feedback, ARQ-Discard or ARQ-Reset. False: it cannot be read, or its connection has no ARQ.
/// `deliver(flow, sdu)`: SDUs that a discard releases.
template <class Flows, class Deliver>
bool take_arq_message(Flows& flows, Octets message, const ArqContext& context, const Deliver& deliver) {
    if (message_type(message) == MessageType::arq_feedback)
        return take_feedback(flows, message.subspan(1), context.now);
    if (ArqDiscard discard; decode(message, discard)) {
        auto* flow = flow_of(flows, discard.cid);
        if (!flow || !flow->reassembler || !flow->reassembler->arq()) return false;
        flow->reassembler->discard(discard.bsn, [&](Octets sdu) { deliver(*flow, sdu); });
        return true;
    }
    ArqReset reset;
    if (!decode(message, reset)) return false;
    auto* flow = flow_of(flows, reset.cid);
    return flow && take_reset(*flow, reset.type, context);
}

/// Timers of a flow; once a frame. False: a reset was not answered, the station has to enter again.
template <class Flow> bool arq_tick(Flow& flow, const ArqContext& context, const Reassembler::Sink& sink) {
    if (flow.transmitter && flow.transmitter->arq()) {
        auto& connection = *flow.transmitter->arq();
        connection.machine.tick(context.now);
        if (!connection.stopped())
            if (const auto bsn = connection.machine.discard_due(context.now))
                context.queue.push(context.basic_cid, ArqDiscard{flow.cid, *bsn});
        return send_reset(connection.on_time(context.now), flow.cid, context);
    }
    if (flow.reassembler && flow.reassembler->arq()) {
        flow.reassembler->tick(context.now, sink);
        return send_reset(flow.reassembler->arq()->on_time(context.now), flow.cid, context);
    }
    return true;
}

}  // namespace wimax::mac
