// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/uplink_reader.h"

#include "mac/flow/arq_exchange.h"
#include "mac/request_rules.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint32_t kShortGrantUnits = 12;
constexpr uint32_t kLatestFrames = 1 << 23;  // after the request; half of the numbers' circle

}  // namespace

void UplinkReader::receive(const sap::RxBurst& burst) {
    switch (burst.kind) {
        case sap::BurstKind::contention: return on_contention_burst(burst);
        case sap::BurstKind::ranging: return on_ranging_burst(burst);
        case sap::BurstKind::data: return on_data_burst(burst);
    }
}

void UplinkReader::on_contention_burst(const sap::RxBurst& burst) {
    if (!burst.detected) return;
    ++counters_.contention_bursts;
    PduReader reader(burst.payload);
    const auto pdu = reader.next();
    // The burst holds one request header and padding; noise that passes the HCS rarely passes this check too.
    if (!pdu || !pdu->is_request || reader.next() || reader.error()) {
        ++counters_.contention_undecoded;
        return;
    }
    on_request(pdu->request, burst.frame_number, false);
}

void UplinkReader::on_ranging_burst(const sap::RxBurst& burst) {
    if (!burst.detected) return to_.reception.ranging_silent(burst.measured.rssi_dbm);
    ++counters_.ranging_bursts;
    PduReader reader(burst.payload);
    RngReq request;
    const auto pdu = reader.next();
    if (!pdu || pdu->is_request || message_type(pdu->body) != MessageType::rng_req || !decode(pdu->body, request)) {
        ++counters_.ranging_undecoded;
        to_.reception.ranging_heard(false);
        return;
    }
    to_.reception.ranging_heard(true);
    // In the opportunity it was invited to, a station uses its own CID. Elsewhere it may only ask for a more robust
    // burst profile.
    if (pdu->cid() != cid::kInitialRanging && pdu->cid() != burst.cid) {
        if (!to_.ranging.on_profile_request(request, pdu->cid())) ++counters_.ranging_undecoded;
        return;
    }
    auto measured = burst.measured;
    measured.timing_offset_samples -= static_cast<float>(to_.reception.early_samples(burst));
    if (!to_.ranging.on_request(request, pdu->cid(), measured, burst.frame_number)) ++counters_.unknown_cid;
}

/// A station has used a grant that followed a contention request in its name. If it sent padding although there was
/// room for more, it has requested nothing.
void UplinkReader::settle_request(Subscriber& station, const sap::RxBurst& burst, bool used) {
    const uint32_t later = burst.frame_number.since(*station.requests.unproven_since());
    if (later == 0 || later > kLatestFrames) return;
    if (!used && burst.payload.size() < kLeastAnswerOctets) return;
    station.requests.end_doubt();
    if (!used) station.requests.forget();
}

void UplinkReader::on_data_burst(const sap::RxBurst& burst) {
    Subscriber* found = to_.stations.find_basic(burst.cid);
    if (!found) {
        ++counters_.stale_bursts;
        return;
    }
    Subscriber& station = *found;
    if (!burst.detected) return to_.quality.missed(station, burst);
    station.health.heard(to_.clock.now);
    ++station.counters.ul_bursts;
    counters_.capacity_bytes += burst.payload.size();
    if (!burst.fec_ok) ++station.counters.ul_fec_errors;
    station.uplink.last = burst.measured;
    read(station, burst);
}

void UplinkReader::read(Subscriber& station, const sap::RxBurst& burst) {
    PduReader reader(burst.payload);
    size_t useful = 0;
    bool proven = false, asked = false;
    while (const auto pdu = reader.next()) {
        proven = proven || pdu->crc_style.has_value();
        if (!pdu->is_request) {
            useful += pdu->octets.size();
            on_pdu(station, *pdu, burst);
        } else if (burst.fec_ok) {  // six octets with eight check bits: not from a damaged burst
            asked = on_own_request(station, pdu->request, burst.frame_number);
        }
    }
    counters_.padding_bytes += reader.padding_octets();
    if (reader.error()) ++station.counters.ul_stopped;
    const bool whole = burst.fec_ok && !reader.error();
    to_.quality.heard(station, burst, proven || whole, whole);
    if (whole && station.requests.unproven_since()) settle_request(station, burst, useful > 0 || asked);
    station.requests.carried(useful);
    const size_t short_grant = to_.grid.octets_in({station.grant_profile()}, kShortGrantUnits);
    if (useful >= std::min(burst.payload.size(), short_grant) / 2) station.requests.used();
}

/// A burst at the end of a frame is reported when the next one has begun.
Samples UplinkReader::start_of(phy::FrameNumber frame) const {
    return to_.clock.now - static_cast<Samples>(to_.clock.frame.since(frame)) * to_.frame_samples;
}

/// False: the connection is not this station's.
bool UplinkReader::on_own_request(Subscriber& station, const BandwidthRequestHeader& request, phy::FrameNumber frame) {
    if (to_.stations.find(request.cid) != &station && to_.stations.owner_of(request.cid) != &station) {
        ++counters_.unknown_cid;
        return false;
    }
    if (FlowContext* flow = station.flow_by_cid(request.cid)) flow->rates.overhead.pdu(kHeaderOctets);
    on_request(request, frame, true);
    return true;
}

/// `proven`: the burst was granted to the station that owns the connection. In contention any station may name any CID.
/// Such a request yields short grants until the station uses one, and never reduces its recorded backlog.
void UplinkReader::on_request(const BandwidthRequestHeader& request, phy::FrameNumber frame, bool proven) {
    FlowContext* flow = nullptr;
    Subscriber* station = to_.stations.find(request.cid);
    if (!station) {
        station = to_.stations.owner_of(request.cid);
        if (station) flow = station->flow_by_cid(request.cid);
    }
    if (!station) {
        ++counters_.unknown_cid;
        return;
    }
    if (flow && (!flow->active || flow->config.direction != FlowDirection::uplink ||
                 flow->config.scheduling == SchedulingType::ugs))
        return;
    StationRequests& requests = station->requests;
    requests.request(flow ? flow->requests : requests.management(), request.type, request.br, frame, proven);
    ++station->counters.requests;
    if (!proven && request.br > 0) requests.doubt(frame);
    if (proven && request.br > 0) requests.used();
}

/// In a damaged burst, PDUs with a valid CRC and PDUs of flows without CRC are used, but not requests in the latter.
void UplinkReader::on_pdu(Subscriber& station, const Pdu& received, const sap::RxBurst& burst) {
    const bool checked = burst.fec_ok || received.crc_style.has_value();
    const uint16_t cid = received.cid();
    FlowContext* flow = station.flow_by_cid(cid);
    SecondaryConnection* secondary = flow_of(as_flows(station.managed.connection), cid);
    if (!checked && (!flow || flow->config.crc)) {
        station.count_malformed();
        return;
    }
    const auto said = secondary ? secondary->said : flow ? flow->said : std::nullopt;
    const Pdu* clear = to_.privacy.open(station, said, received, burst.frame_number);
    if (!clear) return;
    const Pdu& pdu = *clear;
    const auto subheaders = parse_subheaders(pdu);
    if (!subheaders) {
        station.count_malformed();
        return;
    }
    if (cid == station.basic_cid) return on_basic(station, subheaders->rest);
    if (cid == station.primary_cid)
        return station.primary.receive(pdu, *subheaders,
                                       [&](Octets message) { to_.management.receive(station, message); });
    if (secondary) {
        take_attached_feedback(station, pdu, *subheaders);
        return secondary->reassembler->receive(pdu, *subheaders,
                                               [&](Octets packet) { to_.network.from_station(station, packet); });
    }
    // Packets under way when a flow was taken down are accepted, too.
    if (!flow || !flow->reassembler || !flow->set_up.done()) {
        ++counters_.unknown_cid;
        return;
    }
    if (const auto& gm = subheaders->grant_management; gm && checked)
        on_grant_management(station, *flow, *gm, burst.frame_number);
    flow->dues.used();
    flow->rates.overhead.pdu(received.octets.size());
    if (checked) take_attached_feedback(station, pdu, *subheaders);
    const Arrival arrival{station, *flow, start_of(burst.frame_number)};
    flow->reassembler->receive(pdu, *subheaders, [this, &arrival](Octets sdu) { deliver(arrival, sdu); });
}

void UplinkReader::take_attached_feedback(Subscriber& station, const Pdu& pdu, const Subheaders& subheaders) {
    const auto senders = senders_of(station.flows, as_flows(station.managed.connection));
    if (subheaders.feedback && !take_feedback(senders, pdu, subheaders, to_.clock.now)) station.count_malformed();
}

void UplinkReader::deliver(const Arrival& arrival, Octets sdu) {
    if (!arrival.flow.rates.admits(sdu.size(), arrival.frame_start)) return;
    const FlowContext& flow = arrival.flow;
    if (flow.suppression) sdu = flow.suppression->receive(sdu, flow.config.phs, flow.retired_rules);
    if (sdu.empty() || !to_.sources.admits(arrival.station, sdu)) return;
    ++arrival.station.counters.ul_sdus;
    arrival.station.counters.ul_bytes += sdu.size();
    if (to_.on_sdu) to_.on_sdu(sdu);
}

/// ARQ messages are dispatched to their connections, all others to the station.
void UplinkReader::on_basic(Subscriber& station, Octets message) {
    if (!is_arq_message(message_type(message))) return to_.management.receive(station, message);
    if (!on_arq_message(station, message)) station.count_malformed();
}

bool UplinkReader::on_arq_message(Subscriber& station, Octets message) {
    const auto& secondary = station.managed.connection;
    if (message_type(message) == MessageType::arq_feedback)
        return take_feedback(senders_of(station.flows, as_flows(secondary)), message.subspan(1), to_.clock.now);
    const ArqContext context{station.management, station.basic_cid, to_.clock.now};
    const auto forward = [&](Octets packet) { to_.network.from_station(station, packet); };
    if (secondary && secondary->take_arq_command(message, context, forward)) return true;
    const auto deliver_to = [&](FlowContext& flow, Octets sdu) { deliver({station, flow, to_.clock.now}, sdu); };
    return take_arq_command(station.flows, message, context, deliver_to);
}

/// Timers of the station's ARQ connections. False: it did not answer an ARQ-Reset.
bool UplinkReader::tick(Subscriber& station) {
    const ArqContext context{station.management, station.basic_cid, to_.clock.now};
    bool answered = true;
    if (const auto& secondary = station.managed.connection)
        answered = secondary->tick(context, [&](Octets packet) { to_.network.from_station(station, packet); });
    for (auto& flow : station.flows) {
        if (!has_arq(*flow)) continue;
        const Arrival arrival{station, *flow, to_.clock.now};
        answered = arq_tick(*flow, context, [this, &arrival](Octets sdu) { deliver(arrival, sdu); }) && answered;
    }
    return answered;
}

void UplinkReader::run_timers() {
    for (Subscriber* station : to_.stations.awake())
        if (!tick(*station)) station->entry.leave("it did not answer ARQ-Reset");
}

void UplinkReader::on_grant_management(Subscriber& station, FlowContext& flow, const GrantManagementSubheader& gm,
                                       phy::FrameNumber frame) {
    if (flow.config.scheduling != SchedulingType::ugs) {
        station.requests.request(flow.requests, RequestType::incremental, gm.piggyback_request(), frame, true);
        ++station.counters.requests;
        if (gm.piggyback_request() > 0) station.requests.used();
        return;
    }
    if (gm.slip_indicator()) to_.demand.slipped(flow);
    station.requests.want_poll(gm.poll_me());
}

}  // namespace wimax::mac
