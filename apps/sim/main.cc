// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-sim: many stations in one process and in virtual time. Exit codes: 0 done, 1 the work failed, 2 wrong
// arguments.
#include "sim/result_table.h"
#include "sim/simulation.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"
#include "tools/cli/python.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>

int main(int argc, char** argv) {
    using namespace wimax;
    sim::Scenario scenario;
    config::Schema schema("wimax-sim",
                          "Simulates a base station and many subscriber stations over a model of the PHY, in one "
                          "process and virtual time");
    declare(schema, scenario);
    if (const auto done = config::configure(argc, argv, schema)) return *done;
    const bool table = scenario.json.empty() && ::isatty(STDOUT_FILENO) != 0;
    cli::ResultFile file;
    if (const auto opened = file.open(scenario.json.empty() ? "-" : scenario.json, "json"); !opened)
        return cli::complain("wimax-sim", opened.error(), cli::kWrongInput);
    std::error_code fault;
    if (!scenario.plot.empty()) std::filesystem::create_directories(scenario.plot, fault);
    if (fault)
        return cli::complain("wimax-sim", Fault{"plot", scenario.plot, "a folder that can be written to"},
                             cli::kWrongInput);
    if (scenario.has_default_traffic)
        cli::complain(
            "wimax-sim",
            fmt::format("no traffic in the scenario: simulating {:g} kbit/s of Poisson packets in each direction "
                        "for each station. See traffic in docs/simulator.md; traffic: [] simulates none",
                        scenario.traffic.front().rate_bps / 1e3),
            cli::kDone);
    sim::Simulation simulation(scenario);
    cli::Progress progress("wimax-sim");
    simulation.on_progress = [&](double share) {
        progress.show(share, fmt::format("{:.0f} of {:g} s simulated", share * scenario.seconds, scenario.seconds));
    };
    simulation.run();
    progress.clear();
    const auto figures = simulation.result();
    const std::string result = figures.dump(2) + "\n";
    if (!scenario.plot.empty() && !cli::run_python("wimax_tools.simulation.plot", scenario.plot, result))
        return cli::complain("wimax-sim", "plot: " + scenario.plot + " was not drawn to; it needs python3-matplotlib",
                             cli::kFailed);
    const auto written = file.write(table ? sim::result_table(figures) : result);
    return written ? cli::kDone : cli::complain("wimax-sim", written.error(), cli::kFailed);
}
