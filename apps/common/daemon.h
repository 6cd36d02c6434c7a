// SPDX-License-Identifier: GPL-3.0-or-later
// Common part of all daemons: the keys control.endpoint, status.console, status.json and log.*, and the steps before
// and after their own work: configuration, signals, log, status, control socket.
#pragma once

#include "common/config.h"
#include "common/control.h"
#include "common/exit_status.h"
#include "common/log.h"
#include "common/status_writer.h"
#include "common/stop.h"

#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <vector>

namespace wimax {

struct DaemonOptions {
    std::string control_endpoint;  ///< as ZeroMQ writes it; "": no control socket
    bool console = true;           ///< a status line per second on standard output
    std::string status_json;       ///< file for a JSON line per second; "-": standard output, "": none
    RotationLimits status_rotation;
    log::Options log;
};

/// Declares the common keys, and their former names.
void declare(config::Schema& schema, DaemonOptions& options, const std::vector<std::string>& log_layers);

/// While the program works: log levels and "stop" are served on the control socket already.
struct DaemonParts {
    const config::Schema& schema;  ///< as it was read
    StopSignal& stop;
    StatusWriter& status;
    ControlServer& control;
};

using DaemonWork = std::function<tl::expected<void, DaemonFault>(DaemonParts&)>;

/// The body of main(). Prints faults as one line on standard error; returns the exit status (ExitStatus).
int run_daemon(int argc, char** argv, config::Schema& schema, const DaemonOptions& options,
               const std::function<config::Derived()>& derived, const DaemonWork& work);

}  // namespace wimax
