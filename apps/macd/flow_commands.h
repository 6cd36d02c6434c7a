// SPDX-License-Identifier: GPL-3.0-or-later
// Service flows through the control socket: "flows" to read, "flows.add", "flows.change" and "flows.delete" to set.
//
//     {"get": "flows"}  -> {"flows": {"flows": [{"station": "02:...", "sfid": 1, ...}], "multicast": [...],
//                           "results": [{"id": 7, ...}]}}
//     {"set": {"flows.add": {"id": 7, "station": "02:00:00:00:00:01", "direction": "uplink",
//                            "scheduling": "rtps", ...}}}
//     {"set": {"flows.change": {"id": 8, "sfid": 3, "max_sustained_rate_bps": 500000, "state": "admitted"}}}
//     {"set": {"flows.delete": {"id": 9, "sfid": 3}}}
//
// Keys are those of bs.service_flows, with `classifiers` for rules written out; flows.change keeps values that are not
// given. A change takes a few frames: its result is listed under its id.
#pragma once

#include "common/control.h"
#include "mac/flow/flow_command.h"

namespace wimax::macd {

/// Parses a command; keys of the faults are relative to it. Change: parameters that are not given are taken from
/// `station`.
tl::expected<mac::FlowCommand, Faults> read_flow_command(mac::DsxKind kind, const nlohmann::json& value,
                                                         const mac::FlowOperator& station);
/// All service flows, and what became of commands.
nlohmann::json flows_of(const mac::StationReport& station);
/// `station` outlives the server's use.
void serve_flows(ControlServer& control, mac::Station& station);

}  // namespace wimax::macd
