/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plan of an uplink subframe: contention regions first (what they say is then known before the next frame is planned),
 * short grants, long grants, each where bursts came through lately. Regions prove nothing, for mostly nobody uses them;
 * so now and then they go to the end of the subframe, and grants show what their places are worth.
 */
#include <mac/bs/base_station.h>
#include <mac/flow/request_rules.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr uint32_t kRequestOpportunitySymbols = 2, kRangingPreambleSymbols = 2, kRangingDataSymbols = 2;
constexpr uint32_t search_symbols(uint32_t region) { return region - kRangingPreambleSymbols - kRangingDataSymbols; }
/// A served station whose timing is lost may arrive that much before a region for it.
constexpr uint32_t kEarlySymbols = 2;
/// Enough for SBC-REQ, REG-REQ and DSA-RSP of a station that is entering.
constexpr size_t kEntryOctets = 90;
constexpr uint32_t kUnprovenSymbols = 5;  // a frame, for a request that anybody may have sent
constexpr uint32_t kEntryGrants = 8;      // of them in a frame
constexpr size_t kPduAllowance = kPduOverheadOctets + 2;
constexpr int64_t kNrtpsPollMs = 500;
/// UGS grants that found no room are made up for, those of that many frames at most.
constexpr double kUgsCreditFrames = 4.0;
constexpr double kSlipExtra = 0.01;     // more grants while the slip indicator is set (clause 6.3.5)
constexpr double kSlipIntervals = 12;   // it holds so long, for not every PDU carries it
constexpr uint32_t kFramesPerTurn = 4;  // in one of so many the request region is the last thing in the subframe

/// Seconds between grants or polls.
double grant_interval(const ServiceFlowConfig& flow, double frame_seconds) {
    if (flow.grant_interval_us != 0) return flow.grant_interval_us * 1e-6;
    return flow.scheduling == SchedulingType::nrtps ? kNrtpsPollMs * 1e-3 : frame_seconds;
}

/// Room for so many octets of UGS packets, the first of which may have been sent in part.
size_t ugs_due(double owed, double packet) {
    if (owed < 1) return 0;
    return static_cast<size_t>(std::ceil(owed - 1e-6) +
                               std::ceil(owed / packet - 1e-6) * static_cast<double>(kPduAllowance));
}

/// What a grant of less than was due leaves owed: the last packets, and of the one that is cut what the grant did not
/// hold. Its second piece needs a header of its own; charging the first one for it would leave the queue longer with
/// every cut. A piece without room for a fragment carries nothing.
double ugs_left(const FlowContext& flow, size_t due, size_t paid) {
    if (paid >= due) return 0;
    if (paid < kLeastAnswerOctets) return flow.ugs_owed_octets;
    const double grant = flow.ugs_packet_octets + kPduAllowance, missing = static_cast<double>(due - paid);
    const double part = std::fmod(missing, grant);
    const bool carries = flow.config.fragmentation && grant - part >= kLeastAnswerOctets;
    const double cut = part == 0 || carries ? part : flow.ugs_packet_octets;
    return std::min(flow.ugs_owed_octets, std::floor(missing / grant) * flow.ugs_packet_octets + cut);
}

}  // namespace

sap::RxAllocation BaseStation::allocation(uint32_t symbol) const {
    sap::RxAllocation a;
    a.start_slot = layout_.ul_slot(symbol);
    a.seed_frame_lsb = static_cast<uint8_t>(frame_ & 15);
    return a;
}

/// `early`: symbols before the region in which its first burst may arrive too.
bool BaseStation::add_region(uint16_t cid, uint8_t uiuc, uint32_t opportunities, bool last, uint32_t early) {
    const bool ranging = uiuc == uiuc::kInitialRanging;
    const uint32_t size = ranging ? config_.profile.ranging_symbols : kRequestOpportunitySymbols;
    const auto symbol = places_.region(early + size * opportunities, last);
    if (!symbol) return false;
    UlMapIe ie;
    ie.cid = cid;
    ie.start_symbols = static_cast<uint16_t>(*symbol + early);
    ie.uiuc = uiuc;
    ie.duration_symbols = static_cast<uint16_t>(size * opportunities);
    ul_map_.ies.push_back(ie);
    for (uint32_t i = 0; i < opportunities; ++i) {
        auto a = allocation(*symbol + i * size);
        a.kind = ranging ? sap::BurstKind::ranging : sap::BurstKind::contention;
        a.iuc = uiuc;
        a.rate_id = 0;
        a.preamble_symbols = ranging ? kRangingPreambleSymbols : 1;
        a.data_symbols = ranging ? kRangingDataSymbols : 1;
        if (ranging) a.search_slots = static_cast<uint16_t>((early + search_symbols(size)) * layout_.symbol_slots);
        a.cid = cid;
        plan_->allocations.push_back(a);
    }
    (ranging ? ul_symbols_.ranging : ul_symbols_.contention) += ie.duration_symbols;
    return true;
}

/// How long before a ranging region the PHY has begun to search.
uint32_t BaseStation::early_samples(const sap::RxAllocation& region) const {
    const uint32_t usual = search_symbols(config_.profile.ranging_symbols) * layout_.symbol_slots;
    return (region.search_slots - usual) * phy::kSamplesPerSlot;
}

bool BaseStation::ranging_region_due(bool idle) {
    const bool due = now_ >= next_ranging_region_;
    const bool eager = config_.profile.spare_ranging && idle && (stations_.empty() || now_ < ranging_seen_until_);
    if (due)
        next_ranging_region_ =
            now_ + std::max<Samples>(
                       0, layout_.samples_from_ms(config_.profile.ranging_interval_ms) - layout_.frame_samples() / 2);
    return due || eager;
}

UplinkClaim BaseStation::claim_for(Subscriber& station) {
    UplinkClaim claim;
    claim.cid = station.basic_cid;
    claim.rate_id = station.ul_rate.id();
    claim.weight = station.config.weight;
    claim.history = &station.ul_history;
    claim.frames_waiting = station.frames_since_grant;
    claim.active = station.active_frames > 0;
    claim.requested_octets = station.requested_octets();
    if (station.unproven_since)
        claim.requested_octets = std::min(claim.requested_octets, bytes_in(claim.rate_id, kUnprovenSymbols));
    claim.entering = !station.registered();
    if (entry_grant_due(station)) claim.guaranteed_octets = kEntryOctets;
    const Samples silent = now_ - std::max(station.last_heard, station.last_grant);
    const auto t27 = station.misses > 0 ? config_.t27_active_ms : config_.t27_idle_ms;
    claim.poll = station.challenged || silent >= layout_.samples_from_ms(t27);
    for (auto& flow : station.flows) {
        flow->due_octets = 0;
        flow->poll_due = false;
        if (flow->active && flow->config.direction == FlowDirection::uplink) claim_for(*flow, claim);
    }
    return claim;
}

Samples BaseStation::slip_holds(const ServiceFlowConfig& flow) const {
    const double frame = layout_.frame_seconds();
    const double seconds = kSlipIntervals * std::max(frame, grant_interval(flow, frame));
    return static_cast<Samples>(seconds * static_cast<double>(layout_.sample_rate_hz()));
}

/// What is due to the flow in this frame. It is spent when the grant is made, in spend().
void BaseStation::claim_for(FlowContext& flow, UplinkClaim& claim) {
    const auto& config = flow.config;
    const double frame = layout_.frame_seconds(), interval = grant_interval(config, frame);
    switch (config.scheduling) {
        case SchedulingType::ugs: {
            const double per_frame = frame / interval * (now_ < flow.slipped_until ? 1 + kSlipExtra : 1);
            flow.ugs_intervals += per_frame;
            const double elapsed = std::floor(flow.ugs_intervals + 1e-6);
            flow.ugs_intervals -= elapsed;
            flow.ugs_packet_octets = config.max_sustained_rate_bps / 8.0 * interval;
            flow.ugs_owed_octets = std::min(flow.ugs_owed_octets + elapsed * flow.ugs_packet_octets,
                                            kUgsCreditFrames * std::max(1.0, per_frame) * flow.ugs_packet_octets);
            flow.due_octets = ugs_due(flow.ugs_owed_octets, flow.ugs_packet_octets);
            break;
        }
        case SchedulingType::rtps:
        case SchedulingType::nrtps: flow.poll_due = now_ >= flow.next_poll; [[fallthrough]];
        case SchedulingType::best_effort:
            flow.reserved.update(now_);
            if (!flow.reserved.limited()) break;
            flow.due_octets = std::min(flow.requests.octets, flow.reserved.available());
            claim.requested_octets -= std::min(claim.requested_octets, flow.due_octets);
    }
    claim.poll = claim.poll || flow.poll_due;
    claim.guaranteed_octets += flow.due_octets;
}

/// The grant pays what was due, in serving order. Returns the octets that answer requests: all but those of UGS.
size_t BaseStation::spend(Subscriber& station, size_t octets) {
    size_t left = octets, ugs = 0;
    for (auto& flow : station.flows) {
        const size_t due = flow->due_octets, paid = std::min(left, due);
        left -= paid;
        flow->due_octets = 0;
        if (flow->config.scheduling == SchedulingType::ugs && paid > 0) {
            flow->ugs_owed_octets = ugs_left(*flow, due, paid);
            ugs += paid;
        } else {
            flow->reserved.take(paid);
        }
        if (!flow->poll_due) continue;
        const double interval = grant_interval(flow->config, layout_.frame_seconds());
        flow->next_poll = now_ + static_cast<Samples>(interval * static_cast<double>(layout_.sample_rate_hz())) -
                          layout_.frame_samples() / 2;
    }
    return octets - ugs;
}

void BaseStation::add_burst(const Subscriber& station, UplinkPlaces::Place place) {
    UlMapIe ie;
    ie.cid = station.basic_cid;
    ie.start_symbols = static_cast<uint16_t>(place.first);
    ie.uiuc = uiuc_of(station.ul_rate.id());
    ie.duration_symbols = static_cast<uint16_t>(place.count);
    ul_map_.ies.push_back(ie);
    auto a = allocation(place.first);
    a.kind = sap::BurstKind::data;
    a.iuc = ie.uiuc;
    a.rate_id = station.ul_rate.id();
    a.preamble_symbols = 1;
    a.data_symbols = static_cast<uint16_t>(place.count - 1);
    a.cid = station.basic_cid;
    plan_->allocations.push_back(a);
    ul_symbols_.preamble += 1;
    ul_symbols_.data += a.data_symbols;
}

/// In as many bursts as its places ask for; returns the map elements that it took.
uint32_t BaseStation::add_grant(Subscriber& station, const UplinkClaim& claim, uint32_t elements) {
    // Of one that has not shown itself yet a silent grant says nothing: it is tried at either end.
    const bool last = !station.established() && station.misses % 2 == 1;
    uint32_t left = claim.data_symbols, bursts = 0;
    size_t octets = 0;
    while (left > 0 && bursts < elements) {
        const auto place = places_.burst(std::min(left, kMaxBurstDataSymbols) + 1, last);
        if (!place) break;
        add_burst(station, *place);
        octets += bytes_in(station.ul_rate.id(), place->count - 1);
        left -= place->count - 1;
        ++bursts;
    }
    if (bursts == 0) return 0;
    station.counters.ul_symbols += claim.data_symbols - left + bursts;
    station.granted(plan_->frame, spend(station, octets), now_);
    return bursts;
}

/// Elements of a UL-MAP that fits into one PDU and, with a DL-MAP and the descriptor that is due, into burst #1.
size_t BaseStation::room_for_elements() const {
    constexpr size_t kDlMapOctets = 60;
    const size_t room = bytes_in(config_.broadcast_rate_id, layout_.max_broadcast_symbols);
    const size_t fixed = kUlMapOctets + kDlMapOctets + broadcasts_.octets(broadcasts_.due(now_));
    return std::min(kMaxUlMapElements, (room - std::min(room, fixed)) / kUlMapElementOctets);
}

/// The map found no room: nobody will send, and nothing is to be waited for. Stations ask again (T16).
void BaseStation::withdraw_uplink() {
    plan_->allocations.clear();
    ++counters_.ul_maps_failed;
}

void BaseStation::schedule_grants() {
    claims_.clear();
    entry_grants_left_ = kEntryGrants;
    for (auto& [cid, station] : stations_) {
        ++station->frames_since_grant;
        if (station->active_frames > 0) --station->active_frames;
        if (station->state != EntryState::ranging) claims_.push_back(claim_for(*station));
    }
    const size_t others = ul_map_.ies.size() + 1;  // regions, and the end of the map
    const size_t room = std::max(others + 1, room_for_elements());
    auto elements = static_cast<uint32_t>(room - others);
    places_.count_room(elements);
    scheduler_.schedule(claims_, places_.room(), elements - std::min(elements - 1, places_.cuts()));
    counters_.ul_map_full += scheduler_.refused() > 0 ? 1 : 0;
    std::sort(claims_.begin(), claims_.end(), [](const UplinkClaim& a, const UplinkClaim& b) {
        return a.data_symbols != b.data_symbols ? a.data_symbols < b.data_symbols : a.cid < b.cid;
    });
    for (const auto& claim : claims_)
        if (claim.data_symbols > 0) elements -= add_grant(*stations_.at(claim.cid), claim, elements);
}

/// Elements and allocations in the order of their time, and the end.
void BaseStation::end_map() {
    std::sort(ul_map_.ies.begin(), ul_map_.ies.end(),
              [](const UlMapIe& a, const UlMapIe& b) { return a.start_symbols < b.start_symbols; });
    std::sort(plan_->allocations.begin(), plan_->allocations.end(),
              [](const auto& a, const auto& b) { return a.start_slot < b.start_slot; });
    uint32_t used = 0;
    for (const auto& ie : ul_map_.ies) used += ie.duration_symbols;
    ul_symbols_.idle += layout_.ul_symbols - used;
    UlMapIe end;
    end.uiuc = uiuc::kEndOfMap;
    if (!ul_map_.ies.empty()) {
        const UlMapIe& last = ul_map_.ies.back();
        end.start_symbols = static_cast<uint16_t>(last.start_symbols + last.duration_symbols);
    }
    ul_map_.ies.push_back(end);
}

void BaseStation::plan_regions() {
    bool idle = true;
    for (const auto& [cid, station] : stations_) idle = idle && station->requested_octets() == 0;
    const uint32_t requests = config_.profile.request_opportunities;
    uint32_t symbols = requests * kRequestOpportunitySymbols;
    const bool turned = plan_->frame % kFramesPerTurn == 0;
    places_.begin(now_, symbols + config_.profile.ranging_symbols, turned);
    if (requests > 0) add_region(cid::kBroadcast, uiuc::kReqRegionFull, requests, turned, 0);
    // Half of the subframe stays for data, unless it is so short that one region takes more (validate() saw that one
    // fits); an invitation goes before an open region, both come again.
    const uint32_t limit = std::max(layout_.ul_symbols / 2, symbols + config_.profile.ranging_symbols);
    const auto fits = [&] { return symbols + config_.profile.ranging_symbols <= limit; };
    uint32_t invitations = idle ? UINT32_MAX : 1;
    while (Subscriber* station = invitations > 0 && fits() ? next_invited() : nullptr) {
        --invitations;
        const bool last = station->invitations % 2 == 1;
        const uint32_t early = station->established() ? kEarlySymbols : 0;
        const auto invite = [&](uint32_t sooner) {
            return add_region(station->basic_cid, uiuc::kInitialRanging, 1, last, sooner);
        };
        if (!invite(early) && !invite(0)) break;
        station->invite = false;
        symbols += early + config_.profile.ranging_symbols;
    }
    if (fits() && ranging_region_due(idle))
        add_region(cid::kBroadcast, uiuc::kInitialRanging, 1, ++open_ranging_regions_ % 2 == 0, 0);
}

void BaseStation::plan_uplink() {
    const uint32_t frame = (frame_ + (layout_.maps_next_frame ? 1 : 0)) & 0xFFFFFF;
    plan_ = &plan_of(frame);
    plan_->valid = true;
    plan_->frame = frame;
    plan_->allocations.clear();
    ul_map_.ies.clear();
    ul_map_.ucd_count = broadcasts_.ucd().change_count;
    ul_map_.alloc_start_ps = layout_.ul_start_slot + (layout_.maps_next_frame ? layout_.frame_slots : 0);
    plan_regions();
    schedule_grants();
    end_map();
    ul_symbols_.gap += layout_.frame_symbols - layout_.ul_start_slot / layout_.symbol_slots - layout_.ul_symbols;
}

}  // namespace wimax::mac
