// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario from its first frame to its last: stations enter, traffic begins, warms up, is measured, and drains.
#pragma once

#include "sim/scenario.h"
#include "sim/traffic_mix.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace wimax::sim {

class Simulation {
public:
    explicit Simulation(const Scenario& scenario);

    void run();
    /// Until all stations are operational; false: not within the limit.
    bool enter();
    /// Traffic, measured for scenario.seconds after the warm-up, then the arrival of the rest.
    void measure();

    Cell& cell() { return cell_; }
    const TrafficMix& traffic() const { return traffic_; }
    const Scenario& scenario() const { return scenario_; }
    nlohmann::ordered_json result() const;

    /// Called now and then with the share of the measurement that is done, 0..1.
    std::function<void(double share)> on_progress;

    struct Course {
        explicit Course(double resident_kb) : without_stations_kb(resident_kb) {}
        /// Seconds from the first frame on the air until each entered station was operational.
        std::vector<double> entry_s;
        size_t least_operational = 0;  ///< during the measurement
        /// During the measurement: how often a station became operational again, and how often one was lost.
        uint64_t entries = 0, losses = 0;
        size_t operational_at_end = 0;
        std::vector<double> resident_kb_over_time;  ///< at the begin of each interval of the measurement
        /// Duration of the measurement: wall time, and CPU time of this process (a machine may have other work).
        double measured_wall_s = 0, measured_cpu_s = 0;
        CellCounters before, after;  ///< at its begin and end
        /// Resident memory, kB; 0 if the system does not report it.
        double without_stations_kb, idle_kb = 0, end_kb = 0;
    };
    const Course& course() const { return course_; }

private:
    /// Runs frames until `to`, and counts meanwhile.
    void watch(Samples from, Samples to);
    void count_stations(std::vector<bool>& present);
    void settle();
    const Scenario scenario_;
    Course course_;
    TrafficMix traffic_;
    Cell cell_;
};

}  // namespace wimax::sim
