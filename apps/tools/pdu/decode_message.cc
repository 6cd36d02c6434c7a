// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/pdu/tree.h"

namespace wimax::pdu {
namespace {

using mac::BitReader;
using mac::Reason;

std::string extended_hex(const mac::ExtendedIe& ie) {
    Buffer octets{static_cast<uint8_t>(ie.code << 4 | ie.length)};
    octets.insert(octets.end(), ie.data.begin(), ie.data.begin() + ie.length);
    return to_hex(octets);
}

Json ie_json(const mac::DlMapIe& ie) {
    Json out = {{"cid", ie.cid}, {"diuc", ie.diuc}};
    if (ie.diuc == mac::diuc::kExtended) {
        out["extended"] = extended_hex(ie.extended);
    } else {
        out["preamble"] = int{ie.preamble};
        out["start"] = ie.start_symbols;
    }
    return out;
}

Json ie_json(const mac::UlMapIe& ie) {
    Json out = {{"cid", ie.cid},   {"start", ie.start_symbols},       {"subch", ie.subchannel},
                {"uiuc", ie.uiuc}, {"duration", ie.duration_symbols}, {"midamble", ie.midamble}};
    if (ie.uiuc == mac::uiuc::kFocusedContention)
        out["focused"] = {{"frame_lsb4", ie.focused.frame_lsb4},
                          {"opportunity", ie.focused.opportunity},
                          {"channel", ie.focused.channel},
                          {"code", ie.focused.code}};
    if (ie.uiuc == mac::uiuc::kNetworkEntry)
        out["network_entry"] = {
            {"subch", ie.entry.subchannel}, {"frame_lsb4", ie.entry.frame_lsb4}, {"code", ie.entry.code}};
    if (ie.uiuc == mac::uiuc::kExtended) out["extended"] = extended_hex(ie.extended);
    return out;
}

/// Map IEs up to the end of the message; a nibble may be left, and is zero then.
template <class Ie> ParseFault decode_map_ies(BitReader& in, Json& out) {
    Json& ies = out["ies"] = Json::array();
    while (in.bits_left() >= 8) {
        Ie ie;
        if (const auto done = mac::read_map_ie(in, ie); !done) return done.error();
        ies.push_back(ie_json(ie));
    }
    if (in.bits_left() > 0 && in.get(4) != 0) return fault(in.offset(), Reason::reserved, "padding nibble of a map");
    return {};
}

/// Cumulative ACK with block sequences: format bit, 2 or 3 flags, as many lengths of 6 or 4 bits.
Json sequence_json(uint16_t word) {
    const unsigned format = word >> 15, count = 2 + format, width = format ? 4 : 6;
    std::string bits;
    Json lengths = Json::array();
    for (unsigned i = 0; i < count; ++i) bits += word >> (14 - i) & 1 ? '1' : '0';
    for (unsigned i = 0; i < count; ++i)
        lengths.push_back(word >> (15 - count - width * (i + 1)) & ((1u << width) - 1));
    return {{"fmt", format}, {"bits", bits}, {"lengths", lengths}};
}

ParseFault decode_clocks(BitReader& in, Json& out) {
    const unsigned count = in.get8();
    Json& clocks = out["clocks"] = Json::array();
    for (unsigned i = 0; i < count && !in.failed(); ++i) {
        const uint8_t id = in.get8(), sequence = in.get8();
        clocks.push_back({{"id", id}, {"seq", sequence}, {"value", static_cast<int8_t>(in.get8())}});
    }
    return {};
}

ParseFault decode_stations(BitReader& in, Json& out) {
    const unsigned count = in.get8();
    out["power_measurement_frame"] = in.get8();
    Json& stations = out["stations"] = Json::array();
    for (unsigned i = 0; i < count && !in.failed(); ++i) {
        const uint16_t cid = in.get16();
        stations.push_back({{"cid", cid}, {"power_adjust", static_cast<int8_t>(in.get8())}});
    }
    return {};
}

ParseFault decode_fixed(BitReader& in, const mac::MessageSpec& spec, Json& out) {
    for (const mac::FieldSpec& field : spec.fields) {
        const size_t offset = in.offset();
        Json values = Json::array();
        for (unsigned i = 0; i < field.count; ++i) {
            const uint64_t value = in.get(field.bits);
            if (field.name.empty() && value != 0) return fault(offset, Reason::reserved, "reserved bits of a message");
            if (!field.hex) {
                values.push_back(value);
                continue;
            }
            Buffer octets;
            mac::BitWriter(octets).put(value, field.bits);
            values.push_back(to_hex(octets));
        }
        if (in.failed()) return fault(offset, Reason::truncated, "fixed fields cut short");
        if (!field.name.empty()) out[std::string(field.name)] = field.count == 1 ? values[0] : values;
    }
    return {};
}

ParseFault decode_tail(BitReader& in, const mac::MessageSpec& spec, Json& out) {
    switch (spec.tail) {
        case mac::Tail::none: return {};
        case mac::Tail::tlvs: {
            const size_t offset = in.offset();
            const Octets list = in.rest();
            in = BitReader({});
            return decode_tlvs(list, offset, spec.tlvs, out);
        }
        case mac::Tail::dl_map_ies: return decode_map_ies<mac::DlMapIe>(in, out);
        case mac::Tail::ul_map_ies: return decode_map_ies<mac::UlMapIe>(in, out);
        case mac::Tail::feedback_ies: return decode_feedback(in, out["ies"]);
        case mac::Tail::clocks: return decode_clocks(in, out);
        case mac::Tail::stations: return decode_stations(in, out);
        case mac::Tail::octets:
            out["payload"] = to_hex(in.rest());
            in = BitReader({});
            return {};
    }
    return {};
}

}  // namespace

ParseFault decode_tlvs(Octets list, size_t offset, const mac::TlvSet* set, Json& out) {
    Json tlvs = Json::array();
    ReadableFields fields;
    mac::TlvReader reader(list);
    while (const auto tlv = reader.next()) {
        // The tree does not keep the form of a length, so one that we would not send can not come back.
        if (!tlv->shortest_form)
            return fault(offset + tlv->offset, Reason::length, "TLV length in a longer form than needed");
        const mac::TlvSpec* spec = set ? set->find(tlv->type) : nullptr;
        Json entry = {{"type", tlv->type}};
        if (spec) entry["name"] = spec->name;
        if (spec && spec->kind == mac::ValueKind::compound) {
            if (tlv->value.size() < spec->prefix)
                return fault(offset + tlv->offset, Reason::length, "TLV without its prefix");
            const Octets prefix = tlv->value.first(spec->prefix);
            if (spec->prefix > 0) entry["prefix"] = to_hex(prefix);
            const size_t inner = offset + tlv->value_offset + spec->prefix;
            if (auto error = decode_tlvs(tlv->value.subspan(spec->prefix), inner, spec->children, entry)) return error;
            Json readable = Json::object();
            if (spec->prefix > 0) ReadableFields::add_bits(readable, spec->parts, prefix);
            readable.update(entry["fields"]);
            entry["fields"] = std::move(readable);
        } else {
            entry["value"] = to_hex(tlv->value);
        }
        if (spec) fields.add(*spec, *tlv, entry.contains("fields") ? entry["fields"] : Json());
        tlvs.push_back(std::move(entry));
    }
    if (auto error = reader.error()) {
        error->offset += offset;
        return error;
    }
    out["tlvs"] = std::move(tlvs);
    out["fields"] = fields.take();
    return {};
}

ParseFault decode_feedback(BitReader& in, Json& ies) {
    ies = Json::array();
    for (bool last = false; !last;) {
        const auto ie = mac::read_feedback_ie(in, true);
        if (!ie) return ie.error();
        last = ie->last;
        Json entry = {
            {"cid", ie->cid}, {"last", int{last}}, {"ack_type", static_cast<int>(ie->ack_type)}, {"bsn", ie->bsn}};
        const bool sequences = ie->ack_type == mac::AckType::cumulative_sequences;
        for (unsigned i = 0; i < ie->map_count; ++i) {
            const uint16_t word = ie->maps[i];
            if (sequences && !(word & 0x8000) && (word & 1))
                return fault(in.offset(), Reason::reserved, "reserved bit of a block sequence");
            entry[sequences ? "sequences" : "maps"].push_back(sequences ? sequence_json(word) : Json(word));
        }
        ies.push_back(std::move(entry));
    }
    return {};
}

ParseFault decode_message_body(Octets message, Json& out) {
    if (message.empty()) return fault(0, Reason::truncated, "message without type");
    const mac::MessageSpec& spec = mac::message_spec(message[0]);
    out["msg"] = message[0];
    out["name"] = spec.name;
    BitReader in(message);
    in.get(8);
    if (auto error = decode_fixed(in, spec, out)) return error;
    if (auto error = decode_tail(in, spec, out)) return error;
    if (in.failed()) return fault(message.size(), Reason::truncated, "message cut short");
    if (in.bits_left() > 0) return fault(in.offset(), Reason::length, "octets after the end of the message");
    return {};
}

}  // namespace wimax::pdu
