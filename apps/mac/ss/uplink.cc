/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a subscriber station sends in an uplink frame: ranging requests, contention requests, and the contents of its
 * grants with the requests for more (clauses 6.3.6 and 6.3.8).
 */
#include <mac/ss/subscriber_station.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr uint8_t kRequestRate = 0;  // BPSK 1/2
constexpr uint32_t kRequestSymbols = 2;
constexpr int kRequestRetries = 16;
/// An aggregate request now and then brings both sides' books together again.
constexpr uint32_t kRequestsPerAggregate = 16;
/// The base station's record may differ by this much before it is worth an aggregate request.
constexpr size_t kRecordSlack = 3000;
constexpr size_t kPiggybackMax = 0xFFFF;

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
        const bool ranging = ie.uiuc == uiuc::kInitialRanging && state_ == SsState::ranging && (open || own);
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
    if (!grants_.empty()) {
        t4_.start(now_, from_ms(config_.t4_ms));
        contending_ = false;
        answer_awaited_ = 0;
        fill_grants(map, tx);
    } else {
        add_contention(map, tx);
    }
}

/// The base station books a grant against its records in this order; so does the station.
void SubscriberStation::note_granted(size_t octets) {
    const auto use = [&octets](size_t& recorded) {
        const size_t part = std::min(recorded, octets);
        recorded -= part;
        octets -= part;
    };
    use(management_recorded_);
    for (auto& flow : flows_)
        if (flow->transmitter) use(flow->recorded);
}

/// Divides `room` octets among the flows and decides who asks for more, and how.
void SubscriberStation::plan_flows(size_t room) {
    for (size_t i = 0; i < flows_.size();) {
        const int order = service_order(flows_[i]->config);
        size_t end = i, waiting = 0;
        for (; end < flows_.size() && service_order(flows_[end]->config) == order; ++end)
            waiting += flows_[end]->transmitter && flows_[end]->transmitter->demand() > 0 ? 1 : 0;
        for (; i < end; ++i) {
            Flow& flow = *flows_[i];
            flow.planned = flow.piggyback = 0;
            flow.aggregate = false;
            if (!flow.transmitter) continue;
            const size_t demand = flow.transmitter->demand();
            if (demand == 0) {
                flow.aggregate = flow.recorded > kRecordSlack;
                continue;
            }
            flow.planned = std::min(demand, room / std::max<size_t>(1, waiting));
            if (waiting > 1) --waiting;
            room -= flow.planned;
            if (flow.config.scheduling == SchedulingType::ugs) continue;
            const size_t after = demand - flow.planned;
            if (after == 0 && flow.recorded <= kRecordSlack) continue;
            const bool drifted = flow.recorded > after + kRecordSlack;
            if (!drifted && after <= flow.recorded) continue;
            flow.aggregate = drifted || !flow.config.piggyback || flow.planned <= kFragmentOverheadOctets ||
                             flow.since_aggregate >= kRequestsPerAggregate;
            if (!flow.aggregate) flow.piggyback = std::min(after - flow.recorded, kPiggybackMax);
        }
    }
}

void SubscriberStation::fill_grants(const UplinkMapInForce& map, sap::TxFrame& tx) {
    size_t total = 0;
    for (const auto& grant : grants_) total += bytes_in(grant.rate_id, grant.data_symbols);
    note_granted(total);
    counters_.grants += grants_.size();
    counters_.ul_capacity_bytes += total;
    const size_t management = std::min(total, management_.demand());
    const bool asks = total >= 2 * kHeaderOctets;
    plan_flows(total - management);
    bool first = true;
    for (const auto& grant : grants_) {
        auto& burst = tx.bursts.emplace_back();
        burst.start_slot = grant.start_slot;
        burst.rate_id = grant.rate_id;
        burst.iuc = grant.uiuc;
        burst.preamble_symbols = 1;
        burst.data_symbols = static_cast<uint16_t>(grant.data_symbols);
        burst.midamble_interval = grant.midamble;
        burst.subchannel_index = grant.subchannel;
        burst.seed_frame_lsb = map.seed_frame_lsb;
        PduWriter writer(burst.payload, bytes_in(grant.rate_id, grant.data_symbols));
        if (first && asks)
            for (auto& flow : flows_) {
                if (!flow->aggregate) continue;
                const size_t demand = flow->transmitter->demand();
                const size_t after = demand - std::min(demand, flow->planned);
                if (!writer.request({RequestType::aggregate,
                                     static_cast<uint32_t>(std::min<size_t>(after, kMaxBandwidthRequest)), flow->cid}))
                    break;
                flow->recorded = after;
                flow->since_aggregate = 0;
                ++counters_.aggregate_requests;
            }
        first = false;
        management_.fill(writer, writer.room());
        for (int round = 0; round < 2; ++round)
            for (auto& flow : flows_) {
                if (!flow->transmitter) continue;
                const size_t limit = round == 0 ? flow->planned : writer.room();
                const size_t used =
                    flow->transmitter->fill(writer, limit, now_, static_cast<uint16_t>(flow->piggyback));
                if (used == 0) continue;
                flow->planned -= std::min(flow->planned, used);
                if (flow->piggyback != 0) {
                    flow->recorded += flow->piggyback;
                    flow->piggyback = 0;
                    ++flow->since_aggregate;
                    ++counters_.piggyback_requests;
                }
            }
        counters_.ul_payload_bytes += burst.payload.size();
    }
}

bool SubscriberStation::wants_contention() const {
    if (!management_.empty() && management_recorded_ == 0) return true;
    return std::any_of(flows_.begin(), flows_.end(), [](const auto& flow) {
        return flow->transmitter && flow->config.contention_requests && flow->recorded == 0 &&
               flow->transmitter->demand() > 0;
    });
}

void SubscriberStation::add_contention(const UplinkMapInForce& map, sap::TxFrame& tx) {
    const Ucd* ucd = ucds_.newest();
    if (!ucd || answer_awaited_ > 0) return;
    if (!contending_) {
        if (!wants_contention()) return;
        request_backoff_.start(ucd->request_backoff[0] & 15, ucd->request_backoff[1] & 15, random_);
        contending_ = true;
    }
    Flow* asker = nullptr;
    for (auto& flow : flows_)
        if (!asker && flow->transmitter && flow->config.contention_requests && flow->transmitter->demand() > 0)
            asker = flow.get();
    if (request_backoff_.retries() > kRequestRetries) {
        contending_ = false;
        if (asker) asker->transmitter->drop_head(now_);
        return;
    }
    if (!asker && management_.empty()) {
        contending_ = false;
        return;
    }
    for (const auto& ie : map.ies) {
        if (ie.uiuc != uiuc::kReqRegionFull || ie.cid != cid::kBroadcast) continue;
        const auto opportunity = request_backoff_.pass(ie.duration_symbols / kRequestSymbols);
        if (!opportunity) continue;
        auto& burst = tx.bursts.emplace_back();
        burst.start_slot = slot(map, ie.start_symbols + *opportunity * kRequestSymbols);
        burst.rate_id = kRequestRate;
        burst.iuc = uiuc::kReqRegionFull;
        burst.preamble_symbols = 1;
        burst.data_symbols = 1;
        burst.seed_frame_lsb = map.seed_frame_lsb;
        PduWriter writer(burst.payload, bytes_in(kRequestRate, 1));
        const bool for_management = !management_.empty();
        const size_t octets = for_management ? management_.demand() : asker->transmitter->demand();
        writer.request({RequestType::aggregate, static_cast<uint32_t>(std::min<size_t>(octets, kMaxBandwidthRequest)),
                        for_management ? basic_cid_ : asker->cid});
        (for_management ? management_recorded_ : asker->recorded) = octets;
        ++counters_.contention_requests;
        contending_ = false;
        answer_awaited_ = std::max<uint32_t>(1, ucd->reservation_timeout_maps.value_or(10)) + 1;
        return;
    }
}

}  // namespace wimax::mac
