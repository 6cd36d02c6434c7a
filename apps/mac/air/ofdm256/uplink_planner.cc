// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/uplink_planner.h"

#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/pdu/cid.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {
namespace {

constexpr uint32_t kFramesPerTurn = 4;  // in one of that many the request region is the last
constexpr int64_t kRangingEagerMs = 1000;
constexpr int64_t kLongMapsMs = 500;  // burst #1 stays long after it was needed
constexpr int64_t kScaleMs = 2000;    // interval of updates by number of stations
constexpr uint32_t kMostAnswers = 8;  // to codes of focused contention, per frame

std::unique_ptr<UplinkPolicy> scheduler_of(const BaseStationConfig& config, Schedulers& schedulers) {
    return schedulers.uplink(
        {config.profile.unasked_symbols, config.profile.grant_spare, kMaxUlMapElements, config.ul_scheduler});
}

}  // namespace

UplinkPlanner::UplinkPlanner(const BaseStationConfig& config, const FrameLayout& layout,
                             const Dependencies& dependencies)
    : config_(config),
      layout_(layout),
      clock_(dependencies.clock),
      users_(dependencies.users),
      broadcasts_(dependencies.broadcasts),
      places_(dependencies.places),
      plan_(dependencies.plan),
      focused_(dependencies.focused),
      schedulers_{config.serves_half_duplex() ? scheduler_of(config, dependencies.schedulers) : nullptr,
                  config.serves_half_duplex() ? scheduler_of(config, dependencies.schedulers) : nullptr,
                  scheduler_of(config, dependencies.schedulers)},
      profile_(config.profile),
      scale_(contention_scale(config, layout, 0)) {}

void UplinkPlanner::restart() {
    plan_.forget();
    focused_.restart();
    places_.restart();
    ranging_window_ = {};
    open_ranging_regions_ = 0;
    next_ranging_region_ = ranging_seen_until_ = scale_again_ = long_maps_until_ = INT64_MIN;
}

void UplinkPlanner::ranging_heard(bool readable) {
    ranging_seen_until_ = clock_.now + clock_.from_ms(kRangingEagerMs);
    ranging_window_.heard(readable);
}

void UplinkPlanner::judge(const sap::RxBurst& burst, bool whole, uint32_t in_a_row) {
    const auto place = plan_.place_of(burst);
    if (!place) return;
    if (whole) places_.whole(*place);
    else places_.failed(*place, in_a_row, clock_.now);
}

bool UplinkPlanner::ranging_region_due(const UplinkUsers::Summary& users) {
    const bool due = clock_.now >= next_ranging_region_;
    const bool eager =
        config_.profile.spare_ranging && users.idle && (users.stations == 0 || clock_.now < ranging_seen_until_);
    if (due)
        next_ranging_region_ = clock_.now + std::max<Samples>(0, clock_.from_ms(config_.profile.ranging_interval_ms) -
                                                                     layout_.frame_samples() / 2);
    return due || eager;
}

bool UplinkPlanner::invite(const UplinkUsers::Invitation& invitation) {
    // Half-duplex stations hear the maps during the last symbols.
    UplinkPlan::Region region{invitation.basic_cid, uiuc::kInitialRanging, 1,
                              invitation.last && !config_.serves_half_duplex(), invitation.early ? kEarlySymbols : 0};
    if (plan_.add_region(region)) return true;
    region.early = 0;
    return plan_.add_region(region);
}

/// Adds opportunities for codes and responses to codes; returns their symbols.
uint32_t UplinkPlanner::plan_focused() {
    const uint32_t opportunities = std::min(config_.profile.focused_opportunities, kMaxFocusedOpportunities);
    const uint32_t before = plan_.region_symbols();
    if (opportunities > 0) plan_.add_focused_region(opportunities);
    focused_.answer(kMostAnswers);
    return plan_.region_symbols() - before;
}

/// Updates values that depend on the number of stations. The UCD announces new windows, so they rarely change.
void UplinkPlanner::rescale(uint32_t registered) {
    if (clock_.now < scale_again_) return;
    scale_again_ = clock_.now + clock_.from_ms(kScaleMs);
    scale_ = contention_scale(config_, profile_, layout_, registered);
    users_.poll_after(scale_.t27_idle_ms, scale_.t27_active_ms);
    const uint8_t doublings = ranging_window_.doublings();
    if (!profile_.scale || broadcasts_.changing()) return;
    auto values = broadcasts_.values();
    const auto before = values;
    values.request_backoff = {scale_.backoff_start, scale_.backoff_end};
    const auto wider = [doublings](uint8_t exponent) {
        return std::min<uint8_t>(exponent + doublings, kMostScaledExponent);
    };
    values.ranging_backoff = {std::max(profile_.ranging_backoff_start, wider(profile_.ranging_backoff_start)),
                              std::max(profile_.ranging_backoff_end, wider(profile_.ranging_backoff_end))};
    if (values == before) return;
    broadcasts_.change(values, clock_.now);
}

/// Half of the subframe is kept for data, unless it is too short for one region (validate() ensured that one fits).
/// Half-duplex stations of the later group have grants after the regions: half of their part.
uint32_t UplinkPlanner::region_limit(uint32_t requests) const {
    uint32_t limit = layout_.uplink.symbols / 2;
    if (config_.serves_half_duplex()) {
        const auto later = layout_.duplex->window(phy::Direction::uplink, {.half_duplex = true, .late = true});
        limit = (later.to - std::min(later.to, later.from)) / 2;
    }
    return std::max(limit, requests + config_.profile.ranging_symbols);
}

void UplinkPlanner::plan_regions() {
    const auto users = users_.count();
    if (users.stations > users.registered) long_maps_until_ = clock_.now + clock_.from_ms(kLongMapsMs);
    rescale(users.registered);
    const bool codes = config_.profile.focused_opportunities > 0 && users.knows_codes;
    const bool focused = codes && users.registered >= config_.profile.focused_stations;
    uint32_t symbols = focused ? 0 : scale_.request_symbols;
    const uint32_t requests = symbols / kRequestOpportunitySymbols;
    const bool turns = config_.profile.turn_regions && !config_.serves_half_duplex();
    const bool turned = turns && plan_.frame().value() % kFramesPerTurn == 0;
    places_.begin(clock_.now, symbols + config_.profile.ranging_symbols, turned);
    if (requests > 0)
        plan_.add_region(
            {users_.polled_group(), uiuc::kReqRegionFull, requests, turned, 0, symbols % kRequestOpportunitySymbols});
    if (focused) symbols += plan_focused();
    // An invitation precedes an open region; both recur.
    const uint32_t limit = region_limit(symbols);
    const auto fits = [&] { return symbols + config_.profile.ranging_symbols <= limit; };
    for (uint32_t left = users.idle ? UINT32_MAX : 1; left > 0 && fits(); --left) {
        const auto invitation = users_.next_invitation();
        if (!invitation || !invite(*invitation)) break;
        users_.invited(invitation->basic_cid);
        symbols += (invitation->early ? kEarlySymbols : 0) + config_.profile.ranging_symbols;
    }
    if (fits() && ranging_region_due(users))
        plan_.add_region({cid::kBroadcast, uiuc::kInitialRanging, 1, ++open_ranging_regions_ % 2 == 0 && turns, 0});
}

SymbolSpan UplinkPlanner::window(const UplinkUsers::Terms& terms) const {
    SymbolSpan span = layout_.duplex->window(phy::Direction::uplink, terms.turn);
    // The earlier group keeps its gap after burst #1, however long that is.
    if (terms.turn.half_duplex)
        span.from = terms.turn.late ? std::max(span.from, early_from_) : span.from + early_from_;
    return span;
}

/// Grants that promises and polls require, each as one burst.
uint32_t UplinkPlanner::promised_symbols(const Group& group, std::span<const FlowClaim> flows) const {
    uint32_t symbols = 0;
    for (const auto& claim : group.claims) {
        size_t octets = claim.guaranteed_octets + (claim.poll ? kHeaderOctets : 0);
        for (const auto& flow : claim.flows(flows)) octets += flow.reserved_octets + flow.unasked_octets;
        if (octets > 0) symbols += kSymbolGrid.units_for(claim.shape, octets) + kSymbolGrid.grant().overhead_units;
    }
    return symbols;
}

/// Half-duplex stations of each group share its part of the subframe, the others share what is left. Grants are placed
/// in this order.
void UplinkPlanner::schedule_groups(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows,
                                    uint32_t elements) {
    for (auto& group : groups_) {
        group.claims.clear();  // keeps its memory
        group.symbols = UINT32_MAX;
    }
    for (const auto& claim : claims) {
        const auto terms = users_.terms(claim.cid);
        Group& group = groups_[!terms.turn.half_duplex ? kFullDuplex : terms.turn.late ? kLate : kEarly];
        const auto part = side_by_side_.leads(claim.cid) ? side_by_side_.within() : window(terms);
        group.symbols = std::min(group.symbols, part.to - std::min(part.to, part.from));
        group.claims.push_back(claim);
    }
    uint32_t left = places_.room();
    groups_[kLate].symbols -= std::min(groups_[kLate].symbols, plan_.region_symbols());
    uint32_t promised = 0;  // to groups that follow
    for (auto& group : groups_) promised += group.promised = promised_symbols(group, flows);
    const size_t all = std::max<size_t>(1, claims.size());
    const bool mixed = !groups_[kFullDuplex].claims.empty();
    claims.clear();
    for (size_t n = 0; n < groups_.size(); ++n) {
        Group& group = groups_[n];
        if (group.claims.empty()) continue;
        promised -= group.promised;
        const auto fair = static_cast<uint32_t>(uint64_t{places_.room()} * group.claims.size() / all);
        const uint32_t share = std::max(group.promised, std::min(mixed ? fair : left, left - std::min(left, promised)));
        const uint32_t symbols = n == kFullDuplex ? left : std::min({left, group.symbols, share});
        schedulers_[n]->schedule(group.claims, flows, symbols,
                                 std::max<uint32_t>(1, static_cast<uint32_t>(elements * group.claims.size() / all)));
        for (const auto& claim : group.claims) left -= std::min(left, claim.units > 0 ? claim.units + 1 : 0);
        claims.insert(claims.end(), group.claims.begin(), group.claims.end());
    }
}

/// Adds the number of bursts that its places require; returns the number of map elements used.
uint32_t UplinkPlanner::add_grant(const UplinkClaim& claim, uint32_t elements) {
    const auto terms = users_.terms(claim.cid);
    const auto within = window(terms);
    uint32_t left = claim.units, bursts = 0;
    size_t octets = 0;
    while (left > 0 && bursts < elements) {
        const auto place = places_.burst(std::min(left, kMaxBurstDataSymbols) + 1, terms.last, within);
        if (!place) break;
        plan_.add_burst({claim.cid, claim.shape.profile, *place, kAllSubchannels, claim.shape.training});
        octets += kSymbolGrid.octets_in(claim.shape, place->count - 1);
        left -= place->count - 1;
        ++bursts;
    }
    if (bursts > 0) users_.granted({claim.cid, plan_.frame(), octets, claim.units - left + bursts});
    return bursts;
}

/// Adds parallel grants on some subchannels, in the same symbols. A piece with padding only is left out.
uint32_t UplinkPlanner::add_group(uint32_t data_symbols, uint32_t elements) {
    auto& members = side_by_side_.share(data_symbols, config_.profile.unasked_symbols);
    uint32_t left = data_symbols, used = 0;
    for (auto& member : members) member.left_symbols = member.data_symbols;
    while (left > 0 && used < elements) {
        const auto place = places_.burst(std::min(left, kMaxBurstDataSymbols) + 1, false, side_by_side_.within());
        if (!place) break;
        const uint32_t here = place->count - 1;
        for (auto& member : members) {
            const uint32_t data = std::min(member.left_symbols, here);
            const size_t octets = octets_on(member.subchannel, member.profile, data);
            if (octets < kHeaderOctets || used == elements) continue;
            plan_.add_burst({member.cid, member.profile, {place->first, data + 1}, member.subchannel});
            member.octets += octets;
            member.left_symbols -= data;
            ++used;
        }
        left -= here;
    }
    for (const auto& member : members)
        if (member.octets > 0)
            users_.granted({member.cid, plan_.frame(), member.octets, member.data_symbols - member.left_symbols});
    return used;
}

/// Elements that fit in a UL-MAP in addition to those of the regions. The map must fit into one PDU, and into burst #1
/// with a DL-MAP and the descriptor that is due.
size_t UplinkPlanner::room_for_elements() const {
    constexpr size_t kDlMapOctets = 60;
    const uint32_t symbols = plan_.broadcast_symbols(clock_.frame);
    const size_t room = kSymbolGrid.octets_in({config_.profile.broadcast_profile()}, symbols);
    const bool with_descriptor = symbols == layout_.max_broadcast_symbols;
    const size_t descriptor = with_descriptor ? broadcasts_.octets(broadcasts_.due(clock_.now)) : 0;
    const size_t fixed = plan_.map_octets() + kDlMapOctets + descriptor;
    const size_t elements = plan_.map().ies.size();
    return std::min(kMaxUlMapElements - std::min(elements, kMaxUlMapElements),
                    (room - std::min(room, fixed)) / kUlMapElementOctets);
}

void UplinkPlanner::schedule_grants() {
    const auto wanted = users_.claims();
    auto& claims = wanted.stations;
    const size_t end_of_map = 1;
    const size_t room = std::max(end_of_map + 1, room_for_elements());
    auto elements = static_cast<uint32_t>(room - end_of_map);
    places_.count_room(elements);
    side_by_side_.gather(claims, wanted.flows, [this](uint16_t cid) { return window(users_.terms(cid)); });
    const uint32_t beside = std::min(elements - 1, side_by_side_.more_elements());
    const uint32_t usable = elements - std::min(elements - 1, places_.cuts() + beside);
    if (config_.serves_half_duplex()) schedule_groups(claims, wanted.flows, usable);
    else schedulers_[kFullDuplex]->schedule(claims, wanted.flows, places_.room(), usable);
    uint32_t refused = 0;
    for (const auto& scheduler : schedulers_) refused += scheduler ? scheduler->refused() : 0;
    maps_full_ += refused > 0 ? 1 : 0;
    const auto grants = static_cast<uint32_t>(std::ranges::count_if(claims, [](const auto& c) { return c.units > 0; }));
    if (refused > 0 || grants + 1 >= kFewGrants) long_maps_until_ = clock_.now + clock_.from_ms(kLongMapsMs);
    // Grants with a deadline are first, then short ones: those are read soon enough for the next frame.
    const auto sooner = [](const UplinkClaim& a, const UplinkClaim& b) {
        const bool hurry = a.deadline != kNoDeadline, other = b.deadline != kNoDeadline;
        if (hurry != other) return hurry;
        return a.units != b.units ? a.units < b.units : a.cid < b.cid;
    };
    if (!config_.serves_half_duplex()) std::sort(claims.begin(), claims.end(), sooner);
    for (const auto& claim : claims)
        if (claim.units > 0)
            elements -= side_by_side_.leads(claim.cid) ? add_group(claim.units, elements) : add_grant(claim, elements);
}

/// Of the frame whose uplink is planned. It is short for half-duplex stations if it has the maps of few grants, and no
/// descriptor or message of entry is to be sent.
uint32_t UplinkPlanner::broadcast_symbols() const {
    if (!config_.serves_half_duplex()) return layout_.max_broadcast_symbols;
    const auto& profile = config_.profile;
    const double two_frames_ms = 2000 * layout_.frame_seconds();
    const bool often = std::min(profile.dcd_interval_ms, profile.ucd_interval_ms) < two_frames_ms;
    // A long burst #1 of the present frame sends what is due.
    const bool is_long = plan_.broadcast_symbols(clock_.frame) == layout_.max_broadcast_symbols;
    const auto due = broadcasts_.due(clock_.now);
    const bool descriptor = (due.dcd || due.ucd) && (often || !is_long);
    const bool needed = descriptor || clock_.now < std::max(long_maps_until_, ranging_seen_until_);
    return needed ? layout_.max_broadcast_symbols : layout_.short_broadcast_symbols;
}

void UplinkPlanner::plan() {
    const uint32_t broadcast = broadcast_symbols();
    early_from_ = config_.serves_half_duplex() ? broadcast - layout_.short_broadcast_symbols : 0;
    plan_.begin(broadcasts_.ucd_count(), broadcast);
    plan_regions();
    schedule_grants();
    plan_.finish();
}

}  // namespace wimax::mac
