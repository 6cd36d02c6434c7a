// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/simulation.h"
#include "mac/report/events.h"
#include "macd/text_values.h"
#include "sim/fitting.h"
#include "sim/scenario_flows.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>

namespace wimax::sim {
namespace {

/// Frames between two counts of the stations.
constexpr uint64_t kFramesBetweenCounts = 10;

constexpr int kFramesToHandOver = 2;

double resident_kb() {
    std::ifstream file("/proc/self/statm");
    double total = 0, resident = 0;
    if (!(file >> total >> resident)) return 0;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// Packets that wait in a station's service flows, by their names.
void read_queues(const nlohmann::json& flows, std::map<std::string, uint64_t>& queues) {
    for (const auto& flow : flows)
        if (flow.contains("backlog_packets")) queues[flow.value("name", "")] = flow["backlog_packets"].get<uint64_t>();
}

}  // namespace

Simulation::Simulation(const Scenario& scenario)
    : scenario_(scenario),
      course_(resident_kb()),
      traffic_(scenario_.stations, make_air_model(scenario_.bs)->timing().sample_rate_hz, scenario_.interval_s),
      cell_(scenario_.cell(), traffic_) {
    if (scenario_.events)
        cell_.on_event = [](size_t node, uint32_t frame, const mac::Event& event) {
            const auto name = node == 0 ? "bs" : std::to_string(node);
            std::fprintf(stderr, "%u %s %s: %s\n", frame, name.c_str(), event.layer.c_str(), event.text.c_str());
        };
}

void Simulation::run() {
    enter();
    measure();
}

bool Simulation::enter() {
    const auto limit =
        static_cast<Samples>(enter_limit_s(scenario_) * static_cast<double>(cell_.timing().sample_rate_hz));
    std::vector<size_t> outside(cell_.stations());
    for (size_t i = 0; i < outside.size(); ++i) outside[i] = i;
    while (!outside.empty() && cell_.now() < limit) {
        cell_.step();
        std::erase_if(outside, [this](size_t i) {
            if (!cell_.station(i).operational()) return false;
            course_.entry_s.push_back(cell_.seconds(cell_.now() - cell_.on_air_since()));
            return true;
        });
    }
    course_.idle_kb = resident_kb();
    return outside.empty();
}

void Simulation::measure() {
    for (size_t n = 0; n < cell_.stations(); ++n)
        for (size_t e = 0; e < scenario_.traffic.size(); ++e)
            if (scenario_.traffic[e].is_of(n)) traffic_.add(scenario_.traffic[e], n, e, scenario_.seed);
    const auto samples = [&](double seconds) {
        return static_cast<Samples>(seconds * static_cast<double>(cell_.timing().sample_rate_hz));
    };
    const Samples from = cell_.now() + samples(scenario_.warmup_s), to = from + samples(scenario_.seconds);
    traffic_.start(cell_.now(), {from, to});
    cell_.measured_from(from);
    while (cell_.now() < from) cell_.step();
    cell_.restart_times();
    course_.before = cell_.counters();
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    watch(from, to);
    course_.measured_wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    course_.measured_cpu_s = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    course_.after = cell_.counters();
    course_.end_kb = resident_kb();
    // Packets of the last moments are handed over with the next tick.
    for (int i = 0; i < kFramesToHandOver; ++i) cell_.step();
    while (cell_.now() < to + samples(scenario_.drain_s) && !traffic_.all_arrived()) cell_.step();
    settle();
}

void Simulation::watch(Samples from, Samples to) {
    const auto interval =
        static_cast<Samples>(scenario_.interval_s * static_cast<double>(cell_.timing().sample_rate_hz));
    std::vector<bool> present(cell_.stations());
    for (size_t i = 0; i < present.size(); ++i) present[i] = cell_.station(i).operational();
    course_.least_operational = cell_.operational();
    Samples look_at = from;
    for (uint64_t frame = 0; cell_.now() < to; ++frame) {
        if (cell_.now() >= look_at) {
            course_.resident_kb_over_time.push_back(resident_kb());
            look_at += std::max<Samples>(1, interval);
        }
        cell_.step();
        if (frame % kFramesBetweenCounts != 0) continue;
        count_stations(present);
        if (on_progress) on_progress(static_cast<double>(cell_.now() - from) / static_cast<double>(to - from));
    }
    count_stations(present);
    course_.operational_at_end = cell_.operational();
}

void Simulation::count_stations(std::vector<bool>& present) {
    size_t operational = 0;
    for (size_t i = 0; i < present.size(); ++i) {
        const bool now = cell_.station(i).operational();
        operational += now;
        course_.entries += now && !present[i];
        course_.losses += !now && present[i];
        present[i] = now;
    }
    course_.least_operational = std::min(course_.least_operational, operational);
}

/// Packets that have not arrived are in a queue or lost: the MACs report the queues.
void Simulation::settle() {
    if (traffic_.all_arrived()) return;
    std::vector<std::map<std::string, uint64_t>> down(cell_.stations()), up(cell_.stations());
    std::map<std::string, size_t> numbers;
    for (size_t n = 0; n < cell_.stations(); ++n) numbers[macd::print_mac(mac_of(n))] = n;
    const auto base_station = cell_.base_station().status();
    for (const auto& station : base_station.at("stations"))
        read_queues(station.at("flows"), down[numbers.at(station.at("mac").get<std::string>())]);
    std::map<std::string, uint64_t> shared;
    read_queues(base_station.at("multicast"), shared);
    for (size_t n = 0; n < cell_.stations(); ++n) read_queues(cell_.station(n).status().at("flows"), up[n]);
    for (const auto& flow : traffic_.flows()) {
        if (flow->config().multicast) {  // all of its stations miss what waits
            flow->record().settle(shared[flow_name(flow_owner(scenario_, flow->ends().entry))]);
            continue;
        }
        auto& queues = flow->source_is_base_station() ? down : up;
        auto& waiting = queues[flow->ends().station][flow_name(flow_owner(scenario_, flow->ends().entry))];
        waiting -= flow->record().settle(waiting);
    }
}

}  // namespace wimax::sim
