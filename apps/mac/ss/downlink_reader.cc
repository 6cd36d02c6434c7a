// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/downlink_reader.h"

#include "mac/pdu/fast_power.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// In longer bursts each PDU is looked at: a search in the index can pass all of them, and a hostile burst has
/// thousands.
constexpr size_t kMostSearched = 256;

/// What follows the subheaders, of which broadcast messages have none.
std::optional<Octets> broadcast_message(const Pdu& pdu) {
    if (pdu.header.type == 0) return pdu.body;
    const auto subheaders = parse_subheaders(pdu);
    return subheaders ? std::optional(subheaders->rest) : std::nullopt;
}

}  // namespace

void DownlinkReader::receive(const sap::RxBurst& burst, ReadBurst& reading, bool broadcast) {
    ++counters_.bursts;
    if (!burst.detected || !burst.fec_ok) ++counters_.undecoded_bursts;
    to_.air.on_burst(burst, broadcast);
    if (!burst.detected) return;
    own_ = false;
    for (size_t i = 0; i < reading.size(); ++i) {
        // Without errors in the burst the CRC of other stations' PDUs is not checked.
        const size_t next = burst.fec_ok ? next_own(reading, i) : i;
        counters_.foreign_pdus += next - i;
        i = next;
        if (i == reading.size()) break;
        if (const Pdu* pdu = reading.usable(i)) on_pdu(*pdu, burst, reading);
    }
    if (reading.stopped()) ++counters_.stopped_bursts;
    to_.profile.on_burst(burst, broadcast, burst.fec_ok && !reading.stopped(), own_);
}

/// Bandwidth requests are for no station: on_pdu() counts them.
bool DownlinkReader::for_this_station(const Pdu& pdu) const {
    const uint16_t cid = pdu.cid(), basic = to_.ranging.basic_cid();
    if (is_for_all(pdu) || flow_of(as_flows(to_.management.secondary), cid)) return true;
    return (basic != 0 && (cid == basic || cid == to_.ranging.primary_cid())) || to_.flows.find(cid);
}

size_t DownlinkReader::next_own(const ReadBurst& reading, size_t i) const {
    if (reading.size() > kMostSearched) {
        while (i < reading.size() && !for_this_station(reading.pdu(i))) ++i;
        return i;
    }
    size_t first = reading.next(cid::kBroadcast, i);
    if (first == i) return i;  // all PDUs of most broadcast bursts
    const auto look_for = [&](uint16_t cid) {
        if (reading.may_have(cid)) first = std::min(first, reading.next(cid, i));
    };
    if (to_.ranging.basic_cid() != 0) {
        look_for(to_.ranging.basic_cid());
        look_for(to_.ranging.primary_cid());
        if (const auto& secondary = to_.management.secondary) look_for(secondary->cid);
    }
    for (const uint16_t cid : to_.flows.cids()) look_for(cid);
    return first;
}

void DownlinkReader::on_pdu(const Pdu& received, const sap::RxBurst& burst, ReadBurst& reading) {
    const uint16_t cid = received.cid(), basic = to_.ranging.basic_cid(), primary = to_.ranging.primary_cid();
    if (cid == cid::kBroadcast) return on_broadcast_pdu(received, burst, reading);
    const bool own_management = basic != 0 && (cid == basic || cid == primary);
    SubscriberFlow* flow = to_.flows.find(cid);
    SecondaryConnection* secondary = flow_of(as_flows(to_.management.secondary), cid);
    if (received.header.ec && !flow && !secondary && !own_management && cid::may_be_transport(cid)) {
        ++counters_.foreign_pdus;
        return;
    }
    if (received.is_request || (received.header.ec && !flow && !secondary)) {
        ++counters_.malformed;  // neither belongs in this downlink
        return;
    }
    if (!burst.fec_ok && !received.crc_style && (!flow || flow->config.crc)) {
        ++counters_.malformed;  // in a damaged burst, only PDUs with a CRC, or of flows without one
        return;
    }
    const auto said = secondary ? secondary->said : flow ? flow->said : std::nullopt;
    const Pdu* clear = to_.privacy.open(said, received, to_.air.in_network(burst.frame_number));
    if (!clear) return;
    const Pdu& pdu = *clear;
    const auto subheaders = parse_subheaders(pdu);
    if (!subheaders) {
        ++counters_.malformed;
        return;
    }
    own_ = own_ || flow || own_management || secondary;
    if (cid == cid::kInitialRanging || (basic != 0 && cid == basic)) return on_management(subheaders->rest, cid);
    if (primary != 0 && cid == primary)
        return to_.management.primary.receive(pdu, *subheaders, [&](Octets message) { on_management(message, cid); });
    const bool checked = burst.fec_ok || pdu.crc_style.has_value();
    if (checked && (secondary || (flow && flow->receives()))) take_attached_feedback(pdu, *subheaders);
    if (secondary)
        return secondary->reassembler->receive(pdu, *subheaders,
                                               [this](Octets packet) { to_.managed.receive(packet); });
    if (!flow || !flow->receives()) {
        ++counters_.foreign_pdus;
        return;
    }
    flow->reassembler->receive(pdu, *subheaders, [this, flow](Octets sdu) { hand_over(*flow, sdu); });
}

/// The broadcast connection has neither a flow nor an SA.
void DownlinkReader::on_broadcast_pdu(const Pdu& pdu, const sap::RxBurst& burst, ReadBurst& reading) {
    const bool readable = !pdu.is_request && !pdu.header.ec && (burst.fec_ok || pdu.crc_style);
    if (const auto message = readable ? broadcast_message(pdu) : std::nullopt) on_broadcast(*message, burst, reading);
    else ++counters_.malformed;
}

void DownlinkReader::take_attached_feedback(const Pdu& pdu, const Subheaders& subheaders) {
    const auto senders = senders_of(to_.flows.flows(), as_flows(to_.management.secondary));
    if (subheaders.feedback && !take_feedback(senders, pdu, subheaders, to_.clock.now)) ++counters_.malformed;
}

void DownlinkReader::hand_over(SubscriberFlow& flow, Octets sdu) const {
    if (flow.suppression) sdu = flow.suppression->receive(sdu, flow.config.phs, flow.retired_rules);
    if (!sdu.empty() && to_.on_sdu) to_.on_sdu(sdu);
}

void DownlinkReader::run_timers() {
    bool answered = true;
    if (auto& secondary = to_.management.secondary)
        answered = secondary->tick(arq_context(), [this](Octets packet) { to_.managed.receive(packet); });
    if (to_.flows.with_arq())
        for (auto& flow : to_.flows.flows())
            if (has_arq(*flow)) {
                const auto sink = [this, &flow](Octets sdu) { hand_over(*flow, sdu); };
                answered = arq_tick(*flow, arq_context(), sink) && answered;
            }
    if (!answered) to_.entry.restart("ARQ-Reset not answered");
}

void DownlinkReader::on_broadcast(Octets message, const sap::RxBurst& burst, ReadBurst& reading) {
    to_.entry.on_downlink(burst.frame_start_sample);
    if (message_type(message) == MessageType::fpc) return on_fast_power(message);
    // Before it is served, a response in the same burst may give it another CID.
    const uint16_t own_cid = to_.entry.served() ? to_.ranging.basic_cid() : 0;
    const Broadcast kind = to_.air.on_message(message, reading, burst, own_cid);
    if (kind == Broadcast::malformed) ++counters_.malformed;
    if (kind == Broadcast::unusable_ul_map && to_.entry.state() > SsState::descriptors) ++counters_.maps_unusable;
    to_.entry.on_broadcast(kind);
    if (kind == Broadcast::ul_map) to_.contention.on_map(to_.ranging.basic_cid());
}

void DownlinkReader::on_fast_power(Octets message) {
    const auto control = FastPowerControl::read(message);
    if (!control) {
        ++counters_.malformed;
        return;
    }
    const uint16_t basic = to_.ranging.basic_cid();
    if (const auto adjust = basic != 0 ? control->adjust_qdb(basic) : std::nullopt) to_.ranging.on_fast_power(*adjust);
}

void DownlinkReader::on_management(Octets message, uint16_t cid) {
    const auto handle = [&](auto decoded, auto&& action) {
        if (decode(message, decoded)) action(decoded);
        else ++counters_.malformed;
    };
    const auto type = message_type(message);
    EntryProcedure& entry = to_.entry;
    if (type == MessageType::rng_rsp)
        return handle(RngRsp{}, [&](const RngRsp& rsp) { entry.on_ranging_response(rsp, cid); });
    if (cid == cid::kInitialRanging) return;
    if (!to_.privacy.proves(message)) return;
    if (is_arq_message(type)) {
        if (!on_arq_message(message)) ++counters_.malformed;
        return;
    }
    switch (type.value_or(MessageType::tftp_cplt)) {
        case MessageType::sbc_rsp: handle(SbcRsp{}, [&](const SbcRsp& rsp) { entry.on_capabilities(rsp); }); break;
        case MessageType::pkm_rsp: to_.privacy.receive(message); break;
        case MessageType::reg_rsp: handle(RegRsp{}, [&](const RegRsp& rsp) { entry.on_registration(rsp); }); break;
        case MessageType::tftp_rsp: handle(TftpRsp{}, [&](const TftpRsp& rsp) { to_.managed.on_response(rsp); }); break;
        case MessageType::dsa_req:
        case MessageType::dsa_rsp:
        case MessageType::dsa_ack:
        case MessageType::dsc_req:
        case MessageType::dsc_rsp:
        case MessageType::dsc_ack:
        case MessageType::dsd_req:
        case MessageType::dsd_rsp:
        case MessageType::dsx_rvd:
            if (const auto dsx = decode_dsx(message)) {
                to_.agent.receive(*dsx);
                entry.check_operational();
            } else {
                ++counters_.malformed;
            }
            break;
        case MessageType::mca_req: handle(McaReq{}, [&](const McaReq& r) { on_polling_group(r); }); break;
        case MessageType::res_cmd:
            handle(ResCmd{}, [&](const ResCmd&) { entry.restart("reset by the base station"); });
            break;
        case MessageType::dreg_cmd:
            handle(DregCmd{}, [&](const DregCmd& command) { entry.on_deregistration(command); });
            break;
        case MessageType::rep_req: handle(RepReq{}, [&](const RepReq& asked) { on_report_request(asked); }); break;
        case MessageType::dbpc_rsp: handle(DbpcRsp{}, [&](const DbpcRsp& rsp) { to_.profile.on_response(rsp); }); break;
        default: ++counters_.malformed;
    }
}

bool DownlinkReader::on_arq_message(Octets message) {
    const auto& secondary = to_.management.secondary;
    if (message_type(message) == MessageType::arq_feedback)
        return take_feedback(senders_of(to_.flows.flows(), as_flows(secondary)), message.subspan(1), to_.clock.now);
    const auto forward = [this](Octets packet) { to_.managed.receive(packet); };
    if (secondary && secondary->take_arq_command(message, arq_context(), forward)) return true;
    const auto deliver = [this](SubscriberFlow& flow, Octets sdu) { hand_over(flow, sdu); };
    return take_arq_command(to_.flows.flows(), message, arq_context(), deliver);
}

void DownlinkReader::on_polling_group(const McaReq& request) {
    if (to_.entry.state() < SsState::registered) return;
    McaRsp answer;
    answer.tid = request.tid;
    answer.cc = to_.management.polling.change(request) ? confirmation::kSuccess : confirmation::kRejectOther;
    if (!request.plain()) to_.event("mac", "refused a polling group with periodic allocations");
    to_.management.queue.push(to_.ranging.primary_cid(), answer);
}

void DownlinkReader::on_report_request(const RepReq& asked) {
    if (!asked.request || to_.entry.state() < SsState::registration) return;
    RepRsp answer = to_.air.report(asked);
    namespace bit = tlv::report_request;
    const unsigned alpha = asked.request->type.value_or(0) >> bit::kAveragingShift & bit::kAveragingMask;
    if (alpha != 0) to_.profile.set_averaging(static_cast<float>(alpha) * phy::kAveragingStep);
    if (asked.request->type.value_or(0) & tlv::report_request::current_power)
        answer.current_transmit_power = power_code(to_.ranging.corrections().power_dbm());
    to_.management.queue.push(to_.ranging.basic_cid(), answer);
}

}  // namespace wimax::mac
