// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/flow_commands.h"

#include "common/config.h"
#include "macd/bs_schema.h"
#include "macd/text_values.h"

namespace wimax::macd {
namespace {

using mac::DsxKind;
using nlohmann::json;

constexpr size_t kMostRules = 64;

void declare_command(config::Schema& s, DsxKind kind, mac::FlowCommand& command) {
    s.number("id", command.id, {}, "", "number that identifies the result");
    if (kind != DsxKind::add) s.number("sfid", command.sfid, {1, 4294967295.0}, "", "service flow").required();
    if (kind == DsxKind::remove) return;
    if (kind == DsxKind::add) mac_address(s, "station", command.station.emplace(), "whose flow");
    s.choice<mac::FlowState>("state", command.state,
                             {{"provisioned", mac::FlowState::provisioned},
                              {"admitted", mac::FlowState::admitted},
                              {"active", mac::FlowState::active}},
                             "how far the flow is brought up");
    s.text("name", command.flow.name, "service class name");
    declare_flow(s, command.flow);
    s.list("classifiers", command.flow.classifiers, declare_classifier, "rules", 0, kMostRules);
}

}  // namespace

tl::expected<mac::FlowCommand, Faults> read_flow_command(DsxKind kind, const json& value,
                                                         const mac::FlowOperator& station) {
    mac::FlowCommand command;
    command.kind = kind;
    if (!value.is_object()) {
        Faults faults;
        faults.add("", "", "an object");
        return tl::unexpected(faults);
    }
    if (kind == DsxKind::change) {
        const auto sfid = value.find("sfid");
        if (sfid != value.end() && sfid->is_number_integer()) command.sfid = sfid->get<uint32_t>();
        const bool known = station.describe(command);
        if (command.sfid != 0 && !known) {
            Faults faults;
            faults.add("sfid", std::to_string(command.sfid), "a service flow that there is");
            return tl::unexpected(faults);
        }
    }
    const auto direction = command.flow.direction;
    const auto association = command.flow.security_association;
    config::Schema schema;
    declare_command(schema, kind, command);
    Faults faults = schema.load(value.dump(-1, ' ', true, json::error_handler_t::replace), "");
    if (kind == DsxKind::add && !value.contains("station")) command.station.reset();  // a subscriber station's own
    if (kind == DsxKind::change && command.flow.direction != direction)
        faults.add("direction", "another one", "that of the flow, which stays");
    if (kind == DsxKind::change && command.flow.security_association != association)
        faults.add("security_association", "another one", "that of the flow, which stays");
    if (kind != DsxKind::remove) faults.add_all(mac::validate(command));
    if (!faults.empty()) return tl::unexpected(faults);
    return command;
}

json flows_of(const mac::StationReport& station) {
    const json status = station.status();
    json all{{"flows", json::array()},
             {"multicast", status.value("multicast", json::array())},
             {"results", status.value("flow_results", json::array())}};
    const auto take = [&all](const json& of) {
        for (json flow : of.value("flows", json::array())) {
            flow["station"] = of.value("mac", "");
            all["flows"].push_back(std::move(flow));
        }
    };
    take(status);
    for (const auto& one : status.value("stations", json::array())) take(one);
    return all;
}

void serve_flows(ControlServer& control, mac::Station& station) {
    control.on_get("flows", "service flows of all stations, multicast flows, results of changes",
                   [&station] { return flows_of(station); });
    const auto serve = [&](const char* key, DsxKind kind, const char* help) {
        control.on_set(key, help, [&station, kind](const json& value) -> Faults {
            const auto command = read_flow_command(kind, value, station);
            if (!command) return command.error();
            const Outcome outcome = station.change_flow(*command);
            if (outcome) return Faults();
            return Fault{.allowed = "possible later: " + outcome.error().allowed};
        });
    };
    serve("flows.add", DsxKind::add, "DSA: a new service flow, keys of bs.service_flows");
    serve("flows.change", DsxKind::change, R"(DSC: {"sfid": N} and the keys that change)");
    serve("flows.delete", DsxKind::remove, R"(DSD: {"sfid": N})");
}

}  // namespace wimax::macd
