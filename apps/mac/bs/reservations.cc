// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/reservations.h"

#include "mac/flow_limits.h"

#include <algorithm>
#include <array>

namespace wimax::mac {
namespace {

constexpr int64_t kReviewMs = 100;
constexpr double kFitRounding = 1e-6;

bool has_half_duplex(const MulticastConnection& connection) {
    return std::ranges::any_of(connection.members(),
                               [](const auto* member) { return member->station().capabilities.half_duplex; });
}

}  // namespace

bool Reservations::Use::fits() const { return held <= room + kFitRounding && bounded <= bounded_room + kFitRounding; }

Reservations::Reservations(const BaseStationConfig& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      event_(dependencies.event),
      stations_(dependencies.stations),
      multicast_(dependencies.multicast),
      air_(dependencies.air),
      grid_(air_.grid()),
      frame_s_(air_.timing().frame_seconds()),
      division_(air_) {}

void Reservations::hold(FlowContext& flow, const ServiceFlowConfig* also) const {
    flow.cost = {};
    if (flow.member) return;  // its connection holds it
    if (!flow.set_up.refused() && flow.admitted_set) {
        ServiceFlowConfig admitted = flow.config;
        apply(*flow.admitted_set, admitted);
        flow.cost = mac::cost_of(admitted, frame_s_);
    }
    if (also) flow.cost = larger(flow.cost, mac::cost_of(*also, frame_s_));
}

/// `all`: includes flows that have lost their promises.
StationCost Reservations::cost_of(const Subscriber& station, const Candidate* candidate, bool all) const {
    std::array<FlowCost, kMaxFlowsEachWay + 1> up, down;
    size_t ups = 0, downs = 0;
    const auto add = [&](FlowDirection direction, const FlowCost& cost) {
        if (!cost.any()) return;
        if (direction == FlowDirection::uplink && ups < up.size()) up[ups++] = cost;
        if (direction == FlowDirection::downlink && downs < down.size()) down[downs++] = cost;
    };
    for (const auto& flow : station.flows)
        if ((all || flow->held) && !(candidate && candidate->instead == flow.get()))
            add(flow->config.direction, flow->cost);
    if (candidate) add(candidate->direction, candidate->cost);
    StationCost cost = downlink_cost(grid_, {down.data(), downs}, station.dl_rate.profile());
    const BurstShape grant{station.grant_profile(), static_cast<uint8_t>(station.uplink.width.count())};
    cost += uplink_cost(grid_, {up.data(), ups}, grant);
    return cost;
}

StationCost Reservations::cost_of_all(bool all) const {
    StationCost sum;
    for (const auto& [cid, station] : stations_.stations()) sum += cost_of(*station, nullptr, all);
    for (const auto& [cid, connection] : multicast_.all()) sum += cost_of(*connection, all);
    return sum;
}

/// Downlink profile of the flow.
ProfileId Reservations::downlink_profile(const Subscriber& station, const ServiceFlowConfig& wanted) const {
    const MulticastConnection* shared = wanted.multicast ? multicast_.find(wanted.name) : nullptr;
    if (!shared) return station.dl_rate.profile();
    const ProfileId own = shared->profile_for(station);
    return std::min(shared->admitted_profile().value_or(own), own);
}

/// Adds the promise that the station would get to `all`.
StationCost Reservations::cost_with(StationCost all, const Subscriber& station, const ServiceFlowConfig& wanted,
                                    const FlowContext* instead) const {
    const FlowCost cost = mac::cost_of(wanted, frame_s_);
    if (wanted.multicast) {
        if (const MulticastConnection* there = multicast_.find(wanted.name)) all -= cost_of(*there, true);
        return all += downlink_cost(grid_, {&cost, 1}, downlink_profile(station, wanted));
    }
    const Candidate candidate{instead, wanted.direction, cost};
    all -= cost_of(station, nullptr, true);
    return all += cost_of(station, &candidate, true);
}

/// A replaced connection has nothing to send; its stations are about to get the new one.
StationCost Reservations::cost_of(const MulticastConnection& connection, bool all) const {
    if (!connection.takes_packets()) return {};
    const auto profile = connection.admitted_profile();
    if (!profile || (!all && !connection.flow.held)) return {};
    return downlink_cost(grid_, {&connection.flow.cost, 1}, *profile);
}

Reservations::Cell Reservations::cell() const {
    Cell cell;
    for (const auto& [cid, station] : stations_.stations()) {
        cell.registered += station->registered() ? 1 : 0;
        cell.profiles |= 1U << row_of(station->dl_rate.profile());
    }
    return cell;
}

Reservations::Uses Reservations::uses(const StationCost& cost, const Cell& cell) const {
    const auto profiles = static_cast<uint32_t>(__builtin_popcount(std::max(1U, cell.profiles)));
    const FrameRoom room = air_.room({cell.registered, profiles, cost.grants, cost.grants_bounded});
    return {{cost.downlink, room.downlink, cost.downlink_bounded, room.downlink_bounded},
            {cost.uplink, room.uplink, cost.uplink_bounded, room.uplink_bounded},
            room.map_octets,
            room.map_room};
}

Reservations::Uses Reservations::uses() const { return uses(cost_of_all(true), cell()); }

/// Of multicast connections that half-duplex stations hear.
StationCost Reservations::cost_for_both(const Wish* wish, bool all) const {
    const bool wished = wish && wish->flow.multicast;
    const MulticastConnection* there = wished ? multicast_.find(wish->flow.name) : nullptr;
    StationCost sum;
    for (const auto& [cid, connection] : multicast_.all())
        if (connection.get() != there && has_half_duplex(*connection)) sum += cost_of(*connection, all);
    if (wished && (wish->station.capabilities.half_duplex || (there && has_half_duplex(*there)))) {
        const FlowCost cost = mac::cost_of(wish->flow, frame_s_);
        sum += downlink_cost(grid_, {&cost, 1}, downlink_profile(wish->station, wish->flow));
    }
    return sum;
}

void Reservations::divide(HalfDuplexDivision& division, const Wish* wish, bool all) const {
    const Cell cell = this->cell();
    const auto profiles = static_cast<uint32_t>(__builtin_popcount(std::max(1U, cell.profiles)));
    division.begin({cell.registered, profiles, 0, 0}, cost_for_both(wish, all));
    for (const auto& [cid, station] : stations_.stations()) {
        if (!station->capabilities.half_duplex) continue;
        std::optional<Candidate> candidate;
        if (wish && !wish->flow.multicast && &wish->station == station.get())
            candidate = {wish->instead, wish->flow.direction, mac::cost_of(wish->flow, frame_s_)};
        const StationCost cost = cost_of(*station, candidate ? &*candidate : nullptr, all);
        if (cost.uplink > 0 || cost.downlink > 0) division.add({cid, station->turn(), cost});
    }
}

void Reservations::divide(HalfDuplexDivision& division) const { divide(division, nullptr, false); }

bool Reservations::groups_fit(HalfDuplexDivision& division, const Wish* wish, bool all) const {
    if (!config_.serves_half_duplex()) return true;
    if (wish && !wish->flow.multicast && !wish->station.capabilities.half_duplex) return true;
    divide(division, wish, all);
    return division.fit();
}

std::optional<uint32_t> Reservations::fitting_rate_bps(const Subscriber& station, const ServiceFlowConfig& wanted,
                                                       const FlowContext* instead) const {
    const StationCost now = cost_of_all(true);
    const Cell cell = this->cell();
    HalfDuplexDivision division(air_);
    const auto fits = [&](uint32_t rate_bps) {
        const ServiceFlowConfig lower = with_rate(wanted, rate_bps);
        const Wish wish{station, lower, instead};
        return uses(cost_with(now, station, lower, instead), cell).fits() && groups_fit(division, &wish, true);
    };
    uint32_t low = 0, high = promised_rate_bps(wanted);
    if (high == 0 || !fits(1)) return std::nullopt;
    if (fits(high)) return high;
    for (low = 1; high - low > 1;) {
        const uint32_t middle = low + (high - low) / 2;
        if (fits(middle)) low = middle;
        else high = middle;
    }
    return low;
}

Outcome Reservations::check(const Subscriber& station, const ServiceFlowConfig& wanted,
                            const FlowContext* instead) const {
    const FlowCost cost = mac::cost_of(wanted, frame_s_);
    // A flow that would be promised no more than at present adds no load.
    const bool counted = instead && instead->member && instead->admitted_set;
    const bool no_more = counted || (instead && cost.mean_octets() <= instead->cost.mean_octets() &&
                                     cost.bounded_octets <= instead->cost.bounded_octets);
    if (!config_.admission_control || !cost.any() || no_more) return {};
    const Uses uses = this->uses(cost_with(cost_of_all(true), station, wanted, instead), cell());
    HalfDuplexDivision division(air_);
    const Wish wish{station, wanted, instead};
    if (uses.fits() && groups_fit(division, &wish, true)) return {};
    const bool up = wanted.direction == FlowDirection::uplink;
    const char* where = !uses.uplink.fits()     ? "the uplink"
                        : !uses.downlink.fits() ? "the downlink"
                        : !uses.fits()          ? "the UL-MAP"
                        : up                    ? "the half-duplex stations' part of the uplink"
                                                : "the half-duplex stations' part of the downlink";
    const auto rate = fitting_rate_bps(station, wanted, instead);
    const ProfileId profile = up ? station.grant_profile() : downlink_profile(station, wanted);
    const std::string at(grid_.profiles()[profile].name);
    const std::string most = rate ? "at most " + std::to_string(*rate) + " bit/s at " : "at no rate, at ";
    return failure("", std::string(where) + " has no room for it: " + most + at);
}

Reservations::Load Reservations::load(const Subscriber& station, const ServiceFlowConfig& wanted,
                                      const FlowContext* instead) const {
    const StationCost now = cost_of_all(true);
    const Uses with = uses(cost_with(now, station, wanted, instead), cell());
    if (wanted.direction == FlowDirection::uplink) return {now.uplink, with.uplink.held - now.uplink, with.uplink.room};
    return {now.downlink, with.downlink.held - now.downlink, with.downlink.room};
}

/// Flows served last give up first, in the subframe that is too full, the newest of equal ones before the others.
void Reservations::give_up_last(StationCost cost, const Cell& cell) {
    holders_.clear();
    for (auto& [cid, station] : stations_.stations())
        for (auto& flow : station->flows) {
            flow->held = true;
            if (flow->cost.any()) holders_.push_back({flow.get(), station.get(), nullptr});
        }
    for (auto& [cid, connection] : multicast_.all()) {
        connection->flow.held = true;
        if (connection->flow.cost.any()) holders_.push_back({&connection->flow, nullptr, connection.get()});
    }
    std::sort(holders_.begin(), holders_.end(), [](const Holder& a, const Holder& b) {
        const int of_a = service_order(a.flow->config), of_b = service_order(b.flow->config);
        return of_a != of_b ? of_a > of_b : a.flow->sfid > b.flow->sfid;
    });
    const auto cost_of_holder = [this](const Holder& holder) {
        return holder.connection ? cost_of(*holder.connection, false) : cost_of(*holder.station, nullptr, false);
    };
    for (const auto& holder : holders_) {
        const Uses now = uses(cost, cell);
        const bool groups = groups_fit(division_, nullptr, false);
        if (now.fits() && groups) return;
        const bool full =
            holder.flow->downlink() ? !now.downlink.fits() : !now.uplink.fits() || now.map_octets > now.map_room;
        const bool in_group =
            holder.connection ? has_half_duplex(*holder.connection) : holder.station->capabilities.half_duplex;
        if (!full && (groups || !in_group)) continue;
        cost -= cost_of_holder(holder);
        holder.flow->held = false;
        cost += cost_of_holder(holder);
        ++without_room_;
    }
}

void Reservations::review() {
    if (!config_.admission_control || clock_.now < next_review_) return;
    next_review_ = clock_.now + clock_.from_ms(kReviewMs);
    const StationCost all = cost_of_all(true);
    const Cell cell = this->cell();
    const uint32_t before = without_room_;
    if (before == 0 && uses(all, cell).fits() && groups_fit(division_, nullptr, true)) return;
    without_room_ = 0;
    give_up_last(all, cell);
    if (without_room_ == before) return;
    counters_.overbooked += without_room_ > before ? without_room_ - before : 0;
    event_(EventSource::own(), "flow",
           without_room_ == 0 ? std::string("all admitted flows have room again")
                              : std::to_string(without_room_) + " admitted flows have no room at present rates");
}

}  // namespace wimax::mac
