/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a subscriber station sends in an uplink frame: ranging requests, contention requests, and the contents of its
 * grants with the requests for more (clauses 6.3.6 and 6.3.8).
 */
#include <mac/flow/request_rules.h>
#include <mac/ss/subscriber_station.h>

#include <algorithm>
#include <utility>

namespace wimax::mac {
namespace {

constexpr uint8_t kRequestRate = 0;  // BPSK 1/2
constexpr uint32_t kRequestSymbols = 2;
constexpr int kRequestRetries = 16;
constexpr size_t kPiggybackMax = 0xFFFF;
constexpr uint32_t kFramesToSlip = 8;  // frames with grants

}  // namespace

const UplinkMapInForce* SubscriberStation::map_for(uint32_t frame) const {
    const auto& map = maps_[frame % maps_.size()];
    return map.valid && map.frame == (frame & 0xFFFFFF) ? &map : nullptr;
}

uint32_t SubscriberStation::first_uplink_slot(const UplinkMapInForce& map) const {
    uint32_t first = UINT32_MAX;
    for (const auto& ie : map.ies) {
        const bool data = ie.uiuc >= uiuc::kFirstProfile && ie.uiuc <= uiuc::kLastProfile;
        const bool open = ie.cid == cid::kBroadcast || ie.cid == cid::kInitialRanging;
        const bool own = basic_cid_ != 0 && ie.cid == basic_cid_;
        const bool ranging = ie.uiuc == uiuc::kInitialRanging && (own || (open && state_ == SsState::ranging));
        const bool request = ie.uiuc == uiuc::kReqRegionFull && state_ > SsState::ranging && open;
        if ((data && own) || ranging || request) first = std::min(first, slot(map, ie.start_symbols));
    }
    return first == UINT32_MAX ? 0 : first;
}

/// Of anybody: what this station may use can change until that frame (a new CID, another state).
uint32_t SubscriberStation::next_uplink_slot(const UplinkMapInForce& map) const {
    uint32_t first = UINT32_MAX;
    for (const auto& ie : map.ies)
        if (ie.uiuc >= uiuc::kInitialRanging && ie.uiuc <= uiuc::kLastProfile)
            first = std::min(first, slot(map, ie.start_symbols));
    return first == UINT32_MAX ? 0 : first;
}

void SubscriberStation::build_uplink(const UplinkMapInForce& map, sap::TxFrame& tx) {
    add_ranging(map, tx);
    if (state_ <= SsState::ranging || basic_cid_ == 0) return;
    expire_requests();
    collect_grants(map);
    bool could_ask = false;
    if (!grants_.empty()) {
        t4_.start(now_, from_ms(config_.t4_ms));
        could_ask = fill_grants(map, tx);
    }
    if (could_ask) {
        contending_ = false;
        answer_awaited_ = 0;
    } else {
        add_contention(map, tx);
    }
    std::sort(tx.bursts.begin(), tx.bursts.end(),
              [](const auto& a, const auto& b) { return a.start_slot < b.start_slot; });
}

void SubscriberStation::collect_grants(const UplinkMapInForce& map) {
    grants_.clear();
    for (const auto& ie : map.ies) {
        if (ie.cid != basic_cid_ || ie.uiuc < uiuc::kFirstProfile || ie.uiuc > uiuc::kLastProfile) continue;
        const int rate = uiuc_rates_[ie.uiuc];
        uint32_t data = ie.duration_symbols > 0 ? ie.duration_symbols - 1U : 0U;
        // The duration counts midambles; take them off, they are few.
        while (data > 0 && data + static_cast<uint32_t>(phy::midamble_count(ie.midamble, static_cast<int>(data))) + 1U >
                               ie.duration_symbols)
            --data;
        if (rate < 0 || data == 0 || (ie.subchannel != kAllSubchannels && ie.subchannel != 0)) {
            ++counters_.grants_unusable;
            continue;
        }
        grants_.push_back(
            {slot(map, ie.start_symbols), data, static_cast<uint8_t>(rate), ie.uiuc, ie.midamble, kAllSubchannels});
    }
}

/// What UGS leaves of the grants answers requests.
void SubscriberStation::note_granted(size_t left) {
    size_t octets = answering_octets(left);
    management_request_.use(octets);
    for (auto& flow : flows_)
        if (flow->transmitter) flow->request.use(octets);
}

void SubscriberStation::expire_requests() {
    management_request_.expire(now_);
    for (auto& flow : flows_) flow->request.expire(now_);
}

size_t SubscriberStation::flows_with_ugs() const {
    size_t count = 0;
    while (count < flows_.size() && flows_[count]->ugs()) ++count;
    return count;
}

void SubscriberStation::plan_ugs() {
    plan_group(0, flows_with_ugs(), SIZE_MAX);
    tell_slips();
}

/// A UGS queue that has held whole packets beyond its grants for a while has slipped against them. Its octets are the
/// flow's own: told in every PDU they would cost as much as the extra grants bring.
void SubscriberStation::tell_slips() {
    for (size_t i = 0; i < flows_with_ugs(); ++i) {
        Flow& flow = *flows_[i];
        if (flow.slipped_frames < kFramesToSlip) continue;
        flow.slipped_frames = 0;
        flow.piggyback = GrantManagementSubheader::ugs(true, false).raw;
    }
}

void SubscriberStation::watch_slips() {
    for (size_t i = 0; i < flows_with_ugs(); ++i) {
        Flow& flow = *flows_[i];
        const bool behind = flow.transmitter && flow.transmitter->whole_packets() > 0 && flow.demand() > 0;
        flow.slipped_frames = behind ? flow.slipped_frames + 1 : 0;
    }
}

/// Divides what UGS has left of a frame's grants: management, then flows by serving order, and who asks for more.
void SubscriberStation::plan_others(size_t room) {
    const size_t demand = management_.demand(), planned = std::min(demand, room);
    room -= planned;
    header_octets_ = management_request_.outdated(demand - planned) ? kHeaderOctets : 0;
    for (size_t i = flows_with_ugs(), end = i; i < flows_.size(); i = end) {
        const int order = service_order(flows_[i]->config);
        while (end < flows_.size() && service_order(flows_[end]->config) == order) ++end;
        room = plan_group(i, end, room);
    }
}

/// Flows of the same order share what is left evenly.
size_t SubscriberStation::plan_group(size_t first, size_t end, size_t room) {
    size_t waiting = 0;
    for (size_t i = first; i < end; ++i) waiting += flows_[i]->demand() > 0 ? 1 : 0;
    for (size_t i = first; i < end; ++i) {
        Flow& flow = *flows_[i];
        flow.planned = flow.piggyback = 0;
        if (!flow.transmitter) continue;
        const size_t demand = flow.demand();
        if (demand > 0) {
            flow.planned = std::min(demand, room / waiting);
            --waiting;
            room -= flow.planned;
        }
        if (!flow.ugs()) plan_request(flow, demand - flow.planned);
    }
    return room;
}

/// What the flow will have to ask for rides on its data where they are sure to go; else in a header of its own.
void SubscriberStation::plan_request(Flow& flow, size_t backlog) {
    if (!flow.request.outdated(backlog)) return;
    const bool rides = flow.config.piggyback && flow.config.fragmentation && flow.planned >= kLeastAnswerOctets;
    if (rides && !flow.request.needs_aggregate(backlog))
        flow.piggyback = std::min(backlog - flow.request.octets(), kPiggybackMax);
    else
        header_octets_ += kHeaderOctets;
}

/// UGS flows, or all others with what they planned and then with what is left; `kept` octets stay free.
void SubscriberStation::fill_flows(PduWriter& writer, bool ugs, size_t kept) {
    for (int round = 0; round < 2; ++round)
        for (auto& flow : flows_) {
            if (!flow->transmitter || flow->ugs() != ugs) continue;
            const size_t room = writer.room() - std::min(writer.room(), kept);
            const size_t limit = round == 0 ? std::min(flow->planned, room) : room;
            const size_t used = flow->transmitter->fill(writer, limit, now_, static_cast<uint16_t>(flow->piggyback));
            if (used == 0) continue;
            flow->planned -= std::min(flow->planned, used);
            if (flow->piggyback == 0) continue;
            const size_t asked = std::exchange(flow->piggyback, 0);
            if (ugs) continue;
            flow->request.incremental_sent(asked, now_, from_ms(config_.t16_ms));
            ++counters_.piggyback_requests;
        }
}

bool SubscriberStation::add_request(PduWriter& writer, RequestRecord& record, uint16_t cid, size_t backlog) {
    if (!writer.request(
            {RequestType::aggregate, static_cast<uint32_t>(std::min<size_t>(backlog, kMaxBandwidthRequest)), cid}))
        return false;
    record.aggregate_sent(backlog, now_, from_ms(config_.t16_ms));
    return true;
}

/// Of whatever the base station does not know of yet, in the room that the data have left.
void SubscriberStation::add_requests(PduWriter& writer, bool last) {
    const auto add = [&](RequestRecord& record, uint16_t cid, size_t backlog) {
        if (record.outdated(backlog) && add_request(writer, record, cid, backlog)) ++counters_.aggregate_requests;
    };
    add(management_request_, basic_cid_, management_.demand());
    for (auto& flow : flows_) {
        if (!flow->transmitter || flow->ugs()) continue;
        const size_t demand = flow->demand();
        add(flow->request, flow->cid, demand - (last ? 0 : std::min(demand, flow->planned)));
    }
}

/// A grant's UGS data come first, other flows, messages and requests get what they leave. False: not even a request.
bool SubscriberStation::fill_grants(const UplinkMapInForce& map, sap::TxFrame& tx) {
    const size_t first = tx.bursts.size();
    size_t left = 0;
    bool could_ask = false;
    plan_ugs();
    for (const auto& grant : grants_) {
        auto& burst = bursts_.add(tx.bursts);
        burst.start_slot = grant.start_slot;
        burst.rate_id = grant.rate_id;
        burst.iuc = grant.uiuc;
        burst.preamble_symbols = 1;
        burst.data_symbols = static_cast<uint16_t>(grant.data_symbols);
        burst.midamble_interval = grant.midamble;
        burst.subchannel_index = grant.subchannel;
        burst.seed_frame_lsb = map.seed_frame_lsb;
        PduWriter writer(burst.payload, bytes_in(grant.rate_id, grant.data_symbols));
        counters_.ul_capacity_bytes += writer.room();
        fill_flows(writer, true, 0);
        left += writer.room();
        could_ask = could_ask || writer.room() >= kHeaderOctets;
    }
    watch_slips();
    counters_.grants += grants_.size();
    note_granted(left);
    plan_others(left);
    for (size_t i = 0; i < grants_.size(); ++i) {
        auto& burst = tx.bursts[first + i];
        const bool last = i + 1 == grants_.size();
        PduWriter writer(burst.payload, bytes_in(burst.rate_id, burst.data_symbols));
        management_.fill(writer, writer.room());
        fill_flows(writer, false, last ? header_octets_ : 0);
        add_requests(writer, last);
        counters_.ul_payload_bytes += burst.payload.size();
    }
    return could_ask;
}

/// The first connection that waits, may contend, and of which the base station has heard nothing.
SubscriberStation::Contender SubscriberStation::contender() {
    if (!management_.empty() && management_request_.octets() == 0)
        return {basic_cid_, management_.demand(), &management_request_, nullptr};
    for (auto& flow : flows_) {
        if (!flow->config.contention_requests || flow->ugs() || flow->request.octets() > 0) continue;
        if (const size_t demand = flow->demand(); demand > 0) return {flow->cid, demand, &flow->request, flow.get()};
    }
    return {};
}

void SubscriberStation::contention_unanswered() {
    ++counters_.contention_lost;
    request_backoff_.retry(random_);
    contending_ = true;
    if (asked_cid_ == basic_cid_)
        management_request_.lost();
    else if (Flow* flow = flow_by_cid(asked_cid_))
        flow->request.lost();
}

void SubscriberStation::add_contention(const UplinkMapInForce& map, sap::TxFrame& tx) {
    const Ucd* ucd = ucds_.newest();
    if (!ucd || answer_awaited_ > 0) return;
    const Contender asker = contender();
    if (!asker.record) {
        contending_ = false;
        return;
    }
    if (!contending_) {
        request_backoff_.start(ucd->request_backoff[0] & 15, ucd->request_backoff[1] & 15, random_);
        contending_ = true;
    }
    if (request_backoff_.retries() > kRequestRetries) {
        contending_ = false;
        if (asker.flow) asker.flow->transmitter->drop_head(now_);
        return;
    }
    for (const auto& ie : map.ies) {
        if (ie.uiuc != uiuc::kReqRegionFull || ie.cid != cid::kBroadcast) continue;
        const auto opportunity = request_backoff_.pass(ie.duration_symbols / kRequestSymbols);
        if (!opportunity) continue;
        auto& burst = bursts_.add(tx.bursts);
        burst.start_slot = slot(map, ie.start_symbols + *opportunity * kRequestSymbols);
        burst.rate_id = kRequestRate;
        burst.iuc = uiuc::kReqRegionFull;
        burst.preamble_symbols = 1;
        burst.data_symbols = 1;
        burst.seed_frame_lsb = map.seed_frame_lsb;
        PduWriter writer(burst.payload, bytes_in(kRequestRate, 1));
        add_request(writer, *asker.record, asker.cid, asker.backlog);
        ++counters_.contention_requests;
        contending_ = false;
        asked_cid_ = asker.cid;
        answer_awaited_ = std::max<uint32_t>(1, ucd->reservation_timeout_maps.value_or(10)) + 1;
        return;
    }
}

}  // namespace wimax::mac
