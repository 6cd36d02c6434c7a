// SPDX-License-Identifier: GPL-3.0-or-later
// Readable values of TLVs: integers as integers, texts as strings, addresses in their usual notation.
#include <arpa/inet.h>
#include "tools/pdu/tree.h"

#include <algorithm>

namespace wimax::pdu {
namespace {

using mac::BitReader;
using mac::TlvSpec;
using mac::ValueKind;

std::string address_text(Octets octets) {
    char text[INET6_ADDRSTRLEN] = "";
    if (octets.size() == 4 || octets.size() == 16) {
        inet_ntop(octets.size() == 4 ? AF_INET : AF_INET6, octets.data(), text, sizeof text);
        return text;
    }
    return to_hex(octets);
}

/// One element alone, several as a list.
Json one_or_list(Json list) { return list.size() == 1 ? Json(list[0]) : list; }

Json addresses(const TlvSpec& spec, Octets value) {
    Json out = Json::array();
    const size_t width = spec.width;
    if (value.size() % (2 * width) != 0) return nullptr;
    for (; !value.empty(); value = value.subspan(2 * width))
        out.push_back(address_text(value.first(width)) + "/" + address_text(value.subspan(width, width)));
    return one_or_list(std::move(out));
}

Json integers(const TlvSpec& spec, Octets value) {
    if (value.size() % spec.width != 0) return nullptr;
    Json out = Json::array();
    BitReader in(value);
    while (in.bits_left() > 0) out.push_back(in.get(8u * spec.width));
    return out;
}

Json ranges(const TlvSpec& spec, Octets value) {
    if (value.size() % (2u * spec.width) != 0) return nullptr;
    Json out = Json::array();
    BitReader in(value);
    while (in.bits_left() > 0) {
        const uint64_t low = in.get(8u * spec.width);
        out.push_back({low, in.get(8u * spec.width)});
    }
    return one_or_list(std::move(out));
}

std::string text(Octets value) {
    if (!value.empty() && value.back() == 0) value = value.first(value.size() - 1);
    return {value.begin(), value.end()};
}

/// Octets 2 x (dBm + 64).
Json power_dbm(Octets codes) {
    Json out = Json::array();
    for (const uint8_t code : codes) out.push_back(code / 2.0 - 64.0);
    return out;
}

}  // namespace

Json readable_value(const TlvSpec& spec, const mac::Tlv& tlv) {
    switch (spec.kind) {
        case ValueKind::unsigned_integer:
            if (const auto value = tlv.unsigned_value()) return *value;
            return nullptr;
        case ValueKind::signed_integer:
            if (const auto value = tlv.signed_value()) return *value;
            return nullptr;
        case ValueKind::text: return text(tlv.value);
        case ValueKind::list: {
            Json list = integers(spec, tlv.value);
            return spec.length || list.is_null() ? list : one_or_list(std::move(list));
        }
        case ValueKind::power_codes: return integers(spec, tlv.value);
        case ValueKind::ranges: return ranges(spec, tlv.value);
        case ValueKind::addresses: return addresses(spec, tlv.value);
        default: return to_hex(tlv.value);
    }
}

void ReadableFields::insert(std::string_view key, bool repeats, Json value) {
    if (value.is_null() || key.empty()) return;
    const std::string name(key);
    if (repeats) {
        fields_[name].push_back(std::move(value));
    } else if (!fields_.contains(name)) {
        fields_[name] = std::move(value);
    } else if (std::ranges::find(repeated_, name) == repeated_.end()) {
        fields_[name] = Json::array({std::move(fields_[name]), std::move(value)});
        repeated_.push_back(name);
    } else {
        fields_[name].push_back(std::move(value));
    }
}

void ReadableFields::add_bits(Json& fields, std::span<const mac::BitPart> parts, Octets value) {
    BitReader in(value);
    for (const mac::BitPart& part : parts) {
        const uint64_t field = in.get(part.bits);
        if (!part.name.empty()) fields[std::string(part.name)] = field;
    }
}

void ReadableFields::add(const TlvSpec& spec, const mac::Tlv& tlv, const Json& inner) {
    switch (spec.kind) {
        case ValueKind::compound: return insert(spec.key, spec.repeats, inner);
        case ValueKind::bits: {
            if (tlv.value.size() != spec.length) return;
            Json parts = Json::object();
            add_bits(parts, spec.parts, tlv.value);
            for (auto& [key, value] : parts.items()) insert(key, spec.repeats, value);
            return;
        }
        case ValueKind::hmac:
            if (tlv.value.size() != spec.length) return;
            insert("hmac_seq", false, tlv.value[0] & 0x0F);
            return insert("hmac_digest", false, to_hex(tlv.value.subspan(1)));
        default: break;
    }
    Json value = readable_value(spec, tlv);
    if (spec.kind == ValueKind::power_codes) insert(spec.alias, false, power_dbm(tlv.value));
    else if (spec.kind == ValueKind::blob) insert(spec.alias, false, tlv.value.size());
    else insert(spec.alias, spec.repeats, value);
    insert(spec.key, spec.repeats, std::move(value));
}

}  // namespace wimax::pdu
