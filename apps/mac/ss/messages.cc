/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Management messages as a subscriber station reads and writes them.
 */
#include <mac/ss/subscriber_station.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr uint8_t kPiggybackAnd11BitFsn = 3, kFft256 = 1, k64Qam = 1, kIpv4 = 1, kMacVersion = 4;
constexpr uint16_t kUplinkCids = 16;
constexpr uint32_t kCsIpv4Bit = 2;
constexpr size_t kMaxFlows = 32;
constexpr int64_t kSentAwayMs = 5000;

uint8_t power_code(float dbm) { return static_cast<uint8_t>(std::clamp(std::lround(2 * (dbm + 64)), 0L, 255L)); }

}  // namespace

SubscriberStation::Flow* SubscriberStation::flow_by_cid(uint16_t cid) {
    const auto found = std::find_if(flows_.begin(), flows_.end(), [cid](const auto& flow) { return flow->cid == cid; });
    return found == flows_.end() ? nullptr : found->get();
}

void SubscriberStation::on_pdu(const Pdu& pdu, const sap::RxBurst& burst) {
    if (pdu.is_request || pdu.header.ec) {
        ++counters_.malformed;  // neither belongs in this downlink
        return;
    }
    const auto subheaders = parse_subheaders(pdu);
    if (!subheaders) {
        ++counters_.malformed;
        return;
    }
    const uint16_t cid = pdu.cid();
    Flow* flow = flow_by_cid(cid);
    if (!burst.fec_ok && !pdu.crc_style && (!flow || flow->config.crc)) {
        ++counters_.malformed;  // of a damaged burst only what its CRC vouches for, or what never has one
        return;
    }
    if (cid == cid::kBroadcast) return on_broadcast(subheaders->rest, burst);
    if (cid == cid::kInitialRanging || (basic_cid_ != 0 && cid == basic_cid_))
        return on_management(subheaders->rest, cid);
    if (primary_cid_ != 0 && cid == primary_cid_)
        return primary_.receive(pdu, *subheaders, [&](Octets message) { on_management(message, cid); });
    if (flow && flow->reassembler)
        flow->reassembler->receive(pdu, *subheaders, [&](Octets sdu) {
            if (on_sdu) on_sdu(sdu);
        });
    else
        ++counters_.foreign_pdus;
}

void SubscriberStation::on_broadcast(Octets message, const sap::RxBurst& burst) {
    const auto handle = [&](auto& target, auto&& action) {
        if (decode(message, target))
            action();
        else
            ++counters_.malformed;
    };
    const auto type = message_type(message);
    if (state_ == SsState::scanning && burst.detected && now_ >= blocked_until_) {
        if (heard_at_ < 0) heard_at_ = burst.frame_start_sample;
        t21_.start(now_, from_ms(config_.t21_ms));
        set_state(SsState::downlink_map, "downlink found");
    }
    if (type == MessageType::dl_map)
        handle(dl_map_, [&] { on_dl_map(dl_map_); });
    else if (type == MessageType::ul_map)
        handle(ul_map_, [&] { on_ul_map(ul_map_, burst); });
    else if (type == MessageType::dcd)
        handle(dcd_, [&] { on_dcd(dcd_, burst); });
    else if (type == MessageType::ucd)
        handle(ucd_, [&] { on_ucd(ucd_); });
    else
        ++counters_.malformed;
}

void SubscriberStation::on_dl_map(const DlMap& map) {
    if ((config_.bsid && *config_.bsid != map.bs_id) || (bsid_ && *bsid_ != map.bs_id)) return;
    ++counters_.dl_maps;
    bsid_ = map.bs_id;
    dl_map_fresh_ = true;
    use_profiles(map.dcd_count);
    lost_dl_map_.start(now_, from_ms(config_.lost_dl_map_ms));
    descriptors_known();
}

void SubscriberStation::on_dcd(const Dcd& dcd, const sap::RxBurst& burst) {
    ++counters_.dcds;
    if (dcd.frame_number) frame_offset_ = (*dcd.frame_number - burst.frame_number) & 0xFFFFFF;
    Dcd& lasting = lasting_dcd_ = dcd;
    lasting.frame_number.reset();  // it alone differs from one to the next
    dcds_.store(lasting);
    if (dcd_in_force_) use_profiles(*dcd_in_force_);
    if (dcd.frame_duration_code && *dcd.frame_duration_code < phy::kFrameDurationUs.size())
        frame_slots_ = static_cast<uint32_t>(sample_rate_hz_ * phy::kFrameDurationUs[*dcd.frame_duration_code] /
                                             1'000'000 / phy::kSamplesPerSlot);
    if (t1_.running()) t1_.start(now_, from_ms(config_.t1_ms));
    descriptors_known();
}

/// A new set of burst profiles holds from the first DL-MAP on that carries its count.
void SubscriberStation::use_profiles(uint8_t dcd_count) {
    dcd_in_force_ = dcd_count;
    const Dcd* dcd = dcds_.find(dcd_count);
    if (!dcd || rates_of(*dcd) == diuc_rates_) return;
    diuc_rates_ = rates_of(*dcd);
    profiles_changed_ = true;
}

void SubscriberStation::on_ucd(const Ucd& ucd) {
    ++counters_.ucds;
    ucds_.store(ucd);
    if (t12_.running()) t12_.start(now_, from_ms(config_.t12_ms));
    descriptors_known();
}

void SubscriberStation::on_ul_map(const UlMap& map, const sap::RxBurst& burst) {
    ++counters_.maps;
    const Ucd* ucd = ucds_.find(map.ucd_count);
    if (!ucd || frame_slots_ == 0) {
        counters_.maps_unusable += state_ > SsState::descriptors ? 1 : 0;
        return;
    }
    lost_ul_map_.start(now_, from_ms(config_.lost_ul_map_ms));
    uiuc_rates_ = rates_of(*ucd);
    const uint32_t ahead = map.alloc_start_ps / frame_slots_;
    auto& slot = maps_[(burst.frame_number + ahead) % maps_.size()];
    slot.valid = ahead <= 1;
    slot.frame = (burst.frame_number + ahead) & 0xFFFFFF;
    slot.seed_frame_lsb = burst.frame_lsb & 15;
    slot.start_slot = map.alloc_start_ps % frame_slots_;
    slot.ies = map.ies;
    if (answer_awaited_ > 0 && --answer_awaited_ == 0) contention_unanswered();
}

void SubscriberStation::on_management(Octets message, uint16_t cid) {
    const auto handle = [&](auto decoded, auto&& action) {
        if (decode(message, decoded))
            action(decoded);
        else
            ++counters_.malformed;
    };
    const auto type = message_type(message);
    if (type == MessageType::rng_rsp)
        return handle(RngRsp{}, [&](const RngRsp& rsp) { on_ranging_response(rsp, cid); });
    if (cid == cid::kInitialRanging) return;
    switch (type.value_or(MessageType::tftp_cplt)) {
        case MessageType::sbc_rsp:
            handle(SbcRsp{}, [&](const SbcRsp&) {
                if (state_ != SsState::capabilities) return;
                t18_.stop();
                set_state(SsState::registration, "SBC-RSP received");
                send_registration();
                t6_.start(now_, from_ms(config_.t6_ms));
            });
            break;
        case MessageType::reg_rsp:
            handle(RegRsp{}, [&](const RegRsp& rsp) {
                if (state_ != SsState::registration) return;
                if (rsp.response != 0) return start_ranging("registration refused");
                t6_.stop();
                flows_timer_.start(now_, from_ms(config_.operational_ms));
                set_state(SsState::registered, "");
                check_operational();
            });
            break;
        case MessageType::dsa_req: handle(DsaReq{}, [&](const DsaReq& r) { on_dsa_request(r); }); break;
        case MessageType::dsa_ack: handle(DsaAck{}, [&](const DsaAck& ack) { on_dsa_acknowledge(ack); }); break;
        case MessageType::dsd_req:
            handle(DsdReq{}, [&](const DsdReq& request) {
                DsdRsp rsp;
                rsp.tid = request.tid;
                rsp.sfid = request.sfid;
                rsp.cc =
                    std::any_of(flows_.begin(), flows_.end(), [&](const auto& f) { return f->sfid == request.sfid; })
                        ? confirmation::kSuccess
                        : confirmation::kFlowNotFound;
                rsp.hmac = HmacTuple{};
                delete_flow(request.sfid);
                management_.push(primary_cid_, rsp);
                check_operational();
            });
            break;
        case MessageType::res_cmd:
            handle(ResCmd{}, [&](const ResCmd&) { restart("reset by the base station"); });
            break;
        case MessageType::dreg_cmd:
            handle(DregCmd{}, [&](const DregCmd& command) { on_deregistration(command); });
            break;
        case MessageType::rep_req: handle(RepReq{}, [&](const RepReq& asked) { send_report(asked); }); break;
        case MessageType::dsx_rvd:
        case MessageType::dbpc_rsp: break;  // nothing is asked for that these would answer
        default: ++counters_.malformed;
    }
}

void SubscriberStation::send_sbc_request() {
    SbcReq request;
    request.bandwidth_allocation = 0;
    request.transition_gaps_us = std::array<uint8_t, 2>{0, 0};
    const uint8_t most = power_code(max_power_dbm_);
    request.maximum_power = std::array<uint8_t, 4>{most, most, most, most};
    request.pdu_construction = kPiggybackAnd11BitFsn;
    request.current_transmit_power = power_code(power_dbm_);
    request.fft_sizes = kFft256;
    request.demodulator = k64Qam;
    request.modulator = k64Qam;
    management_.push(basic_cid_, request);
}

/// Clause 8.3.9 and 6.3.2.3.33: what is asked for, as far as it was measured.
void SubscriberStation::send_report(const RepReq& asked) {
    namespace bit = tlv::report_request;
    if (!asked.request || state_ < SsState::registration) return;
    const uint8_t type = asked.request->type.value_or(0);
    if (const unsigned alpha = type >> bit::kAveragingShift & bit::kAveragingMask; alpha != 0)
        quality_.set_averaging(static_cast<float>(alpha) * phy::kAveragingStep);
    const auto codes = [](uint8_t mean, const phy::RunningPower& of) {
        return std::array<uint8_t, 2>{mean, phy::deviation_code(of.deviation_db())};
    };
    RepRsp answer;
    auto& report = answer.report.emplace();
    report.channel = asked.request->channel;
    if (type & bit::basic) report.basic = tlv::report::not_measured;
    if (type & bit::cinr && quality_.cinr.measured())
        report.cinr = codes(phy::cinr_mean_code(quality_.cinr.mean_db()), quality_.cinr);
    if (type & bit::rssi && quality_.rssi.measured())
        report.rssi = codes(phy::rssi_mean_code(quality_.rssi.mean_db()), quality_.rssi);
    if (type & bit::current_power) answer.current_transmit_power = power_code(power_dbm_);
    management_.push(basic_cid_, answer);
}

void SubscriberStation::send_registration() {
    RegReq request;
    request.managed = 0;
    request.ip_version = kIpv4;
    request.uplink_cids = kUplinkCids;
    request.cs_support = kCsIpv4Bit;
    request.arq = 0;
    request.mac_crc = 1;
    request.mac_version = kMacVersion;
    request.hmac = HmacTuple{};
    management_.push(primary_cid_, request);
}

void SubscriberStation::on_dsa_request(const DsaReq& request) {
    if (state_ < SsState::registration) return;
    for (auto& transaction : transactions_)
        if (transaction.tid == request.tid) {  // our answer was lost
            management_.push(primary_cid_, transaction.response);
            return;
        }
    if (state_ == SsState::registration) return;  // its REG-RSP is still missing; the request will be repeated
    Transaction transaction;
    transaction.tid = request.tid;
    transaction.response.tid = request.tid;
    transaction.response.hmac = HmacTuple{};
    bool ok = request.uplink || request.downlink;
    if (request.downlink) ok = add_flow(*request.downlink, FlowDirection::downlink, transaction.response) && ok;
    if (request.uplink) ok = add_flow(*request.uplink, FlowDirection::uplink, transaction.response) && ok;
    if (!ok && transaction.response.cc == confirmation::kSuccess)
        transaction.response.cc = confirmation::kParameterMissing;
    transaction.sent = 1;
    transaction.t8.start(now_, from_ms(config_.t8_ms));
    management_.push(primary_cid_, transaction.response);
    transactions_.push_back(std::move(transaction));
    check_operational();
}

void SubscriberStation::on_dsa_acknowledge(const DsaAck& ack) {
    for (auto& transaction : transactions_) {
        if (transaction.tid != ack.tid || transaction.acknowledged) continue;
        transaction.acknowledged = true;
        transaction.t8.stop();
        transaction.t10.start(now_, from_ms(config_.t10_ms));
        if (ack.cc != confirmation::kSuccess) undo(ack.tid, "DSA-ACK with code " + std::to_string(ack.cc));
    }
    check_operational();
}

/// Actions of clause 6.3.2.3.26: 0 leave the channel, 1 listen only, 2 management only, 3 go on, 4 after its own wish.
void SubscriberStation::on_deregistration(const DregCmd& command) {
    if (command.action == 0 || command.action == 4) {
        blocked_until_ = now_ + from_ms(kSentAwayMs);
        return restart("sent away by the base station");
    }
    if (command.action > 4 || muted_ == (command.action == 1)) return;
    muted_ = command.action == 1;
    event("entry", muted_ ? "told to be silent" : "may transmit again");
    if (!muted_ && t4_.running()) t4_.start(now_, from_ms(config_.t4_ms));
}

bool SubscriberStation::add_flow(const ServiceFlow& parameters, FlowDirection direction, DsaRsp& response) {
    ServiceFlow echo;
    echo.sfid = parameters.sfid;
    echo.cid = parameters.cid;
    (direction == FlowDirection::uplink ? response.uplink : response.downlink) = echo;
    if (!parameters.sfid || !parameters.cid || !cid::is_transport(*parameters.cid)) return false;
    if (parameters.cs_specification.value_or(kCsIpv4) != kCsIpv4) {
        response.cc = confirmation::kUnrecognized;
        return false;
    }
    const bool exists = std::any_of(flows_.begin(), flows_.end(), [&](const auto& flow) {
        return flow->cid == *parameters.cid || flow->sfid == *parameters.sfid;
    });
    if (exists || flows_.size() >= kMaxFlows) {
        response.cc = exists ? confirmation::kFlowExists : confirmation::kTemporary;
        return false;
    }
    auto flow = std::make_unique<Flow>();
    flow->sfid = *parameters.sfid;
    flow->cid = *parameters.cid;
    flow->tid = response.tid;
    flow->config = from_message(parameters, direction);
    if (direction == FlowDirection::uplink) {
        SduQueueConfig queue;
        queue.limit_bytes = config_.queue_limit_bytes;
        const auto frame = static_cast<float>(frame_slots_ * phy::kSamplesPerSlot);
        queue.codel_target = static_cast<Samples>(config_.codel_target_frames * frame);
        queue.codel_interval = from_ms(config_.codel_interval_ms);
        flow->transmitter = std::make_unique<FlowTransmitter>(flow->cid, flow->config, pool_, queue, sample_rate_hz_);
    } else {
        flow->reassembler = std::make_unique<Reassembler>(kMaxSduOctets);
    }
    event("flow", std::string(direction == FlowDirection::uplink ? "uplink" : "downlink") + " flow " +
                      std::to_string(flow->sfid) + ", CID " + std::to_string(flow->cid));
    flows_.push_back(std::move(flow));
    // In the base station's serving order, so that both sides account grants alike.
    std::stable_sort(flows_.begin(), flows_.end(), [](const auto& a, const auto& b) {
        const int order_a = service_order(a->config), order_b = service_order(b->config);
        return order_a != order_b ? order_a < order_b : a->sfid < b->sfid;
    });
    return true;
}

void SubscriberStation::delete_flow(uint32_t sfid) {
    std::erase_if(flows_, [&](const auto& flow) {
        if (flow->sfid != sfid) return false;
        if (flow->transmitter) {
            counters_.ul_sdus += flow->transmitter->counters().sdus;
            counters_.ul_bytes += flow->transmitter->counters().sdu_octets;
            counters_.ul_dropped += flow->transmitter->dropped();
        }
        if (flow->reassembler) {
            counters_.dl_sdus += flow->reassembler->counters().sdus;
            counters_.dl_bytes += flow->reassembler->counters().sdu_octets;
            counters_.dl_dropped += flow->reassembler->counters().dropped;
        }
        return true;
    });
}

/// Flows that a transaction has added; those of others with the same SFID stay.
void SubscriberStation::undo(uint16_t tid, const std::string& why) {
    for (size_t i = flows_.size(); i-- > 0;) {
        if (flows_[i]->tid != tid) continue;
        const uint32_t sfid = flows_[i]->sfid;
        event("flow", why + ", flow " + std::to_string(sfid) + " deleted");
        delete_flow(sfid);
    }
}

void SubscriberStation::drop_flows() {
    while (!flows_.empty()) delete_flow(flows_.front()->sfid);
}

void SubscriberStation::check_operational() {
    bool up = false, down = false;
    for (const auto& flow : flows_) (flow->transmitter ? up : down) = true;
    if (state_ == SsState::registered && up && down) {
        flows_timer_.stop();
        operational_at_ = now_;
        set_state(SsState::operational, "");
    } else if (state_ == SsState::operational && !(up && down)) {
        flows_timer_.start(now_, from_ms(config_.operational_ms));
        set_state(SsState::registered, "service flows deleted");
    }
}

}  // namespace wimax::mac
