/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/ss/contention.h"

#include "mac/opportunities.h"

#include <algorithm>

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

/// The first connection that waits, may contend, and of which the base station has heard nothing.
RequestContention::Contender RequestContention::contender(uint16_t basic_cid) {
    if (!management_.queue.empty() && management_.request.octets() == 0)
        return {basic_cid, management_.queue.demand(), &management_.request, nullptr};
    for (auto& flow : flows_.flows()) {
        if (!flow->config.contention_requests || flow->ugs() || flow->request.octets() > 0) continue;
        if (const size_t demand = flow->demand(); demand > 0) return {flow->cid, demand, &flow->request, flow.get()};
    }
    return {};
}

void RequestContention::on_map(uint16_t basic_cid) {
    if (answer_awaited_ == 0 || --answer_awaited_ > 0) return;
    ++counters_.lost;
    backoff_.retry(random_);
    contending_ = true;
    if (asked_cid_ == basic_cid)
        management_.request.lost();
    else if (SubscriberFlow* flow = flows_.find(asked_cid_))
        flow->request.lost();
}

/// False: nobody asks, or the one who does has tried too often; then the packet that waits longest is given up.
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

void RequestContention::send(const UplinkMap& uplink, const UplinkOpportunity& region, uint32_t symbol,
                             const Contender& asker, sap::TxFrame& tx) {
    auto& burst = bursts_.add(tx.bursts);
    burst.start_slot = uplink.slot(region, symbol);
    burst.format.rate_id = kRequestRate;
    burst.format.iuc = uiuc::kReqRegionFull;
    burst.format.preamble = kRequestPreamble;
    burst.format.data_symbols = kRequestDataSymbols;
    burst.format.frame_lsb = uplink.seed_frame_lsb();
    PduWriter writer(burst.payload, bytes_in(kRequestRate, kRequestDataSymbols));
    asker.record->ask(writer, asker.cid, asker.backlog, clock_.now, clock_.from_ms(config_.t16_ms));
    ++counters_.requests;
}

void RequestContention::add_request(const UplinkMap& uplink, const Ucd& ucd, uint16_t basic_cid, sap::TxFrame& tx) {
    if (answer_awaited_ > 0) return;
    const Contender asker = contender(basic_cid);
    if (!may_try(asker, ucd)) return;
    for (const auto& region : uplink.opportunities()) {
        if (region.kind != OpportunityKind::request_region || region.cid != cid::kBroadcast) continue;
        const auto opportunity = backoff_.pass(region.duration_symbols / kRequestOpportunitySymbols);
        if (!opportunity) continue;
        send(uplink, region, *opportunity * kRequestOpportunitySymbols, asker, tx);
        contending_ = false;
        asked_cid_ = asker.cid;
        answer_awaited_ = std::max<uint32_t>(1, ucd.reservation_timeout_maps.value_or(10)) + 1;
        return;
    }
}

}  // namespace wimax::mac
