// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/contention.h"

#include "mac/flow/arq_exchange.h"

namespace wimax::mac {
namespace {

constexpr int kRequestRetries = 16;

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
    const size_t management = management_.demand() + feedback_octets(flows_.flows(), as_flows(management_.secondary));
    if (management > 0 && management_.request.octets() == 0)
        return {basic_cid, management, &management_.request, nullptr};
    for (auto* flow : flows_.uplink()) {
        if (!flow->config.contention_requests || flow->ugs() || flow->request.octets() > 0) continue;
        if (const size_t demand = flow->demand(); demand > 0) return {flow->cid, demand, &flow->request, flow};
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
bool RequestContention::may_try(const Contender& asker, const ContentionTerms& terms) {
    if (!asker.record) {
        contending_ = false;
        return false;
    }
    if (!contending_) {
        backoff_.start(terms.requests.first, terms.requests.last, random_);
        contending_ = true;
    }
    if (backoff_.retries() <= kRequestRetries) return true;
    contending_ = false;
    if (asker.flow) asker.flow->transmitter->drop_head(clock_.now);
    return false;
}

void RequestContention::send(const SubscriberUplink& uplink, const Opportunity& region, uint32_t opportunity,
                             const ContentionTerms& terms, const Contender& asker, sap::TxFrame& tx) {
    auto& burst = bursts_.add(tx.bursts);
    uplink.place_contention(region, opportunity, terms, burst);
    PduWriter writer(burst.payload, uplink.capacity_octets(burst));
    asker.record->ask(writer, asker.cid, asker.backlog, clock_.now, clock_.from_ms(config_.t16_ms));
    ++counters_.requests;
}

/// Sends a request in the place where the map answers the station's code.
void RequestContention::use_answer(const SubscriberUplink& uplink, const ContentionTerms& terms, uint16_t basic_cid,
                                   sap::TxFrame& tx) {
    size_t index = 0;
    const Opportunity* answer = uplink.opportunity(index);
    while (answer && !uplink.answers(*answer, *code_)) answer = uplink.opportunity(++index);
    if (!answer) return;
    code_.reset();
    ++counters_.answered;
    const Contender asker = contender(basic_cid);
    if (!asker.record) return forget();
    send(uplink, *answer, 0, terms, asker, tx);
    await_answer(terms, asker.cid);
}

void RequestContention::await_answer(const ContentionTerms& terms, uint16_t cid) {
    contending_ = false;
    asked_cid_ = cid;
    answer_awaited_ = terms.answer_maps + 1;
}

void RequestContention::add_request(const SubscriberUplink& uplink, const ContentionTerms& terms, uint16_t basic_cid,
                                    sap::TxFrame& tx) {
    if (code_) return use_answer(uplink, terms, basic_cid, tx);
    if (answer_awaited_ > 0) return;
    const Contender asker = contender(basic_cid);
    if (!may_try(asker, terms)) return;
    for (size_t i = 0; const auto* region = uplink.opportunity(i); ++i) {
        const bool codes = region->kind == OpportunityKind::code_region;
        if ((!codes && region->kind != OpportunityKind::request_region) || !management_.polling.may_ask(region->cid))
            continue;
        const auto opportunity = backoff_.pass(uplink.opportunities_in(*region, terms));
        if (!opportunity) continue;
        if (codes) {
            code_ = uplink.place_code(*region, *opportunity, terms, random_, tx);
            ++counters_.codes;
        } else {
            send(uplink, *region, *opportunity, terms, asker, tx);
        }
        return await_answer(terms, asker.cid);
    }
}

}  // namespace wimax::mac
