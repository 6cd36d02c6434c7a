// SPDX-License-Identifier: GPL-3.0-or-later
// Status of one service flow. The keys are the description's (common/json_object.h).
#pragma once

#include "mac/cs/header_suppression.h"
#include "mac/flow/agreed_flow.h"
#include "mac/flow/reassembler.h"
#include "mac/flow/transmitter.h"
#include "mac/station_config.h"

#include <optional>
#include <string>

namespace wimax::mac {

const char* to_string(SchedulingType type);
std::string to_text(const MacAddress& mac);  ///< 02:00:00:00:00:01
std::string bsid_text(uint64_t bsid);        ///< 20E9FA000001, as configurations have it

struct TransmitterStatus {
    TransmitterCounters counters;
    SduQueueCounters queue;
    size_t backlog_octets = 0, backlog_packets = 0;
    uint64_t dropped = 0;  ///< for any reason
};
TransmitterStatus status_of(const FlowTransmitter& transmitter);

/// Status of an ARQ connection, at either end.
struct ArqStatus {
    std::optional<ArqSenderCounters> sender;
    std::optional<ArqReceiverCounters> receiver;
    size_t blocks_in_flight = 0;  ///< where it is sent
    uint64_t resets = 0;
};
std::optional<ArqStatus> arq_status_of(const FlowTransmitter* transmitter, const Reassembler* reassembler);

struct FlowStatus {
    uint32_t sfid = 0;
    uint16_t cid = 0;
    std::optional<uint16_t> said;  ///< of the SA that encrypts it
    std::string name;              ///< may be received from the air: not always UTF-8
    FlowDirection direction = FlowDirection::downlink;
    SchedulingType scheduling = SchedulingType::best_effort;
    FlowState state = FlowState::active;
    QosParameters qos;                             ///< in force
    size_t classifiers = 0;                        ///< rules
    std::optional<bool> active;                    ///< base station: set up, and in that state
    std::optional<bool> multicast;                 ///< base station: member of a multicast connection, or such a one
    std::optional<bool> held;                      ///< base station: its reservation fits
    std::optional<std::string> refusal;            ///< base station: why it is not admitted; empty: no obstacle
    std::optional<TransmitterStatus> transmitter;  ///< where it is sent
    std::optional<ReassemblerCounters> received;   ///< where it arrives
    std::optional<ArqStatus> arq;
    std::optional<HeaderSuppressionCounters> phs;
    std::optional<uint64_t> dropped_rate;    ///< base station, uplink: beyond the maximum sustained rate
    std::optional<size_t> recorded_octets;   ///< subscriber station, uplink: requested and not granted
    std::optional<size_t> requested_octets;  ///< base station, uplink: the same by its records
};

template <class V> void visit(V& v, const TransmitterStatus& s) {
    v("sdus", s.counters.sdus);
    v("bytes", s.counters.sdu_octets);
    v("pdus", s.counters.pdus);
    v("fragments", s.counters.fragments);
    v("packed", s.counters.packed);
    v("backlog_bytes", s.backlog_octets);
    v("backlog_packets", s.backlog_packets);
    v("dropped", s.dropped);
    v("dropped_full", s.queue.dropped_full);
    v("dropped_codel", s.queue.dropped_codel);
    if (s.queue.dropped_policy > 0) v("dropped_policy", s.queue.dropped_policy);
    v("marked", s.queue.marked);
    v("dropped_pool", s.queue.dropped_pool);
    v("dropped_no_room", s.counters.dropped_no_room);
    v("refused_length", s.counters.refused_length);
    v("dropped_contention", s.counters.dropped_contention);
    v("dropped_arq", s.counters.dropped_arq);
    v("refused", s.queue.refused);
}

template <class V> void visit(V& v, const ReassemblerCounters& c) {
    v("sdus", c.sdus);
    v("bytes", c.sdu_octets);
    v("dropped", c.dropped);
    v("malformed", c.malformed);
}

template <class V> void visit(V& v, const ArqStatus& s) {
    v("arq_resets", s.resets);
    if (s.sender) {
        v("arq_blocks_in_flight", s.blocks_in_flight);
        v("arq_blocks", s.sender->blocks);
        v("arq_repeats", s.sender->repeats);
        v("arq_timeouts", s.sender->timeouts);
        v("arq_discarded", s.sender->discarded_sdus);
        v("arq_bad_feedback", s.sender->bad_feedback);
    }
    if (s.receiver) {
        v("arq_blocks", s.receiver->blocks);
        v("arq_repeated", s.receiver->repeated);
        v("arq_outside", s.receiver->outside);
        v("arq_given_up", s.receiver->given_up);
    }
}

template <class V> void visit(V& v, const HeaderSuppressionCounters& c) {
    v("phs_suppressed", c.suppressed);
    v("phs_bytes_saved", c.octets_saved);
    v("phs_whole", c.whole);
    v("phs_expanded", c.expanded);
    v("phs_unknown", c.unknown);
    v("phs_malformed", c.malformed);
}

template <class V> void visit(V& v, const FlowStatus& s) {
    v("sfid", s.sfid);
    v("cid", s.cid);
    v.maybe("said", s.said);
    v("name", s.name);
    v("direction", s.direction == FlowDirection::downlink ? "downlink" : "uplink");
    v("scheduling", to_string(s.scheduling));
    v("state", to_string(s.state));
    v("traffic_priority", s.qos.traffic_priority);
    v("max_sustained_rate_bps", s.qos.max_sustained_rate_bps);
    v("min_reserved_rate_bps", s.qos.min_reserved_rate_bps);
    v("max_latency_ms", s.qos.max_latency_ms);
    v("classifiers", s.classifiers);
    v.maybe("active", s.active);
    v.maybe("multicast", s.multicast);
    v.maybe("held", s.held);
    v.maybe("refusal", s.refusal);
    if (s.transmitter) visit(v, *s.transmitter);
    if (s.received) visit(v, *s.received);
    if (s.arq) visit(v, *s.arq);
    if (s.phs) visit(v, *s.phs);
    v.maybe("dropped_rate", s.dropped_rate);
    v.maybe("recorded_bytes", s.recorded_octets);
    v.maybe("requested_bytes", s.requested_octets);
}

}  // namespace wimax::mac
