// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration files of managed stations as JSON, and back with a signature.
#include "mac/pdu/configuration_settings.h"

#include "mac/privacy/file_signature.h"
#include "tools/pdu/tree.h"

namespace wimax::pdu {
namespace {

Json error_json(const mac::ParseError& error) {
    return {{"offset", error.offset}, {"reason", to_string(error.reason)}, {"detail", error.detail}};
}

const char* signature_text(const mac::ConfigurationSettings& parts, Octets key) {
    if (parts.signature.empty()) return "missing";
    if (key.empty()) return "not verified";
    return mac::privacy::is_signature(key, parts.settings, parts.signature) ? "right" : "wrong";
}

}  // namespace

Json decode_configuration_file(Octets file, Octets key) {
    Json out = {{"signature", "missing"}, {"error", nullptr}};
    const auto parts = mac::split_configuration_file(file);
    if (!parts) {
        out["error"] = error_json(parts.error());
        return out;
    }
    out["signature"] = signature_text(*parts, key);
    if (const auto error = decode_tlvs(parts->settings, 0, &mac::kConfigurationFileTlvs, out))
        out["error"] = error_json(*error);
    return out;
}

tl::expected<Buffer, Faults> encode_configuration_file(const Json& json, Octets key) {
    Faults faults;
    Buffer out;
    mac::TlvWriter tlvs(out);
    const Node root(json, "", faults);
    if (root.has("tlvs")) encode_tlvs(root.at("tlvs"), tlvs);
    else encode_fields(root.at("fields"), mac::kConfigurationFileTlvs, tlvs);
    const auto signature = mac::privacy::file_signature(key, out);
    if (!signature) return tl::unexpected(Faults(Fault{"--key", "", "the signature cannot be made"}));
    mac::end_configuration_file(*signature, out);
    if (const auto parts = mac::split_configuration_file(out); !parts && faults.empty())
        faults.add("/", "", std::string("no configuration file: ") + parts.error().detail);
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    return out;
}

}  // namespace wimax::pdu
