// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-sim: many stations in one process and in virtual time. Exit codes: 0 done, 1 the work failed, 2 wrong
// arguments.
#include "sim/archive_files.h"
#include "sim/pdu_capture.h"
#include "sim/result_csv.h"
#include "sim/result_table.h"
#include "sim/simulation.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"
#include "tools/cli/provenance.h"
#include "tools/cli/python.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <optional>

namespace {

using namespace wimax;

constexpr const char* kProgram = "wimax-sim";

/// Files of the results, opened before the work begins.
struct Results {
    Outcome open(const sim::Scenario& scenario) {
        const auto open_one = [](cli::ResultFile& file, const std::string& path, const char* key) {
            return path.empty() ? Outcome() : file.open(path, key);
        };
        return open_one(figures, scenario.figures_file(), "json")
            .and_then([&] { return open_one(csv, scenario.csv, "csv"); })
            .and_then([&] { return open_one(pcap, scenario.pcap, "pcap"); })
            .and_then([&] { return make_folder(scenario.plot); });
    }
    static Outcome make_folder(const std::string& path) {
        std::error_code fault;
        if (!path.empty()) std::filesystem::create_directories(path, fault);
        if (fault) return tl::unexpected(Fault{"plot", path, "a folder that can be written to"});
        return {};
    }

    cli::ResultFile figures, csv, pcap;
};

void report_default_traffic(const sim::Scenario& scenario) {
    if (!scenario.has_default_traffic) return;
    cli::complain(kProgram,
                  fmt::format("no traffic in the scenario: simulating {:g} kbit/s of Poisson packets in each direction "
                              "for each station. See traffic in docs/simulator.md; traffic: [] simulates none",
                              scenario.traffic.front().rate_bps / 1e3),
                  cli::kDone);
}

void run(sim::Simulation& simulation) {
    const double seconds = simulation.scenario().seconds;
    cli::Progress progress(kProgram);
    simulation.on_progress = [&](double share) {
        progress.show(share, fmt::format("{:.0f} of {:g} s simulated", share * seconds, seconds));
    };
    simulation.run();
    progress.clear();
}

/// `table`: a table instead of JSON.
Outcome write(Results& results, const sim::Simulation& simulation, const std::optional<sim::PduCapture>& capture,
              const sim::ArchiveFiles& archive, bool table) {
    auto figures = simulation.result();
    figures["provenance"] = cli::provenance(kProgram, simulation.scenario().seed);
    const std::string json = figures.dump(2) + "\n";
    const std::string& plot = simulation.scenario().plot;
    if (!plot.empty() && !cli::run_python("wimax_tools.simulation.plot", plot, json))
        return tl::unexpected(Fault{"plot", plot, "was not drawn to; it needs python3-matplotlib"});
    if (capture)
        if (const auto done = capture->written().and_then([&] { return results.pcap.close(); }); !done) return done;
    if (!simulation.scenario().csv.empty())
        if (const auto done = results.csv.write(sim::result_csv(figures)); !done) return done;
    if (!simulation.scenario().figures_file().empty())
        if (const auto done = results.figures.write(table ? sim::result_table(figures) : json); !done) return done;
    return archive.write(simulation.scenario(), figures);
}

}  // namespace

int main(int argc, char** argv) {
    sim::Scenario scenario;
    config::Schema schema(kProgram,
                          "Simulates a base station and many subscriber stations over a model of the PHY, in one "
                          "process and virtual time");
    declare(schema, scenario);
    if (const auto done = config::configure(argc, argv, schema)) return *done;
    cli::remember_command(argc, argv);
    cli::remember_configuration(schema.source().file);
    const bool table = scenario.json.empty() && ::isatty(STDOUT_FILENO) != 0;
    Results results;
    sim::ArchiveFiles archive;
    const auto opened = archive.prepare(scenario).and_then([&] { return results.open(scenario); });
    if (!opened) return cli::complain(kProgram, opened.error(), cli::kWrongInput);
    report_default_traffic(scenario);
    sim::Simulation simulation(scenario);
    std::optional<sim::PduCapture> capture;
    if (!scenario.pcap.empty()) {
        capture.emplace(results.pcap, scenario.cell(), simulation.cell().timing());
        simulation.cell().base_station().tap = &*capture;
    }
    run(simulation);
    const auto written = write(results, simulation, capture, archive, table);
    return written ? cli::kDone : cli::complain(kProgram, written.error(), cli::kFailed);
}
