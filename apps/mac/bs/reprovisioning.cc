// SPDX-License-Identifier: GPL-3.0-or-later
// Reprovisioning while stations are served: differences are applied by DSA, DSC and DSD, and by the descriptors.
#include "mac/bs/base_station.h"
#include "mac/config_fields.h"
#include "mac/report/flow_status.h"

#include <algorithm>
#include <map>

namespace wimax::mac {
namespace {

/// Visitor of config_fields.h: each value as it is written, by key.
struct Written {
    std::map<std::string, std::string> values;
    std::string prefix;

    template <class T> void operator()(const std::string& key, const T& value, Limits, const char*, const char*) {
        put(key, value);
    }
    void operator()(const std::string& key, bool value, const char*) { put(key, value); }
    template <class T, size_t N>
    void each(const std::string& key, const std::array<T, N>& all, Limits, const char*, const char*) {
        for (size_t i = 0; i < N; ++i) put(key + "[" + std::to_string(i) + "]", all[i]);
    }
    void group(const char* key, const char*, const auto& fields) {
        prefix = std::string(key) + ".";
        visit(*this, fields);
        prefix.clear();
    }

private:
    template <class T> void put(const std::string& key, const T& value) {
        values[prefix + key] = std::to_string(value);
    }
    template <class T> void put(const std::string& key, const std::optional<T>& value) {
        values[prefix + key] = value ? std::to_string(*value) : "null";
    }
};

/// Rates of stations without their own.
void take_rates(BaseStationConfig& to, const BaseStationConfig& from) {
    to.dl_rate_id = from.dl_rate_id;
    to.ul_rate_id = from.ul_rate_id;
    to.dl_lowest_rate_id = from.dl_lowest_rate_id;
    to.ul_lowest_rate_id = from.ul_lowest_rate_id;
}
void take_source_check(BaseStationConfig& to, const BaseStationConfig& from) {
    to.check_source_addresses = from.check_source_addresses;
    to.source_address_silence_s = from.source_address_silence_s;
}

/// All values that are fixed for a run; of the profile without those that descriptors may change.
std::map<std::string, std::string> fixed_values(const BaseStationConfig& config) {
    Written written;
    const BaseStationConfig unset;
    BaseStationConfig copy = config;
    take_rates(copy, unset);
    take_source_check(copy, unset);
    visit_air(written, copy);
    visit(written, copy);
    visit_means(written, copy);
    written.prefix = "profile.";
    const BaseStationProfile live;
    copy.profile.exit_db = live.exit_db;
    copy.profile.entry_db = live.entry_db;
    copy.profile.ranging_backoff_start = live.ranging_backoff_start;
    copy.profile.ranging_backoff_end = live.ranging_backoff_end;
    copy.profile.request_backoff_start = live.request_backoff_start;
    copy.profile.request_backoff_end = live.request_backoff_end;
    copy.profile.reservation_timeout = live.reservation_timeout;
    visit(written, copy.profile);
    written.prefix = "adaptation.";
    visit(written, copy.adaptation);
    written.prefix.clear();
    auto& values = written.values;
    values["bsid"] = std::to_string(config.bsid);
    values["cp_denominator"] = std::to_string(config.cp_denominator);
    values["frame_duration_code"] = std::to_string(config.frame_duration_code);
    values["edition"] = std::to_string(static_cast<int>(config.edition));
    values["arq_feedback"] = std::to_string(static_cast<int>(config.arq_feedback));
    values["map_relevance"] = std::to_string(static_cast<int>(config.map_relevance));
    values["dl_scheduler"] = std::to_string(static_cast<int>(config.dl_scheduler));
    values["ul_scheduler"] = std::to_string(static_cast<int>(config.ul_scheduler));
    for (size_t i = 0; i < kPolicyRoles; ++i) {
        const std::string key = kPolicyRoleNames[i].key;
        values[key + ".python"] = config.policy_files.values[i].python;
        values[key + ".library"] = config.policy_files.values[i].library;
    }
    values["policy_limit_us"] = std::to_string(config.policy_limit_us);
    return values;
}

FlowState state_of(const ServiceFlowConfig& flow) {
    return flow.active_at_start ? FlowState::active : flow.idle_releases ? FlowState::provisioned : FlowState::admitted;
}

/// True if DSC can make the change; otherwise the flow is set up again.
bool same_but_qos_and_rules(const ServiceFlowConfig& a, const ServiceFlowConfig& b) {
    Written of_a, of_b;
    auto bare = [](ServiceFlowConfig flow) {
        apply(QosParameters{}, flow);
        return flow;
    };
    auto bare_a = bare(a), bare_b = bare(b);
    visit(of_a, bare_a);
    visit(of_b, bare_b);
    return of_a.values == of_b.values && a.name == b.name && a.direction == b.direction && a.cs == b.cs &&
           a.scheduling == b.scheduling && a.security_association == b.security_association &&
           a.phs.empty() == b.phs.empty();
}

/// A multicast flow with other rules is set up again, on another connection.
bool can_become(const ServiceFlowConfig& from, const ServiceFlowConfig& to) {
    return from.multicast ? same_but_qos(from, to) : same_but_qos_and_rules(from, to);
}

std::vector<ServiceFlowConfig> flows_of(const StationConfig& config) {
    std::vector<ServiceFlowConfig> flows = config.flows;
    if (!flows.empty()) return flows;
    flows.resize(2);
    flows[1].direction = FlowDirection::uplink;
    return flows;
}

}  // namespace

/// Reprovisions the stations that had to wait.
void BaseStation::reprovision_settled() {
    for (Subscriber* station : services_.stations.awake()) {
        if (!station->provision_next || !station->flows_settled()) continue;
        const StationConfig config = std::move(*station->provision_next);
        station->provision_next.reset();
        if (station->may_have_flows()) reprovision(*station, config);
        else station->config = config;  // its flows are still to be set up
    }
}

/// Compares the previous provisioning with the present one, by name and direction. A flow with a change under way
/// cannot be changed.
void BaseStation::reprovision(Subscriber& station, const StationConfig& config) {
    const auto before = flows_of(station.config), after = flows_of(config);
    const bool moved = station.config.ip_addresses != config.ip_addresses;
    station.config = config;
    const auto find = [](const auto& flows, const ServiceFlowConfig& like) {
        return std::ranges::find_if(
            flows, [&](const auto& flow) { return flow.name == like.name && flow.direction == like.direction; });
    };
    const auto running = [&](const ServiceFlowConfig& like) -> FlowContext* {
        for (auto& flow : station.flows)
            if (flow->origin == FlowContext::Origin::provisioned && flow->config.name == like.name &&
                flow->config.direction == like.direction)
                return flow.get();
        return nullptr;
    };
    const auto told = [&](const ServiceFlowConfig& flow, const Outcome& outcome) {
        if (!outcome)
            event_(EventSource::own(), "flow",
                   to_text(station.mac) + " flow '" + flow.name + "' not as provisioned: " + outcome.error().allowed);
    };
    for (const auto& flow : before) {
        FlowContext* runs = running(flow);
        const auto now = find(after, flow);
        if (runs && (now == after.end() || !can_become(flow, *now)))
            told(flow, services_.flows.remove(station, runs->sfid, 0));
    }
    for (const auto& flow : after) {
        const auto was = find(before, flow);
        FlowContext* runs = running(flow);
        if (!runs || was == before.end() || !can_become(*was, flow)) told(flow, services_.flows.provide(station, flow));
        else if ((moved && !flow.multicast) || !(*was == flow))
            told(flow, services_.flows.change(station, runs->sfid, services_.flows.prepared(station, flow),
                                              runs->active_set ? FlowState::active : state_of(flow), 0));
    }
}

tl::expected<std::vector<std::string>, Faults> BaseStation::reprovision(const BaseStationConfig& config) {
    auto faults = validate(config);
    const auto before = descriptor_values(config_.profile, config_.adaptation.margin_db);
    const bool descriptors = !(descriptor_values(config.profile, config_.adaptation.margin_db) == before);
    if (faults.empty() && descriptors) faults = change_profile(config.profile);
    if (!faults.empty()) return tl::unexpected(faults);
    std::vector<std::string> fixed;
    const auto was = fixed_values(config_), is = fixed_values(config);
    for (const auto& [key, value] : is)
        if (const auto old = was.find(key); old == was.end() || old->second != value) fixed.push_back(key);
    auto& profile = config_.profile;
    profile.exit_db = config.profile.exit_db;
    profile.entry_db = config.profile.entry_db;
    profile.ranging_backoff_start = config.profile.ranging_backoff_start;
    profile.ranging_backoff_end = config.profile.ranging_backoff_end;
    profile.request_backoff_start = config.profile.request_backoff_start;
    profile.request_backoff_end = config.profile.request_backoff_end;
    profile.reservation_timeout = config.profile.reservation_timeout;
    take_rates(config_, config);
    take_source_check(config_, config);
    config_.stations = config.stations;
    config_.unknown_station = config.unknown_station;
    config_.service_classes = config.service_classes;
    if (config_.privacy.authorities && config.privacy.authorities)
        config_.privacy.authorities = config.privacy.authorities;  // a list of revoked certificates may be newer
    services_.multicast.provision(config_);
    services_.sources.provision();
    for (auto& [cid, station] : services_.stations.stations()) {
        const auto found = std::ranges::find(config_.stations, station->mac, &StationConfig::mac);
        const StationConfig* own = found != config_.stations.end() ? &*found
                                   : config_.unknown_station       ? &*config_.unknown_station
                                                                   : nullptr;
        if (own) station->provision_next = *own;
        else if (station->registered()) station->entry.leave("it is not provisioned any more");
        if (own) services_.links.limit(*station, rate_limits(config_, *own));
    }
    services_.router.flows_changed();
    services_.stations.wake_all();
    reprovision_settled();
    event_(EventSource::own(), "mac", "provisioned again");
    return fixed;
}

}  // namespace wimax::mac
