// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/multicast_connections.h"

#include <algorithm>

namespace wimax::mac {
namespace {

/// Visits the flows of all stations, and those that a station may request by name.
template <class Visit> void for_each_multicast_flow(const BaseStationConfig& config, Visit&& visit) {
    const auto each = [&](const std::vector<ServiceFlowConfig>& flows) {
        for (const auto& flow : flows)
            if (flow.multicast) visit(flow);
    };
    each(config.service_classes);
    for (const auto& station : config.stations) each(station.flows);
    if (config.unknown_station) each(config.unknown_station->flows);
}

bool is_to_have_it(const FlowContext& flow) { return flow.admitted_set && !flow.set_up.refused(); }

}  // namespace

MulticastMember::MulticastMember(MulticastConnection& connection, const Subscriber& station, const FlowContext& flow)
    : connection_(connection), station_(station), flow_(flow) {
    connection_.members_.push_back(this);
}

MulticastMember::~MulticastMember() { std::erase(connection_.members_, this); }

size_t MulticastConnection::listeners() const {
    return static_cast<size_t>(std::ranges::count_if(members_, [](const auto* m) { return m->flow().active; }));
}

bool MulticastConnection::heard() const {
    return std::ranges::any_of(members_, [](const auto* m) { return m->flow().active; });
}

ProfileId MulticastConnection::profile_for(const Subscriber& station) const {
    return station.link.in_zone ? std::min(station.dl_rate.profile(), map_profile_) : station.dl_rate.profile();
}

ProfileId MulticastConnection::profile() const {
    std::optional<ProfileId> profile;
    for (const auto* member : members_)
        if (member->flow().active) profile = most_robust(profile, member->station());
    return *profile;
}

std::optional<ProfileId> MulticastConnection::admitted_profile() const {
    std::optional<ProfileId> profile;
    for (const auto* member : members_)
        if (is_to_have_it(member->flow())) profile = most_robust(profile, member->station());
    return profile;
}

ProfileId MulticastConnection::most_robust(std::optional<ProfileId> of_others, const Subscriber& station) const {
    const ProfileId own = profile_for(station);
    return std::min(of_others.value_or(own), own);
}

MulticastConnection& MulticastConnections::make(const ServiceFlowConfig& config) {
    ++version_;
    const uint16_t cid = stations_.new_shared_cid();
    auto& made = *(connections_[cid] = std::make_unique<MulticastConnection>(cid, config, config_.map_profile));
    FlowContext& flow = made.flow;
    flow.set_up.finish();
    flow.active = true;
    flow.open_sender(pool_, config_.queue, clock_.sample_rate_hz);
    put_in_force(flow, config);
    return made;
}

void MulticastConnections::put_in_force(FlowContext& flow, const ServiceFlowConfig& terms) const {
    static_cast<AgreedFlow&>(flow) = agreed(terms, FlowState::active);
    flow.cost = cost_of(terms, config_.frame_s);
    flow.rates.set(terms, clock_.sample_rate_hz);
    flow.transmitter->change(terms);
}

void MulticastConnections::retire(MulticastConnection& connection) {
    ++version_;
    connection.retired_ = true;
    connection.provisioned_ = false;
}

void MulticastConnections::provision(const BaseStationConfig& config) {
    for (auto& [cid, connection] : connections_) connection->provisioned_ = false;
    for_each_multicast_flow(config, [&](const ServiceFlowConfig& flow) {
        const ServiceFlowConfig terms = terms_of(flow);
        MulticastConnection* there = find(terms.name);
        if (there && !same_but_qos(there->flow.config, terms)) {
            retire(*there);
            there = nullptr;
        } else if (there && !(there->flow.config == terms)) {
            put_in_force(there->flow, terms);
        }
        (there ? *there : make(terms)).provisioned_ = true;
    });
}

void MulticastConnections::restart(const BaseStationConfig& config) {
    connections_.clear();
    provision(config);
}

void MulticastConnections::begin_frame() {
    for (auto it = connections_.begin(); it != connections_.end();) {
        MulticastConnection& connection = *it->second;
        FlowTransmitter& transmitter = *connection.flow.transmitter;
        if (!transmitter.idle() && !connection.heard()) connection.dropped_unheard += transmitter.drop_all();
        if (connection.provisioned_ || !connection.members_.empty()) {
            ++it;
            continue;
        }
        stations_.release_transport_cid(it->first);
        it = connections_.erase(it);
        ++version_;
    }
}

MulticastConnection* MulticastConnections::find(uint16_t cid) const {
    const auto found = connections_.find(cid);
    return found == connections_.end() ? nullptr : found->second.get();
}

MulticastConnection* MulticastConnections::find(std::string_view name) const {
    for (const auto& [cid, connection] : connections_)
        if (!connection->retired_ && connection->flow.config.name == name) return connection.get();
    return nullptr;
}

ServiceFlowConfig MulticastConnections::terms_of(const ServiceFlowConfig& flow) const {
    const MulticastConnection* named = flow.classifiers.empty() ? find(flow.name) : nullptr;
    if (named) return named->flow.config;
    ServiceFlowConfig terms = flow;
    make_header_rules(terms);
    return terms;
}

Outcome MulticastConnections::check(const Subscriber& station, const ServiceFlowConfig& flow) const {
    if (!flow.multicast) return {};
    if (!flow.phs.empty() && !station.capabilities.phs)
        return failure("", "the station knows no header suppression, which the flow has");
    const MulticastConnection* there = find(flow.name);
    if (!there && !flow.classifiers.empty()) return {};
    if (!there) return failure("", "no multicast flow has this name");
    if (!(there->flow.config == flow)) return failure("", "another multicast flow has this name");
    const bool has_it =
        std::ranges::any_of(there->members_, [&](const auto* member) { return &member->station() == &station; });
    if (has_it) return failure("", "the station has this flow");
    return {};
}

MulticastConnection& MulticastConnections::connection_for(const ServiceFlowConfig& flow) {
    MulticastConnection* there = find(flow.name);
    return there ? *there : make(flow);
}

}  // namespace wimax::mac
