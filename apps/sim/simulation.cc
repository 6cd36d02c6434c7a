/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/simulation.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>

namespace wimax::sim {
namespace {

/// Frames between two counts of the stations.
constexpr uint64_t kFramesBetweenCounts = 10;

double resident_kb() {
    std::ifstream file("/proc/self/statm");
    double total = 0, resident = 0;
    if (!(file >> total >> resident)) return 0;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

}  // namespace

Simulation::Simulation(const Scenario& scenario)
    : scenario_(scenario),
      course_(resident_kb()),
      traffic_(scenario_.station_count(), mac::FrameLayout::make(scenario_.bs)->sample_rate_hz(), scenario_.interval_s),
      cell_(scenario_.cell(), traffic_) {
    if (scenario_.events)
        cell_.on_event = [](size_t node, uint32_t frame, const std::string& layer, const std::string& text) {
            std::fprintf(stderr, "%u %s %s: %s\n", frame, node == 0 ? "bs" : std::to_string(node - 1).c_str(),
                         layer.c_str(), text.c_str());
        };
}

void Simulation::run() {
    enter();
    measure();
}

bool Simulation::enter() {
    const auto limit =
        static_cast<Samples>(scenario_.enter_limit_s * static_cast<double>(cell_.layout().sample_rate_hz()));
    while (cell_.operational() < cell_.stations() && cell_.now() < limit) cell_.step();
    course_.entry_s = cell_.seconds(cell_.now());
    course_.entered = cell_.operational();
    course_.idle_kb = resident_kb();
    return course_.entered == cell_.stations();
}

void Simulation::measure() {
    size_t station = 0;
    for (const auto* group : scenario_.all_groups())
        for (uint32_t i = 0; i < group->stations; ++i, ++station)
            for (const auto& config : scenario_.traffic_of(*group)) traffic_.add(config, station, scenario_.seed);
    const auto samples = [&](double seconds) {
        return static_cast<Samples>(seconds * static_cast<double>(cell_.layout().sample_rate_hz()));
    };
    const Samples from = cell_.now() + samples(scenario_.warmup_s), to = from + samples(scenario_.seconds);
    traffic_.start(cell_.now(), {from, to});
    cell_.measured_from(from);
    while (cell_.now() < from) cell_.step();
    cell_.restart_wall_times();
    course_.before = cell_.counters();
    course_.least_operational = cell_.operational();
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    for (uint64_t frame = 0; cell_.now() < to; ++frame) {
        cell_.step();
        if (frame % kFramesBetweenCounts == 0)
            course_.least_operational = std::min(course_.least_operational, cell_.operational());
    }
    course_.measured_wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    course_.measured_cpu_s = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    course_.after = cell_.counters();
    course_.end_kb = resident_kb();
    while (cell_.now() < to + samples(scenario_.drain_s)) cell_.step();
}

}  // namespace wimax::sim
