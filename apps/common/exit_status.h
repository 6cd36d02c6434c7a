// SPDX-License-Identifier: GPL-3.0-or-later
// Exit statuses of the daemons, with the reaction of a supervisor. wimax_tools/exit_status.py has the same names
// and numbers, and the systemd units (cmake/WimaxInstall.cmake) name those after which no restart follows.
#pragma once

#include "common/faults.h"

#include <cerrno>

namespace wimax {

enum class ExitStatus : int {
    done = 0,                   ///< stopped by request; no restart
    failed = 1,                 ///< the machine lacks something now; restart
    configuration_refused = 2,  ///< every start would end the same way until the configuration is changed; no restart
    served_already = 3,         ///< another process serves the address; restart, since that process may end
};

/// Why a daemon cannot work, and the exit status that follows.
struct DaemonFault : Fault {
    ExitStatus status = ExitStatus::configuration_refused;
};

/// Exit status after a system call or a ZeroMQ call that failed with this errno while an address was opened.
constexpr ExitStatus exit_status_of(int error) {
    switch (error) {
        case EADDRINUSE: return ExitStatus::served_already;
        case EADDRNOTAVAIL:  // an interface may get its address later
        case EAGAIN:
        case EINTR:
        case EIO:
        case EMFILE:
        case ENFILE:
        case ENOMEM:
        case ENOBUFS:
        case ENOSPC:
        case EDQUOT: return ExitStatus::failed;
        default: return ExitStatus::configuration_refused;
    }
}

}  // namespace wimax
