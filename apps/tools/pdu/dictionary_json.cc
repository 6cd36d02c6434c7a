// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/pdu/tree.h"

#include <algorithm>

namespace wimax::pdu {
namespace {

using mac::MessageSpec;
using mac::TlvSet;
using mac::TlvSpec;

/// All sets that messages lead to, each after those that lead to it.
std::vector<const TlvSet*> found_sets() {
    std::vector<const TlvSet*> sets;
    const auto add = [&sets](const TlvSet* set) {
        if (set && std::ranges::find(sets, set) == sets.end()) sets.push_back(set);
    };
    for (int type = 0; type <= 0xFF; ++type) add(mac::message_spec(static_cast<uint8_t>(type)).tlvs);
    for (size_t i = 0; i < sets.size(); ++i) {
        const TlvSet& set = *sets[i];  // `sets` grows
        add(set.fallback);
        for (const TlvSpec& spec : set.specs) add(spec.children);
    }
    return sets;
}

const std::vector<const TlvSet*>& sets() {
    static const std::vector<const TlvSet*> kSets = found_sets();
    return kSets;
}

Json number_of(const TlvSet* set) {
    if (!set) return nullptr;
    return std::ranges::find(sets(), set) - sets().begin();
}

Json tlv_json(const TlvSpec& spec) {
    Json parts = Json::array();
    for (const auto& part : spec.parts) parts.push_back({{"name", part.name}, {"bits", part.bits}});
    return {{"type", spec.type},     {"name", spec.name},
            {"key", spec.key},       {"kind", mac::to_string(spec.kind)},
            {"length", spec.length}, {"width", spec.width},
            {"unit", spec.unit},     {"repeats", spec.repeats},
            {"parts", parts},        {"set", number_of(spec.children)}};
}

Json set_json(const TlvSet& set) {
    Json tlvs = Json::array();
    for (const TlvSpec& spec : set.specs) tlvs.push_back(tlv_json(spec));
    return {{"name", set.name}, {"clause", set.clause}, {"fallback", number_of(set.fallback)}, {"tlvs", tlvs}};
}

Json message_json(const MessageSpec& spec) {
    Json fields = Json::array();
    for (const auto& field : spec.fields)
        fields.push_back({{"name", field.name},
                          {"bits", field.bits},
                          {"count", field.count},
                          {"hex", field.hex},
                          {"optional", field.optional}});
    return {{"type", spec.type},
            {"name", spec.name},
            {"clause", spec.clause},
            {"fields", fields},
            {"tail", mac::to_string(spec.tail)},
            {"set", number_of(spec.tlvs)}};
}

/// Null: there is no such TLV.
const TlvSpec* find_tlv(const TlvName& of) { return of.set < sets().size() ? sets()[of.set]->find(of.type) : nullptr; }

}  // namespace

Json dictionary() {
    Json messages = Json::array(), all = Json::array();
    for (int type = 0; type <= 0xFF; ++type)
        if (const auto& spec = mac::message_spec(static_cast<uint8_t>(type)); spec.type == type)
            messages.push_back(message_json(spec));
    for (const TlvSet* set : sets()) all.push_back(set_json(*set));
    return {{"messages", messages}, {"sets", all}};
}

Json read_tlv(const TlvName& of, Octets value) {
    const TlvSpec* spec = find_tlv(of);
    mac::Tlv tlv;
    tlv.value = value;
    return spec ? readable_value(*spec, tlv) : Json();
}

tl::expected<Buffer, Faults> write_tlv(const TlvName& of, const Json& value) {
    const TlvSpec* spec = find_tlv(of);
    if (!spec) return tl::unexpected(Faults(Fault{"", std::to_string(of.type), "a TLV of the dictionary"}));
    Faults faults;
    Buffer octets = octets_of_value(Node(value, "", faults), *spec);
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    return octets;
}

}  // namespace wimax::pdu
