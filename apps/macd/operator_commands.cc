// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/operator_commands.h"

#include "common/config.h"
#include "macd/bs_schema.h"
#include "macd/text_values.h"

namespace wimax::macd {
namespace {

using mac::StationCommand;
using nlohmann::json;

json stations_of(const mac::StationReport& station) {
    json all = json::array();
    const json status = station.status();
    for (json one : status.value("stations", json::array())) {
        one.erase("flows");
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

tl::expected<StationCommand, Faults> read_station_command(StationCommand::Kind kind, const json& value) {
    StationCommand command;
    command.kind = kind;
    if (!value.is_object()) return tl::unexpected(Faults(Fault{"", "", "an object"}));
    config::Schema schema;
    mac_address(schema, "mac", command.station, "of the station").required();
    Declare declare(schema);
    if (kind == StationCommand::Kind::rates) mac::visit_rates(declare, command.rates);
    Faults faults = schema.load(value.dump(-1, ' ', true, json::error_handler_t::replace), "");
    if (!faults.empty()) return tl::unexpected(faults);
    return command;
}

void serve_stations(ControlServer& control, const mac::StationReport& station, mac::CellOperator* cell) {
    control.on_get("stations", "subscriber stations and what is known of each",
                   [&station] { return stations_of(station); });
    const auto serve = [&](const char* key, StationCommand::Kind kind, const char* help) {
        control.on_set(key, std::string(help) + R"(; {"mac": "02:..."})", [cell, kind](const json& value) -> Faults {
            const auto command = read_station_command(kind, value);
            if (!command) return command.error();
            const Outcome outcome = cell ? cell->command_station(*command) : failure("", "a base station's");
            if (outcome) return Faults();
            return Fault{.allowed = "possible later: " + outcome.error().allowed};
        });
    };
    using Kind = StationCommand::Kind;
    serve("stations.deregister", Kind::deregister, "DREG-CMD 0: leave this channel and try another");
    serve("stations.reset", Kind::reset, "RES-CMD: enter the network again");
    serve("stations.silence", Kind::silence, "DREG-CMD 1: listen, and send nothing");
    serve("stations.suspend", Kind::suspend, "DREG-CMD 2: send management alone, packets wait");
    serve("stations.resume", Kind::resume, "DREG-CMD 3: back to normal");
    serve("stations.rates", Kind::rates,
          "other limits of its rates, until it enters again or the file is read again: dl_rate_id, dl_lowest_rate_id, "
          "ul_rate_id, ul_lowest_rate_id, each 0 (BPSK 1/2) to 6 (64-QAM 3/4)");
}

}  // namespace wimax::macd
