/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/ss/contention.h"

#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/uplink_bursts.h"
#include "mac/flow/arq_exchange.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int kRequestRetries = 16;
constexpr uint8_t kMostBoostDb = 30;  // largest value of the PHY

}  // namespace

RequestContention::RequestContention(const Config& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      flows_(dependencies.flows),
      management_(dependencies.management),
      random_(dependencies.random),
      bursts_(dependencies.bursts) {}

/// The first connection with data that may contend and has no outstanding request.
RequestContention::Contender RequestContention::contender(uint16_t basic_cid) {
    const size_t management = management_.queue.demand() + feedback_octets(flows_.flows());
    if (management > 0 && management_.request.octets() == 0)
        return {basic_cid, management, &management_.request, nullptr};
    for (auto& flow : flows_.flows()) {
        if (!flow->config.contention_requests || flow->ugs() || flow->request.octets() > 0) continue;
        if (const size_t demand = flow->demand(); demand > 0) return {flow->cid, demand, &flow->request, flow.get()};
    }
    return {};
}

void RequestContention::on_map(uint16_t basic_cid) {
    if (answer_awaited_ == 0 || --answer_awaited_ > 0) return;
    ++counters_.lost;
    code_.reset();
    backoff_.retry(random_);
    contending_ = true;
    if (asked_cid_ == basic_cid) management_.request.lost();
    else if (SubscriberFlow* flow = flows_.find(asked_cid_)) flow->request.lost();
}

/// False: no connection asks, or it has tried too often; in that case the oldest packet is dropped.
bool RequestContention::may_try(const Contender& asker, const Ucd& ucd) {
    if (!asker.record) {
        contending_ = false;
        return false;
    }
    if (!contending_) {
        backoff_.start(ucd.request_backoff[0] & 15, ucd.request_backoff[1] & 15, random_);
        contending_ = true;
    }
    if (backoff_.retries() <= kRequestRetries) return true;
    contending_ = false;
    if (asker.flow) asker.flow->transmitter->drop_head(clock_.now);
    return false;
}

void RequestContention::send(const UplinkMap& uplink, const UplinkOpportunity& region, uint32_t opportunity,
                             const Contender& asker, sap::TxFrame& tx) {
    auto& burst = bursts_.add(tx.bursts);
    place_request(uplink, region, opportunity, burst);
    PduWriter writer(burst.payload, capacity_octets(burst));
    asker.record->ask(writer, asker.cid, asker.backlog, clock_.now, clock_.from_ms(config_.t16_ms));
    ++counters_.requests;
}

/// Random channel and code: more choices reduce collisions.
void RequestContention::send_code(const UplinkMap& uplink, const UplinkOpportunity& region, uint32_t opportunity,
                                  const Ucd& ucd, sap::TxFrame& tx) {
    FocusedContention code;
    code.frame_lsb4 = clock_.frame.lsb();
    code.opportunity = static_cast<uint8_t>(opportunity);
    code.channel = static_cast<uint8_t>(random_() % kFocusedChannels);
    code.code = static_cast<uint8_t>(random_() % kFocusedCodes);
    const auto boost = ucd.profiles.empty() ? std::nullopt : ucd.profiles.front().focused_power_boost_db;
    tx.codes.push_back(
        code_in(uplink, region, code, static_cast<float>(std::min<uint8_t>(boost.value_or(0), kMostBoostDb))));
    code_ = code;
    ++counters_.codes;
}

/// Sends a request in the place where the map answers the station's code.
void RequestContention::use_answer(const UplinkMap& uplink, const Ucd& ucd, uint16_t basic_cid, sap::TxFrame& tx) {
    const auto& all = uplink.opportunities();
    const auto answer = std::find_if(all.begin(), all.end(), [this](const auto& o) {
        return o.kind == OpportunityKind::focused_answer && o.code == *code_;
    });
    if (answer == all.end()) return;
    code_.reset();
    ++counters_.answered;
    const Contender asker = contender(basic_cid);
    if (!asker.record) return forget();
    send(uplink, *answer, 0, asker, tx);
    await_answer(ucd, asker.cid);
}

void RequestContention::await_answer(const Ucd& ucd, uint16_t cid) {
    contending_ = false;
    asked_cid_ = cid;
    answer_awaited_ = std::max<uint32_t>(1, ucd.reservation_timeout_maps.value_or(10)) + 1;
}

void RequestContention::add_request(const UplinkMap& uplink, const Ucd& ucd, uint16_t basic_cid, sap::TxFrame& tx) {
    if (code_) return use_answer(uplink, ucd, basic_cid, tx);
    if (answer_awaited_ > 0) return;
    const Contender asker = contender(basic_cid);
    if (!may_try(asker, ucd)) return;
    for (const auto& region : uplink.opportunities()) {
        const bool focused = region.kind == OpportunityKind::focused_region;
        if ((!focused && region.kind != OpportunityKind::request_region) || !management_.polling.may_ask(region.cid))
            continue;
        const auto opportunity = backoff_.pass(opportunities_in(region));
        if (!opportunity) continue;
        if (focused) send_code(uplink, region, *opportunity, ucd, tx);
        else send(uplink, region, *opportunity, asker, tx);
        return await_answer(ucd, asker.cid);
    }
}

}  // namespace wimax::mac
