// SPDX-License-Identifier: GPL-3.0-or-later
// TLVs from their readable values, as people write them. The inverse of readable.cc.
#include <arpa/inet.h>
#include "tools/pdu/tree.h"

#include <algorithm>

namespace wimax::pdu {
namespace {

using mac::BitWriter;
using mac::TlvSet;
using mac::TlvSpec;
using mac::ValueKind;

/// Elements of a list, or the value alone.
std::vector<Node> one_or_all(const Node& value) {
    if (value.json().is_array()) return value.elements();
    return {value};
}

Buffer hex_value(const Node& value) {
    std::string text = value.text();
    std::erase(text, ':');
    auto octets = from_hex(text);
    if (octets) return std::move(*octets);
    value.fail(octets.error().allowed);
    return {};
}

void put_integer(const Node& value, unsigned octets, BitWriter& out) {
    out.put(value.integer(octets >= 8 ? UINT64_MAX : (uint64_t{1} << 8 * octets) - 1), 8 * octets);
}

void put_address(const Node& value, const std::string& text, unsigned octets, BitWriter& out) {
    if (octets == 6) {
        std::string digits = text;
        std::erase(digits, ':');
        const auto mac = from_hex(digits);
        if (mac && mac->size() == octets) return out.put(*mac);
    } else {
        Buffer address(octets);
        if (inet_pton(octets == 4 ? AF_INET : AF_INET6, text.c_str(), address.data()) == 1) return out.put(address);
    }
    value.fail("'" + text + "'", "an address of " + std::to_string(octets) + " bytes");
}

void put_masked_address(const Node& value, unsigned octets, BitWriter& out) {
    const std::string text = value.text();
    const size_t slash = text.find('/');
    if (slash == std::string::npos) return value.fail("'" + text + "'", "address/mask");
    put_address(value, text.substr(0, slash), octets, out);
    put_address(value, text.substr(slash + 1), octets, out);
}

/// "ranges": [low, high], or a list of them.
void put_ranges(const Node& value, unsigned octets, BitWriter& out) {
    auto ends = value.elements();
    if (!ends.empty() && ends[0].json().is_array()) {
        for (const Node& range : ends) put_ranges(range, octets, out);
        return;
    }
    if (ends.size() != 2) return value.fail("needed is [low, high]");
    for (const Node& end : ends) put_integer(end, octets, out);
}

}  // namespace

Buffer octets_of_value(const Node& value, const TlvSpec& spec) {
    Buffer octets;
    BitWriter out(octets);
    switch (spec.kind) {
        case ValueKind::unsigned_integer: put_integer(value, spec.length, out); break;
        case ValueKind::signed_integer: {
            const int64_t most = INT64_MAX >> (64 - 8 * spec.length);
            out.put(static_cast<uint64_t>(value.signed_integer(-most - 1, most)), 8U * spec.length);
            break;
        }
        case ValueKind::text: {
            const std::string text = value.text();
            octets.assign(text.begin(), text.end());
            octets.push_back(0);
            break;
        }
        case ValueKind::list:
        case ValueKind::power_codes:
            for (const Node& element : one_or_all(value)) put_integer(element, spec.width, out);
            break;
        case ValueKind::ranges: put_ranges(value, spec.width, out); break;
        case ValueKind::addresses:
            for (const Node& element : one_or_all(value)) put_masked_address(element, spec.width, out);
            break;
        default: octets = hex_value(value);
    }
    if (spec.length > 0 && octets.size() != spec.length)
        value.fail("needed are " + std::to_string(spec.length) + " bytes");
    return octets;
}

namespace {

/// Kinds whose readable value is a list itself.
bool is_list(ValueKind kind) {
    return kind == ValueKind::list || kind == ValueKind::ranges || kind == ValueKind::addresses ||
           kind == ValueKind::power_codes;
}

void put_tlv(const Node& value, const TlvSpec& spec, mac::TlvWriter& out) {
    if (spec.kind != ValueKind::compound) return out.put(spec.type, octets_of_value(value, spec));
    if (spec.prefix > 0) return value.fail("key '" + std::string(spec.key) + "' can only be given in 'tlvs'");
    const size_t mark = out.begin(spec.type);
    encode_fields(value, *spec.children, out);
    out.end(mark);
}

/// Keys and names of a set. Several TLVs may have one key (CS parameters), but each has another name.
const TlvSpec* find_spec(const Node& value, const std::string& key, const TlvSet& of) {
    std::vector<const TlvSpec*> found;
    std::string names;
    for (const TlvSet* set = &of; set; set = set->fallback)
        for (const TlvSpec& spec : set->specs) {
            if (spec.name == key) return &spec;
            const bool fits = spec.key == key && of.find(spec.type) == &spec;  // not hidden by the set in front
            if (fits) found.push_back(&spec);
            if (fits) names += (names.empty() ? "" : ", ") + std::string(spec.name);
        }
    if (found.size() == 1) return found[0];
    value.fail(found.empty() ? "no TLV has this key" : "several TLVs have this key; use a name: " + names);
    return nullptr;
}

}  // namespace

void encode_fields(const Node& fields, const TlvSet& set, mac::TlvWriter& out) {
    if (!fields.json().is_object()) return fields.fail("an object is needed");
    for (const auto& [key, json] : fields.json().items()) {
        const Node value = fields.at(key.c_str());
        const TlvSpec* spec = find_spec(value, key, set);
        if (!spec) continue;
        if (is_list(spec->kind)) put_tlv(value, *spec, out);
        else
            for (const Node& element : one_or_all(value)) put_tlv(element, *spec, out);
    }
}

}  // namespace wimax::pdu
