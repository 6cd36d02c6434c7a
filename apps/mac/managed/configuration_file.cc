// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/managed/configuration_file.h"

#include "mac/flow/flow_parameters.h"
#include "mac/pdu/management_messages.h"
#include "mac/pdu/tlv.h"
#include "mac/privacy/file_signature.h"

#include <algorithm>

namespace wimax::mac {
namespace {

using Refused = tl::unexpected<FileRefusal>;

/// In front of the TLVs of a DSA-REQ, whose codec reads and writes the service flows: message type and transaction.
constexpr size_t kDsaReqOctets = 3;

Refused refused(std::string reason) { return Refused(FileRefusal{std::move(reason)}); }
Refused malformed(const std::string& detail) { return refused("malformed: " + detail); }
Refused malformed(const ParseError& error, size_t offset) {
    return malformed(std::string(error.detail) + " at byte " + std::to_string(offset + error.offset));
}

/// Reads the TLV as that of a message.
tl::expected<ServiceFlowConfig, FileRefusal> flow_of(Octets settings, const Tlv& found) {
    const Octets octets = settings.subspan(found.offset, found.value_offset - found.offset + found.value.size());
    Buffer message{static_cast<uint8_t>(MessageType::dsa_req), 0, 0};
    message.insert(message.end(), octets.begin(), octets.end());
    DsaReq request;
    if (const auto read = decode(message, request); !read) return malformed(read.error(), found.offset - kDsaReqOctets);
    const bool uplink = found.type == tlv::uplink_service_flow;
    const auto& flow = uplink ? request.uplink : request.downlink;
    if (!flow || (flow->service_class && !is_text(*flow->service_class))) return malformed("a service flow");
    return from_message(*flow, uplink ? FlowDirection::uplink : FlowDirection::downlink);
}

tl::expected<int64_t, FileRefusal> seconds_of(const Tlv& found) {
    const auto value = found.unsigned_value();
    if (found.value.size() != 8 || !value || *value > INT64_MAX) return malformed("a time");
    return static_cast<int64_t>(*value);
}

/// Adds the TLV to `file`. Empty: it is right.
std::string take_setting(Octets settings, const Tlv& found, ConfigurationFile& file) {
    switch (found.type) {
        case tlv::file::ss_mac_address: {
            MacAddress mac{};
            if (found.value.size() != mac.size()) return malformed("a MAC address").value().reason;
            std::ranges::copy(found.value, mac.begin());
            file.stations.push_back(mac);
            return {};
        }
        case tlv::file::not_before:
        case tlv::file::not_after: {
            const auto seconds = seconds_of(found);
            if (!seconds) return seconds.error().reason;
            auto& limit = found.type == tlv::file::not_before ? file.not_before_s : file.not_after_s;
            limit = *seconds;
            return {};
        }
        case tlv::uplink_service_flow:
        case tlv::downlink_service_flow: {
            if (file.flows.size() == ConfigurationFile::kMostFlows)
                return malformed("more than " + std::to_string(ConfigurationFile::kMostFlows) + " service flows")
                    .value()
                    .reason;
            auto flow = flow_of(settings, found);
            if (!flow) return flow.error().reason;
            file.flows.push_back(std::move(*flow));
            return {};
        }
        default: return {};  // of another version
    }
}

void put_flow(const ServiceFlowConfig& flow, Buffer& out) {
    ServiceFlow message = to_message(flow, 0, 0);
    message.sfid.reset();  // the base station assigns them
    message.cid.reset();
    DsaReq request;
    auto& carried = flow.direction == FlowDirection::uplink ? request.uplink : request.downlink;
    carried = std::move(message);
    Buffer octets;
    encode(request, octets);
    out.insert(out.end(), octets.begin() + kDsaReqOctets, octets.end());
}

}  // namespace

tl::expected<ConfigurationFile, FileRefusal> read_configuration_file(Octets octets, Octets key, const MacAddress& mac,
                                                                     std::optional<int64_t> time_s) {
    if (key.empty()) return refused("no key for its signature");
    const auto parts = split_configuration_file(octets);
    if (!parts) return malformed(parts.error(), 0);
    if (parts->signature.empty()) return refused("no signature");
    if (!privacy::is_signature(key, parts->settings, parts->signature)) return refused("wrong signature");
    ConfigurationFile file;
    TlvReader reader(parts->settings);
    while (const auto found = reader.next())
        if (auto wrong = take_setting(parts->settings, *found, file); !wrong.empty()) return refused(std::move(wrong));
    if (!file.stations.empty() && std::ranges::find(file.stations, mac) == file.stations.end())
        return refused("for another station");
    if (!time_s && (file.not_before_s || file.not_after_s))
        return refused("valid for a time, and the time is not known");
    if (time_s && file.not_before_s && *time_s < *file.not_before_s) return refused("not valid yet");
    if (time_s && file.not_after_s && *time_s > *file.not_after_s) return refused("no longer valid");
    return file;
}

std::optional<Buffer> write_configuration_file(const ConfigurationFile& file, Octets key) {
    if (file.flows.size() > ConfigurationFile::kMostFlows) return std::nullopt;
    Buffer out;
    TlvWriter tlvs(out);
    for (const auto& mac : file.stations) tlvs.put(tlv::file::ss_mac_address, mac);
    if (file.not_before_s) tlvs.put_integer(tlv::file::not_before, static_cast<uint64_t>(*file.not_before_s), 8);
    if (file.not_after_s) tlvs.put_integer(tlv::file::not_after, static_cast<uint64_t>(*file.not_after_s), 8);
    for (const auto& flow : file.flows) put_flow(flow, out);
    const auto signature = privacy::file_signature(key, out);
    if (!signature) return std::nullopt;
    end_configuration_file(*signature, out);
    return out.size() <= kMostConfigurationFileOctets ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace wimax::mac
