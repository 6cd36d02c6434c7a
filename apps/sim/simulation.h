// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario from its first frame to its last: stations enter, traffic begins, warms up, is measured, and drains.
#pragma once

#include "sim/scenario.h"
#include "sim/traffic_mix.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <ctime>
#include <functional>
#include <optional>
#include <vector>

namespace wimax::sim {

class Simulation {
public:
    enum class Phase : uint8_t { entry, warm_up, measurement, arrival, over };

    explicit Simulation(const Scenario& scenario);

    void run();
    /// Until all stations are operational, and traffic begins; false: not within the limit.
    bool enter();
    /// Runs up to that many frames, and returns their number; fewer: the run is over. A run in parts is the same run.
    uint64_t step(uint64_t frames);
    /// Ends the measurement with the present frame, at least one frame after its begin. Packets in transit arrive then.
    void finish();

    Phase phase() const { return phase_; }
    /// Of the measurement until now; negative before it.
    double measured_s() const { return measured_s_after(0); }
    /// The same, this number of frames later.
    double measured_s_after(uint64_t frames) const {
        return cell_.seconds(cell_.now() + static_cast<Samples>(frames) * cell_.timing().frame_samples - window_.from);
    }
    Cell& cell() { return cell_; }
    const Cell& cell() const { return cell_; }
    TrafficMix& traffic() { return traffic_; }
    const TrafficMix& traffic() const { return traffic_; }
    const Scenario& scenario() const { return scenario_; }
    nlohmann::ordered_json result() const;

    /// Adopts the configuration of the base station, rates, ARQ, SNR, offsets of the paths, injected loss, rates and
    /// sizes of packets, and further entries of the traffic. Everything else of `fresh` is ignored. Returns the keys of
    /// the base station that differ and keep their value. Faults: nothing has changed.
    tl::expected<std::vector<std::string>, Faults> adopt(const Scenario& fresh);

    /// Called now and then with the share of the measurement that is done, 0..1.
    std::function<void(double share)> on_progress;

    struct Course {
        explicit Course(double resident_kb, double seconds) : measured_s(seconds), without_stations_kb(resident_kb) {}
        double measured_s;  ///< duration of the measurement in virtual time
        /// Seconds from the first frame on the air until each entered station was operational.
        std::vector<double> entry_s;
        size_t least_operational = 0;  ///< during the measurement
        /// During the measurement: how often a station became operational again, and how often one was lost.
        uint64_t entries = 0, losses = 0;
        size_t operational_at_end = 0;
        std::vector<double> resident_kb_over_time;  ///< at the begin of each interval of the measurement
        /// Duration of the measurement: wall time, and CPU time of this process (a machine may have other work). Time
        /// between two calls of step() does not count.
        double measured_wall_s = 0, measured_cpu_s = 0;
        CellCounters before, after;  ///< at its begin and end
        /// Resident memory, kB; 0 if the system does not report it.
        double without_stations_kb, idle_kb = 0, end_kb = 0;
    };
    const Course& course() const { return course_; }

private:
    struct Times {
        std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
        std::clock_t cpu = std::clock();
    };

    Samples samples(double seconds) const {
        return static_cast<Samples>(seconds * static_cast<double>(cell_.timing().sample_rate_hz));
    }
    void run_frame();
    void enter_frame();
    void measure_frame();
    /// Begins the next phases when they are due.
    void advance();
    void begin_traffic();
    void begin_measurement();
    void end_measurement();
    Faults check_adoption(const Scenario& fresh) const;
    void adopt_paths(const Scenario& fresh);
    void adopt_traffic(const Scenario& fresh);
    void count_stations();
    void count_time(const Times& since);
    void settle();

    Scenario scenario_;
    Course course_;
    TrafficMix traffic_;
    Cell cell_;
    Phase phase_ = Phase::entry;
    FlowRecord::Window window_;
    std::vector<size_t> outside_;     ///< stations that have not entered yet
    std::vector<bool> present_;       ///< operational at the last count
    Samples look_at_ = 0;             ///< next measurement of the memory
    uint64_t frames_ = 0;             ///< frames of the measurement
    int handed_over_ = 0;             ///< frames after it
    std::optional<Times> measuring_;  ///< since the begin of the measurement or of the step
};

}  // namespace wimax::sim
