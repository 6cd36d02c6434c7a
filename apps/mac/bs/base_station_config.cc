// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/air_factory.h"
#include "mac/config_check.h"
#include "mac/cs/header_suppression.h"
#include "mac/flow/flow_command.h"
#include "mac/managed/udp_datagram.h"
#include "mac/pdu/cid.h"

#include <algorithm>
#include <map>
#include <set>

namespace wimax::mac {
namespace {

void check_arq(Check check, const ServiceFlowConfig& flow) {
    const ArqConfig& arq = flow.arq;
    if (!arq.enable) return;
    if (!flow.fragmentation) check.add("fragmentation", "false", "true, with arq.enable");
    if (!flow.crc) check.add("crc", "false", "true, with arq.enable");
    const bool for_ever = arq.block_lifetime_ms == 0;
    if (arq.rx_purge_timeout_ms != 0 && (for_ever || arq.rx_purge_timeout_ms <= arq.block_lifetime_ms))
        check.add("arq.rx_purge_timeout_ms", written(arq.rx_purge_timeout_ms),
                  for_ever ? "0, with arq.block_lifetime_ms 0" : "more than arq.block_lifetime_ms, or 0");
    if (arq.sync_loss_timeout_ms != 0 && arq.sync_loss_timeout_ms <= arq.block_lifetime_ms)
        check.add("arq.sync_loss_timeout_ms", written(arq.sync_loss_timeout_ms),
                  "more than arq.block_lifetime_ms, or 0");
}

void check_phs(Check check, const ServiceFlowConfig& flow) {
    std::set<uint8_t> known;
    for (size_t i = 0; i < flow.phs.size(); ++i) {
        const HeaderRule& rule = flow.phs[i];
        const std::string key = "phs[" + std::to_string(i) + "].";
        if (rule.phsi == 0 || !known.insert(rule.phsi).second)
            check.add(key + "phsi", std::to_string(rule.phsi), "1..255, each once");
        if (rule.ipv4_udp && flow.cs != ConvergenceSublayer::ipv4)
            check.add(key + "phsf", "ipv4_udp", "octets, of a flow that is not of ipv4");
        if (!rule.ipv4_udp && (rule.field.empty() || rule.field.size() > 255))
            check.add(key + "phsf", std::to_string(rule.field.size()) + " octets", "1..255 octets, or ipv4_udp");
        if (!rule.mask.empty() && rule.mask.size() != (rule.field.size() + 7) / 8)
            check.add(key + "phsm", std::to_string(rule.mask.size()) + " octets", "a bit for each octet of phsf");
    }
    check("phs (number)", flow.phs.size(), {0, kMostHeaderRules});
    for (const auto& rule : flow.classifiers)
        if (rule.phsi != 0 && !known.contains(rule.phsi))
            check.add("rules", "phsi " + std::to_string(rule.phsi), "that of a rule of the flow's phs");
    if (flow.fixed_sdu_octets != 0 && !flow.phs.empty())
        check.add("fixed_sdu_octets", std::to_string(flow.fixed_sdu_octets), "0, with phs");
    if (flow.fixed_sdu_octets != 0 && flow.arq.enable)
        check.add("fixed_sdu_octets", std::to_string(flow.fixed_sdu_octets), "0, with arq.enable");
}

/// `named`: it may refer to the multicast flow of that name, which defines the rest.
void check_multicast(Check check, const ServiceFlowConfig& flow, bool named) {
    if (!flow.multicast) return;
    constexpr const char* kNot = "false, with multicast";
    if (flow.direction == FlowDirection::uplink) check.add("direction", "uplink", "downlink, with multicast");
    if (flow.name.empty()) check.add("name", "(none)", "a name, with multicast: its stations share the flow by it");
    if (flow.arq.enable) check.add("arq.enable", "true", kNot);
    if (!flow.active_at_start) check.add("active_at_start", "false", "true, with multicast");
    if (flow.idle_timeout_ms != 0)
        check.add("idle_timeout_ms", std::to_string(flow.idle_timeout_ms), "0, with multicast");
    if (flow.idle_releases) check.add("idle_releases", "true", kNot);
    if (flow.security_association == FlowAssociation::own)
        check.add("security_association", "own", "another one, with multicast, which is not encrypted");
    const bool open = std::ranges::any_of(flow.classifiers, [](const auto& rule) { return rule.destination.empty(); });
    if (open || (flow.classifiers.empty() && !named))
        check.add("rules", open ? "one without a destination" : "(none)",
                  "rules that name destinations, with multicast: groups, or the broadcast address");
}

void check_flow(Check check, const ServiceFlowConfig& flow, bool named = false) {
    visit(check, flow);
    check("name (length)", flow.name.size(), {0, kMaxFlowName});
    if (flow.scheduling == SchedulingType::ugs && flow.max_sustained_rate_bps == 0)
        check.add("max_sustained_rate_bps", "0", "a UGS flow's rate");
    if (flow.max_sustained_rate_bps != 0 && flow.min_reserved_rate_bps > flow.max_sustained_rate_bps)
        check.add("min_reserved_rate_bps", std::to_string(flow.min_reserved_rate_bps),
                  "at most max_sustained_rate_bps");
    const bool frames = link_of(flow.cs) == UserLink::ethernet;
    const auto foreign = [&](const auto& a) {
        return a.is_mac() != frames || (!frames && a.is_ipv4() != (flow.cs == ConvergenceSublayer::ipv4));
    };
    for (const auto& rule : flow.classifiers) {
        if (std::ranges::any_of(rule.source, foreign) || std::ranges::any_of(rule.destination, foreign))
            check.add("rules", "addresses of another kind", "those of the flow's convergence sublayer (cs)");
        const bool of_frames = rule.ethertype || rule.user_priority || rule.vlan_id;
        const bool of_ip =
            rule.tos || !rule.protocols.empty() || !rule.source_ports.empty() || !rule.destination_ports.empty();
        if (frames ? of_ip : of_frames)
            check.add("rules", frames ? "fields of IP" : "fields of Ethernet",
                      "those of the flow's convergence sublayer (cs)");
    }
    check_arq(check, flow);
    check_phs(check, flow);
    check_multicast(check, flow, named);
}

/// All stations that have a multicast flow have it with the same parameters.
class MulticastNames {
public:
    void check(Check check, const char* list, const std::vector<ServiceFlowConfig>& flows) {
        std::set<std::string> here;
        for (size_t i = 0; i < flows.size(); ++i) {
            if (!flows[i].multicast || flows[i].name.empty()) continue;
            const std::string key = std::string(list) + "[" + std::to_string(i) + "].name";
            if (!here.insert(flows[i].name).second) check.add(key, flows[i].name, "each multicast flow once");
            const auto [known, added] = first_.emplace(flows[i].name, &flows[i]);
            if (!added && !(*known->second == flows[i]))
                check.add(key, flows[i].name, "another name, or the parameters that the multicast flow has elsewhere");
        }
    }

private:
    std::map<std::string, const ServiceFlowConfig*> first_;
};

void check_station(Faults& faults, const std::string& prefix, const StationConfig& station, UserLink link) {
    Check check(faults, prefix);
    visit(check, station);
    if (station.ul_subchannels && !is_width(*station.ul_subchannels))
        check.add("ul_subchannels", std::to_string(*station.ul_subchannels), "1, 2, 4, 8 or 16");
    check("flows (number)", station.flows.size(), {0, kMaxStationFlows});
    size_t up = station.flows.empty() ? 1 : 0, down = up;
    for (size_t i = 0; i < station.flows.size(); ++i) {
        check_flow(Check(faults, prefix + "flows[" + std::to_string(i) + "]."), station.flows[i]);
        const bool uplink = station.flows[i].direction == FlowDirection::uplink;
        up += uplink ? 1 : 0;
        down += uplink ? 0 : 1;
        if (link_of(station.flows[i].cs) != link)
            check.add("flows[" + std::to_string(i) + "].cs", link == UserLink::ip ? "of Ethernet" : "of IP",
                      "one of the user's interface");
    }
    check("flows (of one direction)", std::max(up, down), {0, kMaxFlowsEachWay});
    if (station.flows.empty() && link == UserLink::ethernet)
        check.add("flows", "(none)", "at least one downlink and one uplink flow of Ethernet");
    if (up == 0 || down == 0) check.add("flows", "of one direction", "at least one downlink and one uplink flow");
}

void check_profile(Check check, const BaseStationProfile& profile) {
    visit(check, profile);
    visit_thresholds(check, profile);
    check("ranging_backoff_end", profile.ranging_backoff_end, {double(profile.ranging_backoff_start), 15});
    check("request_backoff_end", profile.request_backoff_end, {double(profile.request_backoff_start), 15});
    for (size_t rate = 0; rate < kRateCount; ++rate)
        check("entry_db[" + std::to_string(rate) + "]", profile.entry_db[rate],
              {static_cast<double>(profile.exit_db[rate]), 63.75});
}

/// Each station that may come needs its basic CID, and transport CIDs for as many flows as any of them has.
void check_cids(Check& check, const BaseStationConfig& config) {
    if (config.max_stations > config.basic_cids)
        check.add("max_stations", std::to_string(config.max_stations),
                  "at most basic_cids, " + std::to_string(config.basic_cids));
    size_t flows = config.unknown_station ? config.unknown_station->flows.size() : 0;
    for (const auto& station : config.stations) flows = std::max(flows, station.flows.size());
    constexpr size_t kDefaultFlows = 2;
    const size_t needed = std::max(flows, kDefaultFlows) * config.max_stations;
    const size_t transport = cid::kLastTransport - size_t{2} * std::min(config.basic_cids, kMostBasicCids);
    if (needed > transport)
        check.add("basic_cids", std::to_string(config.basic_cids),
                  "fewer, or fewer stations or flows: " + std::to_string(transport) + " transport CIDs are left, " +
                      std::to_string(needed) + " needed");
}

void check_means(Faults& faults, const BaseStationConfig& config) {
    const auto& narrow = config.subchannelization;
    Check check(faults, "subchannelization.");
    visit(check, narrow);
    if (!is_width(narrow.fewest)) check.add("fewest", std::to_string(narrow.fewest), "1, 2, 4 or 8");
    if (narrow.enable && !config.power_control)
        check.add("enable", "true",
                  "false, without power_control: without it no station would be ordered to increase its power");
    const uint32_t codes = config.profile.focused_subchannel_codes;
    if (codes > 0 && (config.profile.focused_opportunities == 0 || !narrow.enable))
        faults.add("profile.focused_subchannel_codes", std::to_string(codes),
                   "0, without profile.focused_opportunities or without subchannelization.enable");
    Check stc(faults, "stc.");
    visit(stc, config.stc);
    stc("leave_variation", config.stc.leave_variation, {0, config.stc.enter_variation});
}

void check_managed(Check check, const ManagedNetwork& network) {
    visit(check, network);
    if (network.policy == ManagedPolicy::off) return;
    const bool taken =
        network.relay_address == network.server_address || IpAddress(network.relay_address) == network.subnet.address;
    if (!network.subnet.contains(network.relay_address) || taken)
        check.add("relay_address", address_text(network.relay_address),
                  "an address of the subnet of managed.address that no host has");
}

}  // namespace

Faults validate(const FlowCommand& command) {
    Faults out;
    check_flow(Check(out), command.flow, true);
    return out;
}

Faults validate(const BaseStationProfile& profile) {
    Faults out;
    check_profile(Check(out), profile);
    return out;
}

Faults validate(const BaseStationConfig& config) {
    Faults out;
    Check check(out);
    visit_air(check, config);
    check_spacing(check, config.carriers, config.bandwidth_hz);
    visit(check, config);
    check("bsid", config.bsid, kBsids);
    check_profile(Check(out, "profile."), config.profile);
    Check adaptation(out, "adaptation.");
    visit(adaptation, config.adaptation);
    check_means(out, config);
    std::set<MacAddress> seen;
    for (size_t i = 0; i < config.stations.size(); ++i) {
        const std::string prefix = "stations[" + std::to_string(i) + "].";
        const MacAddress& mac = config.stations[i].mac;
        check_mac(Check(out, prefix), mac);
        if (!seen.insert(mac).second) out.add(prefix + "mac", written(mac), "each address once");
        check_station(out, prefix, config.stations[i], config.link);
    }
    check_cids(check, config);
    for (size_t i = 0; i < config.service_classes.size(); ++i)
        check_flow(Check(out, "service_classes[" + std::to_string(i) + "]."), config.service_classes[i]);
    if (config.unknown_station) check_station(out, "unknown_station.", *config.unknown_station, config.link);
    MulticastNames names;
    names.check(check, "service_classes", config.service_classes);
    for (size_t i = 0; i < config.stations.size(); ++i)
        names.check(Check(out, "stations[" + std::to_string(i) + "]."), "flows", config.stations[i].flows);
    if (config.unknown_station) names.check(Check(out, "unknown_station."), "flows", config.unknown_station->flows);
    if (config.privacy.policy != PrivacyPolicy::off && (!config.privacy.authorities || !config.privacy.wall_s))
        check.add("privacy.authorities", "(none)", "certificates of authorities, or privacy.policy off");
    check_managed(Check(out, "managed."), config.managed);
    out.add_all(air_of(config).check(config));
    return out;
}

DerivedValues derived_values(const BaseStationConfig& config, bool cell) {
    return air_of(config).describe(config, cell);
}

}  // namespace wimax::mac
