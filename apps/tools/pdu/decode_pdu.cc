// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include "tools/pdu/tree.h"

#include <algorithm>

namespace wimax::pdu {
namespace {

using mac::ParseError;
using mac::Pdu;
using mac::Reason;

void add_error(Json& out, const ParseError& error, size_t offset, Octets rest) {
    out["error"] = {{"offset", offset}, {"reason", mac::to_string(error.reason)}};
    out["rest"] = to_hex(rest);
    out["detail"] = "octet " + std::to_string(error.offset) + ": " + error.detail;
}

Json header_json(const Pdu& pdu) {
    const uint8_t hcs = pdu.octets[mac::kHeaderOctets - 1];
    if (pdu.is_request)
        return {{"ht", 1},
                {"ec", 0},
                {"type", static_cast<int>(pdu.request.type)},
                {"br", pdu.request.br},
                {"cid", pdu.request.cid},
                {"hcs", hcs}};
    const mac::GenericHeader& h = pdu.header;
    return {{"ht", 0},      {"ec", int{h.ec}}, {"type", h.type}, {"ci", int{h.ci}},
            {"eks", h.eks}, {"len", h.len},    {"cid", h.cid},   {"hcs", hcs}};
}

/// Feedback in all of `octets`, or followed by others, which are returned in `behind`.
ParseFault feedback_from(Octets octets, Json& ies, Octets& behind) {
    mac::BitReader in(octets);
    if (auto error = decode_feedback(in, ies)) {
        if (error->reason == Reason::truncated) error->reason = Reason::subheader;
        return error;
    }
    behind = in.rest();
    return {};
}

ParseFault decode_units(const mac::Subheaders& sub, bool extended, Json& list) {
    mac::UnitReader units(sub.rest, extended);
    bool feedback = sub.feedback;
    while (const auto unit = units.next()) {
        Json entry = {{"kind", "packing"},
                      {"fc", static_cast<int>(unit->subheader.fc)},
                      {"fsn", unit->subheader.fsn},
                      {"len", unit->subheader.length}};
        const auto offset = static_cast<size_t>(unit->data.data() - sub.rest.data());
        if (feedback) {
            Octets behind;
            if (auto error = feedback_from(unit->data, entry["ies"], behind)) {
                error->offset += offset;
                return error;
            }
            if (!behind.empty()) return fault(offset, Reason::subheader, "octets behind the last feedback IE");
            feedback = false;
        } else {
            entry["payload"] = to_hex(unit->data);
        }
        list.push_back(std::move(entry));
    }
    if (feedback && !units.error()) return fault(0, Reason::subheader, "no unit for the ARQ feedback");
    return units.error();
}

/// Subheaders and payload or message of a generic PDU that is not encrypted, or not any more. Error offsets are in the
/// PDU.
ParseFault decode_contents(const Pdu& pdu, const DecodeOptions& options, Json& out) {
    const uint8_t type = pdu.header.type;
    if (options.direction == Direction::downlink && type & mac::type::kGrantManagement)
        return fault(0, Reason::reserved, "Type bit 0 in the downlink");
    const auto sub = mac::parse_subheaders(pdu);
    if (!sub) return sub.error();
    Json& list = out["subheaders"];
    if (const auto& gm = sub->grant_management)
        list.push_back({{"kind", "grant_management"},
                        {"raw", gm->raw},
                        {"si", int{gm->slip_indicator()}},
                        {"pm", int{gm->poll_me()}},
                        {"pbr", gm->piggyback_request()}});
    if (const auto& fragment = sub->fragmentation)
        list.push_back({{"kind", "fragmentation"}, {"fc", static_cast<int>(fragment->fc)}, {"fsn", fragment->fsn}});
    const auto shifted = [&](ParseFault error) {
        if (error) error->offset += static_cast<size_t>(sub->rest.data() - pdu.octets.data());
        return error;
    };
    if (sub->packed) return shifted(decode_units(*sub, pdu.header.extended(), list));
    Octets payload = sub->rest;
    if (sub->feedback) {
        Json entry = {{"kind", "arq_feedback"}};
        if (auto error = feedback_from(sub->rest, entry["ies"], payload)) return shifted(error);
        list.push_back(std::move(entry));
    }
    const bool whole = !sub->fragmentation && !sub->feedback && !pdu.header.ec;
    if (whole && !payload.empty() && mac::cid::is_management(pdu.header.cid, options.basic_cid_max))
        return shifted(decode_message_body(payload, out["message"]));
    out["payload"] = to_hex(payload);
    return {};
}

std::optional<Buffer> open_with(const DecodeOptions& options, const Pdu& pdu, Json& cipher) {
    const Octets sealed = pdu.octets.first(mac::kHeaderOctets + pdu.body.size());
    if (options.key) return open_pdu(sealed, *options.key, cipher);
    for (auto logged = options.logged.rbegin(); logged != options.logged.rend(); ++logged) {
        if (logged->eks != pdu.header.eks) continue;
        if (auto plain = open_pdu(sealed, {logged->tek, {}, 0}, cipher)) return plain;
    }
    return std::nullopt;
}

/// Octets, unless the key is the right one.
ParseFault decode_encrypted(const Pdu& pdu, const DecodeOptions& options, Json& out) {
    Json cipher = Json::object();
    const auto plain = open_with(options, pdu, cipher);
    if (plain) {
        Pdu opened = pdu;
        opened.octets = *plain;
        opened.body = opened.octets.subspan(mac::kHeaderOctets);
        if (const auto error = decode_contents(opened, options, out)) return error;
    } else {
        out["payload"] = to_hex(pdu.body);
    }
    out.update(cipher);
    return {};
}

ParseFault pdu_json(const Pdu& pdu, const DecodeOptions& options, Json& out) {
    const auto begin = [&] {
        out = Json::object();
        out["header"] = header_json(pdu);
        out["subheaders"] = Json::array();
    };
    begin();
    if (pdu.is_request) return {};
    if (const auto error = pdu.header.ec ? decode_encrypted(pdu, options, out) : decode_contents(pdu, options, out)) {
        // The contents of a PDU with a wrong CRC may be malformed; the PDU is still a result.
        if (pdu.crc_ok()) return error;
        begin();
        out["payload"] = to_hex(pdu.body);
    }
    if (!pdu.header.ci) return {};
    out["crc"] = to_hex(pdu.octets.last(mac::kCrcOctets));
    if (pdu.crc_style) out["crc_style"] = *pdu.crc_style == mac::CrcStyle::msb ? "msb" : "8023";
    else out["crc_style"] = nullptr;
    out["crc_ok"] = pdu.crc_ok();
    return {};
}

}  // namespace

Json decode_pdus(Octets burst, const DecodeOptions& options) {
    Json out = {{"pdus", Json::array()}, {"padding_bytes", 0}, {"error", nullptr}};
    mac::PduReader reader(burst);
    while (const auto pdu = reader.next_any()) {
        Json entry;
        if (auto error = pdu_json(*pdu, options, entry)) {
            error->offset += pdu->offset;
            add_error(out, *error, pdu->offset, burst.subspan(pdu->offset));
            return out;
        }
        out["pdus"].push_back(std::move(entry));
    }
    if (const auto& error = reader.error()) add_error(out, *error, error->offset, burst.subspan(error->offset));
    out["padding_bytes"] = reader.padding_octets();
    return out;
}

Json decode_message(Octets message) {
    Json out = Json::object();
    const auto error = decode_message_body(message, out);
    if (!error) return out;
    Json failed = Json::object();
    for (const char* key : {"msg", "name"})
        if (out.contains(key)) failed[key] = out[key];
    add_error(failed, *error, 0, message);
    return failed;
}

Json decode_frame_prefix(Octets octets) {
    namespace phy = gr::wimax::phy;
    Json out = Json::object();
    if (octets.size() != phy::kFramePrefixBytes) {
        const bool shorter = octets.size() < phy::kFramePrefixBytes;
        add_error(out, {octets.size(), shorter ? Reason::truncated : Reason::length, "a frame prefix has 11 octets"}, 0,
                  octets);
        return out;
    }
    // A damaged prefix is shown as received: it is parsed with the check sequence it should have had.
    Buffer copy(octets.begin(), octets.end());
    const bool hcs_ok = phy::parse_frame_prefix(copy).has_value();
    copy.back() = mac::hcs8(Octets(copy).first(phy::kFramePrefixBytes - 1));
    const phy::FramePrefix prefix = phy::parse_frame_prefix(copy).value_or(phy::FramePrefix{});
    out = {{"bsid_lsb", prefix.bsid_lsb},
           {"frame_number_lsb", prefix.frame_lsb},
           {"change_count_lsb", prefix.change_count_lsb},
           {"hcs_ok", hcs_ok},
           {"ies", Json::array()}};
    for (size_t i = 0; i < static_cast<size_t>(prefix.entry_count); ++i) {
        const auto& entry = prefix.entries[i];
        if (i == 0) out["ies"].push_back({{"rate_id", entry.rate_id_or_diuc}, {"length", entry.length}});
        else if (entry.rate_id_or_diuc == 0) out["ies"].push_back({{"diuc", 0}, {"start_time", entry.length}});
        else
            out["ies"].push_back({{"diuc", entry.rate_id_or_diuc},
                                  {"preamble_present", int{entry.preamble_present}},
                                  {"length", entry.length}});
    }
    // A wrong check sequence, reserved bits and octets after the list's end have no field: encode needs the octets.
    const auto same = encode(out);
    if (!same || !std::ranges::equal(*same, octets)) out["octets"] = to_hex(octets);
    return out;
}

}  // namespace wimax::pdu
