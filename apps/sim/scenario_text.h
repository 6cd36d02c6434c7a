// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario as a text in memory, for programs that write it themselves.
#pragma once

#include "sim/simulation.h"

#include <map>
#include <string>
#include <vector>

namespace wimax::sim {

/// A scenario with its keys and values as they are in force.
struct WrittenScenario {
    Scenario scenario;
    std::map<std::string, std::string> values;

    /// `yaml`, then assignments "key=value" as on the command line. Faults: all of them, by their keys.
    static tl::expected<WrittenScenario, Faults> read(const std::string& yaml,
                                                      const std::vector<std::string>& assignments = {});
};

/// The simulation adopts what differs (Simulation::adopt()). Returns the keys that differ and keep their value.
tl::expected<std::vector<std::string>, Faults> reload(Simulation& simulation, const WrittenScenario& running,
                                                      const WrittenScenario& fresh);
/// An operator's command to a station, from 0: deregister, reset, silence, suspend, resume, rates. `yaml`: a map of
/// what wimax-macd takes with stations.COMMAND, without the address. Faults: nothing has been sent.
Faults command(Simulation& simulation, const std::string& name, size_t station, const std::string& yaml);
/// The part of a flow's packets that may change, from the text of a map (rate_bps, packet_bytes, on).
tl::expected<TrafficChange, Faults> read_change(const std::string& yaml, TrafficKind kind);

}  // namespace wimax::sim
