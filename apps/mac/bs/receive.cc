/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What comes up from the PHY: contention requests, ranging requests, data bursts.
 */
#include <mac/bs/base_station.h>
#include <mac/flow/request_rules.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int64_t kRangingEagerMs = 1000;
constexpr uint32_t kActiveFrames = 8;
constexpr uint32_t kShortGrantSymbols = 12;
// Frames in which nothing of a station has come through, wherever it was put: it is not the places.
constexpr uint32_t kFramesToBlame = 32;
constexpr uint32_t kFramesToAnswer = 1 << 23;  // later than the request; half of the numbers' circle
constexpr uint32_t kMissesToRange = 3;         // in a row: does it arrive at another time than it should?

UplinkMeasurement measurement(const sap::RxBurst& burst) {
    return {burst.rssi_dbm, burst.cinr_db, burst.evm_db, burst.timing_offset_samples, burst.frequency_offset_hz};
}

}  // namespace

void BaseStation::on_contention_burst(const sap::RxBurst& burst) {
    if (!burst.detected) return;
    ++counters_.contention_bursts;
    PduReader reader(burst.payload);
    const auto pdu = reader.next();
    // The symbol holds one request header and padding; noise that passes the HCS will hardly pass this too.
    if (!pdu || !pdu->is_request || reader.next() || reader.error()) {
        ++counters_.contention_undecoded;
        return;
    }
    on_request(pdu->request, burst.frame_number, false);
}

void BaseStation::on_ranging_burst(const sap::RxBurst& burst) {
    if (!burst.detected) return;
    ++counters_.ranging_bursts;
    ranging_seen_until_ = now_ + layout_.samples_from_ms(kRangingEagerMs);
    PduReader reader(burst.payload);
    RngReq request;
    const auto pdu = reader.next();
    if (!pdu || pdu->is_request || message_type(pdu->body) != MessageType::rng_req || !decode(pdu->body, request)) {
        ++counters_.ranging_undecoded;
        return;
    }
    // A station's own CID stands for it in the opportunity it was invited to, and nowhere else.
    if (pdu->cid() != cid::kInitialRanging && pdu->cid() != burst.cid) {
        ++counters_.ranging_undecoded;
        return;
    }
    auto measured = measurement(burst);
    if (const auto* region = allocation_of(burst))
        measured.timing_offset_samples -= static_cast<float>(early_samples(*region));
    on_ranging_request(request, pdu->cid(), measured, burst.frame_number);
}

/// What a burst that was heard says of its station. `delivered`: it is the station's beyond doubt, decoded and readable
/// to its end or with a PDU whose CRC is right; what merely passed the decoder may be somebody else's.
void BaseStation::measure(Subscriber& station, bool delivered) {
    if (delivered) {
        station.undelivered = 0;
        station.delivered_at = now_;
        if (station.established()) station.stop_inviting();
    } else {
        ++station.undelivered;
    }
    if (!station.registered()) return;
    const auto correction =
        delivered ? station.ranging.on_data(station.last, now_) : station.ranging.on_failed(station.last, now_);
    if (!correction) return;
    RngRsp rsp;
    correction->put_into(rsp);
    station.management.push(station.basic_cid, rsp);
    ++station.counters.corrections;
}

/// What was planned for it; null if that is forgotten.
const sap::RxAllocation* BaseStation::allocation_of(const sap::RxBurst& burst) {
    const UplinkPlan& plan = plan_of(burst.frame_number);
    if (!plan.valid || plan.frame != burst.frame_number) return nullptr;
    const auto found = std::find_if(plan.allocations.begin(), plan.allocations.end(),
                                    [&](const auto& a) { return a.start_slot == burst.start_slot; });
    return found == plan.allocations.end() ? nullptr : &*found;
}

/// What a granted burst says of the place it was in.
void BaseStation::judge_place(Subscriber& station, const sap::RxBurst& burst, bool whole) {
    if (!station.established()) return;  // nobody may be there at all
    const sap::RxAllocation* of = allocation_of(burst);
    if (!of) return;
    if (whole) {
        station.failed_frames = 0;
    } else if (burst.frame_number != station.failed_frame) {
        station.failed_frame = burst.frame_number;
        if (++station.failed_frames == kFramesToBlame) places_.mistaken(now_);
    }
    if (station.failed_frames >= kFramesToBlame) return;
    const uint32_t first = (of->start_slot - layout_.ul_start_slot) / layout_.symbol_slots;
    const UplinkPlaces::Place place{first, uint32_t{of->preamble_symbols} + of->data_symbols};
    whole ? places_.whole(place) : places_.failed(place, station.failed_frames, now_);
}

/// A station has answered a grant that followed a request in contention in its name. With nothing but padding in room
/// for more it has asked for nothing.
void BaseStation::settle_request(Subscriber& station, const sap::RxBurst& burst, bool used) {
    const uint32_t later = (burst.frame_number - *station.unproven_since) & 0xFFFFFF;
    if (later == 0 || later > kFramesToAnswer) return;
    if (!used && burst.payload.size() < kLeastAnswerOctets) return;
    station.unproven_since.reset();
    if (!used) station.forget_requests();
}

void BaseStation::on_data_burst(const sap::RxBurst& burst) {
    const auto found = stations_.find(burst.cid);
    if (found == stations_.end()) {
        ++counters_.stale_bursts;
        return;
    }
    Subscriber& station = *found->second;
    if (!burst.detected) {
        ++station.misses;
        ++station.undelivered;
        ++station.counters.ul_missed;
        if (station.misses == kMissesToRange) range_in_place(station);
        judge_place(station, burst, false);
        return;
    }
    station.misses = 0;
    station.last_heard = now_;
    ++station.counters.ul_bursts;
    counters_.ul_capacity_bytes += burst.payload.size();
    if (!burst.fec_ok) ++station.counters.ul_fec_errors;
    station.last = measurement(burst);

    PduReader reader(burst.payload);
    size_t useful = 0;
    bool proven = false, asked = false;
    while (const auto pdu = reader.next()) {
        proven = proven || pdu->crc_style.has_value();
        if (!pdu->is_request) {
            on_pdu(station, *pdu, burst, useful);
        } else if (burst.fec_ok) {  // six octets with eight check bits: not from a damaged burst
            const Subscriber* owner = find(pdu->request.cid);
            const auto transport = basic_by_transport_.find(pdu->request.cid);
            asked =
                owner == &station || (transport != basic_by_transport_.end() && transport->second == station.basic_cid);
            if (asked)
                on_request(pdu->request, burst.frame_number, true);
            else
                ++counters_.unknown_cid;
        }
        if (!stations_.contains(burst.cid)) return;  // it has just left
    }
    counters_.ul_padding_bytes += reader.padding_octets();
    if (reader.error()) ++station.counters.ul_stopped;
    const bool whole = burst.fec_ok && !reader.error();
    measure(station, proven || whole);
    station.ul_rate.on_burst(burst.rate_id, proven || whole, station.last.cinr_db, station.ranging.exhausted());
    judge_place(station, burst, whole);
    if (whole && station.unproven_since) settle_request(station, burst, useful > 0 || asked);
    const size_t short_grant = bytes_in(station.ul_rate.id(), kShortGrantSymbols);
    if (useful >= std::min(burst.payload.size(), short_grant) / 2) station.active_frames = kActiveFrames;
}

/// `proven`: the burst was granted to the station that owns the connection. In contention anybody may name any CID;
/// such a request brings its station short grants until it uses one, and never takes its backlog from the books.
void BaseStation::on_request(const BandwidthRequestHeader& request, uint32_t frame, bool proven) {
    FlowContext* flow = nullptr;
    Subscriber* station = find(request.cid);
    if (!station) {
        const auto transport = basic_by_transport_.find(request.cid);
        if (transport != basic_by_transport_.end()) {
            station = stations_.at(transport->second).get();
            flow = station->flow_by_cid(request.cid);
        }
    }
    if (!station) {
        ++counters_.unknown_cid;
        return;
    }
    if (flow && (!flow->active || flow->config.direction != FlowDirection::uplink ||
                 flow->config.scheduling == SchedulingType::ugs))
        return;
    station->request(flow ? flow->requests : station->management_requests, request.type, request.br, frame, proven);
    if (!proven && request.br > 0) station->unproven_since = frame;
    if (proven && request.br > 0) station->active_frames = kActiveFrames;
}

/// Of a damaged burst, what has a CRC counts, and what a flow without CRC carries, but not what such a PDU asks for.
void BaseStation::on_pdu(Subscriber& station, const Pdu& pdu, const sap::RxBurst& burst, size_t& useful) {
    const bool checked = burst.fec_ok || pdu.crc_style.has_value();
    const uint32_t frame = burst.frame_number;
    useful += pdu.octets.size();
    const auto subheaders =
        pdu.header.ec ? Result<Subheaders>(parse_error(0, Reason::reserved, "encrypted")) : parse_subheaders(pdu);
    if (!subheaders) {
        ++station.counters.malformed;
        return;
    }
    const uint16_t cid = pdu.cid();
    FlowContext* flow = station.flow_by_cid(cid);
    if (!checked && (!flow || flow->config.crc)) {
        ++station.counters.malformed;
        return;
    }
    if (cid == station.basic_cid) return on_management(station, subheaders->rest, frame);
    if (cid == station.primary_cid) {
        station.primary.receive(pdu, *subheaders, [&](Octets message) { on_management(station, message, frame); });
        return;
    }
    if (!flow || !flow->reassembler || !flow->active) {
        ++counters_.unknown_cid;
        return;
    }
    if (const auto& gm = subheaders->grant_management; gm && checked) {
        if (flow->config.scheduling != SchedulingType::ugs) {
            station.request(flow->requests, RequestType::incremental, gm->piggyback_request(), frame, true);
            if (gm->piggyback_request() > 0) station.active_frames = kActiveFrames;
        } else if (gm->slip_indicator()) {
            flow->slipped_until = now_ + slip_holds(flow->config);
        }
    }
    flow->reassembler->receive(pdu, *subheaders, [&](Octets sdu) {
        ++station.counters.ul_sdus;
        station.counters.ul_bytes += sdu.size();
        learn(station, sdu);
        if (on_sdu) on_sdu(sdu);
    });
}

}  // namespace wimax::mac
