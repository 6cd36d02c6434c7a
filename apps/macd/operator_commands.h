// SPDX-License-Identifier: GPL-3.0-or-later
// Subscriber stations through the control socket of a base station's wimax-macd: "stations" lists them,
// {"set": {"stations.reset": {"mac": "02:00:00:00:00:01"}}} starts actions of DREG-CMD and RES-CMD.
#pragma once

#include "common/control.h"
#include "mac/station.h"
#include "mac/station_command.h"

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

namespace wimax::macd {

tl::expected<mac::StationCommand, Faults> read_station_command(mac::StationCommand::Kind kind,
                                                               const nlohmann::json& value);
/// "stations", "stations.deregister", "stations.reset", "stations.silence", "stations.suspend", "stations.resume".
/// `cell`: null at a subscriber station, which refuses the commands.
void serve_stations(ControlServer& control, const mac::StationReport& station, mac::CellOperator* cell);

}  // namespace wimax::macd
