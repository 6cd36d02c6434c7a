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
      course_(resident_kb(), scenario.seconds),
      traffic_(scenario_.stations, make_air_model(scenario_.bs)->timing().sample_rate_hz, scenario_.interval_s),
      cell_(scenario_.cell(), traffic_),
      outside_(cell_.stations()) {
    for (size_t i = 0; i < outside_.size(); ++i) outside_[i] = i;
    if (scenario_.events)
        cell_.on_event = [](size_t node, uint32_t frame, const mac::Event& event) {
            const auto name = node == 0 ? "bs" : std::to_string(node);
            std::fprintf(stderr, "%u %s %s: %s\n", frame, name.c_str(), event.layer.c_str(), event.text.c_str());
        };
}

void Simulation::run() {
    while (step(kFramesBetweenCounts) > 0) {
    }
}

bool Simulation::enter() {
    while (phase_ == Phase::entry) run_frame();
    measuring_.reset();
    return outside_.empty();
}

uint64_t Simulation::step(uint64_t frames) {
    uint64_t done = 0;
    if (phase_ == Phase::measurement) measuring_.emplace();
    for (; done < frames && phase_ != Phase::over; ++done) run_frame();
    if (measuring_) count_time(*measuring_);
    measuring_.reset();
    return done;
}

void Simulation::finish() {
    while (phase_ < Phase::measurement || (phase_ == Phase::measurement && frames_ == 0)) step(1);
    if (phase_ == Phase::measurement) {
        window_.to = cell_.now();
        course_.measured_s = measured_s();
        traffic_.end(window_.to);
        advance();
    }
    run();
}

void Simulation::run_frame() {
    switch (phase_) {
        case Phase::entry: enter_frame(); break;
        case Phase::measurement: measure_frame(); break;
        case Phase::arrival: ++handed_over_; [[fallthrough]];
        case Phase::warm_up:
        case Phase::over: cell_.step();
    }
    advance();
}

void Simulation::advance() {
    const Samples now = cell_.now();
    if (phase_ == Phase::entry && (outside_.empty() || now >= samples(enter_limit_s(scenario_)))) begin_traffic();
    if (phase_ == Phase::warm_up && now >= window_.from) begin_measurement();
    if (phase_ == Phase::measurement && now >= window_.to) end_measurement();
    // Packets of the last moments are handed over with the next tick.
    if (phase_ != Phase::arrival || handed_over_ < kFramesToHandOver) return;
    if (now < window_.to + samples(scenario_.drain_s) && !traffic_.all_arrived()) return;
    settle();
    phase_ = Phase::over;
}

void Simulation::enter_frame() {
    cell_.step();
    std::erase_if(outside_, [this](size_t i) {
        if (!cell_.station(i).operational()) return false;
        course_.entry_s.push_back(cell_.seconds(cell_.now() - cell_.on_air_since()));
        return true;
    });
}

void Simulation::begin_traffic() {
    course_.idle_kb = resident_kb();
    for (size_t n = 0; n < cell_.stations(); ++n)
        for (size_t e = 0; e < scenario_.traffic.size(); ++e)
            if (scenario_.traffic[e].serves(n)) traffic_.add(scenario_.traffic[e], n, e, scenario_.seed);
    window_.from = cell_.now() + samples(scenario_.warmup_s);
    window_.to = window_.from + samples(scenario_.seconds);
    traffic_.start(cell_.now(), window_);
    cell_.measured_from(window_.from);
    phase_ = Phase::warm_up;
}

void Simulation::begin_measurement() {
    cell_.restart_times();
    course_.before = cell_.counters();
    present_.resize(cell_.stations());
    for (size_t i = 0; i < present_.size(); ++i) present_[i] = cell_.station(i).operational();
    course_.least_operational = operational(cell_);
    look_at_ = window_.from;
    phase_ = Phase::measurement;
    measuring_.emplace();
}

void Simulation::measure_frame() {
    if (cell_.now() >= look_at_) {
        course_.resident_kb_over_time.push_back(resident_kb());
        look_at_ += std::max<Samples>(1, samples(scenario_.interval_s));
    }
    cell_.step();
    if (frames_++ % kFramesBetweenCounts != 0) return;
    count_stations();
    if (on_progress) on_progress(measured_s() / cell_.seconds(window_.to - window_.from));
}

void Simulation::end_measurement() {
    count_stations();
    course_.operational_at_end = operational(cell_);
    if (measuring_) count_time(*measuring_);
    measuring_.reset();
    course_.after = cell_.counters();
    course_.end_kb = resident_kb();
    phase_ = Phase::arrival;
}

void Simulation::count_time(const Times& since) {
    const Times now;
    course_.measured_wall_s += std::chrono::duration<double>(now.wall - since.wall).count();
    course_.measured_cpu_s += static_cast<double>(now.cpu - since.cpu) / CLOCKS_PER_SEC;
}

void Simulation::count_stations() {
    size_t operational = 0;
    for (size_t i = 0; i < present_.size(); ++i) {
        const bool now = cell_.station(i).operational();
        operational += now;
        course_.entries += now && !present_[i];
        course_.losses += !now && present_[i];
        present_[i] = now;
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
