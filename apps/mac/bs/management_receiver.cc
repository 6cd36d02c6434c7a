// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/management_receiver.h"

namespace wimax::mac {
namespace {

constexpr size_t kMaxWaitingAnswers = 16;

}  // namespace

void ManagementReceiver::receive(Subscriber& station, Octets message) {
    if (station.management.size() >= kMaxWaitingAnswers) return;  // it asks faster than it listens
    if (!to_.privacy.proves(station, message)) return;
    const auto handle = [&](auto request, auto&& action) {
        if (decode(message, request)) action(request);
        else station.count_malformed();
    };
    switch (message_type(message).value_or(MessageType::rng_rsp)) {
        case MessageType::rng_req:
            handle(RngReq{}, [&](const RngReq& r) { to_.ranging.on_request_in_grant(station, r); });
            break;
        case MessageType::sbc_req:
            handle(SbcReq{}, [&](const SbcReq& r) {
                to_.links.on_capabilities(station, r);
                to_.entry.on_capabilities(station, r);
            });
            break;
        case MessageType::reg_req:
            handle(RegReq{}, [&](const RegReq& r) { to_.entry.on_registration(station, r); });
            break;
        case MessageType::dsa_req:
        case MessageType::dsa_rsp:
        case MessageType::dsa_ack:
        case MessageType::dsc_req:
        case MessageType::dsc_rsp:
        case MessageType::dsc_ack:
        case MessageType::dsd_req:
        case MessageType::dsd_rsp:
            if (const auto dsx = decode_dsx(message); dsx && station.may_have_flows()) to_.flows.receive(station, *dsx);
            else station.count_malformed();
            break;
        case MessageType::tftp_cplt:
            handle(TftpCplt{}, [&](const TftpCplt&) { to_.entry.on_file_complete(station); });
            break;
        case MessageType::dbpc_req:
            handle(DbpcReq{}, [&](const DbpcReq& r) { to_.links.on_profile_request(station, r); });
            break;
        case MessageType::rep_rsp: handle(RepRsp{}, [&](const RepRsp& r) { to_.links.on_report(station, r); }); break;
        case MessageType::mca_rsp: handle(McaRsp{}, [&](const McaRsp& r) { to_.polling.answered(station, r); }); break;
        case MessageType::pkm_req: to_.privacy.receive(station, message); break;
        case MessageType::dreg_req: handle(DregReq{}, [&](const DregReq&) { on_deregistration(station); }); break;
        default: station.count_malformed();
    }
}

void ManagementReceiver::on_deregistration(Subscriber& station) {
    DregCmd bye;
    bye.action = 4;
    bye.hmac = HmacTuple{};
    to_.broadcast_replies.push(station.basic_cid, bye);
    station.entry.leave("it de-registered");
}

}  // namespace wimax::mac
