/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Network entry seen from the base station: ranging, basic capabilities, registration, service flows; and the timers.
 */
#include <mac/bs/base_station.h>
#include <mac/control/status.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kMaxInvitations = 16, kDsxRetries = 3;
constexpr int64_t kInvitationMs = 40;
constexpr uint32_t kUndeliveredWhenLost = 8;
constexpr uint8_t kAnomalyMaximumPower = 1;
constexpr uint8_t kFft256 = 1, k64Qam = 1;
constexpr uint8_t kIpv4 = 1;
constexpr uint32_t kCsIpv4Bit = 2;

}  // namespace

Subscriber* BaseStation::find(const MacAddress& mac) {
    for (auto& [cid, station] : stations_)
        if (station->mac == mac) return station.get();
    return nullptr;
}

Subscriber* BaseStation::find(uint16_t basic_or_primary_cid) {
    const uint16_t basic = cid::is_primary(basic_or_primary_cid)
                               ? static_cast<uint16_t>(basic_or_primary_cid - cid::kBasicMax)
                               : basic_or_primary_cid;
    const auto found = stations_.find(basic);
    return found == stations_.end() ? nullptr : found->second.get();
}

std::optional<StationConfig> BaseStation::provisioned(const MacAddress& mac) const {
    for (const auto& station : config_.stations)
        if (station.mac == mac) return station;
    return config_.unknown_station;
}

Subscriber* BaseStation::admit(const MacAddress& mac) {
    const auto provision = provisioned(mac);
    if (!provision || stations_.size() >= config_.max_stations) return nullptr;
    // Numbers are not reused at once: a station that was deleted may still listen to its old one.
    for (uint16_t tries = 0; tries < cid::kBasicMax; ++tries) {
        const uint16_t basic = next_basic_;
        next_basic_ = static_cast<uint16_t>(next_basic_ % cid::kBasicMax + 1);
        if (stations_.contains(basic)) continue;
        auto station = std::make_unique<Subscriber>(mac, *provision, RangingLoop(config_, layout_));
        station->basic_cid = basic;
        station->primary_cid = static_cast<uint16_t>(basic + cid::kBasicMax);
        station->dl_rate_id = provision->dl_rate_id.value_or(config_.dl_rate_id);
        station->ul_rate_id = provision->ul_rate_id.value_or(config_.ul_rate_id);
        return (stations_[basic] = std::move(station)).get();
    }
    return nullptr;
}

void BaseStation::reset_station(Subscriber& station) {
    for (const auto& flow : station.flows) basic_by_transport_.erase(flow->cid);
    auto fresh = std::make_unique<Subscriber>(station.mac, station.config, RangingLoop(config_, layout_));
    fresh->basic_cid = station.basic_cid;
    fresh->primary_cid = station.primary_cid;
    fresh->dl_rate_id = station.dl_rate_id;
    fresh->ul_rate_id = station.ul_rate_id;
    station.keep_counters();
    fresh->counters = station.counters;
    event("entry", to_text(station.mac) + " enters again");
    stations_[fresh->basic_cid] = std::move(fresh);
}

void BaseStation::remove(uint16_t basic_cid, const char* why) {
    const auto found = stations_.find(basic_cid);
    if (found == stations_.end()) return;
    for (const auto& flow : found->second->flows) basic_by_transport_.erase(flow->cid);
    event("entry", to_text(found->second->mac) + " deleted: " + why);
    if (!found->second->leaving) {  // should it still listen, it shall know
        ResCmd reset;
        reset.hmac = HmacTuple{};
        initial_.push(basic_cid, reset);
    }
    stations_.erase(found);
}

void BaseStation::on_ranging_request(const RngReq& request, uint16_t cid, const sap::RxBurst& burst) {
    Subscriber* station = nullptr;
    if (cid != cid::kInitialRanging) {
        station = find(cid);
    } else if (request.ss_mac) {
        station = find(*request.ss_mac);
        if (station && station->state > EntryState::ranged) {
            reset_station(*station);
            station = find(*request.ss_mac);
        }
        if (!station && (station = admit(*request.ss_mac)))
            event("entry", to_text(station->mac) + " initial ranging, basic CID " + std::to_string(station->basic_cid));
        if (!station) {
            ++counters_.refused_stations;
            RngRsp refusal;
            refusal.status = RangingStatus::abort;
            refusal.ss_mac = request.ss_mac;
            initial_.push(cid::kInitialRanging, refusal);
            return;
        }
    }
    if (!station) {
        ++counters_.unknown_cid;
        return;
    }
    answer_ranging(*station, cid, burst, (request.anomalies.value_or(0) & kAnomalyMaximumPower) != 0);
}

void BaseStation::answer_ranging(Subscriber& station, uint16_t cid, const sap::RxBurst& burst, bool at_limit) {
    station.last = {burst.rssi_dbm, burst.cinr_db, burst.evm_db, burst.timing_offset_samples,
                    burst.frequency_offset_hz};
    station.last_heard = now_;
    station.misses = 0;
    RangingCorrection correction = station.ranging.on_request(station.last, at_limit);
    RngRsp rsp;
    correction.put_into(rsp);
    rsp.ss_mac = station.mac;
    rsp.basic_cid = station.basic_cid;
    rsp.primary_cid = station.primary_cid;
    if (correction.status == RangingStatus::success) {
        rsp.operational_profile = OperationalProfile{diuc_of(station.dl_rate_id), broadcasts_.dcd(frame_).change_count};
        station.ranging.restart();
        if (station.state <= EntryState::ranged) {
            station.state = EntryState::ranged;
            station.t9.start(now_, layout_.samples_from_ms(config_.t9_ms));
        }
        station.invite_timer.stop();
        station.invite = false;
    } else {
        station.invite_timer.start(now_, layout_.samples_from_ms(kInvitationMs));
        station.invite = true;
        station.invitations = 0;
    }
    initial_.push(cid, rsp);
}

void BaseStation::on_management(Subscriber& station, Octets message, uint32_t) {
    const auto type = message_type(message);
    const auto handle = [&](auto request, auto&& action) {
        if (decode(message, request))
            action(request);
        else
            ++station.counters.malformed;
    };
    switch (type.value_or(MessageType::tftp_cplt)) {
        case MessageType::rng_req:
            handle(RngReq{}, [&](const RngReq& r) {
                sap::RxBurst burst;
                burst.rssi_dbm = station.last.rssi_dbm;
                burst.cinr_db = station.last.cinr_db;
                burst.timing_offset_samples = station.last.timing_offset_samples;
                burst.frequency_offset_hz = station.last.frequency_offset_hz;
                on_ranging_request(r, station.basic_cid, burst);
            });
            break;
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
                station.leaving = true;  // removed with the next tick: this may run inside its reassembler
            });
            break;
        default: ++station.counters.malformed;
    }
}

void BaseStation::on_sbc_request(Subscriber& station, const SbcReq& request) {
    if (station.state == EntryState::ranging) return;
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
    if (station.leaving) return remove(station.basic_cid, "it de-registered");
    if (station.t9.expired(now_)) return remove(station.basic_cid, "no SBC-REQ (T9)");
    if (station.t17.expired(now_)) return remove(station.basic_cid, "no registration (T17)");
    if (station.state == EntryState::ranging && station.invite_timer.expired(now_)) {
        if (++station.invitations > kMaxInvitations) return remove(station.basic_cid, "no answer to invited ranging");
        station.invite = true;
        station.invite_timer.start(now_, layout_.samples_from_ms(kInvitationMs) + 2 * layout_.frame_samples());
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
