// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a station shows of itself, frame by frame, as text: what it sends and expects to receive,
// the packets that it delivers, its figures. Two stations that behave alike have equal transcripts. Figures are
// compared by name: gauges by value, counters by what was added since begin(). A figure that no list names fails the
// test.
#pragma once

#include "mac/dsx/service_transactions.h"
#include "mac/pdu/cid.h"
#include "mac/test_air.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace wimax::mac::test {

/// Every leaf of a status by its path, without the indices of lists: "flows.sdus". Leaves of one path are numbered.
inline std::map<std::string, Json> leaves(const Json& status) {
    std::map<std::string, Json> all;
    const std::function<void(const std::string&, const Json&, const std::string&)> walk =
        [&](const std::string& path, const Json& value, const std::string& index) {
            if (value.is_object()) {
                for (const auto& [key, inner] : value.items())
                    walk(path.empty() ? key : path + "." + key, inner, index);
            } else if (value.is_array()) {
                size_t i = 0;
                for (const auto& inner : value) walk(path, inner, index + "#" + std::to_string(i++));
            } else {
                all[path + index] = value;
            }
        };
    walk("", status, "");
    return all;
}
inline std::string path_of(const std::string& leaf) { return leaf.substr(0, leaf.find('#')); }

/// Is the path one of the list, or below one that ends in a dot?
inline bool among(const std::string& path, const std::set<std::string>& names) {
    for (const auto& name : names)
        if (path == name || (name.ends_with('.') && path.starts_with(name))) return true;
    return false;
}

struct FigureKinds {
    std::set<std::string> gauges;       ///< of the present: equal
    std::set<std::string> counters;     ///< since the start of the program: grow equally
    std::set<std::string> operational;  ///< gauges that mean something only while the station is operational
    std::set<std::string> ignored;      ///< for the reason given in the list
};

class Transcript {
public:
    explicit Transcript(FigureKinds kinds) : kinds_(std::move(kinds)) {}

    void begin(const Json& status) { before_ = leaves(status); }
    void line(const std::string& text) { lines_.back() += text + "\n"; }
    void frame() { lines_.emplace_back(); }

    void bursts(const std::vector<sap::TxBurst>& bursts) {
        for (const auto& b : bursts) {
            const auto& f = b.format;
            line("burst at " + std::to_string(b.start_slot.value()) + " rate " + std::to_string(f.rate_id) + " iuc " +
                 std::to_string(f.iuc) + " symbols " + std::to_string(f.data_symbols) + " subchannel " +
                 std::to_string(f.subchannel_index) + " midamble " + std::to_string(f.midamble_interval) + " lsb " +
                 std::to_string(f.frame_lsb) + " preamble " + std::to_string(static_cast<int>(f.preamble)) + " stc " +
                 std::to_string(f.stc) + " octets " + std::to_string(b.payload.size()));
            PduReader reader(b.payload);
            while (const auto pdu = reader.next()) line("  " + text_of(*pdu));
            if (reader.error()) line("  unreadable");
        }
    }
    void expected(const sap::RxExpect& e) {
        for (const auto& a : e.allocations)
            line("expect at " + std::to_string(a.start_slot.value()) + " cid " + std::to_string(a.cid) + " rate " +
                 std::to_string(a.format.rate_id) + " iuc " + std::to_string(a.format.iuc) + " symbols " +
                 std::to_string(a.format.data_symbols) + " subchannel " + std::to_string(a.format.subchannel_index) +
                 " midamble " + std::to_string(a.format.midamble_interval) + " search " +
                 std::to_string(a.search_slots) + " lsb " + std::to_string(a.format.frame_lsb) + " kind " +
                 std::to_string(static_cast<int>(a.kind)));
        for (const auto& slot : e.contention_slots) line("codes at " + std::to_string(slot.value()));
        for (const auto& slot : e.stc_zone_slots) line("zone at " + std::to_string(slot.value()));
        line("uplink from " + std::to_string(e.first_uplink_slot.value()) + ", then " +
             std::to_string(e.next_uplink_slot.value()));
    }
    void figures(const Json& status, bool operational) {
        for (const auto& [leaf, value] : leaves(status)) {
            const std::string path = path_of(leaf);
            if (among(path, kinds_.ignored)) continue;
            if (among(path, kinds_.gauges) || (operational && among(path, kinds_.operational))) {
                line(leaf + " = " + value.dump());
            } else if (among(path, kinds_.counters)) {
                const auto from = before_.find(leaf);
                const auto counted = value.get<uint64_t>() - (from == before_.end() ? 0 : from->second.get<uint64_t>());
                if (counted > 0) line(leaf + " + " + std::to_string(counted));
            } else if (!among(path, kinds_.operational)) {
                ADD_FAILURE() << "is this figure a gauge or a counter? " << path;
            }
        }
    }
    const std::vector<std::string>& lines() const { return lines_; }

private:
    /// Transactions and flows by the order in which they appear: their numbers may continue from the previous life.
    template <class Number> Number number(std::map<uint32_t, uint32_t>& known, Number value) {
        return static_cast<Number>(known.try_emplace(value, static_cast<uint32_t>(known.size() + 1)).first->second);
    }
    template <class Message> void rename(Message& m) {
        m.tid = number(transactions_, m.tid);
        const auto flow = [this](auto& of) {
            if (of && of->sfid) of->sfid = number(flows_, *of->sfid);
        };
        if constexpr (requires { m.uplink; }) flow(m.uplink), flow(m.downlink);
        if constexpr (requires { m.sfid; }) m.sfid = number(flows_, m.sfid);
    }
    std::string text_of(const Pdu& pdu) {
        if (pdu.is_request)
            return "request " + std::to_string(static_cast<int>(pdu.request.type)) + " of " +
                   std::to_string(pdu.request.br) + " for " + std::to_string(pdu.request.cid);
        std::string text = "pdu cid " + std::to_string(pdu.cid()) + " type " + std::to_string(pdu.header.type) + " ";
        const auto subheaders = parse_subheaders(pdu);
        auto message = subheaders && !subheaders->packed ? decode_dsx(subheaders->rest) : std::nullopt;
        if (!message || cid::is_transport(pdu.cid())) return text + hex(pdu.body);
        Buffer renamed;
        std::visit(
            [&](auto& m) {
                rename(m);
                encode(m, renamed);
            },
            *message);
        return text + "dsx " + hex(renamed);
    }
    static std::string hex(Octets octets) {
        constexpr const char* digits = "0123456789abcdef";
        std::string text;
        for (const uint8_t o : octets) {
            text += digits[o >> 4];
            text += digits[o & 15];
        }
        return text;
    }

    FigureKinds kinds_;
    std::map<std::string, Json> before_;
    std::vector<std::string> lines_;
    std::map<uint32_t, uint32_t> transactions_, flows_;
};

/// The first frame that differs, and how.
inline ::testing::AssertionResult same(const Transcript& a, const Transcript& b) {
    const auto &one = a.lines(), &other = b.lines();
    for (size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
        if (one[i] == other[i]) continue;
        const auto split = [](const std::string& all) {
            std::vector<std::string> lines;
            std::istringstream stream(all);
            for (std::string line; std::getline(stream, line);) lines.push_back(line);
            return lines;
        };
        const auto of_one = split(one[i]), of_other = split(other[i]);
        auto result = ::testing::AssertionFailure() << "frame " << i << " differs:\n";
        for (const auto& line : of_one)
            if (std::ranges::find(of_other, line) == of_other.end()) result << "- " << line.substr(0, 200) << "\n";
        for (const auto& line : of_other)
            if (std::ranges::find(of_one, line) == of_one.end()) result << "+ " << line.substr(0, 200) << "\n";
        return result;
    }
    if (one.size() != other.size()) return ::testing::AssertionFailure() << "one lives longer";
    return ::testing::AssertionSuccess();
}

}  // namespace wimax::mac::test
