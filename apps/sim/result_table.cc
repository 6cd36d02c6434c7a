// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/result_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace wimax::sim {
namespace {

using Json = nlohmann::ordered_json;

/// The flows of one entry of the traffic.
struct Row {
    std::string direction, service, kind;
    int flows = 0;
    double offered = 0, delivered = 0, lost = 0, goodput_bps = 0, delay_ms = 0, worst_p99_ms = 0, late = 0;

    void add(const Json& flow) {
        direction = flow["direction"];
        service = flow["service"];
        kind = flow["kind"];
        const double packets = flow["delivered_packets"];
        ++flows;
        offered += flow["offered_packets"].get<double>();
        delivered += packets;
        lost += flow["lost_packets"].get<double>();
        goodput_bps += flow["goodput_bps"].get<double>();
        delay_ms += packets * flow["delay_ms"]["mean"].get<double>();
        late += packets * flow["late_fraction"].get<double>();
        worst_p99_ms = std::max(worst_p99_ms, flow["delay_ms"]["p99"].get<double>());
    }

    std::string text() const {
        const double packets = std::max(1.0, delivered);
        return fmt::format("{:<9} {:<7} {:<8} {:>5} {:>9.0f} {:>13.1f} {:>7.2f} {:>11.2f} {:>10.2f} {:>7.2f}\n",
                           direction, service, kind, flows, offered, goodput_bps / 1e3,
                           100 * lost / std::max(1.0, offered), delay_ms / packets, worst_p99_ms, 100 * late / packets);
    }
};

/// Cost and faults of policies that the scenario names by file. `whose`: before their keys.
std::string policies_text(const Json& result, const char* member, const char* whose) {
    std::string text;
    if (!result.contains(member)) return text;
    for (const auto& [key, policy] : result[member].items()) {
        const auto count = [&policy = policy](const char* of) { return policy[of].get<double>(); };
        text += fmt::format(
            "{}{}: {:.0f} calls of {:.0f} us (longest {:.0f} us), faults: {:.0f} late, {:.0f} failed, "
            "{:.0f} nonsense{}\n",
            whose, key, count("calls"), count("spent_us") / std::max(1.0, count("calls")), count("longest_us"),
            count("late"), count("failed"), count("nonsense"),
            policy["replaced"].get<bool>() ? "; replaced by the built-in policy" : "");
    }
    return text;
}

}  // namespace

std::string result_table(const Json& result) {
    std::map<int, Row> rows;
    for (const auto& flow : result["flows"]) rows[flow["entry"].get<int>()].add(flow);
    std::string text = fmt::format(
        "{} stations, {}: {:g} s simulated in {:.2f} s; {} entered, the slowest after {:.2f} s\n\n",
        result["stations"].get<int>(), result["profile"].get<std::string>(), result["virtual_s"].get<double>(),
        result["wall_s"].get<double>(), result["entered"].get<int>(), result["entry_s"]["max"].get<double>());
    text += fmt::format("{:<9} {:<7} {:<8} {:>5} {:>9} {:>13} {:>7} {:>11} {:>10} {:>7}\n", "direction", "service",
                        "kind", "flows", "packets", "goodput kb/s", "lost %", "delay ms", "p99 ms *", "late %");
    for (const auto& [entry, row] : rows) text += row.text();
    if (rows.empty()) text += "no traffic\n";
    const auto& requests = result["contention"];
    text += fmt::format(
        "\n* of the worst flow. Contention: {} bandwidth requests, {} collided. --json FILE has all figures.\n",
        requests["requests"].get<int64_t>(), requests["collided"].get<int64_t>());
    text += policies_text(result, "policies", "") + policies_text(result, "station_policies", "stations: ");
    return text;
}

}  // namespace wimax::sim
