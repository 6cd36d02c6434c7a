// SPDX-License-Identifier: GPL-3.0-or-later
// Random trees of messages and PDUs, made from the table of fields and TLVs (mac/pdu/dictionary.h).
#pragma once

#include "tools/pdu/tree.h"

#include <random>

namespace wimax::pdu {

class RandomTrees {
public:
    explicit RandomTrees(uint32_t seed) : random_(seed) {}

    uint64_t below(uint64_t limit) { return random_() % limit; }
    uint64_t bits(unsigned count) { return count >= 64 ? random_() : random_() & ((uint64_t{1} << count) - 1); }
    std::string hex(size_t octets) {
        Buffer out(octets);
        for (auto& octet : out) octet = static_cast<uint8_t>(random_());
        return to_hex(out);
    }

    Json tlvs(const mac::TlvSet* set, unsigned depth = 0) {
        Json out = Json::array();
        for (uint64_t n = below(depth ? 4 : 6); n > 0; --n) out.push_back(tlv(set, depth));
        return out;
    }

    Json message() {
        const auto type = static_cast<uint8_t>(below(52));
        const mac::MessageSpec& spec = mac::message_spec(type);
        Json out = {{"msg", type}};
        for (const auto& field : spec.fields) {
            if (field.name.empty()) continue;
            Json& value = out[std::string(field.name)];
            if (field.hex) value = hex(field.bits / 8);
            else if (field.count == 1) value = bits(field.bits);
            else
                for (unsigned i = 0; i < field.count; ++i) value.push_back(bits(field.bits));
        }
        tail(spec, out);
        return out;
    }

    Json pdu() {
        if (below(8) == 0)
            return {{"header", {{"ht", 1}, {"ec", 0}, {"type", below(2)}, {"br", bits(19)}, {"cid", bits(16)}}},
                    {"subheaders", Json::array()}};
        Json out = {
            {"header", {{"ht", 0}, {"ec", 0}, {"type", 0}, {"ci", below(2)}, {"eks", bits(2)}, {"cid", bits(16)}}},
            {"subheaders", Json::array()}};
        if (out["header"]["ci"] == 1 && below(2)) out["crc_style"] = below(2) ? "msb" : "8023";
        if (below(2)) {
            out["header"]["cid"] = below(3) ? 1 + below(640) : 0xFFFF * below(2);
            out["message"] = message();
        } else {
            out["header"]["cid"] = 641 + below(60000);
            contents(out);
        }
        return out;
    }

private:
    Json tlv(const mac::TlvSet* set, unsigned depth) {
        if (!set || below(5) == 0) {
            const auto type = static_cast<uint8_t>(200 + below(56));
            return leaf(type, below(140));
        }
        const mac::TlvSpec& spec = set->specs[below(set->specs.size())];
        if (spec.kind != mac::ValueKind::compound) return leaf(spec.type, spec.length ? spec.length : below(40));
        Json out = {{"type", spec.type}};
        if (spec.prefix) out["prefix"] = hex(spec.prefix);
        out["tlvs"] = tlvs(spec.children, depth + 1);
        return out;
    }
    Json leaf(uint8_t type, size_t octets) { return {{"type", type}, {"value", hex(octets)}}; }

    Json feedback() {
        Json ies = Json::array();
        const uint64_t count = 1 + below(4);
        for (uint64_t i = 0; i < count; ++i) {
            const uint64_t type = below(4);
            Json ie = {{"cid", bits(16)}, {"last", int{i + 1 == count}}, {"ack_type", type}, {"bsn", bits(11)}};
            for (uint64_t n = 1 + below(4); n > 0 && type != 1; --n) {
                if (type != 3) {
                    ie["maps"].push_back(bits(16));
                } else if (below(2)) {
                    ie["sequences"].push_back(
                        {{"fmt", 1}, {"bits", below(2) ? "101" : "010"}, {"lengths", {bits(4), bits(4), bits(4)}}});
                } else {
                    ie["sequences"].push_back(
                        {{"fmt", 0}, {"bits", below(2) ? "10" : "01"}, {"lengths", {bits(6), bits(6)}}});
                }
            }
            ies.push_back(ie);
        }
        return ies;
    }

    std::string extended() {
        const uint64_t length = below(16);
        return to_hex(Buffer{static_cast<uint8_t>(bits(4) << 4 | length)}) + hex(length);
    }

    Json map_ie(bool downlink) {
        if (downlink) {
            const uint64_t diuc = bits(4);
            if (diuc == 15) return {{"cid", bits(16)}, {"diuc", diuc}, {"extended", extended()}};
            return {{"cid", bits(16)}, {"diuc", diuc}, {"preamble", bits(1)}, {"start", bits(11)}};
        }
        const uint64_t uiuc = bits(4);
        Json ie = {{"cid", bits(16)}, {"start", bits(11)},    {"subch", bits(5)},
                   {"uiuc", uiuc},    {"duration", bits(10)}, {"midamble", bits(2)}};
        if (uiuc == 4)
            ie["focused"] = {
                {"frame_lsb4", bits(4)}, {"opportunity", bits(3)}, {"channel", bits(6)}, {"code", bits(3)}};
        if (uiuc == 13) ie["network_entry"] = {{"subch", bits(5)}, {"frame_lsb4", bits(4)}, {"code", bits(3)}};
        if (uiuc == 15) ie["extended"] = extended();
        return ie;
    }

    void tail(const mac::MessageSpec& spec, Json& out) {
        const uint64_t count = below(5);
        const auto signed_octet = [&] { return static_cast<int>(bits(8)) - 128; };
        switch (spec.tail) {
            case mac::Tail::none: return;
            case mac::Tail::tlvs: out["tlvs"] = tlvs(spec.tlvs); return;
            case mac::Tail::feedback_ies: out["ies"] = feedback(); return;
            case mac::Tail::octets: out["payload"] = hex(below(20)); return;
            case mac::Tail::clocks:
                out["clocks"] = Json::array();
                for (uint64_t i = 0; i < count; ++i)
                    out["clocks"].push_back({{"id", bits(8)}, {"seq", bits(8)}, {"value", signed_octet()}});
                return;
            case mac::Tail::stations:
                out["power_measurement_frame"] = bits(8);
                out["stations"] = Json::array();
                for (uint64_t i = 0; i < count; ++i)
                    out["stations"].push_back({{"cid", bits(16)}, {"power_adjust", signed_octet()}});
                return;
            case mac::Tail::dl_map_ies:
            case mac::Tail::ul_map_ies:
                out["ies"] = Json::array();
                for (uint64_t i = 0; i < count; ++i) out["ies"].push_back(map_ie(spec.tail == mac::Tail::dl_map_ies));
        }
    }

    void contents(Json& out) {
        uint64_t type = below(2) ? 8 : 0;
        const unsigned fsn = type ? 11 : 3;
        Json& list = out["subheaders"];
        if (below(3) == 0) {
            type |= 1;
            list.push_back({{"kind", "grant_management"}, {"raw", bits(16)}});
        }
        const uint64_t form = below(4);
        if (form == 1) {
            type |= 4;
            list.push_back({{"kind", "fragmentation"}, {"fc", bits(2)}, {"fsn", bits(fsn)}});
        } else if (form == 2) {
            type |= 2;
            const bool with_feedback = below(2);
            if (with_feedback) type |= 16;
            for (uint64_t i = 0, n = 1 + below(4); i < n; ++i) {
                list.push_back({{"kind", "packing"}, {"fc", bits(2)}, {"fsn", bits(fsn)}});
                if (i == 0 && with_feedback) list.back()["ies"] = feedback();
                else list.back()["payload"] = hex(below(60));
            }
        } else if (form == 3) {
            type |= 16;
            list.push_back({{"kind", "arq_feedback"}, {"ies", feedback()}});
        }
        if (form != 2) out["payload"] = hex(form == 3 ? 0 : below(100));
        out["header"]["type"] = type;
    }

    std::mt19937_64 random_;
};

}  // namespace wimax::pdu
