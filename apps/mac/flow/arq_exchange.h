// SPDX-License-Identifier: GPL-3.0-or-later
// Control traffic of a station's ARQ connections, at either end (clause 6.3.4): feedback on its way into a burst and
// out of one, ARQ-Discard, ARQ-Reset. `Flows` are a station's flows, each with CID, transmitter and reassembler, one of
// which may be missing.
#pragma once

#include "mac/flow/management_queue.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"

#include <tuple>
#include <utility>

namespace wimax::mac {

/// Octets of an ARQ-Feedback message in addition to its elements.
inline constexpr size_t kFeedbackMessageOctets = kPduOverheadOctets + 1;

template <class Flow> bool has_arq(const Flow& flow) {
    return (flow.transmitter && flow.transmitter->arq()) || (flow.reassembler && flow.reassembler->arq());
}

template <class Flows> size_t feedback_element_octets(const Flows& flows) {
    size_t octets = 0;
    for (const auto& flow : flows)
        if (flow->reassembler && flow->reassembler->arq())
            if (const auto& receiver = flow->reassembler->arq()->machine; receiver.feedback_due())
                octets += receiver.feedback_octets();
    return octets;
}

/// Maximum octets of an ARQ-Feedback message with the due feedback of all flows; 0: none is due.
template <class... Flows> size_t feedback_octets(const Flows&... flows) {
    const size_t octets = (feedback_element_octets(flows) + ...);
    return octets == 0 ? 0 : kFeedbackMessageOctets + octets;
}

template <class Flows> void add_feedback(const Flows& flows, ArqFeedbackPayload& payload) {
    for (auto& flow : flows)
        if (flow->reassembler && flow->reassembler->arq()) payload.add(flow->cid, flow->reassembler->arq()->machine);
}

/// Collects the due feedback of all flows. It stays due until it has been sent.
template <class... Flows> void collect_feedback(ArqFeedbackPayload& payload, const Flows&... flows) {
    payload.clear();
    (add_feedback(flows, payload), ...);
}

template <class Flows> auto* flow_of(const Flows& flows, uint16_t cid) {
    for (auto& flow : flows)
        if (flow->cid == cid) return flow.get();
    return static_cast<decltype(flows.front().get())>(nullptr);
}

using ArqSenderEnd = ArqConnection<ArqSender>;

template <class Flows> ArqSenderEnd* sender_in(const Flows& flows, uint16_t cid) {
    auto* flow = flow_of(flows, cid);
    return flow && flow->transmitter ? flow->transmitter->arq() : nullptr;
}

/// Finds the sending end of a connection by its CID; null: it has none.
/// Lists outlive it; a temporary view of a list is kept.
template <class... Flows> auto senders_of(Flows&&... flows) {
    return [kept = std::tuple<Flows...>(std::forward<Flows>(flows)...)](uint16_t cid) {
        ArqSenderEnd* found = nullptr;
        std::apply([&](const auto&... all) { ((found = found ? found : sender_in(all, cid)), ...); }, kept);
        return found;
    };
}

/// Processes the elements of a message or a payload. `sender`: of senders_of(). False: truncated, or for an unknown
/// connection.
template <class Sender> bool take_feedback(const Sender& sender, Octets elements, Samples now) {
    // Acknowledgements of all elements are processed before the missing blocks of any.
    for (const bool missing : {false, true}) {
        BitReader in(elements);
        for (bool last = false; !last;) {
            const auto ie = read_feedback_ie(in);
            if (!ie) return false;
            last = ie->last || in.bits_left() == 0;
            ArqSenderEnd* end = sender(ie->cid);
            if (!end) return false;
            if (end->stopped()) continue;
            if (missing) end->machine.repeat_missing(*ie, now);
            else end->machine.acknowledge(*ie, now);
        }
    }
    return true;
}

/// Processes the feedback in a PDU of a transport connection. False: it cannot be read.
template <class Sender>
bool take_feedback(const Sender& sender, const Pdu& pdu, const Subheaders& subheaders, Samples now) {
    if (!subheaders.packed) return take_feedback(sender, subheaders.rest, now);
    const auto unit = UnitReader(subheaders.rest, pdu.header.extended()).next();
    return unit && take_feedback(sender, unit->data, now);
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

/// Processes ARQ-Discard or ARQ-Reset of a flow. False: it cannot be read, or its connection has no ARQ.
/// `deliver(flow, sdu)`: SDUs that a discard releases.
template <class Flows, class Deliver>
bool take_arq_command(Flows& flows, Octets message, const ArqContext& context, const Deliver& deliver) {
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

/// Timers of a sending end; once a frame. False: a reset was not answered, the station has to enter again.
inline bool arq_tick(ArqSenderEnd& end, uint16_t cid, const ArqContext& context) {
    end.machine.tick(context.now);
    if (!end.stopped())
        if (const auto bsn = end.machine.discard_due(context.now))
            context.queue.push(context.basic_cid, ArqDiscard{cid, *bsn});
    return send_reset(end.on_time(context.now), cid, context);
}

/// The same for a receiving end. Pre: it has ARQ.
inline bool arq_tick(Reassembler& end, uint16_t cid, const ArqContext& context, const Reassembler::Sink& sink) {
    end.tick(context.now, sink);
    return send_reset(end.arq()->on_time(context.now), cid, context);
}

/// Timers of a flow.
template <class Flow> bool arq_tick(Flow& flow, const ArqContext& context, const Reassembler::Sink& sink) {
    if (flow.transmitter && flow.transmitter->arq()) return arq_tick(*flow.transmitter->arq(), flow.cid, context);
    return !flow.reassembler || !flow.reassembler->arq() || arq_tick(*flow.reassembler, flow.cid, context, sink);
}

}  // namespace wimax::mac
