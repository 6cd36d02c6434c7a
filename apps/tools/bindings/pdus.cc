// SPDX-License-Identifier: GPL-3.0-or-later
// MAC PDUs and messages: octets to JSON texts and back, as `wimax pdu` has them; the dictionary; keys and digests.
#include "mac/pdu/header.h"
#include "mac/privacy/ccm_cipher.h"
#include "mac/privacy/key_derivation.h"
#include "mac/privacy/key_wrap.h"
#include "mac/privacy/message_digest.h"
#include "tools/bindings/bindings.h"
#include "tools/pdu/format.h"

#include <pybind11/stl.h>

#include <algorithm>

namespace wimax::bindings {
namespace {

namespace privacy = mac::privacy;
using pdu::Buffer, pdu::Json, pdu::Octets, pdu::PayloadKey;

Octets octets_of(const py::bytes& bytes) {
    const std::string_view view(bytes);
    return {reinterpret_cast<const uint8_t*>(view.data()), view.size()};
}
py::bytes bytes_of(Octets octets) { return {reinterpret_cast<const char*>(octets.data()), octets.size()}; }

/// Texts from the air need not be UTF-8.
std::string text_of(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

Json json_of(const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) refuse({"not JSON"});
    return json;
}

Buffer buffer_or_refuse(const tl::expected<Buffer, Faults>& octets) {
    if (!octets) refuse(octets.error().lines());
    return *octets;
}

template <class T> T or_refuse(const std::optional<T>& value, const char* reason) {
    if (!value) refuse({reason});
    return *value;
}

/// A key, digest or vector of a fixed size.
template <class T, size_t N> T sized(const char* name, Octets octets) {
    if (octets.size() != N)
        refuse({std::string(name) + ": value of " + std::to_string(octets.size()) + " octets: allowed are " +
                std::to_string(N)});
    return T(octets.first<N>());
}
template <class Secret> Secret secret_of(const char* name, const py::bytes& bytes) {
    return sized<Secret, Secret::kOctets>(name, octets_of(bytes));
}

privacy::TrafficKey tek_of(const py::bytes& bytes) {
    const auto tek = privacy::TrafficKey::of(octets_of(bytes));
    return or_refuse(tek, "tek: allowed are 16 octets (AES-CCM) or 8 (DES-CBC)");
}

/// No key: an empty `tek`.
std::optional<PayloadKey> key_of(const py::bytes& tek, const py::bytes& cbc_iv, uint32_t frame_number) {
    if (octets_of(tek).empty()) return std::nullopt;
    PayloadKey key{tek_of(tek), {}, frame_number};
    if (const auto iv = octets_of(cbc_iv); !iv.empty())
        std::ranges::copy(sized<Octets, privacy::CbcCipher::kBlockOctets>("cbc_iv", iv), key.cbc_iv.begin());
    return key;
}

/// Of the Type field, by the kinds of subheaders.
Json type_bits() {
    namespace type = mac::type;
    return {{"grant_management", type::kGrantManagement},
            {"fragmentation", type::kFragmentation},
            {"packing", type::kPacking},
            {"arq_feedback", type::kArqFeedback},
            {"extended", type::kExtended}};
}

std::string decode_pdus(const py::bytes& octets, int direction, uint16_t basic_cid_max, const py::bytes& tek,
                        const py::bytes& cbc_iv, uint32_t frame_number,
                        const std::vector<std::pair<uint8_t, py::bytes>>& teks) {
    pdu::DecodeOptions options;
    options.direction = static_cast<pdu::Direction>(direction);
    options.basic_cid_max = basic_cid_max;
    options.key = key_of(tek, cbc_iv, frame_number);
    for (const auto& [eks, one] : teks) options.logged.push_back({eks, tek_of(one)});
    const Octets burst = octets_of(octets);
    const py::gil_scoped_release others;
    return text_of(pdu::decode_pdus(burst, options));
}

py::bytes encode(const std::string& text, const py::bytes& tek) {
    const Json json = json_of(text);
    const auto key = key_of(tek, py::bytes(), 0);
    tl::expected<Buffer, Faults> octets;
    {
        const py::gil_scoped_release others;
        octets = pdu::encode(json, key);
    }
    return bytes_of(buffer_or_refuse(octets));
}

py::bytes write_tlv(size_t set, uint8_t type, const std::string& value) {
    return bytes_of(buffer_or_refuse(pdu::write_tlv({set, type}, json_of(value))));
}

py::dict derive_keys(const py::bytes& ak) {
    const auto keys = or_refuse(privacy::derive_keys(secret_of<privacy::AuthorizationKey>("ak", ak)), "no SHA-1");
    py::dict out;
    out["kek"] = bytes_of(keys.kek.octets());
    out["hmac_downlink"] = bytes_of(keys.hmac_downlink.octets());
    out["hmac_uplink"] = bytes_of(keys.hmac_uplink.octets());
    return out;
}

py::bytes digest(const py::bytes& key, const py::bytes& covered) {
    auto by = privacy::MessageDigest::with(secret_of<privacy::HmacKey>("key", key));
    const auto made = by ? by->of(octets_of(covered)) : std::nullopt;
    if (!made) refuse({"the library has no HMAC-SHA1"});
    return bytes_of(*made);
}

/// The vector that DES-CBC uses in a frame.
py::bytes cbc_iv_of(const py::bytes& parameter, uint32_t frame_number) {
    const auto iv = sized<Octets, privacy::CbcCipher::kBlockOctets>("cbc_iv", octets_of(parameter));
    privacy::CbcCipher::Iv of{};
    std::ranges::copy(iv, of.begin());
    return bytes_of(privacy::CbcCipher::iv_of(of, frame_number));
}

privacy::TekEncryption method_of(Octets tek) {
    return tek.size() == privacy::TrafficKey::kDesOctets ? privacy::TekEncryption::des_ede
                                                         : privacy::TekEncryption::aes_ecb;
}

py::bytes wrap_tek(const py::bytes& kek, const py::bytes& tek) {
    const auto key = tek_of(tek);
    const auto wrapped =
        privacy::wrap_tek(method_of(key.octets()), secret_of<privacy::KeyEncryptionKey>("kek", kek), key);
    return bytes_of(or_refuse(wrapped, "tek: the library has no cipher for it"));
}

py::bytes unwrap_tek(const py::bytes& kek, const py::bytes& wrapped) {
    const Octets octets = octets_of(wrapped);
    const auto key = secret_of<privacy::KeyEncryptionKey>("kek", kek);
    const auto tek = privacy::unwrap_tek(method_of(octets), key, octets);
    return bytes_of(or_refuse(tek, "wrapped: allowed are 16 octets (AES) or 8 (DES)").octets());
}

}  // namespace

void add_pdus(py::module_& m) {
    m.attr("default_basic_cid_max") = mac::cid::kBasicMax;
    m.attr("largest_basic_cid_max") = pdu::kLargestBasicCidMax;
    m.attr("most_pdu_octets") = mac::kMaxPduOctets;
    m.attr("last_packet_number") = privacy::kLastPacketNumber;
    m.attr("uplink_packet_numbers") = privacy::kUplinkPacketNumbers;
    m.def("pdu_dictionary", [] { return text_of(pdu::dictionary()); });
    m.def("pdu_type_bits", [] { return text_of(type_bits()); });
    m.def("decode_pdus", &decode_pdus, py::arg("octets"), py::arg("direction"), py::arg("basic_cid_max"),
          py::arg("tek"), py::arg("cbc_iv"), py::arg("frame_number"), py::arg("teks"));
    m.def("decode_message", [](const py::bytes& octets) { return text_of(pdu::decode_message(octets_of(octets))); });
    m.def("decode_frame_prefix",
          [](const py::bytes& octets) { return text_of(pdu::decode_frame_prefix(octets_of(octets))); });
    m.def("encode_pdus", &encode, py::arg("json"), py::arg("tek"));
    m.def("read_tlv", [](size_t set, uint8_t type, const py::bytes& value) {
        return text_of(pdu::read_tlv({set, type}, octets_of(value)));
    });
    m.def("write_tlv", &write_tlv, py::arg("set"), py::arg("type"), py::arg("value"));
    m.def("derive_keys", &derive_keys, py::arg("ak"));
    m.def("message_digest", &digest, py::arg("key"), py::arg("covered"));
    m.def("cbc_iv_of", &cbc_iv_of, py::arg("parameter"), py::arg("frame_number"));
    m.def("wrap_tek", &wrap_tek, py::arg("kek"), py::arg("tek"));
    m.def("unwrap_tek", &unwrap_tek, py::arg("kek"), py::arg("wrapped"));
}

}  // namespace wimax::bindings
