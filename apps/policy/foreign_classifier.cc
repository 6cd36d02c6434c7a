// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/foreign_classifier.h"

#include <algorithm>

namespace wimax::policy {
namespace {

/// Octets of an IPv4, IPv6 or MAC address, at the begin of the array.
void put_address(const mac::IpAddress& address, uint8_t (&to)[16]) {
    const auto octets = address.octets();
    const ptrdiff_t unused = address.is_ipv4() ? 12 : address.is_mac() ? 10 : 0;
    std::copy(octets.begin() + unused, octets.end(), to);
}

wimax_policy_packet packet_of(const mac::PacketFields& fields) {
    wimax_policy_packet packet{};
    packet.ip_version = fields.ipv4 ? 4 : fields.ipv6 ? 6 : 0;
    packet.ethernet = fields.ethernet ? 1 : 0;
    put_address(fields.source, packet.source);
    put_address(fields.destination, packet.destination);
    packet.tos = fields.tos;
    packet.protocol = fields.protocol;
    packet.has_ports = fields.has_ports ? 1 : 0;
    packet.source_port = fields.source_port;
    packet.destination_port = fields.destination_port;
    packet.ethertype = fields.ethertype;
    packet.has_tag = fields.tag ? 1 : 0;
    packet.tag = fields.tag.value_or(0);
    return packet;
}

wimax_policy_candidate candidate_of(const mac::FlowCandidate& flow) {
    wimax_policy_candidate candidate{};
    candidate.cid = flow.cid;
    candidate.sfid = flow.sfid;
    candidate.scheduling = static_cast<uint32_t>(flow.parameters->scheduling);
    candidate.priority = flow.parameters->traffic_priority;
    candidate.min_rate_bps = flow.parameters->min_reserved_rate_bps;
    candidate.max_rate_bps = flow.parameters->max_sustained_rate_bps;
    candidate.max_latency_ms = flow.parameters->max_latency_ms;
    candidate.rank = flow.rank;
    return candidate;
}

}  // namespace

int ClassifyCall::run(const wimax_policy_api& api, void* self) {
    for (size_t i = 0; i < flows.size(); ++i) flows[i].name = names[i].c_str();
    input.flow_count = static_cast<uint32_t>(flows.size());
    input.flows = flows.data();
    input.length = static_cast<uint32_t>(octets.size());
    input.octets = octets.data();
    chosen = -1;
    return api.classify(self, &input, &chosen, &error);
}

mac::PolicyOutcome ForeignClassifier::classify(uint16_t station, const mac::PacketFields& fields, mac::Octets packet,
                                               std::span<const mac::FlowCandidate> flows,
                                               std::optional<size_t>& chosen) {
    if (const auto ready = calls_.ready(); ready != mac::PolicyResult::done) return {ready};
    calls_->input = packet_of(fields);
    calls_->input.time_s = static_cast<double>(cell_.clock.now) / static_cast<double>(cell_.clock.sample_rate_hz);
    calls_->input.station = station;
    calls_->octets.assign(packet.begin(), packet.end());
    calls_->flows.clear();
    calls_->names.resize(std::max(calls_->names.size(), flows.size()));
    for (size_t i = 0; i < flows.size(); ++i) {
        calls_->flows.push_back(candidate_of(flows[i]));
        calls_->names[i] = flows[i].parameters->name;
    }
    const auto outcome = calls_.call();
    if (outcome.result != mac::PolicyResult::done) return outcome;
    if (calls_->chosen < -1) return calls_.nonsense("flow " + std::to_string(calls_->chosen));
    chosen.reset();
    if (calls_->chosen >= 0) chosen = static_cast<size_t>(calls_->chosen);
    return outcome;
}

}  // namespace wimax::policy
