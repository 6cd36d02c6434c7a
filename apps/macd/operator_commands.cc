/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macd/operator_commands.h"

#include "common/config.h"
#include "macd/text_values.h"

namespace wimax::macd {
namespace {

using mac::StationCommand;
using nlohmann::json;

json stations_of(const mac::Station& station) {
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
    Faults faults = schema.load(value.dump(-1, ' ', false, json::error_handler_t::replace), "");
    if (!faults.empty()) return tl::unexpected(faults);
    return command;
}

void serve_stations(ControlServer& control, mac::Station& station) {
    control.on_get("stations", [&station] { return stations_of(station); });
    const auto serve = [&](const char* key, StationCommand::Kind kind) {
        control.on_set(key, [&station, kind](const json& value) -> Faults {
            const auto command = read_station_command(kind, value);
            if (!command) return command.error();
            const std::string why_not = station.command_station(*command);
            if (why_not.empty()) return Faults();
            return Fault{.allowed = "possible later: " + why_not};
        });
    };
    using Kind = StationCommand::Kind;
    serve("stations.deregister", Kind::deregister);
    serve("stations.reset", Kind::reset);
    serve("stations.silence", Kind::silence);
    serve("stations.suspend", Kind::suspend);
    serve("stations.resume", Kind::resume);
}

}  // namespace wimax::macd
