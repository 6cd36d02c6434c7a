// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the dictionary of messages and TLVs, and the names of burst profiles, as the Lua table that the Wireshark
// dissector reads.
#include "mac/pdu/dictionary.h"
#include "mac/rate_thresholds.h"

#include <cstdio>
#include <deque>
#include <map>
#include <string>

namespace {

using namespace wimax::mac;

/// Sets by number, in the order in which they are met.
class Printer {
public:
    void print() {
        std::puts(
            "-- SPDX-License-Identifier: GPL-3.0-or-later\n"
            "-- Messages and TLVs of IEEE 802.16-2004 WirelessMAN-OFDM. Made by wimax-lua-dictionary; do not edit.\n"
            "return {\n  messages = {");
        for (int type = 0; type < 256; ++type)
            if (const auto& spec = message_spec(static_cast<uint8_t>(type)); spec.type == type) message(spec);
        std::puts("  },\n  sets = {");
        for (size_t i = 0; i < found_.size(); ++i) set(i);
        std::puts("  },");
        std::string rates = "  rates = {";
        for (size_t i = 0; i < kRateCount; ++i) rates += (i == 0 ? "[0] = " : ", ") + quoted(kRateNames[i]);
        std::puts((rates + "},\n}").c_str());
    }

private:
    size_t number(const TlvSet* of) {
        const auto [at, added] = numbers_.emplace(of, found_.size() + 1);
        if (added) found_.push_back(of);
        return at->second;
    }
    static std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

    void message(const MessageSpec& spec) {
        std::string line = "    [" + std::to_string(spec.type) + "] = {name = " + quoted(spec.name) +
                           ", tail = " + quoted(to_string(spec.tail));
        if (spec.tlvs) line += ", set = " + std::to_string(number(spec.tlvs));
        line += ", fields = {";
        for (const auto& field : spec.fields) {
            line += "{name = " + quoted(field.name) + ", bits = " + std::to_string(field.bits);
            if (field.count > 1) line += ", count = " + std::to_string(field.count);
            if (field.hex) line += ", hex = true";
            line += "}, ";
        }
        std::puts((line + "}},").c_str());
    }

    void set(size_t index) {
        const TlvSet& of = *found_[index];
        std::string line = "    [" + std::to_string(index + 1) + "] = {";
        if (of.fallback) line += "fallback = " + std::to_string(number(of.fallback)) + ",";
        for (const auto& spec : of.specs) line += tlv(spec);
        std::puts((line + " },").c_str());
    }

    std::string tlv(const TlvSpec& spec) {
        std::string line = " [" + std::to_string(spec.type) + "] = {name = " + quoted(spec.name) +
                           ", kind = " + quoted(to_string(spec.kind));
        if (!spec.key.empty()) line += ", key = " + quoted(spec.key);
        if (!spec.alias.empty()) line += ", alias = " + quoted(spec.alias);
        if (spec.length > 0) line += ", length = " + std::to_string(spec.length);
        if (spec.width > 0) line += ", width = " + std::to_string(spec.width);
        if (spec.prefix > 0) line += ", prefix = " + std::to_string(spec.prefix);
        if (spec.children) line += ", set = " + std::to_string(number(spec.children));
        if (!spec.parts.empty()) {
            line += ", parts = {";
            for (const auto& part : spec.parts)
                line += "{name = " + quoted(part.name) + ", bits = " + std::to_string(part.bits) + "}, ";
            line += "}";
        }
        return line + "},";
    }

    std::map<const TlvSet*, size_t> numbers_;
    std::deque<const TlvSet*> found_;
};

}  // namespace

int main() { Printer().print(); }
