/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plan of an uplink subframe: contention regions first (what they say is then known before the next frame is planned),
 * short grants, long grants.
 */
#include <mac/bs/base_station.h>
#include <mac/flow/request_rules.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr uint32_t kRequestOpportunitySymbols = 2, kRangingPreambleSymbols = 2, kRangingDataSymbols = 2;
/// Enough for SBC-REQ, REG-REQ and DSA-RSP of a station that is entering.
constexpr size_t kEntryOctets = 90;
constexpr uint32_t kEntryGrants = 8;  // of them in a frame
constexpr size_t kPduAllowance = kPduOverheadOctets + 2;
constexpr int64_t kNrtpsPollMs = 500;
/// UGS grants that found no room are made up for, those of that many frames at most.
constexpr double kUgsCreditFrames = 4.0;

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

uint32_t BaseStation::add_region(uint16_t cid, uint8_t uiuc, uint32_t symbol, uint32_t opportunities) {
    const bool ranging = uiuc == uiuc::kInitialRanging;
    const uint32_t size = ranging ? config_.profile.ranging_symbols : kRequestOpportunitySymbols;
    UlMapIe ie;
    ie.cid = cid;
    ie.start_symbols = static_cast<uint16_t>(symbol);
    ie.uiuc = uiuc;
    ie.duration_symbols = static_cast<uint16_t>(size * opportunities);
    ul_map_.ies.push_back(ie);
    for (uint32_t i = 0; i < opportunities; ++i) {
        auto a = allocation(symbol + i * size);
        a.kind = ranging ? sap::BurstKind::ranging : sap::BurstKind::contention;
        a.iuc = uiuc;
        a.rate_id = 0;
        a.preamble_symbols = ranging ? kRangingPreambleSymbols : 1;
        a.data_symbols = ranging ? kRangingDataSymbols : 1;
        if (ranging)
            a.search_slots =
                static_cast<uint16_t>((size - kRangingPreambleSymbols - kRangingDataSymbols) * layout_.symbol_slots);
        a.cid = cid;
        plan_.allocations.push_back(a);
    }
    (ranging ? ul_symbols_.ranging : ul_symbols_.contention) += ie.duration_symbols;
    return ie.duration_symbols;
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
    claim.rate_id = station.ul_rate_id;
    claim.weight = station.config.weight;
    claim.history = &station.ul_history;
    claim.frames_waiting = station.frames_since_grant;
    claim.active = station.active_frames > 0;
    claim.requested_octets = station.requested_octets();
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

/// What is due to the flow in this frame. It is spent when the grant is made, in spend().
void BaseStation::claim_for(FlowContext& flow, UplinkClaim& claim) {
    const auto& config = flow.config;
    const double frame = layout_.frame_seconds(), interval = grant_interval(config, frame);
    switch (config.scheduling) {
        case SchedulingType::ugs: {
            const double per_frame = frame / interval;
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

uint32_t BaseStation::add_grant(Subscriber& station, const UplinkClaim& claim, uint32_t symbol) {
    uint32_t left = claim.data_symbols, used = 0;
    size_t octets = 0;
    while (left > 0) {
        const uint32_t data = std::min(left, kMaxBurstDataSymbols);
        UlMapIe ie;
        ie.cid = station.basic_cid;
        ie.start_symbols = static_cast<uint16_t>(symbol + used);
        ie.uiuc = uiuc_of(station.ul_rate_id);
        ie.duration_symbols = static_cast<uint16_t>(data + 1);
        ul_map_.ies.push_back(ie);
        auto a = allocation(symbol + used);
        a.kind = sap::BurstKind::data;
        a.iuc = ie.uiuc;
        a.rate_id = station.ul_rate_id;
        a.preamble_symbols = 1;
        a.data_symbols = static_cast<uint16_t>(data);
        a.cid = station.basic_cid;
        plan_.allocations.push_back(a);
        octets += bytes_in(station.ul_rate_id, data);
        used += data + 1;
        left -= data;
        ul_symbols_.preamble += 1;
        ul_symbols_.data += data;
    }
    station.counters.ul_symbols += used;
    station.granted(plan_.frame, spend(station, octets), now_);
    return used;
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
    plan_.allocations.clear();
    ++counters_.ul_maps_failed;
}

void BaseStation::schedule_grants(uint32_t symbol) {
    claims_.clear();
    entry_grants_left_ = kEntryGrants;
    for (auto& [cid, station] : stations_) {
        ++station->frames_since_grant;
        if (station->active_frames > 0) --station->active_frames;
        if (station->state != EntryState::ranging) claims_.push_back(claim_for(*station));
    }
    const size_t others = ul_map_.ies.size() + 1;  // regions, and the end of the map
    const size_t room = std::max(others + 1, room_for_elements());
    scheduler_.schedule(claims_, layout_.ul_symbols - symbol, static_cast<uint32_t>(room - others));
    counters_.ul_map_full += scheduler_.refused() > 0 ? 1 : 0;
    std::sort(claims_.begin(), claims_.end(), [](const UplinkClaim& a, const UplinkClaim& b) {
        return a.data_symbols != b.data_symbols ? a.data_symbols < b.data_symbols : a.cid < b.cid;
    });
    for (const auto& claim : claims_)
        if (claim.data_symbols > 0) symbol += add_grant(*stations_.at(claim.cid), claim, symbol);
    ul_symbols_.idle += layout_.ul_symbols - symbol;
    UlMapIe end;
    end.uiuc = uiuc::kEndOfMap;
    end.start_symbols = static_cast<uint16_t>(symbol);
    ul_map_.ies.push_back(end);
}

void BaseStation::plan_uplink() {
    plan_.valid = true;
    plan_.frame = (frame_ + (layout_.maps_next_frame ? 1 : 0)) & 0xFFFFFF;
    plan_.allocations.clear();
    ul_map_.ies.clear();
    ul_map_.ucd_count = broadcasts_.ucd().change_count;
    ul_map_.alloc_start_ps = layout_.ul_start_slot + (layout_.maps_next_frame ? layout_.frame_slots : 0);
    bool idle = true;
    for (const auto& [cid, station] : stations_) idle = idle && station->requested_octets() == 0;
    uint32_t symbol = 0;
    if (config_.profile.request_opportunities > 0)
        symbol += add_region(cid::kBroadcast, uiuc::kReqRegionFull, symbol, config_.profile.request_opportunities);
    // Half of the subframe stays for data, unless it is so short that one region takes more (validate() saw that one
    // fits); an invitation goes before an open region, both come again.
    const uint32_t limit = std::max(layout_.ul_symbols / 2, symbol + config_.profile.ranging_symbols);
    const auto fits = [&] { return symbol + config_.profile.ranging_symbols <= limit; };
    uint32_t invitations = idle ? UINT32_MAX : 1;
    while (Subscriber* station = invitations > 0 && fits() ? next_invited() : nullptr) {
        --invitations;
        station->invite = false;
        symbol += add_region(station->basic_cid, uiuc::kInitialRanging, symbol, 1);
    }
    if (fits() && ranging_region_due(idle)) symbol += add_region(cid::kBroadcast, uiuc::kInitialRanging, symbol, 1);
    schedule_grants(symbol);
    ul_symbols_.gap += layout_.frame_symbols - layout_.ul_start_slot / layout_.symbol_slots - layout_.ul_symbols;
}

}  // namespace wimax::mac
