// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/frame_report.h"

#include "mac/pdu/pdu.h"
#include "sap/message_fields.h"

#include <nlohmann/json.hpp>

#include <set>

namespace wimax::macd {
namespace {

using gr::wimax::phy::BurstFormat;
using gr::wimax::phy::BurstKind;
using nlohmann::json;

/// Adds the fields of a burst's format that the MAC sets, by their names in the service access point.
struct AddFields {
    json& out;
    void operator()(const char* key, auto value, int, int) { out[key] = static_cast<int>(value); }
    void maybe(const char* key, bool value, bool) { out[key] = value; }
    void of_phy(const char*, auto, int, int) {}
};

std::set<uint16_t> cids_in(mac::Octets payload) {
    std::set<uint16_t> cids;
    mac::PduReader reader(payload);
    while (const auto pdu = reader.next()) cids.insert(pdu->cid());
    return cids;
}

const char* name_of(BurstKind kind) {
    if (kind == BurstKind::ranging) return "ranging";
    return kind == BurstKind::contention ? "contention" : "data";
}

json burst(const char* direction, const char* kind, sap::Slot start, const BurstFormat& format,
           const std::set<uint16_t>& cids) {
    json out{{"direction", direction},
             {"kind", kind},
             {"slot", start.value()},
             {"symbols", format.total_symbols()},
             {"cids", cids}};
    AddFields fields{out};
    visit(fields, format);
    return out;
}

}  // namespace

json frame_report(const sap::TxFrame& sent, const sap::RxExpect& expected) {
    json bursts = json::array();
    for (const auto& one : sent.bursts) {
        const bool first = &one == &sent.bursts.front();
        bursts.push_back(burst("downlink", first ? "maps" : "data", one.start_slot, one.format, cids_in(one.payload)));
    }
    for (const auto& one : expected.allocations)
        bursts.push_back(burst("uplink", name_of(one.kind), one.start_slot, one.format, {one.cid}));
    return {{"frame", sent.frame_number.value()}, {"bursts", std::move(bursts)}};
}

}  // namespace wimax::macd
