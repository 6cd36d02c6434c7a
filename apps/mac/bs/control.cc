/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Network entry seen from the base station, after ranging: basic capabilities, registration, service flows; and the
 * timers.
 */
#include <mac/bs/base_station.h>
#include <mac/control/status.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kMaxInvitations = 16, kDsxRetries = 3;
constexpr uint32_t kUndeliveredWhenLost = 8;
constexpr size_t kMaxWaitingAnswers = 16;
constexpr uint8_t kFft256 = 1, k64Qam = 1;
constexpr uint8_t kIpv4 = 1;
constexpr uint32_t kCsIpv4Bit = 2;

}  // namespace

void BaseStation::on_management(Subscriber& station, Octets message, uint32_t) {
    if (station.management.size() >= kMaxWaitingAnswers) return;  // who asks faster than it listens waits for itself
    const auto type = message_type(message);
    const auto handle = [&](auto request, auto&& action) {
        if (decode(message, request))
            action(request);
        else
            ++station.counters.malformed;
    };
    switch (type.value_or(MessageType::tftp_cplt)) {
        case MessageType::rng_req: handle(RngReq{}, [&](const RngReq& r) { on_ranging_in_grant(station, r); }); break;
        case MessageType::sbc_req: handle(SbcReq{}, [&](const SbcReq& r) { on_sbc_request(station, r); }); break;
        case MessageType::reg_req: handle(RegReq{}, [&](const RegReq& r) { on_registration(station, r); }); break;
        case MessageType::dsa_rsp: handle(DsaRsp{}, [&](const DsaRsp& r) { on_dsa_response(station, r); }); break;
        case MessageType::dsa_req:
            // Flows are provisioned here: a station's own wish is answered at once and refused.
            handle(DsaReq{}, [&](const DsaReq& r) {
                DsxRvd received;
                received.tid = r.tid;
                station.management.push(station.primary_cid, received);
                DsaRsp refusal;
                refusal.tid = r.tid;
                refusal.cc = confirmation::kPermanent;
                refusal.hmac = HmacTuple{};
                station.management.push(station.primary_cid, refusal);
            });
            break;
        case MessageType::dbpc_req:
            handle(DbpcReq{}, [&](const DbpcReq&) {
                DbpcRsp present;  // the profile in use: rates are provisioned
                present.diuc = diuc_of(station.dl_rate_id);
                present.change_count = broadcasts_.dcd(frame_).change_count;
                station.management.push(station.basic_cid, present);
            });
            break;
        case MessageType::dreg_req:
            handle(DregReq{}, [&](const DregReq&) {
                DregCmd bye;
                bye.action = 4;
                bye.hmac = HmacTuple{};
                initial_.push(station.basic_cid, bye);
                station.leaving =
                    "it de-registered";  // removed with the next tick: this may run inside its reassembler
            });
            break;
        default: ++station.counters.malformed;
    }
}

void BaseStation::on_sbc_request(Subscriber& station, const SbcReq& request) {
    if (station.state == EntryState::ranging) return;
    if (station.state == EntryState::ranged && !takes_over(station)) {
        if (!station.leaving) station.waiting_sbc = request;
        return;
    }
    SbcRsp rsp;
    const auto both = [](const Opt<uint8_t>& theirs, uint8_t ours) -> Opt<uint8_t> {
        return theirs ? Opt<uint8_t>(*theirs & ours) : std::nullopt;
    };
    rsp.bandwidth_allocation = both(request.bandwidth_allocation, 0);
    rsp.pdu_construction = both(request.pdu_construction, 3);
    rsp.fft_sizes = both(request.fft_sizes, kFft256);
    rsp.demodulator = both(request.demodulator, k64Qam);
    rsp.modulator = both(request.modulator, k64Qam);
    rsp.authorization_policy = both(request.authorization_policy, 0);
    station.management.push(station.basic_cid, rsp);
    if (station.state == EntryState::ranged) {
        station.state = EntryState::capable;
        station.t9.stop();
        station.t17.start(now_, layout_.samples_from_ms(config_.t17_ms));
    }
}

void BaseStation::on_registration(Subscriber& station, const RegReq& request) {
    if (station.state < EntryState::capable) return;
    RegRsp rsp;
    rsp.managed = 0;
    rsp.ip_version = kIpv4;
    rsp.uplink_cids = request.uplink_cids;
    rsp.cs_support = request.cs_support.value_or(kCsIpv4Bit) & kCsIpv4Bit;
    rsp.maximum_classifiers = request.maximum_classifiers;
    rsp.arq = 0;
    rsp.mac_crc = 1;
    rsp.mac_version = 4;
    rsp.hmac = HmacTuple{};
    station.management.push(station.primary_cid, rsp);
    if (station.state != EntryState::capable) return;  // its answer was lost, the flows are under way
    station.state = EntryState::registered;
    station.delivered_at = now_;
    station.t17.stop();
    event("entry", to_text(station.mac) + " registered");
    create_flows(station);
}

uint16_t BaseStation::new_transport_cid() {
    while (basic_by_transport_.contains(next_transport_))
        next_transport_ =
            next_transport_ >= cid::kLastTransport ? cid::kFirstTransport : static_cast<uint16_t>(next_transport_ + 1);
    const uint16_t result = next_transport_;
    next_transport_ = result >= cid::kLastTransport ? cid::kFirstTransport : static_cast<uint16_t>(result + 1);
    return result;
}

void BaseStation::create_flows(Subscriber& station) {
    auto flows = station.config.flows;
    if (flows.empty()) {
        flows.resize(2);
        flows[1].direction = FlowDirection::uplink;
    }
    std::stable_sort(flows.begin(), flows.end(),
                     [](const auto& a, const auto& b) { return service_order(a) < service_order(b); });
    for (auto& parameters : flows) {
        parameters.classifiers = bound_rules(parameters, station.config.ip_addresses);
        auto flow = std::make_unique<FlowContext>(next_sfid_++, new_transport_cid(), parameters);
        basic_by_transport_[flow->cid] = station.basic_cid;
        flow->tid = next_tid_;
        next_tid_ = next_tid_ == 0xFFFF ? 0x8000 : static_cast<uint16_t>(next_tid_ + 1);
        flow->reserved = TokenBucket(parameters.min_reserved_rate_bps, 3000 + parameters.min_reserved_rate_bps / 8 / 50,
                                     layout_.sample_rate_hz());
        station.flows.push_back(std::move(flow));
        send_dsa_request(station, *station.flows.back());
    }
}

void BaseStation::send_dsa_request(Subscriber& station, FlowContext& flow) {
    DsaReq request;
    request.tid = flow.tid;
    (flow.config.direction == FlowDirection::downlink ? request.downlink : request.uplink) =
        to_message(flow.config, flow.sfid, flow.cid);
    request.hmac = HmacTuple{};
    station.management.push(station.primary_cid, request);
    flow.pending = true;
    ++flow.requests_sent;
    flow.t7.start(now_, layout_.samples_from_ms(config_.t7_ms));
}

void BaseStation::activate(Subscriber& station, FlowContext& flow) {
    flow.active = true;
    destinations_known_ = false;
    if (flow.config.direction == FlowDirection::downlink) {
        SduQueueConfig queue = queue_config_;
        queue.limit_bytes = flow.config.queue_limit_bytes;
        flow.transmitter =
            std::make_unique<FlowTransmitter>(flow.cid, flow.config, pool_, queue, layout_.sample_rate_hz());
    } else {
        flow.reassembler = std::make_unique<Reassembler>(kMaxSduOctets);
    }
    event("flow", to_text(station.mac) + (flow.config.direction == FlowDirection::downlink ? " downlink" : " uplink") +
                      " flow " + std::to_string(flow.sfid) + " active, CID " + std::to_string(flow.cid));
}

void BaseStation::on_dsa_response(Subscriber& station, const DsaRsp& response) {
    FlowContext* flow = station.flow_by_tid(response.tid);
    if (!flow) {
        ++station.counters.malformed;
        return;
    }
    DsaAck ack;  // also to a repeated response: the first one's answer was lost
    ack.tid = response.tid;
    if (!flow->pending && !flow->active && response.cc == confirmation::kSuccess)
        ack.cc = confirmation::kRejectOther;  // too late: it was given up (T7)
    ack.hmac = HmacTuple{};
    station.management.push(station.primary_cid, ack);
    if (!flow->pending) return;
    flow->pending = false;
    flow->t7.stop();
    if (response.cc == confirmation::kSuccess) {
        activate(station, *flow);
    } else {
        flow->refused = true;
        event("flow", to_text(station.mac) + " refused flow " + std::to_string(flow->sfid) + ", code " +
                          std::to_string(response.cc));
    }
    settle(station);
}

void BaseStation::settle(Subscriber& station) {
    const auto& flows = station.flows;
    const bool open = std::any_of(flows.begin(), flows.end(), [](const auto& flow) { return flow->pending; });
    const bool any = std::any_of(flows.begin(), flows.end(), [](const auto& flow) { return flow->active; });
    if (open || !any || station.state != EntryState::registered) return;
    station.state = EntryState::operational;
    station.operational_at = now_;
    event("entry", to_text(station.mac) + " operational");
}

void BaseStation::check_station(Subscriber& station) {
    if (station.leaving) return remove(station.basic_cid, station.leaving);
    if (station.waiting_sbc) on_sbc_request(station, SbcReq(*std::exchange(station.waiting_sbc, std::nullopt)));
    if (station.t9.expired(now_)) return remove(station.basic_cid, "no SBC-REQ (T9)");
    if (station.t17.expired(now_)) return remove(station.basic_cid, "no registration (T17)");
    if (station.invite_timer.expired(now_)) {
        if (station.invitations >= kMaxInvitations && station.state == EntryState::ranging)
            return remove(station.basic_cid, "no answer to invited ranging");
        invite_again(station);
    }
    if (station.registered() && station.undelivered >= kUndeliveredWhenLost &&
        now_ - station.delivered_at > layout_.samples_from_ms(config_.station_lost_ms)) {
        ++counters_.lost_stations;
        return remove(station.basic_cid, station.misses >= station.undelivered
                                             ? "lost, no answer to its grants"
                                             : "lost, none of its bursts is readable");
    }
    for (auto& flow : station.flows) {
        if (!flow->pending || !flow->t7.expired(now_)) continue;
        if (flow->requests_sent <= kDsxRetries) {
            send_dsa_request(station, *flow);
        } else {
            flow->pending = false;
            flow->refused = true;
            event("flow", to_text(station.mac) + " did not answer DSA-REQ of flow " + std::to_string(flow->sfid));
            settle(station);
        }
    }
}

void BaseStation::run_timers() {
    for (auto it = stations_.begin(); it != stations_.end();) {
        Subscriber& station = *(it++)->second;  // it may be removed
        check_station(station);
    }
}

}  // namespace wimax::mac
