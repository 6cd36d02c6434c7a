/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/ss/service_flow_setup.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kDsxRetries = 3;

}  // namespace

ServiceFlowSetup::ServiceFlowSetup(const Config& config, const Dependencies& dependencies)
    : config_(config), clock_(dependencies.clock), flows_(dependencies.flows), management_(dependencies.management) {}

bool ServiceFlowSetup::add(const ServiceFlow& parameters, FlowDirection direction, Samples frame_samples,
                           DsaRsp& response) {
    ServiceFlow echo;
    echo.sfid = parameters.sfid;
    echo.cid = parameters.cid;
    auto& answered = direction == FlowDirection::uplink ? response.uplink : response.downlink;
    put_arq(arq_of(parameters), echo);
    answered = echo;
    const uint8_t code = flows_.add(parameters, direction, response.tid, frame_samples);
    // Of two faults the one that says more.
    if (code != confirmation::kSuccess &&
        (response.cc == confirmation::kSuccess || code != confirmation::kParameterMissing))
        response.cc = code;
    return code == confirmation::kSuccess;
}

void ServiceFlowSetup::on_request(const DsaReq& request, uint16_t primary_cid, bool registered, Samples frame_samples) {
    for (auto& transaction : transactions_)
        if (transaction.tid == request.tid) {  // our answer was lost
            management_.push(primary_cid, transaction.response);
            return;
        }
    if (!registered) return;  // the REG-RSP is still missing; the request will be repeated
    Transaction transaction;
    transaction.tid = request.tid;
    transaction.response.tid = request.tid;
    transaction.response.hmac = HmacTuple{};
    if (!request.uplink && !request.downlink) transaction.response.cc = confirmation::kParameterMissing;
    if (request.downlink) add(*request.downlink, FlowDirection::downlink, frame_samples, transaction.response);
    if (request.uplink) add(*request.uplink, FlowDirection::uplink, frame_samples, transaction.response);
    transaction.sent = 1;
    transaction.t8.start(clock_.now, clock_.from_ms(config_.t8_ms));
    management_.push(primary_cid, transaction.response);
    transactions_.push_back(std::move(transaction));
}

void ServiceFlowSetup::on_acknowledge(const DsaAck& ack) {
    for (auto& transaction : transactions_) {
        if (transaction.tid != ack.tid || transaction.acknowledged) continue;
        transaction.acknowledged = true;
        transaction.t8.stop();
        transaction.t10.start(clock_.now, clock_.from_ms(config_.t10_ms));
        if (ack.cc != confirmation::kSuccess)
            flows_.remove_added_by(ack.tid, "DSA-ACK with code " + std::to_string(ack.cc));
    }
}

void ServiceFlowSetup::on_delete(const DsdReq& request, uint16_t primary_cid) {
    DsdRsp rsp;
    rsp.tid = request.tid;
    rsp.sfid = request.sfid;
    rsp.cc = flows_.contains(request.sfid) ? confirmation::kSuccess : confirmation::kFlowNotFound;
    rsp.hmac = HmacTuple{};
    flows_.remove(request.sfid);
    management_.push(primary_cid, rsp);
}

void ServiceFlowSetup::run_timers(uint16_t primary_cid) {
    std::erase_if(transactions_, [&](Transaction& transaction) {
        if (!transaction.t8.expired(clock_.now)) return transaction.t10.expired(clock_.now);
        if (++transaction.sent <= 1 + kDsxRetries) {
            management_.push(primary_cid, transaction.response);
            transaction.t8.start(clock_.now, clock_.from_ms(config_.t8_ms));
            return false;
        }
        flows_.remove_added_by(transaction.tid, "no DSA-ACK (T8)");
        return true;  // a repeated DSA-REQ begins anew: it must not be told that the flow is there
    });
}

}  // namespace wimax::mac
