// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario_text.h"

#include "macd/operator_commands.h"
#include "macd/text_values.h"
#include "sim/traffic_keys.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wimax::sim {
namespace {

/// Name of the text in faults.
constexpr const char* kName = "scenario";

/// Keys that Simulation::adopt() applies, or reports itself.
bool is_adopted(std::string_view key) {
    constexpr std::array<std::string_view, 8> kKeys{"snr_db",        "rate",
                                                    "pdu_loss",      "traffic",
                                                    "arq",           "path.uplink_offset_db",
                                                    "path.delay_us", "path.carrier_offset_hz"};
    return std::ranges::find(kKeys, key) != kKeys.end() || key.starts_with("arq.") || key.starts_with("base_station");
}

constexpr std::array kCommands{"deregister", "reset", "silence", "suspend", "resume", "rates"};

bool has_rate(TrafficKind kind) {
    using Kind = TrafficKind;
    return kind == Kind::cbr || kind == Kind::poisson || kind == Kind::voice || kind == Kind::onoff ||
           kind == Kind::video;
}

}  // namespace

tl::expected<WrittenScenario, Faults> WrittenScenario::read(const std::string& yaml,
                                                            const std::vector<std::string>& assignments) {
    WrittenScenario written;
    config::Schema schema(kName);
    declare(schema, written.scenario);
    if (auto faults = schema.load(yaml, kName, assignments); !faults.empty()) return tl::unexpected(std::move(faults));
    written.values = schema.values();
    return written;
}

tl::expected<std::vector<std::string>, Faults> reload(Simulation& simulation, const WrittenScenario& running,
                                                      const WrittenScenario& fresh) {
    auto unchanged = simulation.adopt(fresh.scenario);
    if (!unchanged) return unchanged;
    for (const auto& [key, value] : fresh.values)
        if (!is_adopted(key) && running.values.at(key) != value) unchanged->push_back(key);
    std::ranges::sort(*unchanged);
    return unchanged;
}

Faults command(Simulation& simulation, const std::string& name, size_t station, const std::string& yaml) {
    const auto named = std::ranges::find(kCommands, name);
    if (named == kCommands.end()) return Fault{"command", name, "deregister, reset, silence, suspend, resume, rates"};
    auto value = nlohmann::json::parse(yaml, nullptr, false);
    if (value.is_object()) value["mac"] = macd::print_mac(mac_of(station));
    const auto kind = static_cast<mac::StationCommand::Kind>(named - kCommands.begin());
    const auto command = macd::read_station_command(kind, value);
    if (!command) return command.error();
    const auto done = simulation.cell().base_station().command_station(*command);
    return done ? Faults() : Faults(Fault{"station", std::to_string(station + 1), done.error().allowed});
}

tl::expected<TrafficChange, Faults> read_change(const std::string& yaml, TrafficKind kind) {
    TrafficChange change;
    config::Schema schema(kName);
    declare_change(schema, change);
    schema.check([&](config::LocatedFaults& faults) {
        if (change.rate_bps && !has_rate(kind))
            faults.add("rate_bps", config::print_number(*change.rate_bps),
                       "for cbr, poisson, voice, onoff and video alone");
        if (change.packet_bytes && (kind == TrafficKind::tcp || kind == TrafficKind::trace))
            faults.add("packet_bytes", config::print_number(*change.packet_bytes), "for all kinds but tcp and trace");
    });
    if (auto faults = schema.load(yaml, ""); !faults.empty()) return tl::unexpected(std::move(faults));
    return change;
}

}  // namespace wimax::sim
