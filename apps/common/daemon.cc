// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/daemon.h"

#include <sys/stat.h>

#include <cstdio>

namespace wimax {
namespace {

/// Files and sockets of a daemon are for its user, to read also for the group.
constexpr mode_t kNotForOthers = 027;

}  // namespace

void declare(config::Schema& schema, DaemonOptions& options, const std::vector<std::string>& log_layers) {
    schema.group("control", "control socket: one JSON object in, one out");
    schema
        .text("control.endpoint", options.control_endpoint,
              "ZeroMQ address: ipc:///path or tcp://address:port; {run}: the runtime folder; empty: no control socket")
        .option("--control");
    schema.group("status", "one status per second");
    schema.flag("status.console", options.console, "print a line on standard output");
    schema.text("status.json", options.status_json, "file for JSON lines; -: standard output; empty: none");
    config::declare(schema, "status.", options.status_rotation);
    log::declare(schema, options.log, log_layers);
    schema.renamed("control", "control.endpoint");
    schema.renamed("console", "status.console");
    schema.renamed("json", "status.json");
    schema.renamed("stats", "status.json");
}

int run_daemon(int argc, char** argv, config::Schema& schema, const DaemonOptions& options,
               const std::function<config::Derived()>& derived, const DaemonWork& work) {
    ::umask(::umask(0) | kNotForOthers);
    if (const auto done = config::configure(argc, argv, schema, derived)) return *done;
    StopSignal stop;
    const auto refuse = [&schema](const DaemonFault& refused) {
        std::fprintf(stderr, "%s: %s\n", schema.program().c_str(), refused.str().c_str());
        return static_cast<int>(refused.status);
    };
    if (const auto started = log::start(options.log); !started) return refuse({started.error(), ExitStatus::failed});
    StatusWriter status(options.console);
    if (!options.status_json.empty())
        if (const auto opened = status.open(options.status_json, options.status_rotation); !opened)
            return refuse({opened.error(), ExitStatus::failed});
    ControlServer control;
    if (!options.control_endpoint.empty())
        if (const auto opened = control.open(options.control_endpoint); !opened) return refuse(opened.error());
    control.serve_log_levels();
    control.on_stop([&stop] { stop.raise(); });
    DaemonParts parts{schema, stop, status, control};
    const auto done = work(parts);
    log::stop();
    return done ? 0 : refuse(done.error());
}

}  // namespace wimax
